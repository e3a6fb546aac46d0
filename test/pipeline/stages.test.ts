/**
 * The stages of a run, each usable alone, and what a run does to what was there before.
 */
import { chmod, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openContents } from '../../src/cache/contents.ts';
import { interrupt } from '../../src/cli/command.ts';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { readCatalogue, readManifest } from '../../src/write/manifest.ts';
import { command, manifestByNumber, writePipeline } from '../helpers/command.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

let folder: string;
let range: SmallRange;
let emulator: Emulator;
let env: Record<string, string>;
let file: string;
const out = () => join(folder, 'out');
const call = (name: string, ...options: string[]) => command([name, file, ...options], { env });
const statuses = async () =>
  Object.fromEntries(Object.entries(await manifestByNumber(out())).map(([k, l]) => [k, l.status]));

beforeEach(async () => {
  folder = await temporaryFolder();
  range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'], pics: ['WOOD'] },
    { number: 'D2', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'], pics: ['WOOD'] },
    { number: 'D3', blocks: ['ACME::DESK::LEG', 'ACME::DESK::SHELF'] },
  ]);
  range.images.add('ACME/WOOD');
  emulator = await startEmulator({ range });
  env = {
    BTG2GLTF_AUTH_URL: emulator.authUrl,
    BTG2GLTF_BASE_URL: emulator.baseUrl,
    BTG2GLTF_USERNAME: emulator.username,
    BTG2GLTF_PASSWORD: emulator.password,
  };
  file = await writePipeline(folder, { service: SERVICE });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

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
  test('requests each block and each texture once, however many articles need it', async () => {
    expect((await call('run')).exit).toBe(0);
    expect([...range.asked].sort()).toEqual([
      'ACME/WOOD',
      'ACME::DESK::LEG',
      'ACME::DESK::SHELF',
      'ACME::DESK::TOP',
    ]);
  });

  test('stores equal articles once', async () => {
    const { stdout } = await call('run');
    const { D1, D2, D3 } = await manifestByNumber(out());
    expect(D1!.sha256).toBe(D2!.sha256);
    expect(D3!.sha256).not.toBe(D1!.sha256);
    expect(stdout).toMatch(/2 distinct.*deduplication saved 1 file,/);
  });

  test('stores a mesh, what is known of an image and each GLB, and computes again what is damaged', async () => {
    range.bodies.set('ACME::DESK::TOP', largeBlock());
    expect(await call('run')).toMatchObject({ exit: 0 });
    const built = await manifestByNumber(out());
    const cache = join(folder, 'cache');
    const pathOf = (digest: string) => join(cache, 'objects', digest.slice(0, 2), digest);
    const stored = await openContents(join(cache, 'bodies.db'));
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
    await rm(out(), { recursive: true });
    expect(await call('build')).toMatchObject({ exit: 0 });
    const rebuilt = await manifestByNumber(out());
    for (const [number, { sha256 }] of Object.entries(built))
      expect(rebuilt[number]!.sha256).toBe(sha256);
    const again = await openContents(join(cache, 'bodies.db'));
    expect(again.derived.all().map(({ digest }) => digest)).toEqual(
      entries.map(({ digest }) => digest),
    );
    for (const { digest } of entries)
      expect(sha256Hex(again.small.get(digest) ?? (await readFile(pathOf(digest))))).toBe(digest);
    again.close();
  });

  test('rebuilds what a changed option touches, and everything with --force', async () => {
    await call('run');
    file = await writePipeline(folder, { service: SERVICE, convert: { creaseAngleDegrees: 45 } });
    await call('run');
    expect(await statuses()).toEqual({ D1: 'converted', D2: 'converted', D3: 'converted' });
    await call('run');
    expect(await statuses()).toEqual({ D1: 'unchanged', D2: 'unchanged', D3: 'unchanged' });
    range.asked.length = 0;
    await call('run', '--force');
    expect(await statuses()).toEqual({ D1: 'converted', D2: 'converted', D3: 'converted' });
    expect(range.asked).toHaveLength(4);
  });

  test('rebuilds exactly the articles whose block has changed', async () => {
    await call('run');
    const triangle = [0, 0, 0, 2, 0, 0, 0, 2, 0];
    const block = { N: 'X', P: [0, 0, 0], R: [0, 0, 0], V: triangle, T: [] };
    const surfaces = [{ F: [0, 1, 2], TI: [], C: false }];
    range.bodies.set('ACME::DESK::SHELF', JSON.stringify({ ...block, A: surfaces }));
    range.convertdate = '2024-06-01';
    await call('run');
    expect(await statuses()).toEqual({ D1: 'unchanged', D2: 'unchanged', D3: 'converted' });
  });

  test('with --only replaces only what it selected, and a full one drops what is gone', async () => {
    await call('run');
    await call('run');
    const { stdout } = await call('run', '--only', 'acme/desk/d2*', '--force');
    expect(stdout).toMatch(/1 configuration of 1 article/);
    expect(await statuses()).toEqual({ D1: 'unchanged', D2: 'converted', D3: 'unchanged' });
    const article = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D3' };
    file = await writePipeline(folder, { service: SERVICE, articles: [{ article }] });
    const d1 = (await manifestByNumber(out())).D1!;
    await call('run');
    expect(await statuses()).toEqual({ D3: 'unchanged' });
    expect(await readCatalogue(out())).toHaveLength(1);
    expect((await readFile(join(out(), d1.glb!))).length).toBe(d1.bytes);
  });

  test('with --limit works on that many', async () => {
    await call('run', '--limit', '2');
    expect(Object.keys(await statuses())).toEqual(['D1', 'D2']);
  });

  test('with --dry-run prints what is selected and why, and fetches no geometry', async () => {
    const { exit, stdout } = await call('run', '--dry-run');
    expect(exit).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'manufacturer\tprogram\tbasearticlenumber\tfinalarticlenumber\treinitstring\tselected by',
      'ACME\tDESK\tD1\tD1-STD\t\tcatalogue Desks',
      'ACME\tDESK\tD2\tD2-STD\t\tcatalogue Desks',
    ]);
    expect(stdout).toMatch(/3 configurations selected/);
    expect(range.asked).toEqual([]);
    expect(emulator.counts.get('btg')).toBeUndefined();
    expect(await readManifest(out())).toEqual([]);
  });

  test('that is interrupted keeps what it fetched', async () => {
    const controller = new AbortController();
    const block = range.block;
    range.block = async (name) => {
      if (name.endsWith('SHELF')) interrupt(controller, 'SIGTERM');
      return block(name);
    };
    const { exit } = await command(['run', file], { env, signal: controller.signal });
    expect(exit).toBe(130);
    expect(emulator.openSessions()).toBe(0);
    expect((await call('run')).exit).toBe(0);
    expect(Object.keys(await statuses())).toEqual(['D1', 'D2', 'D3']);
  });

  test('never leaves a temporary file behind', async () => {
    await call('run');
    const { listFolder } = await import('../../src/support/files.ts');
    expect(await listFolder(join(out(), '.tmp'))).toEqual([]);
  });
});

