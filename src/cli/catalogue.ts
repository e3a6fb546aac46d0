/** `btg2gltf catalogue ls [NODE|MANUFACTURER]`, `search QUERY --manufacturer M` and `show ARTICLE`. */

import type {
  Article,
  ArticleProperty,
  CommercialData,
  PropertyClass,
  PropertyRange,
} from '../model/article.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import { type ArticleId, articleLabel, configurationLabel } from '../model/configuration-id.ts';
import { amount } from '../run/report/text.ts';
import { articleMessages } from '../source/fetch/resolve-article.ts';
import type { ServiceClient } from '../source/service/client.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import { visible, visibleJson } from '../support/visible.ts';
import { type Arguments, type Command, numberOf, textOf, usageError } from './command.ts';
import { applyOptions, optionsOf } from './pipeline-options.ts';
import { environmentOf, pipelineOf, SERVICE_OPTIONS } from './service-options.ts';
import { tableLines, textTable, wrappedText } from './text-table.ts';
import { checkManufacturer, rethrowUnknownArticle } from './unknown-article.ts';

const DEFAULT_DEPTH = 2;
/** Number of folders listed without `--depth`: a whole service has thousands. */
const DEFAULT_FOLDERS = 100;
/** Each node id contains one of these signs, and no manufacturer does. @see Spec 2.1 */
const NODE_ID = /[;:@]/;
const WHAT = 'ls|search|show';
const SUBJECT = 'NODE, QUERY or ARTICLE';

interface Query {
  options: readonly string[];
  /** @param columns - Characters of a line of prose. */
  query(
    client: ServiceClient,
    args: Arguments,
    columns: number,
  ): Promise<{ json: unknown; text: string }>;
}

const QUERIES: Readonly<Record<string, Query>> = {
  ls: {
    options: ['depth'],
    async query(client, args) {
      const list = async (nodeid: string) => (await client.getNodes(nodeid)).nodes;
      const name = textOf(args, SUBJECT) ?? '';
      const folders = await foldersNamed(list, name);
      const depth = numberOf(args, 'depth');
      const most = depth === undefined ? DEFAULT_FOLDERS : undefined;
      const tree = await readCatalogueTree(list, folders, depth ?? DEFAULT_DEPTH, most).catch(
        (error) => rethrowUnknownFolder(client, name, error),
      );
      return { json: tree, text: drawTree(tree) };
    },
  },
  search: {
    options: ['manufacturer'],
    async query(client, args) {
      const manufacturer = textOf(args, 'manufacturer')?.toUpperCase();
      const query = textOf(args, SUBJECT);
      if (query === undefined) throw usageError('catalogue search: the query is missing');
      if (manufacturer === undefined)
        throw usageError('catalogue search: --manufacturer is missing');
      const nodes = await client.search(manufacturer, query);
      if (nodes.length === 0) await checkManufacturer(client, manufacturer, '--manufacturer');
      return { json: nodes, text: textTable(nodes.map((node) => factsOf(node, ''))) };
    },
  },
  show: {
    options: ['reinitstring', 'varcode', 'all'],
    async query(client, args, columns) {
      const name = readArticleName(textOf(args, SUBJECT) ?? '');
      const reinitstring = textOf(args, 'reinitstring') ?? '';
      const varcode = textOf(args, 'varcode') ?? '';
      const { article } = await client
        .getArticle({ ...name, reinitstring, varcode, getallproperties: args.all === true })
        .catch((error) =>
          rethrowUnknownArticle(client, 'catalogue show', name, varcode || reinitstring, error),
        );
      return { json: article, text: articleText(article, columns) };
    },
  },
};

