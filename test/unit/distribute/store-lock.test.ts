import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../src/distribute/store/object-store.ts';
import { lockStore, type StoreLock } from '../../../src/distribute/store-lock.ts';
import { folderPerTest } from '../../helpers/folder-per-test.ts';
import { openStore, textOf } from '../../helpers/object-stores.ts';
import { until } from '../../helpers/until.ts';

const RENEWED_EVERY_MS = 100;
const START = Date.parse('2026-11-23T02:00:00.000Z');
const OWN = { run: '2026-11-23T02-00-00.000Z' };

const at = folderPerTest();
let store: ObjectStore;
const locks: StoreLock[] = [];
beforeEach(async () => {
  store = await openStore(at());
});
afterEach(async () => {
  for (const { release } of locks.splice(0)) await release();
});

async function lock(startedAt: number, now = () => startedAt, seen = store): Promise<StoreLock> {
  const { signal } = new AbortController();
  const taken = await lockStore(seen, { now, startedAt, signal }, RENEWED_EVERY_MS);
  locks.push(taken);
  return taken;
}

const content = async () => {
  const found = await store.get('lock.json');
  return found && (JSON.parse(textOf(found.content)) as Record<string, unknown>);
};
const isRenewed = async (before = 0) => Number((await content())?.renewals) > before;
/** A second run, each look of which is followed by a renewal of the first. */
const lockToo = async (startedAt: number) => {
  const head: ObjectStore['head'] = async (key) => {
    const found = await store.head(key);
    const before = (await content())?.renewals;
    if (key === 'lock.json') await until(() => isRenewed(Number(before)));
    return found;
  };
  return lock(startedAt, undefined, Object.assign(await openStore(at()), { head }));
};
const write = async (owner: object) => {
  const bytes = Buffer.from(JSON.stringify(owner));
  return store.replace('lock.json', bytes, (await store.head('lock.json'))?.etag);
};
const ELSEWHERE = { host: 'another-machine', pid: 1, run: 'another-run', renewals: 0 };

describe('the lock of a store', () => {
  test('is that of one run, which renews it and gives it back', async () => {
    const first = await lock(START);
    expect(await content()).toMatchObject({ ...OWN, renewals: 0 });
    await until(() => isRenewed(1));
    await expect(lockToo(START + 1)).rejects.toMatchObject({
      code: 'OUTPUT_LOCKED',
      message: expect.stringMatching(
        /: expected no other run, but run 2026-11-23T02-00-00\.000Z of process \d+ on \S+ publishes there$/,
      ),
    });
    await first.release();
    expect(await content()).toBeUndefined();
    await (await lock(START + 1)).release();
  });

  test('is refused to another run whatever the clocks of both say', async () => {
    let jump = 0;
    await lock(START, () => START + ++jump * 86_400_000);
    for (const days of [-1, 365])
      await expect(lockToo(START + days * 86_400_000)).rejects.toMatchObject({
        code: 'OUTPUT_LOCKED',
      });
  });

  test.each([
    ['is of a run on another machine that does not renew it', {}],
    ['is of a process of this machine that has ended', { host: hostname(), pid: 2 ** 30 }],
    ['is damaged', { host: 7 }],
  ])('is taken over if it %s', async (_name, owner) => {
    await write({ ...ELSEWHERE, ...owner });
    await lock(START);
    expect(await content()).toMatchObject(OWN);
  });

  test('is lost to a run that has taken it over, and stays that one’s', async () => {
    const { lost, release } = await lock(START);
    await until(async () => (await write(ELSEWHERE)) !== undefined);
    await until(() => lost.aborted);
    expect(lost.reason).toMatchObject({
      code: 'OUTPUT_LOCKED',
      message: expect.stringContaining('run another-run of process 1 on another-machine'),
    });
    await release();
    expect(await content()).toEqual(ELSEWHERE);
  });

  test('is not waited for after an interruption', async () => {
    await write(ELSEWHERE);
    const interruption = new AbortController();
    const { signal } = interruption;
    const waiting = lockStore(store, { now: Date.now, startedAt: START, signal });
    interruption.abort(new Error('interrupted'));
    await expect(waiting).rejects.toThrow('interrupted');
  });
});
