/** Articles that the service refuses as it would refuse an expired token: they cost no logins (D-609). */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { LIVE } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type Answer, html, json } from '../helpers/fault-server.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { smallRange } from '../helpers/small-range.ts';

const GOOD = ['D1', 'D2', 'D3', 'D4', 'D5', 'D6'];
const REFUSED = Array.from({ length: 16 }, (_, i) => `X${i}`);
const UNKNOWN = { error: 'unknown article' };
/** How a service refuses an article. */
const STYLES = [
  ['401', json(UNKNOWN, 401)],
  ['403', json(UNKNOWN, 403)],
  ['a page of HTML', html],
  ['an error with 500', json(UNKNOWN, 500)],
  ['an error with 200', json(UNKNOWN)],
] as const;
const IN_TURN: Answer = (response, request) => {
  const [, number] = /basearticlenumber=X(\d+)/.exec(request.url!)!;
  STYLES[Number(number) % STYLES.length]![1](response, request);
};
/** Each of them by itself in the long form, all of them in one run in the short one. */
const ANSWERS: readonly (readonly [string, Answer])[] = [
  ['each of these in turn', IN_TURN],
  ...(IS_LONG ? STYLES : []),
];

/** Refused articles among good ones. */
const MIXED = REFUSED.flatMap((number, i) => [number, ...GOOD.slice(i, i + 1)]);

let runs: DailyRuns;

beforeAll(async () => {
  const range = smallRange(GOOD.map((number) => ({ number, blocks: ['ACME::DESK::TOP'] })));
  runs = await openDailyRuns(range);
});
afterEach(() => runs.proxy.mend());
afterAll(() => runs.close());

/** Runs over a list of articles, at the default concurrency, and counts the logins. */
async function runOver(name: string, numbers: readonly string[]) {
  const rows = numbers.map((number) => `ACME,DESK,${number}`);
  const list = ['manufacturer,program,basearticlenumber', ...rows].join('\n');
  await writeFile(join(runs.folder, `${name}.csv`), list);
  await runs.configure({
    service: { ...LIVE, backoffMs: 1 },
    articles: [{ list: `${name}.csv` }],
    output: { dir: name },
    cache: { dir: `${name}-cache` },
  });
  const before = runs.proxy.seen.length;
  const { exit, stderr } = await runs.call(['run', runs.pipelineFile]);
  const seen = runs.proxy.seen.slice(before);
  const lines = await readManifest(join(runs.folder, name));
  return {
    ...{ exit, stderr },
    logins: seen.filter((url) => url.includes('GetSessionToken')).length,
    converted: lines.filter(({ status }) => status === 'converted').length,
    failed: lines.filter(({ status }) => status === 'failed').length,
  };
}

/** A number from 0 to 1, the same for the same count. */
function fractionOf(count: number): number {
  return createHash('sha256').update(String(count)).digest().readUInt32LE() / 2 ** 32;
}

test.each(ANSWERS)(
  '16 articles refused with %s among good ones cost no login',
  async (style, answer) => {
    runs.proxy.break(/basearticlenumber=X/, answer);
    const run = await runOver(`mixed-${ANSWERS.findIndex(([name]) => name === style)}`, MIXED);
    expect(run, run.stderr).toMatchObject({
      exit: 1,
      logins: 1,
      converted: 6,
      failed: REFUSED.length,
    });
  },
);

test('16 refused articles alone cost no login', async () => {
  runs.proxy.break(/basearticlenumber=X/, html);
  const run = await runOver('all', REFUSED);
  expect(run, run.stderr).toMatchObject({ exit: 1, logins: 1, failed: REFUSED.length });
});

test('16 refused articles cost three logins at most where the root refuses every second request', async () => {
  const root = json([{ nodeid: 'ACME;:DESK@1', text: 'Desks', nodetype: 'F' }]);
  let asked = 0;
  runs.proxy.break(/basearticlenumber=X/, html);
  runs.proxy.break(/getnodes/, (response, request) => {
    (++asked % 2 === 0 ? json({ error: 'busy' }, 401) : root)(response, request);
  });
  const run = await runOver('unreliable-root', MIXED);
  expect(run, run.stderr).toMatchObject({ exit: 1, converted: 6, failed: REFUSED.length });
  expect(run.logins).toBeLessThanOrEqual(3);
});

test.each(IS_LONG ? [0.5, 2 / 3] : [2 / 3])(
  '16 refused articles cost three logins at most where %f of all requests are refused at random',
  async (share) => {
    runs.proxy.break(/basearticlenumber=X/, html);
    let requests = 0;
    runs.proxy.disturb((url) => {
      const isRefused = !/GetPublicKey|GetSessionToken/.test(url) && fractionOf(++requests) < share;
      return isRefused ? { answer: json({ error: 'busy' }, 401) } : undefined;
    });
    const run = await runOver(`random-${share.toFixed(1)}`, MIXED);
    expect(run.exit, run.stderr).toBe(1);
    expect(run.logins).toBeLessThanOrEqual(3);
  },
);

test('tokens that die all the time are replaced, also while articles are refused', async () => {
  runs.proxy.break(/basearticlenumber=X/, html);
  let calls = 0;
  runs.proxy.disturb(() => {
    if (++calls % 20 === 0) runs.emulator.expireTokens();
    return undefined;
  });
  const run = await runOver('dying', [...REFUSED.slice(0, 8), ...GOOD]);
  expect(run, run.stderr).toMatchObject({ exit: 1, converted: 6, failed: 8 });
  expect(run.logins).toBeGreaterThan(1);
});
