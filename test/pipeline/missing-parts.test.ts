/**
 * What was asked for and is not there: a run, and a build of what was fetched, says so, and what was published before
 * stays.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { requiredActions } from '../../src/run/report/assessment.ts';
import { type DailyRuns, LIVE_ONCE, openDailyRuns } from '../helpers/daily-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

const NUMBERS = ['D1', 'D2', 'D3'];
let range: SmallRange;
let runs: DailyRuns;
beforeEach(async () => {
  range = smallRange(NUMBERS.map((number) => ({ number, blocks: [`ACME::DESK::${number}`] })));
  runs = await openDailyRuns(range);
});
afterEach(() => runs.close());

const ARTICLE = {
  article: { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' },
} as const;
const published = async () => (await readManifest(runs.outputDir)).map((line) => line.glb);
/** What the last report asks for, but for the service, which answers less than is specified. */
const actions = async () =>
  requiredActions(await runs.report())
    .filter(({ section }) => section !== 'drift')
    .map(({ code, title }) => `${code} ${title}`);
const rows = async () => (await runs.failures()).map(({ code, what }) => `${code} ${what}`);

describe('a part of the selection that fetch could not have', () => {
  test('is missing for build too, which keeps what was published of it', async () => {
    await runs.run('2026-01-01');
    const before = await published();
    expect(before).toHaveLength(3);
    await runs.configure({ articles: [{ catalogue: {} }, ARTICLE] });
    const whole = range.nodes;
    range.nodes = (folder) => (folder === 'ACME;:DESK@1' ? undefined : whole(folder));
    expect(await runs.command('fetch', '2026-01-02', '--force')).toMatchObject({ exit: 1 });
    expect(await runs.command('build', '2026-01-03')).toMatchObject({ exit: 1 });
    expect(await published()).toEqual(before);
    expect(await rows()).toEqual(['NODE_NOT_FOUND catalogue ACME;:DESK@1']);
    const [failure] = await runs.failures();
    // What the build did not try counts once.
    expect(failure).toMatchObject({ attempts: 1 });
    range.nodes = whole;
    expect(await runs.command('fetch', '2026-01-04')).toMatchObject({ exit: 0 });
    expect(await runs.command('build', '2026-01-05')).toMatchObject({ exit: 0 });
    expect(await runs.failures()).toEqual([]);
  });

  test('of an article that was there before is a failure of build, which keeps its GLB', async () => {
    await runs.command('fetch', '2026-01-01');
    await runs.command('build', '2026-01-02');
    const before = await published();
    runs.proxy.break(/basearticlenumber=D2/, (response) => response.writeHead(404).end());
    expect(await runs.command('fetch', '2026-01-03', '--force')).toMatchObject({ exit: 1 });
    expect(await runs.command('build', '2026-01-04')).toMatchObject({ exit: 1 });
    const lines = await readManifest(runs.outputDir);
    expect(lines.map(({ status }) => status)).toEqual(['unchanged', 'failed', 'unchanged']);
    expect(lines.map(({ glb, lastGood }) => glb ?? lastGood?.glb)).toEqual(before);
  });

  test('of an article that a run could not fetch is a failure of build, too', async () => {
    await runs.command('run', '2026-01-01');
    runs.proxy.break(/basearticlenumber=D2/, (response) => response.writeHead(500).end());
    expect(await runs.command('run', '2026-01-02', '--force')).toMatchObject({ exit: 1 });
    expect(await runs.command('build', '2026-01-03')).toMatchObject({ exit: 1 });
    expect(await runs.failures()).toMatchObject([{ code: 'HTTP_STATUS', attempts: 1 }]);
    if (IS_LONG) {
      runs.proxy.mend();
      expect(await runs.command('fetch', '2026-01-04', '--force')).toMatchObject({ exit: 0 });
      expect(await runs.command('build', '2026-01-05')).toMatchObject({ exit: 0 });
    }
  });

  test('is a row of the build, also if it has no article', async () => {
    const configurations = { ...ARTICLE.article, values: { 'MASS.NOPE': '1' } };
    await runs.configure({ articles: [ARTICLE, { configurations }, { permanentids: ['gone'] }] });
    await runs.command('fetch', '2026-01-01');
    expect(await runs.command('build', '2026-01-02')).toMatchObject({ exit: 1 });
    expect(await rows()).toEqual([
      'PROPERTY_UNKNOWN configuration ACME/DESK/D1 MASS.NOPE=1',
      'PERMANENT_ID_NOT_RESOLVABLE permanentid gone',
    ]);
    const { stdout } = await runs.explain('gone');
    expect(stdout).toContain('PERMANENT_ID_NOT_RESOLVABLE');
  });
});

