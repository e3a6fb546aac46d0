/**
 * The demo: what a newcomer sees first, and what must be true of every run.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FeedKind, feedRows } from '../../src/deliver/feeds/feeds.ts';
import type { CatalogueLine, ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { listFolder } from '../../src/support/files.ts';
import { complaintsAbout, readGlb } from '../helpers/check-glb.ts';
import { type CommandResult, command as commandLine } from '../helpers/command.ts';
import { lastReport } from '../helpers/daily-runs.ts';
import { bmecatBreaches } from '../helpers/evaluator/bmecat.ts';
import {
  googleBreaches,
  shopifyBreaches,
  structuredDataBreaches,
} from '../helpers/evaluator/platforms.ts';
import { damage } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const DEMO = 'pipelines/demo.yaml';
/** Of three series, the articles of this width; with `BTG2GLTF_TEST_LONG=1`, all of the demo. */
const PART = '*/*/*140*';
const [PROGRAMS, ARTICLES, CONFIGURATIONS] = IS_LONG ? [8, 60, 72] : [3, 4, 4];
/** One series of it, which is run by itself. */
const SERIES = IS_LONG ? 'BRNK/KONVA/*' : 'FJEL/LINEA/*140*';
/** Pictures of every article take a minute. */
const command = (words: string[]) => commandLine(words, { env: { BTG2GLTF_BROWSER: 'none' } });
/** Screens that clamp to a desk, a board on a wall, a lamp with its light below its body. */
const NOT_ON_THE_FLOOR = ['FM-W120', 'FM-W160', 'FM-G150+', 'LM-LINIE: 140'];
let folder: string;
let first: CommandResult;
const all = () => join(folder, 'all');
const series = () => join(folder, 'one', 'series');

