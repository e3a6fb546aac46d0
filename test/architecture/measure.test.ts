import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../structure/measure.mjs', import.meta.url));

test('nothing of the source is larger than its limit', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM]);
  expect(stdout.split('\n').filter((line) => line.includes('exceeded'))).toEqual([]);
});
