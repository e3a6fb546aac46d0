/**
 * The stages of a run, each usable alone, and what a run does to what was there before.
 */
import { chmod, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { interrupt } from '../../src/cli/command.ts';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { openContents } from '../../src/source/cache/contents.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { command, manifestByNumber } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

let range: SmallRange;
let runs: DailyRuns;
const call = (name: string, ...options: string[]) =>
  runs.call([name, runs.pipelineFile, ...options]);
const lines = () => manifestByNumber(runs.outputDir);
const statuses = async () =>
  Object.fromEntries(Object.entries(await lines()).map(([k, l]) => [k, l.status]));

beforeEach(async () => {
  range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'], pics: ['WOOD'] },
    { number: 'D2', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'], pics: ['WOOD'] },
    { number: 'D3', blocks: ['ACME::DESK::LEG', 'ACME::DESK::SHELF'] },
  ]);
  range.images.add('ACME/WOOD');
  runs = await openDailyRuns(range);
});
afterEach(() => runs.close());

/** The body of a block with 6,000 triangles of a wavy sheet. */
function largeBlock(): string {
  const side = 55;
  const points = Array.from({ length: (side + 1) ** 2 }, (_, i) => {
    const [x, y] = [i % (side + 1), Math.floor(i / (side + 1))];
    return [x / side, y / side, ((x * 7 + y * 13) % 11) / 100].map((value) => value.toFixed(9));
  });
  const F = Array.from({ length: side ** 2 }, (_, i) => {
    const first = i + Math.floor(i / side);
    return [first, first + 1, first + side + 1, first + 1, first + side + 2, first + side + 1];
  });
  const V = `[${points.flat().join()}]`;
  return `{"N":"X","P":[0,0,0],"R":[0,0,0],"V":${V},"A":[{"F":[${F.flat().join(', ')}],"C":false}]}`;
}

describe('a run', () => {
  test('requests each block and each texture once, stores equal articles once, and rebuilds what a changed option touches, and everything with --force', async () => {
    const { exit, stdout } = await call('run');
    expect(exit).toBe(0);
    expect([...range.asked].sort()).toEqual([
      'ACME/WOOD',
      'ACME::DESK::LEG',
      'ACME::DESK::SHELF',
      'ACME::DESK::TOP',
    ]);
    const { D1, D2, D3 } = await lines();
    expect(D1!.sha256).toBe(D2!.sha256);
    expect(D3!.sha256).not.toBe(D1!.sha256);
    expect(stdout).toMatch(/2 different.*equal ones are stored once: 1 file,/);

    await runs.configure({ convert: { creaseAngleDegrees: 45 } });
    await call('run');
    expect(await statuses()).toEqual({ D1: 'converted', D2: 'converted', D3: 'converted' });
    await call('run');
    expect(await statuses()).toEqual({ D1: 'unchanged', D2: 'unchanged', D3: 'unchanged' });
    range.asked.length = 0;
    await call('run', '--force');
    expect(await statuses()).toEqual({ D1: 'converted', D2: 'converted', D3: 'converted' });
    expect(range.asked).toHaveLength(4);
  });

  test('stores a mesh, what is known of an image and each GLB, and computes again what is damaged', async () => {
    range.bodies.set('ACME::DESK::TOP', largeBlock());
    expect(await call('run')).toMatchObject({ exit: 0 });
    const built = await lines();
    const pathOf = (digest: string) => join(runs.cacheDir, 'objects', digest.slice(0, 2), digest);
    const stored = await openContents(join(runs.cacheDir, 'bodies.db'));
    const entries = stored.derived.all();
    for (const { digest, bytes } of entries) {
      // A GLB is a file, however small.
      if (stored.small.get(digest) !== undefined) stored.small.put(digest, Uint8Array.of(1, 2, 3));
      else {
        await chmod(pathOf(digest), 0o600);
        await truncate(pathOf(digest), Math.floor(bytes / 2));
      }
    }
    stored.close();
    // What is known of an image, and a small GLB; a mesh, and the GLB that it is part of.
    const areLarge = entries.map(({ bytes }) => bytes > 100_000);
    expect(areLarge.sort()).toEqual([false, false, true, true]);
    await rm(runs.outputDir, { recursive: true });
    expect(await call('build')).toMatchObject({ exit: 0 });
    const rebuilt = await lines();
    for (const [number, { sha256 }] of Object.entries(built))
      expect(rebuilt[number]!.sha256).toBe(sha256);
    const again = await openContents(join(runs.cacheDir, 'bodies.db'));
    expect(again.derived.all().map(({ digest }) => digest)).toEqual(
      entries.map(({ digest }) => digest),
    );
    for (const { digest } of entries)
      expect(sha256Hex(again.small.get(digest) ?? (await readFile(pathOf(digest))))).toBe(digest);
    again.close();
  });

  test('with --only replaces only what it selected, and a full one drops what is gone', async () => {
    await call('run');
    await call('run');
    const { stdout } = await call('run', '--only', 'acme/desk/d2*', '--force');
    expect(stdout).toMatch(/1 configuration of 1 article/);
    expect(await statuses()).toEqual({ D1: 'unchanged', D2: 'converted', D3: 'unchanged' });
    const article = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D3' };
    await runs.configure({ articles: [{ article }] });
    const d1 = (await lines()).D1!;
    await call('run');
    expect(await statuses()).toEqual({ D3: 'unchanged' });
    expect(await readCatalogue(runs.outputDir)).toHaveLength(1);
    expect((await readFile(join(runs.outputDir, d1.glb!))).length).toBe(d1.bytes);
  });
});

test('the two halves of a run fetch and build give what run gives; build needs no service at all', async () => {
  await call('run');
  const whole = await readManifest(runs.outputDir);
  await rm(runs.outputDir, { recursive: true });
  await rm(runs.cacheDir, { recursive: true });
  const fetched = await call('fetch');
  expect(fetched).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/3 fetched · 0 failed/),
  });
  expect(await readManifest(runs.outputDir)).toEqual([]);
  const requests = runs.emulator.counts.get('getnodes');
  await runs.emulator.close();
  expect(await call('build')).toMatchObject({ exit: 0 });
  expect(await readManifest(runs.outputDir)).toEqual(whole);
  expect(runs.emulator.counts.get('getnodes')).toBe(requests);
});

test('serve prints how to use it, and ends with 0 on Ctrl-C', async () => {
  const controller = new AbortController();
  const { exit, stdout } = await command(['serve', '--port', '0'], {
    signal: controller.signal,
    onPrint: () => interrupt(controller, 'SIGINT'),
  });
  expect(exit).toBe(0);
  for (const name of ['AUTH_URL', 'BASE_URL', 'USERNAME', 'PASSWORD', 'APP_KEY']) {
    expect(stdout).toMatch(new RegExp(`export BTG2GLTF_${name}='.+'`));
  }
});
