/**
 * All ways to choose articles, mixed, on the sample range; and what becomes of plannings.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { openCacheDatabase } from '../../src/source/cache/database.ts';
import { createClient } from '../../src/source/service/client.ts';
import { GREY_JPEG } from '../helpers/answers.ts';
import { manifestByNumber } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { BOX_TRIANGLES, body, boxPoints } from '../helpers/graphics.ts';
import { articleOf, type Wire } from '../helpers/sample-range.ts';

const RANGE = createSampleRange();

const boxBody = (name: string) =>
  body({ N: name, P: [0, 0, 0], R: [0, 0, 0], V: boxPoints(), T: [], A: [BOX] });
const BOX = { F: BOX_TRIANGLES, C: true };

let range: EmulatedRange;
let runs: DailyRuns;
const run = (...options: string[]) => runs.call(['run', runs.pipelineFile, ...options]);
const choose = (...articles: object[]) => runs.configure({ articles });
const manifest = () => readManifest(runs.outputDir);

beforeEach(async () => {
  // What is drawn does not matter here: a box, and a small picture.
  range = { ...RANGE, block: async (name) => boxBody(name), material: async () => GREY_JPEG };
  runs = await openDailyRuns(range);
  await mkdir(join(runs.folder, 'carts'));
});
afterEach(() => runs.close());

const wire = (program: string, basearticlenumber: string, more: object = {}): Wire => {
  const manufacturer = {
    LINEA: 'FJEL',
    DEPOT: 'FJEL',
    LUMO: 'AULI',
    REGALO: 'AULI',
  };
  const owner = manufacturer[program as keyof typeof manufacturer];
  return articleOf(RANGE, { manufacturer: owner, program, basearticlenumber, ...more });
};
/** Identity of an article in the columns of a manifest line. */
const keyOf = ({ manufacturer, program, basearticlenumber, reinit, ocd }: Wire): string =>
  [manufacturer, program, basearticlenumber, ocd.finalarticlenumber, ocd.reinitstring, reinit].join(
    ' | ',
  );
const lineKey = (line: ManifestLine): string =>
  [
    line.manufacturer,
    line.program,
    line.basearticlenumber,
    line.finalarticlenumber,
    line.reinitstring,
    line.metareinitstring,
  ].join(' | ');
const cart = (name: string, json: unknown) =>
  writeFile(join(runs.folder, 'carts', name), JSON.stringify(json));
const withoutEstimate = (stdout: string) =>
  stdout.slice(0, stdout.lastIndexOf('\n', stdout.search(/\d+ configurations selected/)));

/** Stores a planning at the service and in the ledger, as the inbox does. */
async function permanentId(article: Wire): Promise<string> {
  const { authUrl, username, password, appKey } = runs.emulator;
  const baseUrl = runs.proxy.env.BTG2GLTF_BASE_URL!;
  const credentials = { username, password, appKey };
  const client = createClient({ authUrl, baseUrl, credentials, now: Date.now, random: () => 0.5 });
  const state = await openCacheDatabase(runs.cacheDir);
  try {
    const id = await client.storePlanning(article);
    state.permanentIds.put(baseUrl, id, article);
    return id;
  } finally {
    await client.close();
    state.close();
  }
}