describe('files of the pipeline', () => {
  test('without a line are named, each by itself', async () => {
    await writeFile(join(runs.folder, 'ids.txt'), '# none yet\n');
    await runs.configure({ articles: [ARTICLE, { permanentids: 'ids.txt' }] });
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    expect(await actions()).toEqual([
      `LIST_EMPTY ${join(runs.folder, 'ids.txt')}: no line has a permanent identifier`,
    ]);
    await runs.command('build', '2026-01-02');
    expect(await actions()).toHaveLength(1);
  });

  test('whose lines differ only in a column that selects nothing, are named', async () => {
    const list = 'manufacturer,program,basearticlenumber,colour\n';
    const lines = ['oak', 'ash', 'oak'].map((colour) => `ACME,DESK,D1,${colour}\n`).join('');
    await writeFile(join(runs.folder, 'list.csv'), `${list}${lines}ACME,DESK,D2,oak\n`);
    await runs.configure({ articles: [{ list: 'list.csv' }] });
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    expect(await actions()).toEqual([
      'LIST_LINES_MERGED In list.csv, lines 2, 3 differ only in "colour", by which nothing is selected: each article is converted once',
    ]);
  });

  test('with a column as the service names it are refused', async () => {
    const list = 'manufacturer,program,basearticlenumber,variantcode\nACME,DESK,D1,D1-STD\n';
    await writeFile(join(runs.folder, 'list.csv'), list);
    await runs.configure({ articles: [{ list: 'list.csv' }] });
    const { exit, stderr } = await runs.run('2026-01-01');
    expect(exit).toBe(2);
    expect(stderr).toContain('did you mean "finalarticlenumber"?');
  });
});

test('an override that matches no material is named, also by a run that builds nothing', async () => {
  const overrides = { M: { metallic: 1 }, 'OAK*': { metallic: 0 } };
  await runs.configure({ convert: { overrides } });
  const unused = 'OVERRIDE_UNUSED The overrides of OAK* match no material of the 3 configurations';
  for (const day of ['2026-01-01', '2026-01-02']) {
    expect(await runs.run(day)).toMatchObject({ exit: 0 });
    expect(await actions()).toEqual([unused]);
  }
  await runs.configure({ convert: { overrides: { M: { metallic: 1 } } } });
  await runs.run('2026-01-03');
  expect(await actions()).toEqual([]);
});

describe('a language', () => {
  beforeEach(() => {
    const plain = range.article;
    range.article = (query) => {
      const article = plain(query);
      const ocd = article && { ...(article.ocd as object), shorttext: `Text ${query.lang}` };
      return article && { ...article, ocd };
    };
    return runs.configure({ service: { ...LIVE_ONCE, lang: ['en', 'de'] } });
  });
  const texts = async (lang: string) =>
    (await readCatalogue(runs.outputDir, lang)).map(({ shorttext }) => shorttext);

  test('that fails for an article fails the article, which keeps its texts', async () => {
    await runs.run('2026-01-01');
    runs.proxy.break(/basearticlenumber=D2.*lang=de|lang=de.*basearticlenumber=D2/, (response) =>
      response.writeHead(500).end(),
    );
    expect(await runs.run('2026-01-02', '--force')).toMatchObject({ exit: 1 });
    expect(await texts('de')).toEqual(['Text de', 'Text de', 'Text de']);
    expect(await runs.failures()).toMatchObject([
      { code: 'HTTP_STATUS', message: expect.stringMatching(/^language de: /) },
    ]);
  });

  test('that was not fetched is missing for build', async () => {
    await runs.configure({ service: { ...LIVE_ONCE, lang: 'en' } });
    await runs.command('fetch', '2026-01-01');
    await runs.configure({ service: { ...LIVE_ONCE, lang: ['en', 'de'] } });
    await runs.command('fetch', '2026-01-02', '--only', '*/D1');
    await runs.command('build', '2026-01-03');
    expect(await actions()).toEqual([
      'TRANSLATION_MISSING Texts of a language are missing: 2 warnings, the first of ACME/DESK/D2-STD',
    ]);
  });

  test.each<[fallback: string, lang: string[]]>([
    ['de', ['en', 'de', 'fr']],
    ...(IS_LONG ? [['en', ['fr', 'de', 'en']] satisfies [string, string[]]] : []),
  ])('that has the texts of another, "%s", is named: %j', async (fallback, lang) => {
    const { article } = range;
    range.article = (query) =>
      article({ ...query, lang: query.lang === 'fr' ? fallback : query.lang! });
    await runs.configure({ service: { ...LIVE_ONCE, lang } });
    await runs.run('2026-01-01');
    expect(await actions()).toEqual([expect.stringMatching(/^LANGUAGE_NOT_OFFERED .*"fr"/)]);
  });

  test('that has the texts of the first in all articles is not offered', async () => {
    const article = range.article;
    range.article = (query) => article({ ...query, lang: 'en' });
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    expect(await actions()).toEqual([
      expect.stringMatching(/^LANGUAGE_NOT_OFFERED The texts in "de" are those in "en"/),
    ]);
  });
});

