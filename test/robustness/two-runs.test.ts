/**
 * Two runs: one output folder has one run at a time, each a process of its own; the lock of a dead
 * process does not block a run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Child, startChild } from '../helpers/child.ts';
import { LIVE } from '../helpers/command.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import type { FaultProxy } from '../helpers/fault-proxy.ts';
import type { Answer } from '../helpers/fault-server.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { closedGate } from '../helpers/until.ts';

const ARTICLES = 3;
/** How often, and how many at once, find the lock of a dead process. */
const ROUNDS = IS_LONG ? 10 : 1;
const RIVALS = IS_LONG ? 4 : 2;

let runs: DailyRuns;
let held: ReturnType<typeof holdBlocks>;

beforeEach(async () => {
  runs = await openDailyRuns(countedRange({ articles: ARTICLES, blocks: 5, images: 2 }), {
    service: { ...LIVE, backoffMs: 10 },
  });
  held = holdBlocks(runs.proxy);
});
afterEach(() => runs.close());

const start = (...options: string[]): Child =>
  startChild(['run', runs.pipelineFile, ...options], runs.proxy.env);

test('the second run stops with a sentence and sends no request; the first continues', async () => {
  const { folder } = runs;
  const first = start();
  await held.first;
  const files = await publishedFiles(runs.outputDir);
  const second = await runs.call(['run', runs.pipelineFile]);
  expect(second.exit).toBe(3);
  expect(second.stderr).toMatch(
    new RegExp(
      `out: another run uses this folder: process ${first.pid} on ${hostname()}\\n.*wait until the other run ends`,
    ),
  );
  expect(second.stderr).not.toContain('    at ');
  expect(runs.proxy.seen.filter((url) => url.includes('GetPublicKey'))).toHaveLength(1);
  expect(await publishedFiles(runs.outputDir)).toEqual(files);

  const other = runs.call(['run', runs.pipelineFile, '--output', join(folder, 'other')]);
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
    held = holdBlocks(runs.proxy);
    const output = join(runs.folder, `out-${round}`);
    await mkdir(output);
    const lock = { pid: await deadProcess(), host: hostname(), startedAt: 1 };
    await writeFile(join(output, '.lock'), JSON.stringify(lock));
    const ended = Array.from({ length: RIVALS }, () => start('--output', output, '--force').ended);
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
    expect(await damagesOf(output)).toEqual([]);
  }
});

/** Lets blocks wait; once released, they come at the second attempt. */
function holdBlocks(proxy: FaultProxy) {
  const [first, released] = [closedGate(), closedGate()];
  let isHeld = true;
  const answer: Answer = async (response) => {
    first.open();
    await released.opened;
    response.writeHead(503).end();
  };
  proxy.disturb((url) => (isHeld && /\/blocks?\b/i.test(url) ? { answer } : undefined));
  return {
    /** The first block was asked for: a run is in the midst of its work. */
    first: first.opened,
    release: () => {
      isHeld = false;
      released.open();
    },
  };
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid!;
}
