import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { jsonText } from '../../../src/emulator/json-text.ts';
import { openRecording } from '../../../src/emulator/replay.ts';
import type { EmulatedRange, Json } from '../../../src/emulator/sample/range.ts';
import { encodeFileName } from '../../../src/support/file-names.ts';
import { call, logIn } from '../../helpers/emulated-session.ts';
import type { Wire } from '../../helpers/sample-range.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const HEAD = { format: 1, name: 'tiny', convertdate: '2025-02-03' };

let dir: string;
beforeEach(async () => {
  dir = await temporaryFolder();
});
afterEach(() => rm(dir, { recursive: true }));

/** Writes files (text and bytes as they are, values as JSON) and opens the folder. */
async function open(files: Record<string, unknown>): Promise<EmulatedRange> {
  for (const [name, content] of Object.entries({ 'recording.json': HEAD, ...files })) {
    if (content === undefined) continue;
    await mkdir(dirname(join(dir, name)), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(join(dir, name), isRaw ? content : JSON.stringify(content));
  }
  return openRecording(dir);
}

const textOf = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
const record = (request: Json, id: string): Json => ({ request, response: { id } });
const ARTICLE = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };

test.each([
  ['odb/materials/ACME/SECRET.JPG', 'a file'],
  ['odb/block/A/B', 'a folder'],
  ['ofml', 'a folder'],
  ['ofml/articles/a.json', 'a file'],
])(
  'a recording with the link %s is refused: it could send any file of this machine',
  async (link, kind) => {
    const other = await temporaryFolder();
    await writeFile(join(other, 'secret'), 'a secret');
    await open({});
    await mkdir(dirname(join(dir, link)), { recursive: true });
    await symlink(kind === 'a folder' ? other : join(other, 'secret'), join(dir, link));
    await expect(openRecording(dir)).rejects.toMatchObject({
      code: 'RECORDING_INVALID',
      message: `${join(dir, link)}: expected a file or folder, received a symbolic link`,
    });
    await rm(other, { recursive: true });
  },
);

describe('a request finds its record by identity', () => {
  test('a missing parameter equals an empty one, on either side', async () => {
    const range = await open({
      'ofml/articles/a.json': record({ ...ARTICLE, varcode: '' }, 'default'),
      'ofml/articles/b.json': record({ ...ARTICLE, ocdreinitstring: 'R::' }, 'configured'),
    });
    expect(range.article(ARTICLE)).toEqual({ id: 'default' });
    expect(range.article({ ...ARTICLE, ocdreinitstring: '' })).toEqual({ id: 'default' });
    expect(range.article({ ...ARTICLE, ocdreinitstring: 'R::' })).toEqual({ id: 'configured' });
    expect(range.article({ ...ARTICLE, ocdreinitstring: 'r::' })).toBeUndefined();
    expect(range.article({ ...ARTICLE, varcode: 'V' })).toBeUndefined();
  });

  test('manufacturer and program are found in any letter case', async () => {
    const request = { ...ARTICLE, manufacturer: 'acme', program: 'Desk', finalarticlenumber: 'F' };
    const range = await open({ 'odb/btg/a.json': record(request, 'list') });
    const query = { ...ARTICLE, finalarticlenumber: 'F' };
    expect(range.partsList(query)).toEqual({ id: 'list' });
    expect(range.partsList({ ...query, finalarticlenumber: 'f' })).toBeUndefined();
  });

  test('language, profile and currency do not matter; of equal records the first answers', async () => {
    const range = await open({
      'ofml/articles/de.json': record({ ...ARTICLE, lang: 'de' }, 'German'),
      'ofml/articles/en.json': record({ ...ARTICLE, lang: 'en' }, 'English'),
    });
    const view = { lang: 'en', langalt: 'fr', profile: 'p', currency: 'USD' };
    expect(range.article({ ...ARTICLE, ...view })).toEqual({ id: 'German' });
  });
});

describe('what was recorded goes out as it came in', () => {
  test('a response keeps its own spelling', async () => {
    const spelled = '\n{ "response" : 1.50,\n "a}": ["\\"],{", {"response": 2}], "ü": 1e-7 }\n';
    const range = await open({
      'ofml/articles/a.json': `{"response":${spelled},"request":${JSON.stringify(ARTICLE)}}`,
    });
    const answer = range.article(ARTICLE);
    expect(answer).toEqual(JSON.parse(spelled));
    expect(jsonText(answer)).toBe(spelled);
  });

  test('a search that was recorded finds what it found, and any other what fits', async () => {
    const node = (id: string, more: Json = {}): Json => {
      const ids = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: id };
      return { nodeid: id, text: id, nodetype: 'A', ...ids, ...more };
    };
    const range = await open({
      'xcf/nodes.json': [
        { parentnode: '', nodes: [node('D1'), node('D2'), node('T3')] },
        { parentnode: 'ACME;SEARCH;D', nodes: [node('T3'), node('D1')] },
        { parentnode: 'ACME;SEARCH;D2', nodes: [] },
      ],
    });
    const found = (query: string) => range.search('acme', query).map((n) => n.basearticlenumber);
    const answers = [['T3', 'D1'], ['D1', 'D2'], [], ['T3']];
    expect(['D', 'd', 'D2', 'T3'].map(found)).toEqual(answers);
  });
});

