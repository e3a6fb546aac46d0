/** The gates of pictures: what looks different from what is published stays unpublished until an operator accepts it. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { type CountedRange, countedImage, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { publishedFiles } from '../helpers/output-folder.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';

shareBrowser();

/** One of them looks different after {@link bleach}. */
const ARTICLES = 2;
const PICTURES = { width: 64, height: 64, format: 'png' };
const GATES = { pictureTone: { change: 0.1, refuse: '50%' }, pictureEdges: {} };
/** A browser that cannot start, and none. */
const BROKEN = { BTG2GLTF_BROWSER: process.execPath };
const NONE = { BTG2GLTF_BROWSER: 'none' };

let range: CountedRange;
let runs: DailyRuns;

async function open(articles: number): Promise<void> {
  range = countedRange({ articles, blocks: articles, images: 2, blocksPerArticle: 1 });
  runs = await openDailyRuns(range);
}
beforeEach(() => open(ARTICLES));
afterEach(() => runs.close());

const useBrowser = (variables: object) => Object.assign(runs.proxy.env, variables);
const configure = (deliver: object | undefined, gates: object = GATES) =>
  runs.configure({ gates, ...(deliver && { deliver }) });

/** The image of every second article becomes white; triangles, bounds, materials and textures stay as they are. */
const bleach = () => changeImage('2026-01-02', 255);
const blacken = () => changeImage('2026-01-03', 0);
async function changeImage(day: string, grey: number): Promise<void> {
  range.convertdates.set('N01', day);
  range.bodies.set('N01/I001', await countedImage('N01/I180', grey));
}

describe.runIf(HAS_BROWSER)('half the range looks different', () => {
  test('it is refused; --accept publishes it with the pictures that were compared', async () => {
    await configure({ pictures: PICTURES });
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    await bleach();
    const before = await publishedFiles(runs.outputDir);
    const refused = await runs.run('2026-01-02');
    expect(refused.exit).toBe(4);
    expect(refused.stderr).toContain('1 of 2 configurations look different in tone (50 %');
    const { gates } = await runs.report();
    expect(gates).toMatchObject({
      byGate: { pictureTone: { warn: 0, refuse: 1 } },
      refused: true,
    });
    expect(gates.notCompared).toBeUndefined();
    // Both pictures are on the page of the report, where an operator decides.
    const page = await readFile(join(runs.outputDir, 'runs', 'latest', 'report.html'), 'utf8');
    expect(page.match(/<div class="compare">/g)).toHaveLength(1);
    const linked = (files: Map<string, string>) =>
      [...files].filter(([name]) => !name.startsWith('objects'));
    expect(linked(await publishedFiles(runs.outputDir))).toEqual(linked(before));
    // No picture is taken again.
    useBrowser(BROKEN);
    const accepted = await runs.run('2026-01-02', '--accept');
    expect(accepted).toMatchObject({ exit: 0 });
    expect(accepted.stdout).toContain('pictures: 1 made · 1 unchanged · 0 failed');
    // Where the browser does not start, the next change is published, and the summary says why.
    await blacken();
    const { stdout } = await runs.run('2026-01-03');
    expect(stdout).toContain('pictures were not compared: BROWSER_MISSING');
    expect((await runs.report()).published).toBe(true);
  });
});

describe.runIf(HAS_BROWSER)('a GLB of which no picture can be taken', () => {
  test('is no difference, and the summary and the report say so', async () => {
    await runs.close();
    await open(2 * ARTICLES);
    await configure(undefined);
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    const [lost] = await readManifest(runs.outputDir);
    const { sha256 } = lost as { sha256: string };
    await rm(join(runs.outputDir, 'objects', sha256.slice(0, 2), `${sha256}.glb`));
    await bleach();
    await configure({ pictures: PICTURES }, { pictureTone: { change: 0.1, warn: '25%' } });
    const { stdout, exit } = await runs.run('2026-01-02');
    expect(exit).toBe(0);
    expect(stdout).toContain('1 of 2 pictures were not compared: STORE_DAMAGED');
    const { gates } = await runs.report();
    expect(gates.byGate).toEqual({ pictureTone: { warn: 1, refuse: 0 } });
    expect(gates.notCompared).toContain('STORE_DAMAGED');
  });
});

describe('without pictures', () => {
  test.each([
    ['to be taken', undefined, {}, 'the pipeline file has no deliver: pictures:'],
    [
      'without a browser',
      { pictures: PICTURES },
      NONE,
      'BTG2GLTF_BROWSER=none turns the browser off',
    ],
  ])('%s, the gates let the result pass, and one line says so', async (_, deliver, env, reason) => {
    await configure(deliver);
    useBrowser(env);
    expect((await runs.run('2026-01-01')).stdout).not.toContain('compared');
    await bleach();
    const { stdout, exit } = await runs.run('2026-01-02');
    expect(exit).toBe(0);
    expect(stdout.split('\n').filter((line) => line.includes('not compared'))).toEqual([
      expect.stringContaining(`pictures were not compared: ${reason}`),
    ]);
    expect(await readManifest(runs.outputDir)).toHaveLength(ARTICLES);
  });

  test('what could not act says nothing', async () => {
    await configure(undefined, { pictureTone: { refuse: '75%' }, pictureEdges: {} });
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    await bleach();
    expect((await runs.run('2026-01-02')).stdout).not.toContain('compared');
  });
});