/** The command. */
export const catalogueCommand: Command = {
  usage: [
    'catalogue ls [NODE]',
    'catalogue search QUERY --manufacturer M',
    'catalogue show ARTICLE',
  ],
  positionals: [
    { name: WHAT, describe: 'list folders, search, or show an article', required: true },
    {
      name: SUBJECT,
      describe:
        'folder id, MANUFACTURER or MANUFACTURER/PROGRAM; a text; or MANUFACTURER/PROGRAM/number',
    },
  ],
  options: {
    ...SERVICE_OPTIONS,
    ...optionsOf('catalogue'),
    json: { type: 'boolean', describe: 'print JSON' },
    depth: { type: 'number', min: 1, describe: 'ls: levels to list', default: DEFAULT_DEPTH },
    manufacturer: { type: 'string', describe: 'search: manufacturer id' },
    reinitstring: {
      type: 'string',
      describe: 'show: configuration, exactly as the service wrote it',
    },
    varcode: { type: 'string', describe: 'show: variant code' },
    all: { type: 'boolean', describe: 'show: also properties that are not visible' },
  },
  examples: [
    'btg2gltf catalogue ls FJEL --emulator',
    'btg2gltf catalogue search desk --manufacturer FJEL --emulator',
    'btg2gltf catalogue show FJEL/LINEA/LN-M --json --emulator',
  ],
  async run(args, io) {
    const { query } = queryOf(args);
    const { pipeline } = applyOptions(await pipelineOf(args, io), args, io);
    const { openService } = await import('../run/open/connect.ts');
    const service = await openService(pipeline.service, environmentOf(io));
    try {
      const { json, text } = await query(service.client, args, io.columns);
      if (args.json) io.printData(visibleJson(`${JSON.stringify(json, null, 2)}\n`));
      else io.printData(text === '' ? 'nothing found\n' : text);
      return 0;
    } finally {
      await service.close();
    }
  },
};

/** Ids of the folders that a text names: the text itself, or the ids of `MANUFACTURER` or `MANUFACTURER/PROGRAM`. */
async function foldersNamed(list: ListFolder, name: string): Promise<string[]> {
  if (name === '' || NODE_ID.test(name)) return [name];
  const [manufacturer, program] = name.toUpperCase().split('/');
  const idsOf = (nodes: CatalogueNode[], field: 'manufacturer' | 'program', id: string) => {
    const isNamed = (node: CatalogueNode) => node[field].toUpperCase() === id;
    const named = nodes.filter((node) => node.nodetype === 'F' && isNamed(node));
    return named.map(({ nodeid }) => nodeid);
  };
  let ids = idsOf(await list(''), 'manufacturer', manufacturer!);
  if (program !== undefined) {
    ids = idsOf((await Promise.all(ids.map(list))).flat(), 'program', program);
  }
  return ids.length === 0 ? [name] : ids;
}

async function rethrowUnknownFolder(
  client: ServiceClient,
  name: string,
  error: unknown,
): Promise<never> {
  if (asConverterError(error).code !== 'NODE_NOT_FOUND' || name === '') throw error;
  if (!NODE_ID.test(name)) {
    await checkManufacturer(client, name.toUpperCase().split('/')[0]!, 'catalogue ls');
  }
  const message = `catalogue ls: expected the id of a folder of the catalogue, received "${name}"`;
  throw new ConverterError('NODE_NOT_FOUND', message, { cause: error });
}

function queryOf(args: Arguments): Query {
  const what = textOf(args, WHAT)!;
  const names = Object.keys(QUERIES);
  if (!names.includes(what)) {
    const hint = didYouMean(what, names);
    throw usageError(`catalogue: expected ${names.join(' or ')}, received "${what}"${hint}`);
  }
  for (const name of names.filter((other) => other !== what)) {
    const foreign = QUERIES[name]!.options.find((option) => args[option] !== undefined);
    if (foreign === undefined) continue;
    throw usageError(`catalogue ${what}: --${foreign} is an option of catalogue ${name}`);
  }
  return QUERIES[what]!;
}

interface TreeNode extends CatalogueNode {
  /** Undefined if the folder was not listed. */
  children?: TreeNode[];
  /** Why the folder was not listed, unless because of its depth. */
  note?: string;
}

type ListFolder = (nodeid: string) => Promise<CatalogueNode[]>;

const KINDS: Record<CatalogueNode['nodetype'], string> = { F: 'folder', A: 'article', I: 'info' };

/**
 * Lists folders and the folders below them, level by level, each folder once. A folder that cannot be listed
 * gets a note.
 *
 * @param depth - Levels to list, from 1.
 * @param most - Folders to list below the given ones.
 * @throws {@link ConverterError} an error of a given folder, or one that ends a run.
 */
