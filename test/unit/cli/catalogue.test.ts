import { describe, expect, test } from 'vitest';
import { articleText, drawTree, readCatalogueTree } from '../../../src/cli/catalogue.ts';
import { decodeArticle } from '../../../src/convert/wire/article.ts';
import type { CatalogueNode } from '../../../src/model/catalogue.ts';
import { ConverterError } from '../../../src/support/errors.ts';
import { command } from '../../helpers/command.ts';

const EMPTY = { manufacturername: '', variantcode: '', convertdate: '', resources: [] };
const node = (nodeid: string, nodetype: 'F' | 'A' | 'I'): CatalogueNode => ({
  ...EMPTY,
  nodeid,
  nodetype,
  text: nodeid.toUpperCase(),
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: nodetype === 'A' ? nodeid : '',
});

/** Lists folders whose content is given as text: `f` is a folder, `a` an article, `i` an info node. */
const lister = (folders: Record<string, string>) => async (nodeid: string) => {
  if (folders[nodeid] === undefined) throw new ConverterError('NODE_NOT_FOUND', nodeid);
  const ids = folders[nodeid].match(/\S+/g) ?? [];
  return ids.map((id) => node(id, id[0]!.toUpperCase() as 'F' | 'A' | 'I'));
};

describe('the catalogue is a tree', () => {
  const list = lister({ '': 'f1 f2 i9', f1: 'a1 f3', f2: '', f3: 'a2 f1' });

  test('of names, kinds, numbers and ids', async () => {
    expect(drawTree(await readCatalogueTree(list, [''], 9))).toBe(
      [
        'folder   F1        ACME/DESK     f1',
        'article  ├─ A1     ACME/DESK/a1  a1',
        'folder   └─ F3     ACME/DESK     f3',
        'article     ├─ A2  ACME/DESK/a2  a2',
        'folder      └─ F1  ACME/DESK     f1  (already in this tree)',
        'folder   F2        ACME/DESK     f2',
        'info     I9        ACME/DESK     i9',
        '',
      ].join('\n'),
    );
  });

  test('that ends at the given limit, and reports it', async () => {
    const drawn = async (...more: [depth: number, folders?: number]) =>
      drawTree(await readCatalogueTree(list, [''], ...more));
    expect(await drawn(1)).toContain('\n2 folders not opened');
    expect(await drawn(2)).toContain('\n1 folder not opened');
    expect(await drawn(9, 1)).toContain('\n2 folders not opened');
    expect(drawTree(await readCatalogueTree(list, ['f2'], 1))).toBe('');
  });

  test('a folder that vanished is reported; one that was requested by its ID is an error', async () => {
    const broken = lister({ '': 'f1 a1' });
    const drawn = drawTree(await readCatalogueTree(broken, [''], 2));
    expect(drawn).toContain('(cannot be listed: NODE_NOT_FOUND)');
    const requested = readCatalogueTree(broken, ['f1'], 2);
    await expect(requested).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
  });
});

describe('the text of an article', () => {
  test('with texts, price and what every property may be', () => {
    const property = (name: string, more: object) => ({ name, text: `Text ${name}`, ...more });
    const properties = [
      property('WIDTH', {
        proptype: 'N',
        digits: 4,
        currentvalue: '1600',
        obligatory: true,
        ranges: [
          { valuefrom: 600, opfrom: 'GE', valueto: 1200, opto: 'LT', raster: 50 },
          { valuefrom: 2000, opfrom: 'GT' },
        ],
      }),
      property('TOP', {
        currentvalue: '',
        obligatory2c: true,
        propertyvalues: [{ valuefrom: 'OAK', text: 'Oak' }, { valuefrom: 'ASH' }],
        addvalues: true,
      }),
      property('OLD', { enabled: false, visible: false, proptype: 'N', digits: 6, decdigits: 2 }),
    ];
    const ocd = {
      finalarticlenumber: 'D1+OAK',
      price: 512.3,
      currency: 'EUR',
      articlewithprice: true,
      shorttext: 'Desk',
      longtext: 'A desk.\nFor work.',
      obligatory2c: true,
      propclasses: [{ name: 'SIZE', text: 'Size', properties }],
    };
    const ids = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };
    const children = [{ ...ids, basearticlenumber: 'LEG' }];
    const article = { ...ids, ocd, children, dump: 'bad', metamessages: ['check the lamp'] };
    const decoded = decodeArticle(Buffer.from(JSON.stringify(article)));
    const text = articleText(decoded);
    expect(text).toBe(
      [
        'ACME/DESK/D1  Desk',
        '  final article number  D1+OAK',
        '  price                 512.3 EUR',
        '  not valid yet: a property must still be chosen',
        '',
        '  A desk.',
        '  For work.',
        '',
        '  SIZE  Size',
        '    property  text        now',
        '    WIDTH     Text WIDTH  1600',
        '      number, at most 4 digits, required',
        '      allowed: from 600, below 1200, in steps of 50 · above 2000',
        '    TOP       Text TOP',
        '      text, still to be chosen',
        '      allowed: OAK (Oak) · ASH · others',
        '    OLD       Text OLD',
        '      number, at most 6 digits, at most 2 decimals, fixed, hidden',
        '',
        '  Children',
        '    ACME/DESK/LEG',
        '',
        '  The service reports dump: bad',
        '',
        '  The service reports metamessages: check the lamp',
        '',
      ].join('\n'),
    );
    expect(articleText(decoded, 40)).toContain(
      '      allowed: from 600, below 1200, in\n        steps of 50 · above 2000\n',
    );
  });
});

