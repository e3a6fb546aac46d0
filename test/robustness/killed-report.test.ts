/** Killed report: what a run published before it was killed is told by the next one, wherever that was. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChangeLine } from '../../src/run/output/changes.ts';
import { runChild } from '../helpers/child.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { parsedLines } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';

const ARTICLES = 4;
/** Kills a program before it gives a file its name. */
const KILL_BEFORE_NAME = `
import fs from 'node:fs';
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (String(to).endsWith(process.env.KILL_BEFORE)) process.kill(process.pid, 'SIGKILL');
  return renameSync(from, to);
};
`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(KILL_BEFORE_NAME)}`;
const SHOP_SECRET = 'signing-key-of-the-shop';

let range: CountedRange;
let runs: DailyRuns;
let server: Server;
/** What the receiver of the webhook has accepted. */
let told: (ChangeLine & { id: string })[];

beforeEach(async () => {
  range = countedRange({ articles: ARTICLES, blocks: ARTICLES, images: 1, blocksPerArticle: 1 });
  range.convertedOn('2026-02-01');
  told = [];
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    told.push(...JSON.parse(body).configurations);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  runs = await openDailyRuns(range, {
    deliver: { afterPublish: { webhook, secretVariable: 'SHOP_SECRET' } },
  });
});
afterEach(async () => {
  await runs.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const env = () => ({ ...runs.proxy.env, SHOP_SECRET });
const changed = async () => {
  const text = await readFile(join(runs.outputDir, 'changes.jsonl'), 'utf8');
  return parsedLines<ChangeLine>(text).map(({ basearticlenumber }) => basearticlenumber);
};

/** Runs until it is killed before a file gets its name. */
async function killBefore(name: string): Promise<void> {
  const killing = { ...env(), NODE_OPTIONS, KILL_BEFORE: name };
  const { signal, stderr } = await runChild(['run', runs.pipelineFile], killing);
  expect(signal, stderr).toBe('SIGKILL');
}

test('a first run, of a pipeline that delivers nothing, that was killed before its report', async () => {
  await runs.configure({});
  await killBefore('report.json');
  const { exit, stdout } = await runs.call(['run', runs.pipelineFile], { env: env() });
  expect({ exit, stdout }).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(`${ARTICLES} new · 0 changed`),
  });
  expect(await changed()).toHaveLength(ARTICLES);
});

const NAMES = ['changes.jsonl', 'outbox.jsonl', 'report.json', 'published.jsonl'];

test.each(IS_LONG ? NAMES : NAMES.slice(-1))(
  'a run that was killed before it named its %s',
  async (name) => {
    const run = () => runs.call(['run', runs.pipelineFile], { env: env() });
    expect((await run()).exit).toBe(0);
    expect(told).toHaveLength(ARTICLES);
    told = [];

    const numbers = [0, 2].map((at) => range.articleAt(at).number);
    for (const at of [0, 2]) {
      const [block] = range.articleAt(at).blocks;
      range.bodies.set(block!, countedBlock(block!, 2));
    }
    range.convertedOn('2026-02-02');
    await killBefore(name);

    const { exit, stdout } = await run();
    expect(exit).toBe(0);
    expect(stdout).toContain('Models of 2 articles changed');
    expect((await runs.report()).changes.changed).toMatchObject({ count: 2 });
    expect(await changed()).toEqual(numbers);
    // The receiver was told of each; of those that it was told of twice, with the same id.
    expect(new Set(told.map(({ basearticlenumber }) => basearticlenumber))).toEqual(
      new Set(numbers),
    );
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
    await run();
    expect(await changed()).toEqual([]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
  },
);