export async function readCatalogueTree(
  list: ListFolder,
  nodeids: readonly string[],
  depth: number,
  most = Number.POSITIVE_INFINITY,
): Promise<TreeNode[]> {
  const seen = new Set(nodeids);
  const roots: TreeNode[] = (await Promise.all(nodeids.map(list))).flat();
  let level = roots;
  for (let below = 1; below < depth && level.length > 0; below++) {
    const folders = level.filter(({ nodetype }) => nodetype === 'F');
    const fresh = folders.filter((folder) => {
      if (folder.nodeid === '') folder.note = 'cannot be listed: it has no id';
      else if (seen.has(folder.nodeid)) folder.note = 'already in this tree';
      else if (seen.size - nodeids.length >= most) return false;
      else seen.add(folder.nodeid);
      return folder.note === undefined;
    });
    await Promise.all(fresh.map((folder) => open(folder, list)));
    level = fresh.flatMap(({ children = [] }) => children);
  }
  return roots;
}

async function open(folder: TreeNode, list: ListFolder): Promise<void> {
  try {
    folder.children = await list(folder.nodeid);
  } catch (thrown) {
    const error = asConverterError(thrown);
    if (endsRun(error.code)) throw error;
    folder.note = `cannot be listed: ${error.code}`;
  }
}

/** Draws a tree: kinds, texts, `MANUFACTURER/PROGRAM/number` or a part of that, and ids for the next `ls`. */
export function drawTree(roots: readonly TreeNode[]): string {
  const unlisted = countUnlisted(roots);
  const hint = `${amount(unlisted, 'folder')} not opened; use --depth N to open more levels\n`;
  return textTable(treeRows(roots, '', true)) + (unlisted === 0 ? '' : hint);
}

function treeRows(nodes: readonly TreeNode[], stem: string, isTop: boolean): string[][] {
  return nodes.flatMap((node, i) => {
    const [last, others] = [['└─ ', '   '] as const, ['├─ ', '│  '] as const];
    const [branch, below] = isTop ? ['', ''] : i === nodes.length - 1 ? last : others;
    const note = node.note === undefined ? '' : `(${node.note})`;
    const row = [...factsOf(node, stem + branch), note];
    return [row, ...treeRows(node.children ?? [], stem + below, false)];
  });
}

function countUnlisted(nodes: readonly TreeNode[]): number {
  return nodes.reduce((count, { nodetype, children, note }) => {
    if (children !== undefined) return count + countUnlisted(children);
    return nodetype === 'F' && note === undefined ? count + 1 : count;
  }, 0);
}

function factsOf(node: CatalogueNode, lead: string): string[] {
  const { manufacturer, program, basearticlenumber } = node;
  // Ids are shown because options and pipeline files use them.
  const name = [manufacturer, program, basearticlenumber].filter((id) => id !== '').join('/');
  return [KINDS[node.nodetype], lead + node.text, name, node.nodeid];
}

/** The number of an article may contain slashes. */
const ARTICLE_NAME = /^(?<manufacturer>[^/]+)\/(?<program>[^/]+)\/(?<basearticlenumber>.+)$/s;

function readArticleName(text: string): ArticleId {
  const { manufacturer, program, basearticlenumber } = ARTICLE_NAME.exec(text)?.groups ?? {};
  if (!manufacturer || !program || !basearticlenumber) {
    throw usageError(`catalogue show: expected MANUFACTURER/PROGRAM/number, received "${text}"`);
  }
  const ids = { manufacturer: manufacturer.toUpperCase(), program: program.toUpperCase() };
  return { ...ids, basearticlenumber };
}

/**
 * Describes an article: number, texts, price, then a table of properties for each class.
 *
 * @param columns - Characters of a line of prose.
 *
 * @see Spec 2.2
 */
export function articleText(article: Article, columns = Number.POSITIVE_INFINITY): string {
  const { ocd, children } = article;
  const name = articleLabel(article);
  const rows = children.map(({ ocd, ...id }) => {
    const finalarticlenumber = ocd?.finalarticlenumber ?? '';
    return [configurationLabel({ ...id, finalarticlenumber }), ocd?.shorttext ?? ''];
  });
  return [
    visible(`${name}  ${ocd?.shorttext ?? ''}`.trimEnd(), true),
    '\n',
    ocd === undefined
      ? '  without commercial data\n'
      : commercialText(ocd, article.reinit, columns),
    ...classTexts('', ocd?.propclasses ?? [], columns),
    ...classTexts('planning: ', article.propclasses, columns),
    rows.length === 0 ? '' : `\n  Children\n${textTable(rows, '    ')}`,
    ...articleMessages(article).map(({ message }) => {
      return `\n  The service reports ${visible(message, true)}\n`;
    }),
  ].join('');
}

