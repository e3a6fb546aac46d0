import { afterEach, expect, it, vi } from 'vitest';
import { conversionSize, within } from '../../../../src/run/conversions/dispatch.ts';
import { BOX_BODY, type MadeArticle, makeSnapshot } from '../../../helpers/snapshot.ts';

const BOX = 'ACME::DESK::BOX';
const BTG = [{ type: 'imp', btgname: BOX }];
const MIB = 2 ** 20;
const listOf = (bytes: number) => ({ btg: [{ type: 'top', mat: 'x'.repeat(bytes) }] });
const blocksOf = (count: number, bytes: number) => ({
  blocks: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${BOX}${i}`, String(i).repeat(bytes)]),
  ),
});
const blockOf = (bytes: number) => ({ blocks: { [BOX]: 'x'.repeat(bytes) } });

it.each<[string, string, Partial<MadeArticle>]>([
  ['small', 'a box, and a picture that is missing', { images: { NONE: undefined } }],
  ['medium', 'a parts list of 128 KiB', listOf(MIB / 8)],
  ['medium', 'a block of 1 MiB', blockOf(MIB)],
  ['medium', 'blocks of 4 MiB together', blocksOf(5, 0.8 * MIB)],
  ['large', 'a parts list of 256 KiB', listOf(MIB / 4)],
  ['large', 'a block of 8 MiB', blockOf(8 * MIB)],
  ['large', 'blocks of 32 MiB together', blocksOf(5, 6.5 * MIB)],
])('a conversion is %s with %s', async (size, _what, more) => {
  const { snapshot, read } = makeSnapshot({ btg: BTG, blocks: { [BOX]: BOX_BODY }, ...more });
  const sizeOf = async (digest: string) => (await read(digest)).length;
  expect(await conversionSize(snapshot, { sizeOf })).toBe(size);
});

afterEach(() => {
  vi.useRealTimers();
});

it('the time limit of an article does not count the pauses of the service', async () => {
  vi.useFakeTimers();
  let pausedMs = 0;
  const pipeline = { limits: { articleTimeoutMs: 1000 } };
  const session = { pausedMs: () => pausedMs };
  const run = { options: { pipeline }, sources: { session } };
  let stop: AbortSignal | undefined;
  const ended = within(run, (signal) => {
    stop = signal;
    return new Promise<void>(() => {});
  });
  const code = ended.catch((error: unknown) => error);
  pausedMs = 4000;
  await vi.advanceTimersByTimeAsync(4999);
  expect(stop?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await code).toMatchObject({ code: 'ARTICLE_TIMEOUT' });
  expect(stop?.aborted).toBe(true);
});
