import type { Readable } from 'node:stream';

/** The text that waits in a stream: one `read()` has all of it on Node 20, and one write of it on Node 26. */
export function textIn(stream: Readable): string {
  let text = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += chunk;
  return text;
}
