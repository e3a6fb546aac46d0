/** A server of assets and its service: slow, away, or asked by a run at the same time. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, LIVE_ONCE, openDailyRuns } from '../helpers/daily-runs.ts';
import { html } from '../helpers/fault-server.ts';
import { type RunningCommand, startCommand } from '../helpers/running-command.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { statusOf } from '../helpers/status-of.ts';
import { until } from '../helpers/until.ts';

shareBrowser();

/** More clients than may send requests at once, and more articles than clients. */
const [ARTICLES, CLIENTS, CONCURRENCY] = IS_LONG ? [60, 20, 4] : [4, 3, 2];
/** Two files of each are more than a server has in hand: 4 that it makes, 64 that wait. */
const MORE_THAN_WAIT = 35;

let range: CountedRange;
let runs: DailyRuns;
const started: RunningCommand[] = [];

beforeEach(() => openRange(ARTICLES));
async function openRange(articles: number, looks = articles): Promise<void> {
  range = countedRange({ articles, blocks: 20, images: 4, looks });
  const service = { ...LIVE_ONCE, concurrency: CONCURRENCY };
  runs = await openDailyRuns(range, { service });
}
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ end }) => end()));
  await runs.close();
});

/** Starts a server; returns the address of each article of the range. */
async function serve(env: Readonly<Record<string, string>>, ...options: string[]) {
  const words = ['assets', runs.pipelineFile, '--port', '0', '--max-new', '1000', ...options];
  const running = await startCommand(words, { ...runs.proxy.env, ...env });
  started.push(running);
  const { origin } = new URL(running.url);
  return (index: number, form = 'glb') => {
    const { manufacturer, program, number } = range.articleAt(index);
    return `${origin}/a/${manufacturer}/${program}/${encodeURIComponent(number)}.${form}`;
  };
}

const digest = (bytes: ArrayBuffer) =>
  createHash('sha256').update(Buffer.from(bytes)).digest('hex');

