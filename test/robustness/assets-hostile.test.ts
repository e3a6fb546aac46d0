/** A server of assets under what goes wrong and who means harm: what it answers, and that it stays as it was. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { browserProcesses, killBrowserProcesses } from '../helpers/browser-processes.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, LIVE_ONCE, openDailyRuns } from '../helpers/daily-runs.ts';
import { raw } from '../helpers/fault-server.ts';
import { folderSize } from '../helpers/folder-size.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { type RunningCommand, startCommand } from '../helpers/running-command.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';
import { statusOf } from '../helpers/status-of.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

const ARTICLES = IS_LONG ? 80 : 40;

let range: CountedRange;
let runs: DailyRuns;
const started: RunningCommand[] = [];

beforeEach(async () => {
  range = countedRange({ articles: ARTICLES, blocks: 20, images: 4 });
  runs = await openDailyRuns(range, { service: { ...LIVE_ONCE, concurrency: 4 } });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ end }) => end()));
  await runs.close();
});

/** Starts a server; returns the address of each article of the range. */
async function serve(...options: string[]) {
  const words = ['assets', runs.pipelineFile, '--port', '0', ...options];
  const running = await startCommand(words, runs.proxy.env);
  started.push(running);
  const { origin } = new URL(running.url);
  return (index: number, form = 'glb') => {
    const { manufacturer, program, number } = range.articleAt(index);
    return `${origin}/a/${manufacturer}/${program}/${number}.${form}`;
  };
}

describe('a service that answers rubbish', () => {
  it('is a problem without details; what comes after is right', async () => {
    const addressOf = await serve();
    const answers = [
      raw('<html>', { 'content-type': 'text/html' }),
      // Nothing of an article, and a wrong type.
      ...['{}', '[1]'].map((text) => raw(text, { 'content-type': 'application/json' })),
    ];
    for (const [index, answer] of answers.entries()) {
      runs.proxy.break(/\/articles\?/, answer);
      const failed = await fetch(addressOf(2 * index));
      expect([502, 503]).toContain(failed.status);
      expect(failed.headers.get('content-type')).toMatch(/problem\+json/);
      expect(await failed.text()).not.toContain(new URL(runs.proxy.env.BTG2GLTF_BASE_URL!).host);
      runs.proxy.mend();
      expect(await statusOf(addressOf(2 * index + 1))).toBe(200);
    }
  });
});

const parent = await temporaryFolder();
const mayMount = await canMount(join(parent, 'probe'));

describe.skipIf(!mayMount)('a full disk (skipped where this process may not mount one)', () => {
  it('is a problem with a sentence; with free space the file is made', async () => {
    const disk = await mountSmallDisk(join(parent, 'disk'), 64 * 1024);
    onTestFinished(() => disk.remove());
    const addressOf = await serve(`--cache=${join(disk.path, 'cache')}`);
    expect(await statusOf(addressOf(0))).toBe(200);
    const { bytes } = await folderSize(disk.path);
    await disk.resize(Math.ceil(bytes / 1024) + 4);
    let index = 0;
    await until(async () => {
      const answer = await fetch(addressOf(++index));
      if (answer.status !== 503) return false;
      expect(await answer.json()).toMatchObject({ detail: expect.any(String) });
      return true;
    });
    expect(await statusOf(addressOf(0))).toBe(200);
    await disk.resize(64 * 1024);
    await until(async () => expect(await statusOf(addressOf(ARTICLES - 1))).toBe(200));
  });
});

// That the pictures of a renderer are taken by a new browser: test/browser/pictures.test.ts.
describe.runIf(IS_LONG && HAS_BROWSER)('a browser that dies while a picture is taken', () => {
  it('is replaced, and the picture is there', async () => {
    // That of other tests in this process goes on.
    const others = browserProcesses();
    const addressOf = await serve();
    expect(await statusOf(addressOf(0, 'png?size=64'))).toBe(200);
    const asked = fetch(addressOf(1, 'png?size=65'));
    expect(killBrowserProcesses('browser', others)).toBeGreaterThan(0);
    expect((await asked).status).toBe(200);
  });
});

describe('clients that mean harm', () => {
  it('who leave before the answer, cost what has begun and no more', async () => {
    const addressOf = await serve('--max-new', '1000');
    expect(await statusOf(addressOf(0))).toBe(200);
    runs.proxy.slowBy(20);
    const leaving = Array.from({ length: ARTICLES / 2 - 2 }, async (_, index) => {
      const gone = new AbortController();
      const asked = fetch(addressOf(index + 1), { signal: gone.signal }).catch(() => 'gone');
      await until(() => runs.proxy.seen.length > 0);
      gone.abort();
      return asked;
    });
    expect(new Set(await Promise.all(leaving))).toEqual(new Set(['gone']));
    runs.proxy.slowBy(0);
    expect(await statusOf(addressOf(ARTICLES - 1))).toBe(200);
    // Four are made at the same time; those that waited were dropped.
    const made = runs.proxy.seen.filter((url) => url.includes('/btg?'));
    expect(made.length).toBeLessThan(ARTICLES / 4);
  });

  it('who ask for much that is new get it within their budget; others get theirs', async () => {
    const addressOf = await serve('--max-new', '2');
    const statuses = [];
    for (let index = 0; index < 7; index++) statuses.push(await statusOf(addressOf(index)));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
    expect(statuses.at(-1)).toBe(429);
    expect(await statusOf(addressOf(0))).toBe(200);
  });

  it.runIf(IS_LONG)('who fill the cache find it within its limit', async () => {
    const limit = 400_000;
    await runs.configure({ service: LIVE_ONCE, cache: { dir: 'cache', maxBytes: limit } });
    const addressOf = await serve('--max-new', '10000', '--max-pixels', '100000');
    const forms = ['glb', 'usdz', 'json', 'glb?profile=planner', 'glb?profile=ar-android'];
    for (let index = 0; index < ARTICLES; index++)
      for (const form of forms) expect(await statusOf(addressOf(index, form))).toBe(200);
    const { bytes } = await folderSize(join(runs.cacheDir, 'objects'));
    // Without eviction, it is 1.4 MB.
    expect(bytes).toBeLessThan(1.5 * limit);
    // What was evicted is made again.
    expect(await statusOf(addressOf(0))).toBe(200);
  });
});
