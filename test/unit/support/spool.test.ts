import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScratchFile } from '../../../src/support/scratch-file.ts';
import { Spool } from '../../../src/support/spool.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true }));

/** More than a spool keeps in memory; some values are larger than a chunk, and one is empty. */
const TEXTS = Array.from({ length: 3600 }, (_, n) => `${n}ü`.repeat(n % 500 === 0 ? n * 20 : 900));

describe('a spool', () => {
  test('gives back every value in any order, also those in its file', async () => {
    const file = await openScratchFile(folder);
    const spool = new Spool(file);
    const encoder = new TextEncoder();
    const places = TEXTS.map((text, n) =>
      n % 2 === 0 ? spool.addText(text) : spool.add(encoder.encode(text)),
    );
    for (let n = 0; n < TEXTS.length; n++) {
      const at = (n * 2711) % TEXTS.length;
      if (spool.textAt(places[at]!) !== TEXTS[at]) expect.fail(`value ${at} differs`);
    }
    expect(spool.bytesAt(places[1]!)).toEqual(encoder.encode(TEXTS[1]));
    expect(spool.bytesAt(places[0]!)).toHaveLength(0);
    file.close();
  });

  test('keeps in memory what its file cannot take', async () => {
    const file = await openScratchFile(folder);
    const spool = new Spool(file);
    file.close();
    const places = TEXTS.map((text) => spool.addText(text));
    expect(places.every((place, n) => spool.textAt(place) === TEXTS[n])).toBe(true);
  });
});

describe('a scratch file', () => {
  test('has no name, so that nothing remains of a killed process', async () => {
    const file = await openScratchFile(join(folder, 'new'));
    expect(file.append(new Uint8Array([1, 2, 3]))).toBe(0);
    expect(await readdir(join(folder, 'new'))).toEqual([]);
    const bytes = new Uint8Array(2);
    file.read(bytes, 1);
    expect([...bytes]).toEqual([2, 3]);
    expect(() => file.read(bytes, 2)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }));
    file.close();
  });
});