describe('a service that is away', () => {
  it('leaves what was made before, with a warning, and a sentence for what is new', async () => {
    const addressOf = await serve({}, '--resolve-max-age', '0');
    const before = await fetch(addressOf(0));
    const bytes = digest(await before.arrayBuffer());
    expect([before.status, before.headers.get('warning')]).toEqual([200, null]);
    runs.proxy.break(/./, (response, request) => {
      response.statusCode = 503;
      html(response, request);
    });
    const after = await fetch(addressOf(0));
    expect([after.status, digest(await after.arrayBuffer())]).toEqual([200, bytes]);
    expect(after.headers.get('warning')).toMatch(/^110 - ".*"$/);
    expect(Number(after.headers.get('age'))).toBeGreaterThanOrEqual(0);
    const other = await fetch(addressOf(1));
    expect(other.status).toBe(503);
    expect(Number(other.headers.get('retry-after'))).toBeGreaterThan(0);
    const problem = JSON.stringify(await other.json());
    expect(problem).toMatch(/"code":"[A-Z_]+"/);
    for (const secret of [new URL(runs.proxy.env.BTG2GLTF_BASE_URL!).host, runs.emulator.password])
      expect(problem).not.toContain(secret);
  });

  it('leaves what a run has published, to whom names it by its numbers', async () => {
    expect(await runs.run('2026-11-01')).toMatchObject({ exit: 0 });
    const addressOf = await serve({ BTG2GLTF_PASSWORD: 'refused-password' });
    const { number } = range.articleAt(3);
    const lines = await readManifest(runs.outputDir);
    const line = lines.find(({ basearticlenumber }) => basearticlenumber === number)!;
    const { finalarticlenumber, reinitstring } = line;
    const query = new URLSearchParams({ finalarticlenumber, reinitstring });
    for (const address of [addressOf(3), `${addressOf(3)}?${query}`]) {
      const answer = await fetch(address);
      expect([answer.status, digest(await answer.arrayBuffer())]).toEqual([200, line.sha256]);
      expect(answer.headers.get('warning')).toMatch(/^110 /);
    }
    const usdz = await fetch(addressOf(3, 'usdz'));
    expect([usdz.status, (await usdz.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    expect(await statusOf(addressOf(3, 'json'))).toBe(503);
  });

  it('does not let what is published be made beside the queue', async () => {
    await runs.close();
    // What they look like does not matter.
    await openRange(MORE_THAN_WAIT, 1);
    expect(await runs.run('2026-11-01')).toMatchObject({ exit: 0 });
    const addressOf = await serve({ BTG2GLTF_PASSWORD: 'refused-password' });
    // All arrive before the login is refused.
    runs.proxy.slowBy(1500);
    const asked = Array.from({ length: MORE_THAN_WAIT }, (_, index) => index).flatMap((index) => [
      statusOf(addressOf(index)),
      statusOf(addressOf(index, 'usdz')),
    ]);
    const statuses = await Promise.all(asked);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });

  it('is not asked to log in for each request', async () => {
    const addressOf = await serve({ BTG2GLTF_PASSWORD: 'refused-password' });
    const answers = await Promise.all(
      Array.from({ length: ARTICLES - 1 }, (_, index) => statusOf(addressOf(index))),
    );
    expect(new Set(answers)).toEqual(new Set([503]));
    expect(await statusOf(addressOf(ARTICLES - 1))).toBe(503);
    const logins = runs.proxy.seen.filter((url) => url.includes('GetSessionToken'));
    expect(logins.length).toBeLessThanOrEqual(2);
  });
});

describe('a service that hangs', () => {
  it('leaves what was made before, and does not keep the server from stopping', async () => {
    const addressOf = await serve({}, '--resolve-max-age', '0');
    const before = await fetch(addressOf(0));
    const bytes = digest(await before.arrayBuffer());
    runs.proxy.break(/./, () => {});
    const after = await fetch(addressOf(0));
    expect([after.status, digest(await after.arrayBuffer())]).toEqual([200, bytes]);
    expect(after.headers.get('warning')).toMatch(/^110 /);
    const waiting = fetch(addressOf(1)).catch(() => 'cut off');
    await until(() => runs.proxy.seen.length > 8);
    expect(await started.pop()!.end()).toMatchObject({ exit: 0 });
    await waiting;
  });
});

describe('a service that is slow', () => {
  it('is waited for up to a limit; then the work goes on, and its result is there', async () => {
    runs.proxy.slowBy(400);
    const addressOf = await serve({}, '--max-wait', '1');
    const first = await fetch(addressOf(0));
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await first.json()).toMatchObject({
      detail: expect.stringContaining('still being made'),
    });
    runs.proxy.slowBy(0);
    await until(async () => expect(await statusOf(addressOf(0))).toBe(200));
  });
});

describe('a request that does not wait', () => {
  it('gets the address of a state, which says where the file is', async () => {
    const addressOf = await serve({});
    const { origin, pathname } = new URL(addressOf(0));
    const prefer = (wait = '') => ({ headers: { prefer: `respond-async${wait}` } });
    const state = async (location: string) => (await fetch(`${origin}${location}`)).json();
    runs.proxy.slowBy(100);
    const first = await fetch(addressOf(0), prefer());
    expect([first.status, first.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    const location = first.headers.get('location')!;
    expect(await state(location)).toEqual({ state: 'making' });
    await until(async () =>
      expect(await state(location)).toEqual({ state: 'done', location: pathname }),
    );
    expect(await statusOf(addressOf(0), prefer())).toBe(200);
    expect(await statusOf(addressOf(1), prefer(', wait=20'))).toBe(200);
    const failed = await fetch(addressOf(2).replace('.glb', '.glb?NONE=1'), prefer());
    const problem = { code: 'PROPERTY_UNKNOWN', status: 422 };
    await until(async () =>
      expect(await state(failed.headers.get('location')!)).toMatchObject({
        state: 'failed',
        problem,
      }),
    );
    expect(await statusOf(`${origin}/jobs/none`)).toBe(404);
  });

  it('for a picture gets the placeholder meanwhile', async () => {
    const placeholder = join(runs.folder, 'wait.png');
    const picture = { width: 2, height: 2, channels: 3, background: '#eee' } as const;
    await sharp({ create: picture }).png().toFile(placeholder);
    // It takes no picture before the service has answered.
    const noBrowser = { BTG2GLTF_BROWSER: 'none' };
    const addressOf = await serve(noBrowser, '--placeholder', placeholder, '--max-wait', '1');
    runs.proxy.slowBy(400);
    const answer = await fetch(addressOf(0, 'webp'));
    const headers = ['content-type', 'retry-after', 'cache-control'].map((name) =>
      answer.headers.get(name),
    );
    expect([answer.status, ...headers]).toEqual([503, 'image/png', '5', 'no-store']);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(await readFile(placeholder));
  });
});

describe('a run beside the clients of a server', () => {
  it('takes turns with it where one request at a time is allowed', async () => {
    await runs.configure({ service: { ...LIVE_ONCE, concurrency: 1 } });
    const addressOf = await serve({});
    expect(await statusOf(addressOf(0))).toBe(200);
    const running = runs.call(['run', runs.pipelineFile, '--limit', '3']);
    expect(await statusOf(addressOf(ARTICLES - 1))).toBe(200);
    expect(await running).toMatchObject({ exit: 0 });
    expect(runs.proxy.mostAtOnce()).toBeLessThanOrEqual(2);
  });

  it.each([
    // That they take turns there is above.
    ...(IS_LONG ? [{ machines: 'one cache', isShared: false }] : []),
    { machines: 'two machines and one store', isShared: true },
  ])(
    'keeps the limits of the service with it, and publishes what it would alone: $machines',
    async ({ isShared }) => {
      const own = join(runs.folder, 'server');
      const folders = ['output', 'cache'].map((one) => `--${one}=${join(own, one)}`);
      const store = isShared && { store: { url: join(runs.folder, 'store') } };
      await runs.configure({ service: { ...LIVE_ONCE, concurrency: CONCURRENCY }, ...store });
      const addressOf = await serve({}, ...(isShared ? folders : []));
      expect(await statusOf(addressOf(0))).toBe(200);
      runs.proxy.slowBy(5);
      const running = runs.call(['run', runs.pipelineFile]);
      const answers = new Map<string, string>();
      const wanted = Array.from({ length: ARTICLES }, (_, index) => index);
      const clients = Array.from({ length: CLIENTS }, async () => {
        for (let index = wanted.pop(); index !== undefined; index = wanted.pop()) {
          const answer = await fetch(addressOf(index));
          expect(answer.status).toBe(200);
          answers.set(range.articleAt(index).number, digest(await answer.arrayBuffer()));
        }
      });
      const [result] = await Promise.all([running, ...clients]);
      expect(result).toMatchObject({ exit: 0 });
      expect(runs.proxy.mostAtOnce()).toBeLessThanOrEqual(CONCURRENCY);
      const published = await readManifest(runs.outputDir);
      const digests = published.map((line) => [line.basearticlenumber, line.sha256!]);
      expect(new Map(digests as [string, string][])).toEqual(answers);
    },
  );
});
