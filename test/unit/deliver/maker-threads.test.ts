/** Threads of the built program: what they make, and what becomes of what ends them. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writeGlb } from '../../../src/convert/write/glb.ts';
import type { MadeFile } from '../../../src/deliver/making/maker.ts';
import { createOnce, type Once } from '../../../src/deliver/making/once.ts';
import type { Threads } from '../../../src/deliver/making/threads.ts';
import { groupVariants } from '../../../src/deliver/variants/variants.ts';
import { sha256Hex } from '../../../src/support/files.ts';
import { flatJpeg } from '../../helpers/flat-picture.ts';
import { BOX_BODY, sceneOf } from '../../helpers/snapshot.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { closedGate } from '../../helpers/until.ts';

const WANTED = { profiles: ['web', 'planner', 'ar-ios'], variants: true };
const built = pathToFileURL(join('dist', 'deliver', 'maker-threads.js')).href;
const { openThreads } = (await import(
  built
)) as typeof import('../../../src/deliver/maker-threads.ts');

let master: Uint8Array;
let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  // A small image: to encode it is most of what a thread does.
  const scene = await sceneOf({
    btg: [{ type: 'imp', btgname: 'A::B::BOX', mat: 'RED' }],
    mats: [{ mname: 'RED', pic: 'RED' }],
    blocks: { 'A::B::BOX': BOX_BODY },
    images: { RED: await flatJpeg(200, 20, 20) },
  });
  master = writeGlb(scene);
  await writeFile(join(folder, 'box.glb'), master);
});
afterAll(() => rm(folder, { recursive: true }));

/** While it is set, no shared result can be read. */
let readError: Error | undefined;
const sharedResults = (): Once => {
  const once = createOnce();
  return (key, work) => (readError === undefined ? once(key, work) : Promise.reject(readError));
};

/** This thread. */
let here: Threads;
/** Two others. Tests that end them come last: they would start again for each. */
let two: Threads;
beforeAll(async () => {
  const settings = { heapMb: 1024, now: Date.now };
  here = await openThreads(WANTED, { ...settings, count: 1, once: sharedResults() });
  two = await openThreads(WANTED, { ...settings, count: 2, once: sharedResults() });
});
afterAll(() => Promise.all([here.close(), two.close()]));

const makeIn = (threads: Threads, delivery: string, weight = master.length) =>
  threads.call<MadeFile[]>({ delivery, name: 'make', given: [master, []], weight });

/** The files, each with the digest of its bytes. */
const digestsOf = ({ result }: { result: MadeFile[] }) =>
  result.map(({ bytes, ...rest }) => ({ ...rest, sha256: sha256Hex(bytes) }));

