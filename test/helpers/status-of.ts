/** The status of an answer that is read to its end: a connection whose answer is not would keep its server from stopping. */
export async function statusOf(...request: Parameters<typeof fetch>): Promise<number> {
  const answer = await fetch(...request);
  await answer.arrayBuffer();
  return answer.status;
}
