/** Those that send requests to a service, noted in a store. */
import { beforeEach, expect, it } from 'vitest';
import { openMembers } from '../../../src/distribute/members.ts';
import type { ObjectStore } from '../../../src/distribute/store/object-store.ts';
import { folderPerTest } from '../../helpers/folder-per-test.ts';
import { openStore } from '../../helpers/object-stores.ts';

const START = Date.parse('2026-11-29T02:00:00.000Z');
const at = folderPerTest();
let store: ObjectStore;
let clock: number;
beforeEach(async () => {
  store = await openStore(at());
  clock = START;
});
const open = (startedAt: number, service = 'a service', skewMs = 0) =>
  openMembers(store, { service, startedAt }, () => clock + skewMs);

it('see each other, and the workers of a run as one', async () => {
  const [run, server] = [open(START), open(START + 1)];
  expect(await run.see(0)).toEqual({ index: 0, count: 1, pausedUntilMs: 0 });
  expect(await server.see(0)).toMatchObject({ index: 1, count: 2 });
  const worker = open(START);
  expect(await worker.see(0)).toMatchObject({ index: 0, count: 2 });
  expect(await run.see(0)).toMatchObject({ index: 0, count: 2 });
  expect(await open(START + 2, 'another service').see(0)).toMatchObject({ count: 1 });
  await server.leave();
  expect(await run.see(0)).toMatchObject({ index: 0, count: 1 });
});

it('count no longer when they have not looked for 15 s, whatever their clocks say', async () => {
  const [run, dead] = [open(START), open(START + 1, 'a service', 3_600_000)];
  await dead.see(0);
  expect(await run.see(0)).toMatchObject({ count: 2 });
  clock += 14_000;
  expect(await run.see(0)).toMatchObject({ count: 2 });
  clock += 1_000;
  expect(await run.see(0)).toMatchObject({ count: 1 });
  expect(await dead.see(0)).toMatchObject({ index: 1, count: 2 });
});

it('heed the pause of another, by the time that is left', async () => {
  const [run, server] = [open(START), open(START + 1, 'a service', -60_000)];
  await run.see(START + 9_000);
  const { pausedUntilMs } = await server.see(0);
  expect(pausedUntilMs).toBe(START - 60_000 + 9_000);
});

it('lose nothing when they look at the same time', async () => {
  const all = Array.from({ length: 4 }, (_, index) => open(START + index));
  for (let round = 0; round < 3; round++) await Promise.all(all.map((one) => one.see(0)));
  const seen = await Promise.all(all.map((one) => one.see(0)));
  expect(seen.map(({ index, count }) => [index, count])).toEqual(all.map((_, at) => [at, 4]));
});