describe('a pipeline that mixes all ways to choose', () => {
  const WIDE = wire('REGALO', 'RG-BÜCHER 5', {
    ocdreinitstring: wire('REGALO', 'RG-BÜCHER 5').ocd.reinitstring.replace('800', '1000'),
  });

  async function chooseMixed(): Promise<void> {
    const desk = wire('LINEA', 'LN-D160/80');
    const list = 'manufacturer;program;basearticlenumber;reinitstring';
    const row = `FJEL;LINEA;LN-D160/80;"${desk.ocd.reinitstring}"`;
    await writeFile(
      join(runs.folder, 'list.csv'),
      `\uFEFF${list}\r\n${row}\r\nauli;regalo;RG-BÜCHER 5;\r\n`,
    );
    await cart('a.json', { json: wire('DEPOT', 'DP-F2') });
    await cart('b.json', wire('REGALO', 'RG-BÜCHER 5'));
    const id = await permanentId(WIDE);
    await choose(
      { list: 'list.csv' },
      { catalogue: { manufacturers: ['au*'], programs: ['REGALO'] } },
      { search: { manufacturer: 'FJEL', query: 'Schreibtisch 1600' } },
      { carts: 'carts/*.json' },
      { permanentids: [id] },
      {
        configurations: {
          manufacturer: 'FJEL',
          program: 'LINEA',
          basearticlenumber: 'LN-D160/80',
          values: { 'OBERFLÄCHE.GESTELL': 'WS' },
          each: ['AUSSTATTUNG.KABEL'],
          max: 5,
        },
      },
      { configurations: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-VASE' } },
    );
  }

  const shelves = (RANGE.nodes('') as Wire[])
    .flatMap((top) => RANGE.nodes(top.nodeid) as Wire[])
    .filter(({ program, nodetype }) => program === 'REGALO' && nodetype === 'F')
    .flatMap((series) => RANGE.nodes(series.nodeid) as Wire[])
    .map(({ basearticlenumber }) => wire('REGALO', basearticlenumber));
  const white = (cable: string) => `@LN-D160/80+DEKOR='EI':GESTELL='WS':KABEL='${cable}'::`;
  const EXPECTED = [
    wire('LINEA', 'LN-D160/80'),
    ...shelves,
    wire('DEPOT', 'DP-F2'),
    WIDE,
    wire('LINEA', 'LN-D160/80', { ocdreinitstring: white('OHNE') }),
    wire('LINEA', 'LN-D160/80', { ocdreinitstring: white('WANNE') }),
    wire('LUMO', 'LM-VASE'),
  ].map(keyOf);

  test('selects exactly the expected articles, each once, with reasons, converts exactly these, and nothing anew in the next run, and selects them again in the same order', async () => {
    await chooseMixed();
    const first = await run('--dry-run');
    const rows = first.stdout
      .split('\n')
      .map((line) => line.split('\t'))
      .filter((columns) => columns.length === 6)
      .slice(1);
    expect(rows.map(([m, p, base]) => [m, p, base].join(' | '))).toEqual(
      EXPECTED.map((key) => key.split(' | ').slice(0, 3).join(' | ')),
    );
    const why = Object.fromEntries(
      rows.map((columns) => [`${columns[2]} ${columns[4]}`, columns[5]]),
    );
    expect(why[`LN-D160/80 ${wire('LINEA', 'LN-D160/80').ocd.reinitstring}`]).toMatch(
      /^list\.csv:2; search FJEL "Schreibtisch 1600"$/,
    );
    expect(why['RG-BÜCHER 5 ']).toMatch(
      /^list\.csv:\d; catalogue Aulinde home furniture \/ REGALO shelves & chests; cart b\.json$/,
    );
    expect(rows.at(-4)![5]).toMatch(/^permanentid \S+$/);
    expect(rows.at(-3)![5]).toBe('configuration FJEL/LINEA/LN-D160/80 OBERFLÄCHE.GESTELL=WS');
    const counts = ['btg', 'block', 'materials'].map((name) => runs.emulator.counts.get(name) ?? 0);
    expect(counts).toEqual([0, 0, 0]);
    expect(await manifest()).toEqual([]);

    expect(await run()).toMatchObject({ exit: 0 });
    expect((await manifest()).map(lineKey).sort()).toEqual([...EXPECTED].sort());
    expect((await run()).stdout).toMatch(/nothing has changed/);
    const again = await run('--dry-run');
    expect(withoutEstimate(again.stdout)).toBe(withoutEstimate(first.stdout));
    expect(again.stdout).toMatch(
      /; fetching the articles would take (?:0 more|\d+ more: \d+ articles)/,
    );
  });
});

describe('a planning', () => {
  const PLANNING = wire('LINEA', 'LN-PLATZ 1');
  const DEPOT = 'DP-R3';
  const source = {
    article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' },
  };

  /** The parts list of the planning does not hold one of its children. */
  function omitChild(index: number): void {
    range.partsList = (query) => {
      const list = RANGE.partsList(query) as Wire;
      if (query.basearticlenumber !== 'LN-PLATZ 1' || list === undefined) return list;
      const [root] = list.btg;
      const childs = root.prop.childs.filter((_: unknown, i: number) => i !== index);
      return { ...list, btg: [{ ...root, prop: { ...root.prop, childs } }] };
    };
  }
  const lines = () => manifestByNumber(runs.outputDir);
  const codes = (line: ManifestLine) => line.warnings.map(({ code }) => code);

  test('is one asset where its parts list holds all children', async () => {
    await choose(source);
    expect((await run()).exit).toBe(0);
    const { 'LN-PLATZ 1': planning, ...others } = await lines();
    expect(Object.keys(others)).toEqual([]);
    expect(codes(planning!)).not.toContain('META_CHILD_WITHOUT_PLACEMENT');
    expect(PLANNING.children).toHaveLength(4);
  });

  test('gives a child that is not in its parts list as an asset of its own, and reports it', async () => {
    omitChild(1);
    // Where the child is, its own blocks show; those of the lamp are the largest.
    range.block = async (name) => (name.includes('LUMO') ? boxBody(name) : RANGE.block(name));
    await choose(source);
    const { exit, stdout } = await run();
    expect(exit).toBe(0);
    expect(stdout).toMatch(/META_CHILD_WITHOUT_PLACEMENT 1/);
    const { 'LN-PLATZ 1': planning, [DEPOT]: child, ...others } = await lines();
    expect(Object.keys(others)).toEqual([]);
    expect(planning!.warnings).toContainEqual({
      code: 'META_CHILD_WITHOUT_PLACEMENT',
      message: expect.stringMatching(/^child FJEL\/DEPOT\/DP-R3 \(DP-R3-EI\.B\): /),
    });
    expect(lineKey(child!)).toBe(keyOf(PLANNING.children[1]));
    expect(planning!.boundsMetres).toBeDefined();
    // Its position is unknown: it is at its own origin.
    expect(Math.abs(child!.boundsMetres!.min[0])).toBeLessThan(0.01);

    const again = await run();
    expect(again.stdout).toMatch(/nothing has changed/);
    expect(again.stdout).toMatch(/META_CHILD_WITHOUT_PLACEMENT 1/);
    await rm(runs.outputDir, { recursive: true });
    await runs.call(['build', runs.pipelineFile]);
    expect(Object.keys(await lines()).sort()).toEqual([DEPOT, 'LN-PLATZ 1']);
  });

  test('is looked at with its stored children, however the service would plan it', async () => {
    const values = { 'PLANUNG.CONTAINER': 'OHNE', 'OBERFLÄCHE.DEKOR': 'NB' };
    const ids = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' };
    await choose({ configurations: { ...ids, values } });
    expect((await run()).exit).toBe(0);
    const { 'LN-PLATZ 1': planning, ...others } = await lines();
    expect(Object.keys(others)).toEqual([]);
    expect(planning!.metareinitstring).not.toBe(PLANNING.reinit);
    expect(planning!.finalarticlenumber).toContain('NB');
    expect(codes(planning!)).not.toContain('META_CHILD_WITHOUT_PLACEMENT');
  });
});

describe('a choice that cannot be had', () => {
  const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-D160/80' };
  const good = { article: DESK };
  const lamp = { article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-VASE' } };
  const decor = (value: string, name = 'DEKOR') => ({
    configurations: { ...DESK, values: { [`OBERFLÄCHE.${name}`]: value } },
  });

  test('fails by itself, is named in the summary, and the others go on', async () => {
    await cart('child.json', wire('LINEA', 'LN-PLATZ 1').children[0]);
    await cart('no-id.json', { ...wire('DEPOT', 'DP-F2'), id: undefined });
    await writeFile(join(runs.folder, 'carts', 'torn.json'), '{"id":');
    await choose(
      good,
      { carts: 'carts/*.json' },
      { permanentids: ['P-OF-ANOTHER-SYSTEM'] },
      decor('PINK'),
      decor('NB', 'DEKRO'),
      { catalogue: { parentnode: 'NOWHERE;:@9' } },
      { search: { manufacturer: 'FJEL', query: 'no such thing' } },
    );
    const { exit, stdout } = await run();
    expect(exit).toBe(1);
    expect(await manifest()).toHaveLength(1);
    const listed = (await runs.failures()).map(({ what, code }) => [what, code]);
    expect(listed).toEqual([
      // The smallest first.
      ['cart torn.json', 'CART_INVALID'],
      ['cart no-id.json', 'CART_INVALID'],
      ['cart child.json', 'CHILD_WITHOUT_ROOT'],
      ['permanentid P-OF-ANOTHER-SYSTEM', 'PERMANENT_ID_NOT_RESOLVABLE'],
      ['configuration FJEL/LINEA/LN-D160/80 OBERFLÄCHE.DEKOR=PINK', 'PROPERTY_VALUE_REFUSED'],
      ['configuration FJEL/LINEA/LN-D160/80 OBERFLÄCHE.DEKRO=NB', 'PROPERTY_UNKNOWN'],
      ['catalogue NOWHERE;:@9', 'NODE_NOT_FOUND'],
    ]);
    for (const text of listed.flat()) expect(stdout).toContain(text);
    expect(stdout).toMatch(/SEARCH_EMPTY {2}search FJEL "no such thing" finds no article/);
    expect(stdout).toMatch(/1 converted · 0 unchanged · 4 failed · 3 of carts failed/);
  });

  test('counts for --limit after the configurations, and is named where the limit leaves it out', async () => {
    await choose(decor('PINK'), decor('BLUE'), good);
    const one = await run('--limit', '1');
    expect(one.exit).toBe(0);
    expect(one.stdout).toMatch(/· 1 configuration of 1 article ·/);
    expect(one.stdout).toMatch(/1 converted · 0 unchanged · 0 failed/);
    expect(one.stdout).toMatch(
      /LIMIT_REACHED {2}--limit 1 leaves out what cannot be selected: .*DEKOR=PINK \(PROPERTY_VALUE_REFUSED\), .*DEKOR=BLUE/,
    );
    const two = await run('--limit', '2');
    expect(two.exit).toBe(1);
    expect(two.stdout).toMatch(/0 converted · 1 unchanged · 1 failed/);
    expect(two.stdout).toMatch(/leaves out what cannot be selected: [^,]*DEKOR=BLUE/);
    const failed = await run('--failed', '--limit', '1');
    expect(failed.stdout).toMatch(/0 converted · 0 unchanged · 1 failed/);
    const preview = await run('--dry-run', '--limit', '1');
    expect(preview.stdout).toMatch(/^1 configuration selected, 0 failures/m);
    expect((await run()).stdout).toMatch(/0 converted · 1 unchanged · 2 failed/);
  });

  test('alone is a failure in the report, known to explain, and what is published stays', async () => {
    await choose(decor('NB'), lamp);
    await run();
    const before = await manifest();
    expect(before).toHaveLength(2);
    await choose(decor('PINK'), { carts: 'carts/*.json' });
    for (const name of ['fetch', 'run']) {
      const { exit, stdout } = await runs.call([name, runs.pipelineFile]);
      expect(exit).toBe(1);
      expect(stdout).toMatch(/ 1 failed/);
      expect(stdout).toMatch(/CARTS_EMPTY {2}no cart matches/);
      expect(stdout).not.toContain('catalogue ls');
    }
    expect(await manifest()).toEqual(before);
    const [failure] = await runs.failures();
    expect(failure!.what).toContain('OBERFLÄCHE.DEKOR=PINK');
    const explained = await runs.explain('LN-D160/80');
    expect(explained.stdout).toMatch(/^configuration .*=PINK {2}failed$/m);
    const recording = join(runs.folder, 'recording');
    const recorded = await runs.call(['record', runs.pipelineFile, '--to', recording]);
    expect(recorded).toMatchObject({ exit: 2, stderr: expect.stringContaining('=PINK') });
  });

  test('nothing selected without a failure names the list and the carts that are empty', async () => {
    await writeFile(join(runs.folder, 'empty.csv'), 'manufacturer,program,basearticlenumber\n');
    await choose({ list: 'empty.csv' }, { carts: 'carts/*.json' });
    const { exit, stderr } = await run();
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /LIST_EMPTY\)\n.*CARTS_EMPTY\)\n.*the entries select no configuration\n/,
    );
    expect(stderr).toContain(
      `${join(runs.folder, 'empty.csv')}: no line follows the header "manufacturer,`,
    );
    expect(stderr).toMatch(/no cart matches .*\(CARTS_EMPTY\)/);
  });

  test('of a configuration that is not complete is a warning on its line', async () => {
    const ids = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
    const lifting = (more: object) => ({
      configurations: { ...ids, values: { 'AUSSTATTUNG.UNTERGESTELL': 'HUB', ...more } },
    });
    const complete = lifting({ 'AUSSTATTUNG.TASTER': 'SPEICHER' });
    await choose(lifting({}), complete);
    expect((await run()).exit).toBe(0);
    const warnings = (await manifest()).map(({ finalarticlenumber, warnings: all }) => [
      finalarticlenumber.split('.').at(-1),
      all.filter(({ code }) => code === 'CONFIGURATION_INVALID').map(({ message }) => message),
    ]);
    expect(warnings).toEqual([
      ['0', ['the configuration is not complete: AUSSTATTUNG.TASTER has no value']],
      ['S', []],
    ]);
  });
});