describe('catalogue on the sample range', () => {
  const call = (...words: string[]) => command(['catalogue', ...words, '--emulator']);

  test('ls, search and show speak JSON of the same article', async () => {
    const tree = JSON.parse((await call('ls', '--depth', '9', '--json')).stdout);
    type TreeNode = Awaited<ReturnType<typeof readCatalogueTree>>[number];
    const all = (nodes: TreeNode[]): TreeNode[] =>
      nodes.flatMap((each) => [each, ...all(each.children ?? [])]);
    const listed = all(tree).find(({ nodetype }) => nodetype === 'A')!;
    const { manufacturer, program, basearticlenumber } = listed;
    const words = [basearticlenumber!, '--manufacturer', manufacturer!, '--json'];
    const found = await call('search', ...words);
    expect(JSON.parse(found.stdout)).toContainEqual(expect.objectContaining({ basearticlenumber }));
    const name = `${manufacturer}/${program}/${basearticlenumber}`;
    const article = JSON.parse((await call('show', name, '--json')).stdout);
    expect(article).toMatchObject({ manufacturer, program, basearticlenumber });
    expect((await call('show', name)).stdout).toContain(article.ocd.shorttext);
  });

  test('show takes the name of an article in any letter case; its number may hold slashes', async () => {
    const { stdout } = await call('show', 'fjel/linea/LN-D160/80');
    expect(stdout).toContain('FJEL/LINEA/LN-D160/80  Desk 1600 × 800');
  });

  test.each([
    [['lst'], 'did you mean'],
    [['show'], 'received ""'],
    [['show', 'D1'], 'expected MANUFACTURER/PROGRAM/number, received "D1"'],
    [['show', 'ACME/D1'], 'received "ACME/D1"'],
    [['show', 'ACME//D1'], 'received "ACME//D1"'],
    [['show', 'ACME/DESK/'], 'received "ACME/DESK/"'],
    [['search', 'D1'], 'catalogue search: --manufacturer is missing'],
    [['search', '--manufacturer', 'ACME'], 'catalogue search: the query is missing'],
    [['search', 'D1', '--depth', '2'], '--depth is an option of catalogue ls'],
  ])('%j is bad usage', async (words, sentence) => {
    const { exit, stderr } = await call(...words);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test('an unknown manufacturer is reported, with the known ones', async () => {
    const { exit, stderr } = await call('search', 'desk', '--manufacturer', 'fjelmark');
    const sentence =
      /--manufacturer: there is no manufacturer FJELMARK; did you mean "FJEL"\?\n {2}→ the service has AULI, BRNK, FJEL;/;
    expect([exit, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    const none = await call('search', 'no-such-thing', '--manufacturer', 'fjel');
    expect(none).toMatchObject({ exit: 0, stdout: 'nothing found\n' });
  });

  test('ls takes a manufacturer or a series in any letter case, as it takes the id of its folder', async () => {
    const byName = await call('ls', 'fjel');
    expect(byName).toMatchObject({ exit: 0, stdout: expect.stringContaining('FJEL/LINEA') });
    expect(byName).toEqual(await call('ls', 'FJEL;:@1'));
    expect(await call('ls', 'FJEL/linea')).toEqual(await call('ls', 'FJEL;:@1;:LINEA@1'));
  });

  const FOLDER = 'expected the id of a folder of the catalogue';
  test.each([
    ['ls LINEA', 'there is no manufacturer LINEA'],
    ['ls FJEL/X', `${FOLDER}, received "FJEL/X"`],
    ['ls X;:@9', `${FOLDER}, received "X;:@9"`],
    ['show NO/SUCH/THING', 'there is no manufacturer NO'],
    [
      'show FJEL/LINEA/LN-D160',
      'the service has no article FJEL/LINEA/LN-D160; did you mean "FJEL/LINEA/LN-D160/80"?',
    ],
    [
      'show FJEL/LINEAA/LN-MM',
      'the service has no article FJEL/LINEAA/LN-MM; did you mean "FJEL/LINEA/LN-M"?',
    ],
    [
      'show FJEL/FORUM/FM-W160 --varcode FM-W160-XX',
      'expected a configuration of FJEL/FORUM/FM-W160, received "FM-W160-XX"',
    ],
  ])('%s exits with 1, a sentence and an action', async (line, sentence) => {
    const words = line.split(' ');
    const { exit, stderr } = await call(...words);
    expect(exit).toBe(1);
    expect(stderr).toMatch(
      /\n {2}→ (?:run btg2gltf catalogue|the service has|the article exists: correct) /,
    );
    expect(stderr).toContain(`btg2gltf: catalogue ${words[0]}: ${sentence}\n`);
  });
});
