import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBytes } from '../../../src/support/files.ts';
import { release } from '../../../src/support/garbage.ts';
import { temporaryFolder } from '../../helpers/command.ts';

const MIB = 1024 * 1024;

test('what is released gives back its memory: a large file as it was read', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'body');
  await writeFile(file, new Uint8Array(2 * MIB));
  for (const bytes of [await readBytes(file), await readFile(file), new Uint8Array(MIB)]) {
    await release(bytes);
    expect(bytes.length).toBe(0);
    // A second time changes nothing.
    await release(bytes);
  }
  await rm(folder, { recursive: true });
});

test('what is small, or a part of other bytes, is not released', async () => {
  const small = new Uint8Array(MIB - 1);
  const part = new Uint8Array(2 * MIB).subarray(MIB);
  await Promise.all([small, part].map(release));
  expect([small.length, part.length]).toEqual([MIB - 1, MIB]);
});
