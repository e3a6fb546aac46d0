/** A pipeline in several languages: a catalogue of each, geometry once. */
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readCatalogue } from '../../src/run/output/manifest.ts';
import { manifestByNumber } from '../helpers/command.ts';
import { type DailyRuns, LIVE_ONCE, openDailyRuns } from '../helpers/daily-runs.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

const NUMBERS = ['D1', 'D2', 'D3'];
const TEXTS: Record<string, string> = { de: 'Tisch', en: 'Desk', fr: 'Bureau' };
let range: SmallRange;
let runs: DailyRuns;
/** `NUMBER lang` of articles that the service does not have in a language. */
let untranslated: Set<string>;

async function open(): Promise<void> {
  range = smallRange(NUMBERS.map((number) => ({ number, blocks: [`ACME::DESK::${number}`] })));
  untranslated = new Set();
  const plain = range.article;
  range.article = (query) => {
    const { basearticlenumber, lang } = query;
    const article = plain(query);
    if (article === undefined || untranslated.has(`${basearticlenumber} ${lang}`)) return undefined;
    const ocd = { ...(article.ocd as object), shorttext: `${TEXTS[lang!]} ${basearticlenumber}` };
    return { ...article, ocd };
  };
  runs = await openDailyRuns(range);
  await speak('de', 'en');
}
const close = () => runs.close();

const speak = (...lang: string[]) => runs.configure({ service: { ...LIVE_ONCE, lang } });
const textsOf = async (lang?: string) =>
  (await readCatalogue(runs.outputDir, lang)).map(({ shorttext }) => shorttext);
/** Requests of the last run by operation, but for those of the login. */
const sent = async () => {
  const { byOperation } = (await runs.report()).requests;
  const all = Object.entries(byOperation);
  return Object.fromEntries(all.filter(([name]) => !/Key|Token|logout/.test(name)));
};

describe('day after day', () => {
  // Each test goes on where the one before has ended.
  beforeAll(open);
  afterAll(close);

  test('each language has its catalogue, the first is catalogue.jsonl, and geometry is fetched once', async () => {
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    expect(await textsOf('de')).toEqual(NUMBERS.map((number) => `Tisch ${number}`));
    expect(await textsOf('en')).toEqual(NUMBERS.map((number) => `Desk ${number}`));
    const read = (name: string) => readFile(join(runs.outputDir, name), 'utf8');
    expect(await read('catalogue.jsonl')).toBe(await read('catalogue.de.jsonl'));
    const manifest = await manifestByNumber(runs.outputDir);
    for (const { basearticlenumber, glb } of await readCatalogue(runs.outputDir, 'en'))
      expect(glb).toBe(manifest[basearticlenumber]!.glb);
    expect(await sent()).toMatchObject({
      getArticle: 6,
      getPartsList: 3,
      getBlock: 3,
      getNodes: 2,
    });
  });

  test('an unchanged run requests nothing in any language', async () => {
    await runs.run('2026-01-02');
    expect(await sent()).toEqual({ getNodes: 1 });
    const { configurations } = await runs.report();
    expect(configurations).toMatchObject({ unchanged: 3, kept: 3, converted: 0 });
  });

  test('a further language takes its articles, and one less nothing', async () => {
    await speak('de', 'en', 'fr');
    const dry = await runs.run('2026-01-03', '--dry-run');
    expect(dry.stdout).toMatch(/3 articles/);
    await runs.run('2026-01-04');
    expect(await textsOf('fr')).toEqual(NUMBERS.map((number) => `Bureau ${number}`));
    expect(await sent()).toEqual({ getNodes: 1, getArticle: 3 });
    expect((await runs.report()).configurations).toMatchObject({ unchanged: 3, converted: 0 });
    await speak('de');
    await runs.run('2026-01-05');
    expect(await textsOf()).toEqual(NUMBERS.map((number) => `Tisch ${number}`));
    expect(await sent()).toEqual({ getNodes: 1 });
  });
});

describe('a pipeline in two languages', () => {
  beforeEach(open);
  afterEach(close);

  test('the catalogue of a language that is no longer listed is removed, and no other file', async () => {
    await runs.run('2026-01-01');
    const others = [
      'catalogue.2026-01-01.jsonl',
      'catalogue.es.jsonl',
      'catalogue.jsonl.en',
      'kept',
    ];
    for (const name of others.slice(2)) await writeFile(join(runs.outputDir, name), 'a text');
    await writeFile(join(runs.outputDir, others[0]!), 'a copy of that day');
    await symlink('kept', join(runs.outputDir, others[1]!));
    await speak('en', 'fr');
    await runs.run('2026-01-02', '--only', '*/D1');
    expect(await readdir(runs.outputDir)).toContain('catalogue.de.jsonl');
    await runs.run('2026-01-02');
    const names = async () =>
      (await readdir(runs.outputDir)).filter((name) => /catalogue|kept/.test(name)).sort();
    const listed = ['catalogue.en.jsonl', 'catalogue.fr.jsonl', 'catalogue.jsonl'];
    expect(await names()).toEqual([...others, ...listed].sort());
    await speak('en');
    await runs.run('2026-01-03');
    expect(await names()).toEqual([...others, 'catalogue.jsonl'].sort());
    expect(await readFile(join(runs.outputDir, 'kept'), 'utf8')).toBe('a text');
  });

  test('an article that a language lacks has the texts of the first, with a warning, until it is there', async () => {
    untranslated.add('D2 en');
    expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
    expect(await textsOf('en')).toEqual(['Desk D1', 'Tisch D2', 'Desk D3']);
    const { D2 } = await manifestByNumber(runs.outputDir);
    expect(D2!.warnings).toMatchObject([{ code: 'TRANSLATION_MISSING', message: /language en/ }]);
    untranslated.clear();
    await runs.run('2026-01-02');
    expect(await textsOf('en')).toEqual(NUMBERS.map((number) => `Desk ${number}`));
    const after = await manifestByNumber(runs.outputDir);
    expect(after.D2).toMatchObject({ status: 'unchanged', warnings: [] });
  });

  test('fetch and build make the same catalogues as run', async () => {
    await runs.command('fetch', '2026-01-01');
    await runs.command('build', '2026-01-02');
    expect(await textsOf('en')).toEqual(NUMBERS.map((number) => `Desk ${number}`));
    expect(await runs.explain('D1')).toMatchObject({ exit: 0, stdout: /ACME\/DESK\/D1-STD/ });
  });

  test('a recording is in the first language, and a replay has its texts in every one', async () => {
    const recording = join(runs.outputDir, '..', 'recording');
    const options = ['--to', recording];
    expect(await runs.command('record', '2026-01-01', ...options)).toMatchObject({ exit: 0 });
    await runs.configure({ service: { recording, lang: ['de', 'en'] } });
    expect(await runs.run('2026-01-02')).toMatchObject({ exit: 0 });
    expect(await textsOf('en')).toEqual(NUMBERS.map((number) => `Tisch ${number}`));
  });
});
