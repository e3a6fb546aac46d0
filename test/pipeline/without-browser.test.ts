/** Deliveries without a browser: what needs none is published, a missing picture is a failure, an old one is in no list. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/library.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { requiredActions } from '../../src/run/report/assessment.ts';
import type { RunReport } from '../../src/run/report/run-report.ts';
import { SILENT } from '../../src/support/log.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { type CountedRange, countedImage, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { deliveryLines, filesBelow } from '../helpers/output-folder.ts';
import { BROWSER_ENVIRONMENT, HAS_BROWSER } from '../helpers/picture-browser.ts';

shareBrowser();

const ARTICLES = 2;
const PICTURES = { cameras: ['hero' as const], width: 64, height: 64, format: 'png' as const };
const DELIVER = {
  pictures: PICTURES,
  gallery: true,
  feeds: {
    baseUrl: 'https://cdn.example',
    productUrl: 'https://shop.example/{id}',
    kinds: ['csv'],
  },
};
/** A program that is no browser. */
const BROKEN = { BTG2GLTF_BROWSER: process.execPath };
const NONE = { BTG2GLTF_BROWSER: 'none' };

let range: CountedRange;
let runs: DailyRuns;
beforeEach(async () => {
  range = countedRange({ articles: ARTICLES, blocks: ARTICLES, images: 2, blocksPerArticle: 1 });
  runs = await openDailyRuns(range, { deliver: DELIVER });
});
afterEach(() => runs.close());

const useBrowser = (variables: object) => Object.assign(runs.proxy.env, variables);

/** The image of every second article becomes another one. */
async function changeImage(day: string, blue: number): Promise<void> {
  range.convertdates.set('N01', day);
  range.bodies.set('N01/I001', await countedImage('N01/I180', blue));
}

const below = (folder: string) => filesBelow(join(runs.outputDir, folder));
const read = (file: string) => readFile(join(runs.outputDir, file), 'utf8');
/** The addresses of each picture: that with its article, and that of older versions. */
const ADDRESSES = 2;
/** The paths of pictures in each list, in their order; addresses of older versions are in no list for a shop. */
async function listedPictures() {
  const pathsIn = (text: string) =>
    [...new Set(text.match(/pictures\/[\w/.~-]+-hero-64\.png/g))].sort();
  return {
    deliveries: pathsIn(await read('deliveries.jsonl')),
    feed: pathsIn(await read('feeds/erp.csv')),
    gallery: pathsIn(await read('gallery/articles.js')),
    published: pathsIn(await read('published.jsonl')),
  };
}
/** What requires an action, but for the service, which answers less than is specified. */
const actionsOf = (report: RunReport) =>
  requiredActions(report).filter(({ section }) => section !== 'drift');
const failuresOf = async () => {
  const lines = await deliveryLines(runs.outputDir);
  return lines.filter(({ error }) => error?.code === 'BROWSER_MISSING').length;
};

describe('a variable that names no program', () => {
  test.each([
    ['a path without a file', () => join(runs.folder, 'nothing')],
    ['a folder', () => runs.folder],
    ['a file that cannot be executed', () => runs.pipelineFile],
  ])('is a mistake of the user before anything is requested: %s', async (_, pathOf) => {
    useBrowser({ BTG2GLTF_BROWSER: pathOf() });
    for (const command of ['run', 'deliver']) {
      const { exit, stderr } = await runs.command(command, '2026-01-01');
      expect([exit, stderr]).toEqual([
        2,
        expect.stringContaining('BTG2GLTF_BROWSER: there is no program'),
      ]);
    }
    expect(range.asked.size).toBe(0);
  });
});