describe('raw bodies are found by exactly their name', () => {
  test('whichever characters the file name encodes', async () => {
    const range = await open({
      'odb/block/ACME/DESK/LEG%2B1.json': 'encoded',
      'odb/block/ACME/DESK/LEG+2.json': 'plain',
      'odb/block/ACME/DESK/notes.txt': 'no block',
      'odb/block/stray.json': 'no block',
    });
    expect(textOf(await range.block('ACME::DESK::LEG+1'))).toBe('encoded');
    expect(textOf(await range.block('ACME::DESK::LEG+2'))).toBe('plain');
    for (const other of ['ACME::DESK::leg+1', '::ACME::DESK::LEG+1', 'ACME::DESK::LEG%2B1', ''])
      expect(await range.block(other)).toBeUndefined();
  });

  test('also where a long name was shortened, even within a character', async () => {
    const umlauts = ['W', 'WW', 'WWW'].map((start) => `${start}${'ü'.repeat(40)}`);
    const names = ['W'.repeat(300), ...umlauts];
    const files = names.map((name) => [`odb/materials/ACME/${encodeFileName(name)}.JPG`, name]);
    const range = await open(Object.fromEntries(files));
    for (const name of names) {
      expect(textOf(await range.material('ACME', name))).toBe(name);
      expect(await range.material('ACME', `${name}W`)).toBeUndefined();
    }
  });

  test('a name is never a path', async () => {
    const range = await open({ 'odb/block/ACME/DESK/LEG.json': 'leg' });
    for (const name of ['..::..::recording', 'ACME::DESK::../DESK/LEG', 'ACME::DESK::LEG.json']) {
      expect(await range.block(name)).toBeUndefined();
    }
  });
});

describe('the catalogue', () => {
  const folder = (nodeid: string, more: Json = {}): Json => {
    return { nodeid, text: nodeid, nodetype: 'F', ...more };
  };

  test('top-level nodes without a date get the date of the recording', async () => {
    const range = await open({
      'xcf/nodes.json': [
        { parentnode: '', nodes: [folder('a'), folder('b', { convertdate: '2020-01-01' })] },
        { parentnode: 'a', nodes: [folder('c')] },
      ],
    });
    expect(range.nodes('')!.map((node) => node.convertdate)).toEqual(['2025-02-03', '2020-01-01']);
    expect(range.nodes('a')![0]).not.toHaveProperty('convertdate');
  });

  test('a folder that was not recorded does not exist, an article has no children', async () => {
    const range = await open({
      'xcf/nodes.json': [{ parentnode: '', nodes: [folder('a'), folder('b', { nodetype: 'A' })] }],
    });
    expect(['a', 'b', 'x'].map((id) => range.nodes(id))).toEqual([undefined, [], undefined]);
  });

  test('a folder that holds itself has a path that ends', async () => {
    const range = await open({
      'xcf/nodes.json': [
        { parentnode: 'a', nodes: [folder('b')] },
        { parentnode: 'b', nodes: [folder('a')] },
      ],
    });
    expect(range.breadcrumbs('a')!.map((step) => step.nodeid)).toEqual(['b', 'a']);
    expect(range.breadcrumbs('')).toEqual([]);
    expect(range.breadcrumbs('x')).toBeUndefined();
  });

  test('a recording without a catalogue has an empty one', async () => {
    expect((await open({})).nodes('')).toEqual([]);
  });
});

describe('a recording that is not one is refused, naming the file', () => {
  test.each([
    ['recording.json', undefined, 'expected this file in a recording'],
    ['recording.json', { ...HEAD, format: 2 }, 'format: expected 1, received 2'],
    ['recording.json', { format: 1 }, 'name: expected a string, received undefined'],
    ['xcf/nodes.json', '{"', 'expected JSON'],
    ['xcf/nodes.json', {}, 'listings: expected an array, received object'],
    ['xcf/nodes.json', [{ parentnode: '' }], '[0].nodes: expected an array, received undefined'],
    ['xcf/nodes.json', [{ parentnode: '', nodes: [{}] }], '[0].nodes[0].nodeid: expected a string'],
    ['ofml/articles/a.json', [], 'record: expected an object, received an array'],
    ['ofml/articles/a.json', { response: {} }, 'request: expected an object, received undefined'],
    ['odb/btg/a.json', { request: {} }, 'response: expected an object, received undefined'],
    ['odb/btg/a.json', { request: { q: [] } }, 'request.q: expected a string'],
    ['odb/block/A/B/%FC.json', '{}', 'file name: expected percent-encoded UTF-8'],
  ])('%s %j', async (file, content, message) => {
    await expect(open({ [file]: content })).rejects.toMatchObject({
      code: 'RECORDING_INVALID',
      message: expect.stringContaining(`${file}: ${message}`),
    });
  });

  test.each([
    ['recording.json', { ...HEAD, name: 'Möbel' }],
    ['xcf/nodes.json', [{ parentnode: '', nodes: [{ nodeid: 'Möbel' }] }]],
    ['ofml/articles/a.json', record({ ...ARTICLE, varcode: 'MÄ' }, 'D1')],
    ['odb/btg/a.json', record({ ...ARTICLE, reinitstring: 'MÄ' }, 'D1')],
  ])('%s in Latin-1', async (file, content) => {
    const bytes = Buffer.from(JSON.stringify(content), 'latin1');
    await expect(open({ [file]: bytes })).rejects.toMatchObject({
      code: 'RECORDING_INVALID',
      message: expect.stringContaining(`${file}: expected text in UTF-8, received other bytes`),
    });
  });
});