/** A feed of the demo, with three of its pictures for each GLB: the demo takes none without a browser. */
async function feedOf(kind: FeedKind): Promise<string> {
  const files = ({ glb, sha256 }: CatalogueLine) =>
    ['hero-800', 'hero-400', 'front-800', 'top'].map((name) => {
      const path = `${glb!.replace('articles/', 'pictures/').slice(0, -4)}/x-${name}.jpg`;
      return { delivery: 'pictures', path, sha256: sha256! };
    });
  const items = (await readCatalogue(all())).map((line) => ({
    ...{ line, languages: {}, files: files(line) },
  }));
  const rows = feedRows(kind, items, {
    baseUrl: 'https://furniture.example/3d',
    productUrl: 'https://shop.example/p/{id}',
    availability: 'backorder',
    availabilityDate: '2030-01-31',
    pipelineName: 'demo',
    language: 'en',
  });
  return [...rows].map((row) => `${row}\n`).join('');
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const only = IS_LONG ? [] : ['--only', PART];
  first = await command(['demo', '--output', all(), ...only]);
  const part = ['run', DEMO, '--output', series(), '--only', SERIES, '--concurrency', '1'];
  expect(await command(part)).toMatchObject({ exit: 0 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the demo run', () => {
  test('converts every configuration and exits with 0', async () => {
    expect(first).toMatchObject({ exit: 0 });
    const lines = await readManifest(all());
    expect(lines.length).toBeGreaterThanOrEqual(CONFIGURATIONS);
    expect(lines.filter(({ status }) => status === 'failed')).toEqual([]);
    const articles = lines.map((l) => `${l.manufacturer}/${l.program}/${l.basearticlenumber}`);
    expect(new Set(articles).size).toBeGreaterThanOrEqual(ARTICLES);
  });

  test('has no configuration that is not complete, and a size of each', async () => {
    expect((await lastReport(all())).incomplete.count).toBe(0);
    for (const { complete, missing, sizeMillimetres } of await readCatalogue(all())) {
      expect({ complete, missing }).toEqual({ complete: true, missing: [] });
      const { width, depth, height } = sizeMillimetres!;
      expect(Math.min(width, depth, height)).toBeGreaterThan(0);
      expect(Math.max(width, depth, height)).toBeLessThan(10_000);
    }
  });

  test('writes files that two independent readers accept, with the figures of the manifest', async () => {
    const lines = await readManifest(all());
    // The first of each series stands for all.
    const judged = lines.filter(
      ({ program }, i) => IS_LONG || lines.findIndex((line) => line.program === program) === i,
    );
    expect(judged.length).toBeGreaterThanOrEqual(PROGRAMS);
    for (const line of judged) {
      const bytes = await readFile(join(all(), line.glb!));
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
    const standing = (await readManifest(all())).filter(
      ({ basearticlenumber }) => !NOT_ON_THE_FLOOR.includes(basearticlenumber),
    );
    const floating = standing
      .map(({ finalarticlenumber, boundsMetres }) => [finalarticlenumber, boundsMetres!.min[1]])
      .filter(([, lowest]) => !(Math.abs(Number(lowest)) <= 1e-4));
    expect(floating).toEqual([]);
  });

  test('lists beside each GLB what a shop shows', async () => {
    const catalogue = await readCatalogue(all());
    expect(catalogue).toHaveLength((await readManifest(all())).length);
    expect(catalogue.every(({ shorttext }) => shorttext !== '')).toBe(true);
    expect(catalogue.some(({ properties }) => properties.length > 0)).toBe(true);
  });

  test.each<[FeedKind, (text: string) => string[], change: [string | RegExp, string]]>([
    ['google', googleBreaches, [/\tnew\t/, '\tpristine\t']],
    ['shopify', shopifyBreaches, [/,Default Title,/, ',,']],
    ['jsonld', structuredDataBreaches, ['schema.org/BackOrder', 'schema.org/Yes']],
    ['bmecat', bmecatBreaches, ['<ORDER_UNIT>C62</ORDER_UNIT>', '']],
  ])('makes the feed %s by the rules of those who import it', async (kind, breachesOf, change) => {
    const text = await feedOf(kind);
    expect(text.split('\n').length).toBeGreaterThan(ARTICLES);
    const withoutPrice = /LM-LINIE: 140.*: offers$/;
    expect(breachesOf(text).filter((breach) => !withoutPrice.test(breach))).toEqual([]);
    expect(breachesOf(text.replace(...change))).not.toEqual([]);
  });

  test('ends with a summary on one screen, and logs JSON lines off a terminal', () => {
    expect(first.stdout).toMatch(/Configurations +\d+ converted · 0 unchanged · 0 failed/);
    // Only all of the demo has equal ones.
    expect(first.stdout).toMatch(IS_LONG ? /GLB files +\d+ different/ : /GLB files +4, /);
    expect(first.stdout.split('Next:')[0]!.split('\n').length).toBeLessThan(25);
    for (const line of first.stderr.trim().split('\n'))
      expect(() => JSON.parse(line)).not.toThrow();
  });

  test('ends with the address of a gallery, and without a browser says what to install for pictures', async () => {
    expect(first.stdout).toContain(`Gallery         ${join(all(), 'gallery', 'index.html')}`);
    expect(first.stdout).toMatch(
      /no new pictures, since BTG2GLTF_BROWSER=none turns the browser off: unset this environment variable/,
    );
    expect(await listFolder(join(all(), 'gallery'))).toEqual([
      'articles.js',
      'details-0.js',
      ...(IS_LONG ? ['details-1.js'] : []),
      'gallery.css',
      'gallery.js',
      'index.html',
      'studio.bin',
      'viewer.js',
    ]);
  });

  test('gives the same lines and the same bytes whatever the concurrency, whole or in part', async () => {
    const isInSeries = (line: ManifestLine | CatalogueLine) =>
      line.program === SERIES.split('/')[1];
    const published = async (dir: string) => ({
      manifest: (await readManifest(dir))
        .filter(isInSeries)
        .map((line) => ({ ...line, status: undefined })),
      catalogue: (await readCatalogue(dir)).filter(isInSeries),
    });
    const { manifest, catalogue } = await published(series());
    expect(manifest.length).toBeGreaterThan(IS_LONG ? 5 : 1);
    expect({ manifest, catalogue }).toEqual(await published(all()));
    expect((await command(['verify', series()])).exit).toBe(0);
  });

  test('as the command demo, keeps everything in one folder, and ends with the next steps', async () => {
    const [report] = (await listFolder(join(all(), 'runs'))).filter((name) => /^\d/.test(name));
    expect(first.stdout).toContain(join(all(), 'runs', report!, 'report.html'));
    for (const next of [
      'gallery/index.html',
      'view',
      `demo --output '${all()}'`,
      'serve',
      'init',
      'doctor',
    ]) {
      expect(first.stdout.split('Next:')[1]).toContain(next);
    }
    expect((await listFolder(folder)).sort()).toEqual(['all', 'one']);
  });

  test('run --force writes anew what was damaged without changing its size', async () => {
    const [line] = await readManifest(series());
    const path = join(series(), 'objects', line!.sha256!.slice(0, 2), `${line!.sha256}.glb`);
    await damage(path);
    expect((await command(['verify', series()])).exit).toBe(1);
    const only = `${line!.manufacturer}/${line!.program}/${line!.basearticlenumber}`;
    const again = await command(['run', DEMO, '--output', series(), '--only', only, '--force']);
    expect(again).toMatchObject({ exit: 0 });
    expect(await command(['verify', series()])).toMatchObject({ exit: 0 });
  });

  test('verify finds what was damaged and what is missing', async () => {
    const [line, other] = await readManifest(series());
    const path = join(series(), line!.glb!);
    await rm(path);
    await rm(join(series(), 'objects', other!.sha256!.slice(0, 2)), { recursive: true });
    const { exit, stdout } = await command(['verify', series()]);
    expect(exit).toBe(1);
    expect(stdout).toContain(`${path}: missing`);
    expect(stdout).toContain(`${other!.sha256}.glb: missing`);
  });
});
