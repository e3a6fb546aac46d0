/**
 * Two runs: one output folder has one run at a time, each a process of its own; the lock of a dead
 * process does not block a run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { type Child, startChild } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts';
import type { Answer } from '../helpers/fault-server.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const ARTICLES = 3;
/** How often, and how many at once, find the lock of a dead process. */
const ROUNDS = IS_LONG ? 10 : 1;
const RIVALS = IS_LONG ? 4 : 2;
const SERVICE = {
  authUrl: '${BTG2GLTF_AUTH_URL}',
  baseUrl: '${BTG2GLTF_BASE_URL}',
  backoffMs: 10,
};

let folder: string;
let file: string;
let emulator: Emulator;
let proxy: FaultProxy;
let held: Held;

beforeEach(async () => {
  folder = await temporaryFolder();
  file = await writePipeline(folder, { service: SERVICE });
  const size = { articles: ARTICLES, blocks: 5, images: 2 };
  emulator = await startEmulator({ range: countedRange(size) });
  proxy = await startFaultProxy(emulator);
  held = holdBlocks(proxy);
});
afterEach(async () => {
  await proxy.close();
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (...options: string[]): Child => startChild(['run', file, ...options], proxy.env);

test('the second run stops with a sentence and sends no request; the first continues', async () => {
  const first = start();
  await held.first;
  const files = await publishedFiles(join(folder, 'out'));
  const second = await command(['run', file], { env: proxy.env });
  expect(second.exit).toBe(3);
  expect(second.stderr).toMatch(
    new RegExp(
      `out: another run uses this folder: process ${first.pid} on ${hostname()}\\n.*wait until the other run ends`,
    ),
  );
  expect(second.stderr).not.toContain('    at ');
  expect(proxy.seen.filter((url) => url.includes('GetPublicKey'))).toHaveLength(1);
  expect(await publishedFiles(join(folder, 'out'))).toEqual(files);

  const other = command(['run', file, '--output', join(folder, 'other')], { env: proxy.env });
  held.release();
  expect((await first.ended).exit).toBe(0);
  expect(await other).toMatchObject({ exit: 0 });
  for (const name of ['out', 'other']) {
    expect(await damagesOf(join(folder, name))).toEqual([]);
    const published = await publishedFiles(join(folder, name));
    expect([...published.keys()].filter((path) => path.startsWith('articles'))).toHaveLength(
      ARTICLES,
    );
  }
});

test('of several runs that find a stale lock at once, one continues', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    held = holdBlocks(proxy);
    const name = `out-${round}`;
    await mkdir(join(folder, name));
    const lock = { pid: await deadProcess(), host: hostname(), startedAt: 1 };
    await writeFile(join(folder, name, '.lock'), JSON.stringify(lock));
    const places = ['--output', join(folder, name), '--force'];
    const ended = Array.from({ length: RIVALS }, () => start(...places).ended);
    const exits: (number | null)[] = [];
    await new Promise<void>((resolve) => {
      for (const end of ended) {
        void end.then(({ exit }) => {
          exits.push(exit);
          if (exits.length === RIVALS - 1) resolve();
        });
      }
    });
    expect(exits).toEqual(Array(RIVALS - 1).fill(3));
    held.release();
    await Promise.all(ended);
    expect(exits.at(-1)).toBe(0);
    expect(await damagesOf(join(folder, name))).toEqual([]);
  }
});

interface Held {
  /** The first block was asked for: a run is in the midst of its work. */
  first: Promise<void>;
  release(): void;
}

/** Lets blocks wait; once released, they come at the second attempt. */
function holdBlocks(before: FaultProxy): Held {
  const waiting: (() => void)[] = [];
  let isHeld = true;
  let onFirst = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  const wait: Answer = (response) => {
    waiting.push(() => response.writeHead(503).end());
    onFirst();
  };
  before.disturb((url) => (isHeld && /\/blocks?\b/i.test(url) ? { answer: wait } : undefined));
  return {
    first,
    release: () => {
      isHeld = false;
      for (const goOn of waiting) goOn();
    },
  };
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid!;
}
