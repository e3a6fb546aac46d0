/**
 * The demo: what a newcomer sees first, and what must be true of every run.
 */
import { createHash } from 'node:crypto';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/report/run-report.ts';
import { listFolder } from '../../src/support/files.ts';
import { readCatalogue, readManifest } from '../../src/write/manifest.ts';
import { complaintsAbout, readGlb } from '../helpers/check-glb.ts';
import { type CommandResult, command as commandLine } from '../helpers/command.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const DEMO = 'pipelines/demo.yaml';
/** Pictures of every article take a minute. */
const command = (words: string[]) => commandLine(words, { env: { BTG2GLTF_BROWSER: 'none' } });
/** Screens that clamp to a desk, a board on a wall, a lamp with its light below its body. */
const NOT_ON_THE_FLOOR = ['FM-W120', 'FM-W160', 'FM-G150+', 'LM-LINIE: 140'];
let folder: string;
let first: CommandResult;
let second: CommandResult;
let newcomer: CommandResult;
let before: Map<string, number>;
let after: Map<string, number>;
const one = () => join(folder, 'one', 'demo');
const eight = () => join(folder, 'eight');

beforeAll(async () => {
  folder = await temporaryFolder();
  first = await command(['run', DEMO, '--output', one(), '--concurrency', '1']);
  newcomer = await command(['demo', '--output', eight()]);
  before = await changeTimes(one());
  second = await command(['run', DEMO, '--output', one()]);
  after = await changeTimes(one());
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Change times of every file below `objects/` and `articles/`, which a rewrite would move. */
async function changeTimes(outputDir: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const visit = async (path: string): Promise<void> => {
    const facts = await stat(path);
    if (!facts.isDirectory()) times.set(path, facts.ctimeMs);
    else for (const name of await listFolder(path)) await visit(join(path, name));
  };
  for (const name of ['objects', 'articles']) await visit(join(outputDir, name));
  return times;
}

async function lastReport(outputDir: string): Promise<RunReport> {
  const runs = await listFolder(join(outputDir, 'runs'));
  const text = await readFile(join(outputDir, 'runs', runs.at(-1)!, 'report.json'), 'utf8');
  return JSON.parse(text) as RunReport;
}

describe('the demo run', () => {
  test('converts every configuration and exits with 0', async () => {
    expect(first).toMatchObject({ exit: 0 });
    const lines = await readManifest(one());
    expect(lines.length).toBeGreaterThanOrEqual(72);
    expect(lines.filter(({ status }) => status === 'failed')).toEqual([]);
    const articles = lines.map((l) => `${l.manufacturer}/${l.program}/${l.basearticlenumber}`);
    expect(new Set(articles).size).toBeGreaterThanOrEqual(60);
  });

  test('has no configuration that is not complete, and a size of each', async () => {
    expect((await lastReport(one())).incomplete.count).toBe(0);
    for (const { complete, missing, sizeMillimetres } of await readCatalogue(one())) {
      expect({ complete, missing }).toEqual({ complete: true, missing: [] });
      const { width, depth, height } = sizeMillimetres!;
      expect(Math.min(width, depth, height)).toBeGreaterThan(0);
      expect(Math.max(width, depth, height)).toBeLessThan(10_000);
    }
  });

  test('stores fewer objects than there are configurations', async () => {
    const lines = await readManifest(one());
    expect(new Set(lines.map(({ sha256 }) => sha256)).size).toBeLessThan(lines.length);
  });

  test('writes files that two independent readers accept, with the figures of the manifest', async () => {
    for (const line of await readManifest(one())) {
      const bytes = await readFile(join(one(), line.glb!));
      expect({ glb: line.glb, complaints: await complaintsAbout(bytes) }).toEqual({
        glb: line.glb,
        complaints: [],
      });
      const { triangles, boundsMetres } = await readGlb(bytes);
      expect([line.bytes, line.triangles]).toEqual([bytes.length, triangles]);
      for (const side of ['min', 'max'] as const) {
        for (const [axis, value] of boundsMetres[side].entries()) {
          expect(Math.abs(value - line.boundsMetres![side][axis]!)).toBeLessThan(1e-5);
        }
      }
    }
  });

  test('sets everything on the floor but what hangs or clamps', async () => {
    const standing = (await readManifest(one())).filter(
      ({ basearticlenumber }) => !NOT_ON_THE_FLOOR.includes(basearticlenumber),
    );
    const floating = standing
      .map(({ finalarticlenumber, boundsMetres }) => [finalarticlenumber, boundsMetres!.min[1]])
      .filter(([, lowest]) => !(Math.abs(Number(lowest)) <= 1e-4));
    expect(floating).toEqual([]);
  });

  test('lists beside each GLB what a shop shows', async () => {
    const catalogue = await readCatalogue(one());
    expect(catalogue).toHaveLength((await readManifest(one())).length);
    expect(catalogue.every(({ shorttext }) => shorttext !== '')).toBe(true);
    expect(catalogue.some(({ properties }) => properties.length > 0)).toBe(true);
  });

  test('ends with a summary on one screen, and logs JSON lines off a terminal', () => {
    expect(first.stdout).toMatch(/Configurations +\d+ converted · 0 unchanged · 0 failed/);
    expect(first.stdout).toMatch(/GLB files +\d+ distinct/);
    expect(first.stdout.split('\n').length).toBeLessThan(25);
    for (const line of first.stderr.trim().split('\n'))
      expect(() => JSON.parse(line)).not.toThrow();
  });

  test('ends with the address of a gallery, and without a browser says what to install for pictures', async () => {
    expect(first.stdout).toContain(`gallery: ${join(one(), 'gallery', 'index.html')}`);
    expect(first.stdout).toMatch(/no new pictures, since there is no browser: install Chrome/);
    expect(await listFolder(join(one(), 'gallery'))).toEqual([
      'articles.js',
      'gallery.css',
      'gallery.js',
      'index.html',
      'studio.bin',
      'viewer.js',
    ]);
  });

  test('gives the same manifest and the same bytes whatever the concurrency', async () => {
    const files = await Promise.all(
      [eight(), one()].map(async (dir) => ({
        manifest: (await readManifest(dir)).map((line) => ({ ...line, status: undefined })),
        catalogue: await readCatalogue(dir),
        objects: [...(await changeTimes(dir)).keys()].map((path) => path.slice(dir.length)),
      })),
    );
    expect(files[0]).toEqual(files[1]);
    expect((await command(['verify', one()])).exit).toBe(0);
    expect((await command(['verify', eight()])).exit).toBe(0);
  });

  test('run again, reports every configuration unchanged and rewrites nothing', async () => {
    expect(second.exit).toBe(0);
    expect(second.stdout).toMatch(/0 converted · \d+ unchanged · 0 failed/);
    expect(after).toEqual(before);
  });

  test('as the command demo, is the same run, keeps everything in one folder, and ends with the next steps', async () => {
    expect(newcomer.exit).toBe(0);
    const [report] = (await listFolder(join(eight(), 'runs'))).filter((name) => /^\d/.test(name));
    expect(newcomer.stdout).toContain(join(eight(), 'runs', report!, 'report.html'));
    for (const next of ['articles', `demo --output '${eight()}'`, 'serve', 'init', 'doctor']) {
      expect(newcomer.stdout.split('Next:')[1]).toContain(next);
    }
    expect((await listFolder(folder)).sort()).toEqual(['eight', 'one']);
    const again = await command(['demo', '--output', eight()]);
    expect(again.exit).toBe(0);
    expect(again.stdout).toMatch(/0 converted · \d+ unchanged · 0 failed/);
  });

  test('publishes each GLB under an address: verbatim behind a web server, it has its checksum', async () => {
    const server = await serveFolder(eight());
    try {
      for (const { glb, sha256 } of await readManifest(eight())) {
        const answer = await fetch(`${server.address}/${glb}`);
        const bytes = Buffer.from(await answer.arrayBuffer());
        const digest = createHash('sha256').update(bytes).digest('hex');
        expect({ glb, status: answer.status, digest }).toEqual({
          glb,
          status: 200,
          digest: sha256,
        });
      }
    } finally {
      await server.close();
    }
  });

  test('run again, requests no block and no texture', async () => {
    const { requests } = await lastReport(one());
    expect(Object.keys(requests.byOperation)).not.toContain('getBlock');
    expect(Object.keys(requests.byOperation)).not.toContain('getMaterial');
    expect(requests.fromCache).toBeGreaterThan(0);
  });

  test('verify finds what was damaged and what is missing', async () => {
    const [line, other] = await readManifest(eight());
    const path = join(eight(), line!.glb!);
    await rm(path);
    await rm(join(eight(), 'objects', other!.sha256!.slice(0, 2)), { recursive: true });
    const { exit, stdout } = await command(['verify', eight()]);
    expect(exit).toBe(1);
    expect(stdout).toContain(`${path}: missing`);
    expect(stdout).toContain(`${other!.sha256}.glb: missing`);
  });

  test('run --force writes anew what was damaged without changing its size', async () => {
    const [line] = await readManifest(one());
    const path = join(one(), 'objects', line!.sha256!.slice(0, 2), `${line!.sha256}.glb`);
    const bytes = await readFile(path);
    bytes[bytes.length - 5]! ^= 255;
    await chmod(path, 0o644);
    await writeFile(path, bytes);
    expect((await command(['verify', one()])).exit).toBe(1);
    const only = `${line!.manufacturer}/${line!.program}/${line!.basearticlenumber}`;
    const again = await command(['run', DEMO, '--output', one(), '--only', only, '--force']);
    expect(again).toMatchObject({ exit: 0 });
    expect(await command(['verify', one()])).toMatchObject({ exit: 0 });
  });
});