describe('previews and resources', () => {
  test('are served where they were recorded, by their decoded path', async () => {
    const range = await open({
      'ocd/preview/ACME/B%C3%9CRO/EICHE%20%231.JPG': 'oak',
      'xcf/ressource/ACME/any/LOGO.PNG': 'logo',
      'xcf/ressource/ACME/DESK/de/D%201_2.JPG': 'desk',
    });
    const found = await Promise.all([
      range.preview!('ACME', 'BÜRO', 'EICHE #1.JPG'),
      range.preview!('ACME', 'BÜRO', 'EICHE%20%231.JPG'),
      range.resource!(['ACME', 'any', 'LOGO.PNG']),
      range.resource!(['ACME', 'DESK', 'de', 'D 1_2.JPG']),
      range.resource!(['ACME', 'DESK', 'any', 'D 1_2.JPG']),
      range.resource!(['ACME', '..', 'any', 'LOGO.PNG']),
    ]);
    expect(found.map(textOf)).toEqual(['oak', undefined, 'logo', 'desk', undefined, undefined]);
  });
});

const REAL = fileURLToPath(new URL('../../../../shared/data/cc0-furniture', import.meta.url));

describe.skipIf(!existsSync(REAL))('the recording of real furniture', () => {
  let emulator: Emulator;
  let token: string;
  beforeAll(async () => {
    emulator = await startEmulator({ range: await openRecording(REAL) });
    token = await logIn(emulator);
  });
  afterAll(() => emulator?.close());

  const json = async <T>(
    operation: string,
    parameters: Record<string, string> = {},
  ): Promise<T> => {
    const response = await call(emulator, operation, { token, ...parameters });
    expect([operation, parameters, response.status]).toEqual([operation, parameters, 200]);
    return (await response.json()) as T;
  };

  /** Every article node below a folder. */
  async function articlesBelow(parentnode: string): Promise<Record<string, string>[]> {
    const nodes = await json<Record<string, string>[]>('xcf/getnodes', { parentnode });
    const below = nodes.map(async (node) => {
      if (node.nodetype === 'F') return articlesBelow(node.nodeid!);
      return node.nodetype === 'A' ? [node] : [];
    });
    return (await Promise.all(below)).flat();
  }

  async function partsListOf(node: Wire): Promise<Json> {
    const { manufacturer, program, basearticlenumber } = node;
    const key = { manufacturer, program, basearticlenumber };
    const { reinit: metareinitstring, ocd } = await json<Wire>('ofml/articles', key);
    const { finalarticlenumber, reinitstring } = ocd;
    const configuration = { finalarticlenumber, reinitstring, metareinitstring };
    return json('odb/btg', { ...key, ...configuration });
  }

  test('is walked from the catalogue to every block and image', async () => {
    const articles = await articlesBelow('');
    expect(articles).toHaveLength(8);
    const lists = await Promise.all(articles.map(partsListOf));
    const blocks = new Set(lists.flatMap((list) => list.blocks as string[]));
    for (const name of blocks) {
      expect(await json(`odb/block/${encodeURIComponent(name)}`)).toHaveProperty('V');
    }
    expect(blocks.size).toBe(emulator.counts.get('block'));
    const image = await call(emulator, 'odb/materials/SH3D/DENIM_001.JPG', { token });
    expect(image.headers.get('content-type')).toBe('image/jpeg');
  });

  test('is searched by number and by text', async () => {
    const numbers = async (q: string): Promise<unknown[]> =>
      (await json<Json[]>('xcf/search/SH3D', { q })).map((node) => node.basearticlenumber);
    expect(await numbers('160/80')).toEqual(['DT160/80']);
    expect(await numbers('schreibtisch 160 ×')).toEqual(['DT160/80']);
    expect(await numbers('nothing like it')).toEqual([]);
  });
});