describe('a browser that does not start', () => {
  test('fails every picture, each night; GLBs and files that need none are published', async () => {
    await runs.configure({ deliver: { ...DELIVER, profiles: ['google'] } });
    useBrowser(BROKEN);
    const metrics = join(runs.folder, 'metrics.prom');
    for (const day of ['2026-01-01', '2026-01-02']) {
      const { exit, stdout } = await runs.run(day, '--metrics-file', metrics);
      expect(exit).toBe(1);
      expect(stdout).toContain(`pictures: 0 made · 0 unchanged · ${ARTICLES} failed`);
      const report = await runs.report();
      expect(report).toMatchObject({ published: true, ended: 'complete' });
      expect(report.stop).toBeUndefined();
      expect(actionsOf(report)).toEqual([
        expect.objectContaining({ tone: 'partly', code: 'BROWSER_MISSING' }),
      ]);
      const page = await readFile(join(runs.outputDir, 'runs', 'latest', 'report.html'), 'utf8');
      expect(page).toContain(`Pictures: ${ARTICLES} of ${ARTICLES} failed`);
      const series = 'btg2gltf_deliveries{pipeline="test",delivery="pictures",outcome="failed"}';
      expect(await readFile(metrics, 'utf8')).toContain(`${series} ${ARTICLES}\n`);
      expect(await failuresOf()).toBe(ARTICLES);
    }
    expect(await readManifest(runs.outputDir)).toHaveLength(ARTICLES);
    expect(await below('google')).toHaveLength(ARTICLES);
    expect((await runs.command('deliver', '2026-01-02')).exit).toBe(1);
    expect(await listedPictures()).toEqual({
      deliveries: [],
      feed: [],
      gallery: [],
      published: [],
    });
  });

  test('is no failure where a run may do without one, as the demo does: one sentence says why', async () => {
    const pipeline = {
      name: 'demo',
      service: { emulator: true },
      articles: [
        { article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-GLOBUS' } },
      ],
      output: { dir: join(runs.folder, 'demo') },
      cache: { dir: join(runs.folder, 'cache') },
      deliver: { pictures: PICTURES },
    };
    const { report } = await run({ pipeline, browserOptional: true, env: BROKEN, log: SILENT });
    expect(report.delivered).toMatchObject({
      deliveries: [{ name: 'pictures', failed: 0, omitted: 1 }],
      failures: [],
      omitted: [
        expect.stringMatching(/^no new pictures, since the browser .* expected it to start/),
      ],
    });
  });
});

describe('BTG2GLTF_BROWSER=none', () => {
  test('is a choice, which the summary repeats: nothing has failed', async () => {
    useBrowser(NONE);
    const { exit, stdout } = await runs.run('2026-01-01');
    expect(exit).toBe(0);
    expect(stdout).toContain(`pictures: 0 made · 0 unchanged · ${ARTICLES} left out · 0 failed`);
    expect(stdout).toContain('no new pictures, since BTG2GLTF_BROWSER=none turns the browser off');
    // Only other commands have this option.
    expect(stdout).not.toContain('--browser');
    expect(actionsOf(await runs.report())).toEqual([]);
  });
});

describe.runIf(HAS_BROWSER)('pictures of older GLBs', () => {
  test('stay on disk until there are new ones; no list names them', async () => {
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    const pictures = await below('pictures');
    const contents = () => Promise.all(pictures.map((path) => readFile(path, 'base64')));
    const before = await contents();
    const allListed = await listedPictures();
    expect(allListed.deliveries).toHaveLength(ARTICLES);

    await changeImage('2026-01-02', 255);
    useBrowser(BROKEN);
    const failed = await runs.run('2026-01-02');
    expect(failed.exit).toBe(1);
    expect(failed.stdout).toContain('pictures: 0 made · 1 unchanged · 1 failed');
    const listed = await listedPictures();
    for (const paths of Object.values(listed)) expect(paths).toEqual(listed.deliveries);
    expect(listed.deliveries).toHaveLength(1);
    expect(await contents()).toEqual(before);
    expect((await runs.call(['verify', runs.outputDir])).stdout).toContain('all intact');
    expect((await runs.call(['prune', runs.outputDir])).stdout).toContain('and 0 links');

    useBrowser(NONE);
    const chosen = await runs.run('2026-01-04');
    expect(chosen).toMatchObject({ exit: 0 });
    expect(chosen.stdout).toContain('pictures: 0 made · 1 unchanged · 1 left out · 0 failed');
    expect(await listedPictures()).toEqual(listed);
    expect(await contents()).toEqual(before);

    useBrowser(BROWSER_ENVIRONMENT);
    expect(await runs.run('2026-01-05')).toMatchObject({ exit: 0 });
    expect(await listedPictures()).toEqual(allListed);
    const now = await contents();
    expect(now.filter((content, at) => content !== before[at])).toHaveLength(ADDRESSES);
    expect(await read('deliveries-last-good.jsonl')).toBe('');
  });

  test('go with their articles, and the gate of pictures says that it compared nothing', async () => {
    const gates = { pictureTone: { change: 0.1, refuse: '50%' }, articlesGone: {} };
    await runs.configure({ deliver: { pictures: PICTURES }, gates });
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    await changeImage('2026-01-02', 255);
    useBrowser(BROKEN);
    const { exit, stdout } = await runs.run('2026-01-02');
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^ +(?:Gates +)?pictures were not compared: BROWSER_MISSING/m);
    expect(await below('pictures')).toHaveLength(ADDRESSES * ARTICLES);
    const { number } = range.articleAt(0);
    const lastGood = await read('deliveries-last-good.jsonl');
    expect(lastGood).toContain(number);
    range.gone.add(number);
    range.convertdates.set('N01', '2026-01-03');
    await runs.run('2026-01-03');
    await runs.run('2026-01-04');
    expect(await below('pictures')).toHaveLength(ADDRESSES * (ARTICLES - 1));
  });
});
