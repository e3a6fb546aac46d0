import { expect } from 'vitest';
import type { Wire } from './sample-range.ts';

/** The JSON of an answer, which must have this status. */
export async function jsonOf(answer: Response | Promise<Response>, status = 200): Promise<Wire> {
  const response = await answer;
  const json = await response.json();
  expect([response.status, json]).toEqual([status, json]);
  return json;
}
