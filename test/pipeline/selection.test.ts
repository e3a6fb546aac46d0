/**
 * All ways to choose articles, mixed, on the sample range; and what becomes of plannings.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCacheDatabase } from '../../src/cache/database.ts';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { ManifestLine } from '../../src/model/asset.ts';
import type { EmulatedRange } from '../../src/sample/range.ts';
import { createSampleRange } from '../../src/sample/sample-range.ts';
import { createClient } from '../../src/service/client.ts';
import { readManifest } from '../../src/write/manifest.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { articleOf, type Wire } from '../helpers/sample-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SERVICE = {
  authUrl: '${BTG2GLTF_AUTH_URL}',
  baseUrl: '${BTG2GLTF_BASE_URL}',
  retries: 0,
  backoffMs: 1,
};
const RANGE = createSampleRange();

let folder: string;
let emulator: Emulator;
let env: Record<string, string>;
const out = () => join(folder, 'out');

async function start(range: EmulatedRange): Promise<void> {
  emulator = await startEmulator({ range });
  env = {
    BTG2GLTF_AUTH_URL: emulator.authUrl,
    BTG2GLTF_BASE_URL: emulator.baseUrl,
    BTG2GLTF_USERNAME: emulator.username,
    BTG2GLTF_PASSWORD: emulator.password,
    BTG2GLTF_APP_KEY: emulator.appKey,
  };
}

beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'carts'));
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

const wire = (program: string, basearticlenumber: string, more: object = {}): Wire => {
  const manufacturer = {
    LINEA: 'FJEL',
    DEPOT: 'FJEL',
    KONVA: 'BRNK',
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
  writeFile(join(folder, 'carts', name), JSON.stringify(json));
const pipeline = (...articles: object[]) => writePipeline(folder, { service: SERVICE, articles });
const withoutEstimate = (stdout: string) =>
  stdout.slice(0, stdout.lastIndexOf('\n', stdout.search(/\d+ configurations selected/)));

/** Stores a planning at the service and in the ledger, as the inbox does. */
async function permanentId(article: Wire): Promise<string> {
  const { authUrl, baseUrl, username, password, appKey } = emulator;
  const credentials = { username, password, appKey };
  const client = createClient({ authUrl, baseUrl, credentials, now: Date.now, random: () => 0.5 });
  const state = await openCacheDatabase(join(folder, 'cache'));
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

  async function mixed(): Promise<string> {
    await start(RANGE);
    const desk = wire('LINEA', 'LN-D160/80');
    const list = 'manufacturer;program;basearticlenumber;reinitstring';
    const row = `FJEL;LINEA;LN-D160/80;"${desk.ocd.reinitstring}"`;
    await writeFile(join(folder, 'list.csv'), `\uFEFF${list}\r\n${row}\r\nbrnk;konva;KV20 F;\r\n`);
    await cart('a.json', { json: wire('DEPOT', 'DP-F2') });
    await cart('b.json', wire('KONVA', 'KV20 F'));
    const id = await permanentId(WIDE);
    return pipeline(
      { list: 'list.csv' },
      { catalogue: { manufacturers: ['br*'], programs: ['KONVA'] } },
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

  const konva = (RANGE.nodes('') as Wire[])
    .flatMap((top) => RANGE.nodes(top.nodeid) as Wire[])
    .filter(({ program, nodetype }) => program === 'KONVA' && nodetype === 'F')
    .flatMap((series) => RANGE.nodes(series.nodeid) as Wire[])
    .map(({ basearticlenumber }) => wire('KONVA', basearticlenumber));
  const white = (cable: string) => `@LN-D160/80+DEKOR='EI':GESTELL='WS':KABEL='${cable}'::`;
  const EXPECTED = [
    wire('LINEA', 'LN-D160/80'),
    ...konva,
    wire('DEPOT', 'DP-F2'),
    WIDE,
    wire('LINEA', 'LN-D160/80', { ocdreinitstring: white('OHNE') }),
    wire('LINEA', 'LN-D160/80', { ocdreinitstring: white('WANNE') }),
    wire('LUMO', 'LM-VASE'),
  ].map(keyOf);

  test('selects exactly the expected articles, each once, twice in the same order, with reasons', async () => {
    const file = await mixed();
    const first = await command(['run', file, '--dry-run'], { env });
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
    expect(why['KV20 F ']).toMatch(
      /^list\.csv:\d; catalogue Brenkhoff seating \/ KONVA visitor chairs; cart b\.json$/,
    );
    expect(rows.at(-4)![5]).toMatch(/^permanentid \S+$/);
    expect(rows.at(-3)![5]).toBe('configuration FJEL/LINEA/LN-D160/80 OBERFLÄCHE.GESTELL=WS');
    const counts = ['btg', 'block', 'materials'].map((name) => emulator.counts.get(name) ?? 0);
    expect(counts).toEqual([0, 0, 0]);
    const second = await command(['run', file, '--dry-run'], { env });
    expect(withoutEstimate(second.stdout)).toBe(withoutEstimate(first.stdout));
  });

  test('converts exactly these, and nothing anew in the next run', async () => {
    const file = await mixed();
    const first = await command(['run', file], { env });
    expect({ exit: first.exit, stderr: first.stderr }).toMatchObject({ exit: 0 });
    expect((await readManifest(out())).map(lineKey).sort()).toEqual([...EXPECTED].sort());
    const second = await command(['run', file], { env });
    expect(second.stdout).toMatch(/nothing has changed/);
    const preview = await command(['run', file, '--dry-run'], { env });
    expect(preview.stdout).toMatch(/\nA run would send \d+ more requests: \d+ articles/);
  });
});

describe('a planning', () => {
  const PLANNING = wire('LINEA', 'LN-PLATZ 1');
  const DEPOT = 'DP-R3';
  const source = {
    article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' },
  };

  /** The sample range, with some nodes of the planning's parts list left out. */
  const without = (...places: number[]): EmulatedRange => ({
    ...RANGE,
    partsList: (query) => {
      const list = RANGE.partsList(query) as Wire;
      if (query.basearticlenumber !== 'LN-PLATZ 1' || list === undefined) return list;
      const [root] = list.btg;
      const childs = root.prop.childs.filter((_: unknown, i: number) => !places.includes(i));
      return { ...list, btg: [{ ...root, prop: { ...root.prop, childs } }] };
    },
  });
  const lines = async () =>
    Object.fromEntries((await readManifest(out())).map((line) => [line.basearticlenumber, line]));
  const codes = (line: ManifestLine) => line.warnings.map(({ code }) => code);

  test('is one asset where its parts list holds all children', async () => {
    await start(RANGE);
    const { exit } = await command(['run', await pipeline(source)], { env });
    expect(exit).toBe(0);
    const { 'LN-PLATZ 1': planning, ...others } = await lines();
    expect(Object.keys(others)).toEqual([]);
    expect(codes(planning!)).not.toContain('META_CHILD_WITHOUT_PLACEMENT');
    expect(PLANNING.children).toHaveLength(4);
  });

  test('gives a child that is not in its parts list as an asset of its own, and reports it', async () => {
    await start(without(1));
    const file = await pipeline(source);
    const { exit, stdout } = await command(['run', file], { env });
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

    const again = await command(['run', file], { env });
    expect(again.stdout).toMatch(/nothing has changed/);
    expect(again.stdout).toMatch(/META_CHILD_WITHOUT_PLACEMENT 1/);
    await rm(out(), { recursive: true });
    await command(['build', file], { env });
    expect(Object.keys(await lines()).sort()).toEqual([DEPOT, 'LN-PLATZ 1']);
  });

  test('is looked at with its stored children, however the service would plan it', async () => {
    await start(RANGE);
    const values = { 'PLANUNG.CONTAINER': 'OHNE', 'OBERFLÄCHE.DEKOR': 'NB' };
    const ids = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' };
    const file = await pipeline({ configurations: { ...ids, values } });
    expect((await command(['run', file], { env })).exit).toBe(0);
    const { 'LN-PLATZ 1': planning, ...others } = await lines();
    expect(Object.keys(others)).toEqual([]);
    expect(planning!.metareinitstring).not.toBe(PLANNING.reinit);
    expect(planning!.finalarticlenumber).toContain('NB');
    expect(codes(planning!)).not.toContain('META_CHILD_WITHOUT_PLACEMENT');
  });

  test('in a cart without reinit is published as its children, never as the default planning', async () => {
    await start(RANGE);
    const { reinit: _, ...changed } = structuredClone(PLANNING);
    changed.children.pop();
    await cart('changed.json', { json: changed });
    const file = await pipeline({ carts: 'carts/changed.json' });
    const { exit, stdout } = await command(['run', file], { env });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/CART_WITHOUT_REINIT {2}cart .*changed\.json: expected reinit/);
    expect((await readManifest(out())).map(lineKey).sort()).toEqual(
      changed.children.map(keyOf).sort(),
    );
    const { reinit: __, ...same } = PLANNING;
    await cart('changed.json', same);
    expect((await command(['run', file], { env })).stdout).not.toContain('CART_WITHOUT_REINIT');
    expect(Object.keys(await lines())).toEqual(['LN-PLATZ 1']);
  });

  test('gives all its children as articles of their own where that is wanted', async () => {
    await start(RANGE);
    await cart('p.json', PLANNING);
    const file = await pipeline({ carts: 'carts/p.json', as: 'articles' });
    expect((await command(['run', file], { env })).exit).toBe(0);
    const expected = [PLANNING, ...PLANNING.children].map(keyOf).sort();
    expect((await readManifest(out())).map(lineKey).sort()).toEqual(expected);
  });
});