describe('a texture that is not there', () => {
  test('leaves a GLB without it, and stands among what needs attention', async () => {
    range = Object.assign(range, smallRange([{ number: 'D1', blocks: ['X'], pics: ['WOOD'] }]));
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    expect(await actions()).toEqual([
      'IMAGE_MISSING Something was left out: 1 warning, the first of ACME/DESK/D1-STD',
    ]);
  });
});

describe('another configuration than asked for', () => {
  test('is published, and stands among what needs attention', async () => {
    const plain = range.article;
    range.article = (query) => plain({ ...query, varcode: undefined } as never);
    const article = { ...ARTICLE.article, finalarticlenumber: 'D1-RED' };
    await runs.configure({ articles: [{ article }] });
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    expect(await actions()).toEqual([
      'VARIANT_DIFFERS A configuration has another final article number than asked for: 1 warning, the first of ACME/DESK/D1-STD',
    ]);
  });
});

describe('feeds and the gallery', () => {
  const feeds = { baseUrl: 'https://cdn.example/', productUrl: 'https://shop.example/{id}' };
  beforeEach(() =>
    runs.configure({
      deliver: { gallery: { embedModels: true }, feeds: { ...feeds, kinds: ['csv'] } },
    }),
  );

  test('are missed by verify, each by its name, until a run makes them again, with the models that are published, also where a script has another one', async () => {
    await runs.run('2026-01-01');
    const verify = () => runs.call(['verify', runs.pipelineFile]);
    expect(await verify()).toMatchObject({ exit: 0 });
    const gallery = ['index.html', 'details-0.js', 'studio.js'].map((name) => `gallery/${name}`);
    const names = ['feeds/erp.csv', ...gallery];
    for (const name of names) {
      const file = join(runs.outputDir, name);
      const bytes = await readFile(file);
      await rm(file);
      expect(await verify()).toMatchObject({ exit: 1, stdout: expect.stringContaining(name) });
      await writeFile(file, bytes);
    }
    for (const name of names) await rm(join(runs.outputDir, name));
    await runs.run('2026-01-02');
    expect(await verify()).toMatchObject({ exit: 0 });

    const folder = join(runs.outputDir, 'gallery');
    const scripts = (await readdir(folder)).filter((name) => name.startsWith('model-'));
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const before = await Promise.all(scripts.map(read));
    const [script] = scripts;
    await writeFile(join(folder, script!), `galleryModel("${script}", "Z2xURg==");\n`);
    await runs.run('2026-01-03');
    expect(await Promise.all(scripts.map(read))).toEqual(before);
  });

  test('stand in the report with the rows that a feed has, and with why others are missing', async () => {
    await runs.configure({ deliver: { feeds: { ...feeds, kinds: ['csv', 'google'] } } });
    await runs.run('2026-01-01');
    const page = await readFile(join(runs.outputDir, 'runs/latest/report.html'), 'utf8');
    const section = page.slice(page.indexOf('id="delivered"'));
    expect(section).toMatch(/feed csv[\s\S]*3[\s\S]*feed google/);
    const left = await actions();
    expect(left.filter((text) => /feed google/i.test(text))).not.toEqual([]);
    expect((await runs.explain('D1')).stdout).toMatch(/^ {2}feed google: left out, without a/m);
  });
});

test('what fails after the report stands in the report, too', async () => {
  await runs.run('2026-01-01');
  const selections = join(runs.cacheDir, 'selections');
  const [note] = (await readdir(selections)).filter((name) => name.endsWith('.published'));
  await rm(join(selections, note!));
  await mkdir(join(selections, note!, 'in the way'), { recursive: true });
  range.convertdate = '2026-01-02';
  expect(await runs.run('2026-01-02', '--force')).toMatchObject({ exit: 3 });
  expect((await runs.report()).stop).toMatchObject({ message: expect.stringContaining(note!) });
});