describe('the two halves of a run', () => {
  test('fetch and build give what run gives; build needs no service at all', async () => {
    await call('run');
    const whole = await readManifest(out());
    await rm(out(), { recursive: true });
    await rm(join(folder, 'cache'), { recursive: true });
    const fetched = await call('fetch');
    expect(fetched).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/3 fetched · 0 failed/),
    });
    expect(await readManifest(out())).toEqual([]);
    const requests = emulator.counts.get('getnodes');
    await emulator.close();
    expect(await call('build')).toMatchObject({ exit: 0 });
    expect(await readManifest(out())).toEqual(whole);
    expect(emulator.counts.get('getnodes')).toBe(requests);
  });

  test('build before any fetch reports that nothing was fetched', async () => {
    expect(await call('build')).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(
        /expected data fetched for pipeline.*\n.*run btg2gltf fetch first/,
      ),
    });
    const unset = await command(['build', file], { env: {} });
    expect(unset.stdout).toContain('address not set');
    expect(unset.stdout + unset.stderr).not.toContain('.invalid');
  });
});

describe('looking around', () => {
  test('catalogue ls lists a folder, catalogue search finds articles', async () => {
    expect((await command(['catalogue', 'ls'], { env })).stdout).toMatch(
      /^folder +Desks +ACME\S* +ACME;:DESK@1/,
    );
    const folderListing = await command(['catalogue', 'ls', 'ACME;:DESK@1'], { env });
    expect(folderListing.stdout.trim().split('\n')).toHaveLength(3);
    const search = ['catalogue', 'search', 'D2', '--manufacturer', 'acme', '--pipeline', file];
    expect((await command(search, { env })).stdout).toMatch(/^article +D2 /);
    expect(emulator.openSessions()).toBe(0);
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
});