describe('a choice that cannot be had', () => {
  const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-D160/80' };
  const good = { article: DESK };

  test('fails by itself, is named in the summary, and the others go on', async () => {
    await start(RANGE);
    await cart('child.json', wire('LINEA', 'LN-PLATZ 1').children[0]);
    await cart('no-id.json', { ...wire('DEPOT', 'DP-F2'), id: undefined });
    await writeFile(join(folder, 'carts', 'torn.json'), '{"id":');
    const configurations = (values: object) => ({ configurations: { ...DESK, values } });
    const file = await pipeline(
      good,
      { carts: 'carts/*.json' },
      { permanentids: ['P-OF-ANOTHER-SYSTEM'] },
      configurations({ 'OBERFLÄCHE.DEKOR': 'PINK' }),
      configurations({ 'OBERFLÄCHE.DEKRO': 'NB' }),
      { catalogue: { parentnode: 'NOWHERE;:@9' } },
      { search: { manufacturer: 'FJEL', query: 'no such thing' } },
    );
    const { exit, stdout } = await command(['run', file], { env });
    expect(exit).toBe(1);
    expect(Object.keys(await readManifest(out()))).toHaveLength(1);
    const runs = dirname(stdout.trimEnd().split('\n').at(-1)!);
    const rows = (await readFile(join(runs, 'failures.jsonl'), 'utf8')).trim().split('\n');
    const listed = rows.map((row) => JSON.parse(row)).map(({ what, code }) => [what, code]);
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
    await start(RANGE);
    const refused = (value: string) => ({
      configurations: { ...DESK, values: { 'OBERFLÄCHE.DEKOR': value } },
    });
    const file = await pipeline(refused('PINK'), refused('BLUE'), good);
    const run = (...options: string[]) => command(['run', file, ...options], { env });
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

  test('keeps what the article had before', async () => {
    await start(RANGE);
    const choose = (value: string) => ({
      configurations: { ...DESK, values: { 'OBERFLÄCHE.DEKOR': value } },
    });
    await command(['run', await pipeline(choose('NB'))], { env });
    const [before] = await readManifest(out());
    const lamp = {
      article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-VASE' },
    };
    await command(['run', await pipeline(choose('PINK'), lamp)], { env });
    const after = await readManifest(out());
    expect(after.map(({ basearticlenumber }) => basearticlenumber)).toEqual([
      'LM-VASE',
      'LN-D160/80',
    ]);
    expect(after[1]).toEqual(before);
  });

  test('in a catalogue that holds itself is a warning, a folder that is gone a failure', async () => {
    const folderOf = (nodeid: string): Wire => {
      const [series] = RANGE.nodes((RANGE.nodes('') as Wire[])[0].nodeid) as Wire[];
      return { ...series, nodeid };
    };
    await start({
      ...RANGE,
      nodes: (parent) => {
        if (parent === 'GONE') return undefined;
        const nodes = RANGE.nodes(parent) ?? [];
        return parent === '' ? nodes : [...nodes, folderOf(parent), folderOf('GONE')];
      },
    });
    const { exit, stdout } = await command(
      ['fetch', await pipeline({ catalogue: { programs: ['LINEA'] } })],
      { env },
    );
    expect(exit).toBe(1);
    expect(stdout).toMatch(
      /CATALOGUE_CIRCULAR {2}catalogue FJEL\S* contains FJEL\S*, which contains it/,
    );
    expect(stdout).toMatch(
      /NODE_NOT_FOUND {2}1 failed: .*\n +catalogue GONE {2}articles, entry 1 of the/,
    );
    expect(stdout).toMatch(/\d fetched · 1 failed/);
  });

  test('alone is a failure in the report, known to explain, and what is published stays', async () => {
    await start(RANGE);
    const choose = (value: string) => ({
      configurations: { ...DESK, values: { 'OBERFLÄCHE.DEKOR': value } },
    });
    const chair = {
      article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-VASE' },
    };
    await command(['run', await pipeline(choose('NB'), chair)], { env });
    const before = await readManifest(out());
    expect(before).toHaveLength(2);
    const file = await pipeline(choose('PINK'), { carts: 'carts/*.json' });
    for (const name of ['fetch', 'run']) {
      const { exit, stdout } = await command([name, file], { env });
      expect(exit).toBe(1);
      expect(stdout).toMatch(/ 1 failed/);
      expect(stdout).toMatch(/CARTS_EMPTY {2}no cart matches/);
      expect(stdout).not.toContain('catalogue ls');
    }
    expect(await readManifest(out())).toEqual(before);
    const failures = await readFile(join(out(), 'runs', 'latest', 'failures.jsonl'), 'utf8');
    expect(failures).toContain('OBERFLÄCHE.DEKOR=PINK');
    const explained = await command(['explain', 'LN-D160/80', '--pipeline', file], { env });
    expect(explained.stdout).toMatch(/^configuration .*=PINK {2}failed$/m);
    const recording = join(folder, 'recording');
    const recorded = await command(['record', file, '--to', recording], { env });
    expect(recorded).toMatchObject({ exit: 2, stderr: expect.stringContaining('=PINK') });
  });

  test('nothing selected without a failure names the list and the carts that are empty', async () => {
    await start(RANGE);
    await writeFile(join(folder, 'empty.csv'), 'manufacturer,program,basearticlenumber\n');
    const file = await pipeline({ list: 'empty.csv' }, { carts: 'carts/*.json' });
    const { exit, stderr } = await command(['run', file], { env });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/expected at least one configuration, received none\n.*LIST_EMPTY/);
    expect(stderr).toContain(
      `${join(folder, 'empty.csv')}: no line follows the header "manufacturer,`,
    );
    expect(stderr).toMatch(/CARTS_EMPTY no cart matches/);
  });

  test('of a configuration that is not complete is a warning on its line', async () => {
    await start(RANGE);
    const ids = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
    const lifting = (more: object) => ({
      configurations: { ...ids, values: { 'AUSSTATTUNG.UNTERGESTELL': 'HUB', ...more } },
    });
    const complete = lifting({ 'AUSSTATTUNG.TASTER': 'SPEICHER' });
    const { exit } = await command(['run', await pipeline(lifting({}), complete)], { env });
    expect(exit).toBe(0);
    const warnings = (await readManifest(out())).map(({ finalarticlenumber, warnings: all }) => [
      finalarticlenumber.split('.').at(-1),
      all.filter(({ code }) => code === 'CONFIGURATION_INVALID').map(({ message }) => message),
    ]);
    expect(warnings).toEqual([
      ['0', ['the configuration is not complete: AUSSTATTUNG.TASTER has no value']],
      ['S', []],
    ]);
  });
});