function commercialText(ocd: CommercialData, metaConfiguration: string, columns: number): string {
  const price = ocd.articlewithprice ? `${ocd.price} ${ocd.currency}`.trim() : 'none';
  const rows = [
    ['final article number', ocd.finalarticlenumber],
    ['price', price],
    ['data from', ocd.convertdate],
  ].filter(([, value]) => value !== '');
  const open = ocd.obligatory2c ? '  not valid yet: a property must still be chosen\n' : '';
  const texts = [ocd.longtext, ocd.varianttext].filter((text) => text.trim() !== '');
  const paragraphs = texts.flatMap((text) => {
    const lines = text.trimEnd().split(/\r\n|\r|\n/);
    return ['\n', ...lines.flatMap((line) => wrappedText(`  ${line}`.trimEnd(), columns, 2))];
  });
  const configurations = [
    [
      'The next line is the whole configuration as one text. It may contain properties that the tables below do not show (--all shows them). Copy it unchanged, for convert --reinitstring or the column reinitstring of a list:',
      ocd.reinitstring,
    ],
    ['The same for its planning, for the column metareinitstring of a list:', metaConfiguration],
  ].filter(([, value]) => value !== '');
  const copies = configurations.map(
    ([what, value]) =>
      `\n${wrappedText(`  ${what}`, columns, 2).join('')}    ${visible(value!, true)}\n`,
  );
  return [textTable(rows, '  '), open, ...paragraphs, ...copies].join('');
}

const HEAD = ['property', 'text', 'now'];

/** Below the row of each property are its type and its values, which may be long. */
function classTexts(what: string, classes: readonly PropertyClass[], columns: number): string[] {
  return classes.map(({ name, text, properties }) => {
    const rows = properties.map(({ name, text, currentvalue }) => [name, text, currentvalue]);
    const title = `  ${what}${name}${text === '' || text === name ? '' : `  ${text}`}`;
    const [head = '', ...lines] = rows.length === 0 ? [] : tableLines([HEAD, ...rows], '    ');
    const table = lines.flatMap((line, i) => {
      const property = properties[i]!;
      const allowed = allowedOf(property);
      const below = [
        [typeOf(property), ...flagsOf(property)].join(', '),
        ...(allowed === '' ? [] : [`allowed: ${allowed}`]),
      ];
      return [line, ...below.flatMap((text) => wrappedText(`      ${text}`, columns, 8))];
    });
    return `\n${visible(title, true)}\n${head}${table.join('')}`;
  });
}

/** @example `typeOf({ proptype: 'L', digits: 3, decdigits: 1 }); // → 'number, at most 3 digits, at most 1 decimal'` @see Spec 2.2 */
function typeOf({ proptype, digits, decdigits }: ArticleProperty): string {
  const isText = proptype === 'C';
  const length = digits === 0 ? [] : [`at most ${amount(digits, isText ? 'character' : 'digit')}`];
  const decimals = decdigits === 0 ? [] : [`at most ${amount(decdigits, 'decimal')}`];
  return [isText ? 'text' : 'number', ...length, ...decimals].join(', ');
}

function allowedOf({ propertyvalues, ranges, addvalues }: ArticleProperty): string {
  const values = propertyvalues.map(({ valuefrom, text }) =>
    text === '' || text === valuefrom ? valuefrom : `${valuefrom} (${text})`,
  );
  const others = addvalues ? ['others'] : [];
  return [...values, ...ranges.map(rangeText), ...others].join(' · ');
}

/** `from 600, below 1200, in steps of 50`; a bound is allowed unless the service states otherwise. */
function rangeText({ valuefrom, opfrom, valueto, opto, raster }: PropertyRange): string {
  const from =
    valuefrom === undefined ? [] : [`${opfrom === 'GT' ? 'above' : 'from'} ${valuefrom}`];
  const to = valueto === undefined ? [] : [`${opto === 'LT' ? 'below' : 'up to'} ${valueto}`];
  const bounds = [...from, ...to].join(', ') || 'any number';
  return raster === undefined ? bounds : `${bounds}, in steps of ${raster}`;
}

function flagsOf(property: ArticleProperty): string[] {
  const { obligatory, obligatory2c, currentvalue, enabled, visible } = property;
  const flags = {
    required: obligatory,
    'still to be chosen': obligatory2c && currentvalue === '',
    fixed: !enabled,
    hidden: !visible,
  };
  const set = Object.entries(flags).filter(([, isSet]) => isSet);
  return set.map(([flag]) => flag);
}