describe('threads of makers', () => {
  it('make the bytes that this thread makes', async () => {
    const all = (threads: Threads) =>
      Promise.all(WANTED.profiles.map(async (name) => digestsOf(await makeIn(threads, name))));
    expect(await all(two)).toEqual(await all(here));
  });

  it('say how long it took', async () => {
    const { ms } = await makeIn(two, 'web');
    expect(ms).toBeGreaterThan(0);
  });

  it('throw the error of a maker, with its code', async () => {
    const call = { delivery: 'web', name: 'make', given: [new Uint8Array(100), []], weight: 100 };
    await expect(two.call(call)).rejects.toMatchObject({
      code: 'MODEL_UNREADABLE',
      message: expect.stringContaining('GLB'),
    });
  });

  it('read masters of the main thread, one at a time', async () => {
    const sources = ['a', 'b'].map((sha256) => ({ sha256, number: sha256, properties: [] }));
    const asked: number[] = [];
    const readMaster = async (place: number) => {
      asked.push(place);
      return master;
    };
    const call = { delivery: 'variants', name: 'group', given: [sources], weight: 1, readMaster };
    const { result } = await two.call(call);
    expect(result).toEqual(await groupVariants(sources, async () => master));
    expect(asked).toEqual([0, 1]);
  });

  it('read the file of a master themselves, and refuse another content', async () => {
    const sha256 = sha256Hex(master);
    const file = { path: join(folder, 'box.glb'), name: 'box.glb', sha256, bytes: master.length };
    for (const threads of [here, two]) {
      const call = { delivery: 'ar-ios', name: 'make', given: [[]], weight: 1 };
      const made = await threads.call<MadeFile[]>({ ...call, file });
      expect(digestsOf(made)).toEqual(digestsOf(await makeIn(threads, 'ar-ios')));
      const other = {
        ...file,
        sha256: sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      };
      await expect(threads.call({ ...call, file: other })).rejects.toMatchObject({
        code: 'STORE_DAMAGED',
        message: expect.stringMatching(/^box\.glb: expected the content/),
      });
    }
  });

  it('pass on why a master cannot be read', async () => {
    const sources = [{ sha256: 'a', number: 'a', properties: [] }];
    const readMaster = () => Promise.reject(new Error('the disk is gone'));
    const call = { delivery: 'variants', name: 'group', given: [sources], weight: 1, readMaster };
    await expect(two.call(call)).rejects.toThrow('the disk is gone');
  });

  it('pass on why a shared result cannot be read, and so does this thread', async () => {
    onTestFinished(() => {
      readError = undefined;
    });
    readError = new Error('the store does not answer');
    for (const threads of [here, two])
      await expect(makeIn(threads, 'web')).rejects.toThrow('the store does not answer');
  });

  const SOURCES = [{ sha256: 'a', number: 'a', properties: [] }];
  const group = (threads: Threads, weight: number, readMaster: () => Promise<Uint8Array>) =>
    threads.call({ delivery: 'variants', name: 'group', given: [SOURCES], weight, readMaster });

  it('begin with the largest of what waits', async () => {
    const begun: number[] = [];
    const othersBegun = closedGate();
    const calls = [10, 30, 100, 20].map((weight) =>
      group(two, weight, async () => {
        // It keeps its thread: two of them would read in either order.
        if (weight === 100) await othersBegun.opened;
        else if (begun.push(weight) === 3) othersBegun.open();
        return master;
      }),
    );
    await Promise.all(calls);
    expect(begun).toEqual([30, 20, 10]);
  });

  it('begin with another delivery than the one that is being made', async () => {
    const begun: string[] = [];
    const secondBegun = closedGate();
    const first = group(two, 100, () => secondBegun.opened.then(() => master));
    const second = group(two, 30, async () => {
      begun.push('the same delivery');
      secondBegun.open();
      return master;
    });
    const third = makeIn(two, 'web', 10).then(() => begun.push('another delivery'));
    await Promise.all([first, second, third]);
    expect(begun).toEqual(['another delivery', 'the same delivery']);
  });

  it('try what has ended its thread once more, then it is a failure; the others continue', async () => {
    // The libraries alone need more.
    const settings = { count: 2, heapMb: 3, once: createOnce(), now: Date.now };
    const threads = await openThreads(WANTED, settings);
    onTestFinished(() => threads.close());
    const both = await Promise.allSettled([makeIn(threads, 'web'), makeIn(threads, 'planner')]);
    for (const settled of both)
      expect(settled).toMatchObject({
        status: 'rejected',
        reason: { code: 'OUT_OF_MEMORY', message: expect.stringContaining('3 MiB') },
      });
  });

  it('end what its signal ends, whether it waits or is being done; the others continue', async () => {
    const stop = new AbortController();
    const sources = [{ sha256: 'a', number: 'a', properties: [] }];
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const stuck = () => {
      begin();
      return new Promise<Uint8Array>(() => undefined);
    };
    const call = { delivery: 'variants', name: 'group', given: [sources], weight: 9 };
    const cancelled = { ...call, readMaster: stuck, signal: stop.signal };
    const ended = Promise.allSettled([1, 2, 3].map(() => two.call(cancelled)));
    await begun;
    const other = makeIn(two, 'ar-ios');
    stop.abort(new Error('the client is gone'));
    for (const settled of await ended)
      expect(settled).toMatchObject({ reason: { message: 'the client is gone' } });
    expect((await other).result).toHaveLength(1);
    await expect(two.call(cancelled)).rejects.toThrow('the client is gone');
  });

  it('interrupt what they do when they are closed, and begin anew afterwards', async () => {
    const making = Promise.allSettled(Array.from({ length: 6 }, () => makeIn(two, 'web')));
    await two.close();
    for (const settled of await making)
      expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'INTERRUPTED' } });
    expect((await makeIn(two, 'ar-ios')).result).toHaveLength(1);
  });
});
