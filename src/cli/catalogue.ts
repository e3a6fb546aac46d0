/** `btg2gltf catalogue ls [NODE|MANUFACTURER]`, `search QUERY --manufacturer M` and `show ARTICLE`. */

import { articleMessages } from '../fetch/resolve-article.ts';
import type {
  Article,
  ArticleProperty,
  CommercialData,
  PropertyClass,
  PropertyRange,
} from '../model/article.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import { type ArticleId, articleLabel, configurationLabel } from '../model/configuration-id.ts';
import { amount } from '../report/text.ts';
import type { ServiceClient } from '../service/client.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import { type Arguments, type Command, numberOf, textOf, usageError } from './command.ts';
import { environmentOf, pipelineOf, SERVICE_OPTIONS } from './service.ts';

const DEFAULT_DEPTH = 2;
/** Folders listed without `--depth`: a whole service has thousands. */
const DEFAULT_FOLDERS = 100;
/** Each node id has one of these signs, a manufacturer none. @see Spec 2.1 */
const NODE_ID = /[;:@]/;
const WHAT = 'ls|search|show';
const SUBJECT = 'NODE, QUERY or ARTICLE';

interface Query {
  options: readonly string[];
  query(client: ServiceClient, args: Arguments): Promise<{ json: unknown; text: string }>;
}

const QUERIES: Readonly<Record<string, Query>> = {
  ls: {
    options: ['depth'],
    async query(client, args) {
      const list = async (nodeid: string) => (await client.getNodes(nodeid)).nodes;
      const name = textOf(args, SUBJECT) ?? '';
      const folders = await foldersNamed(list, name);
      const listNamed = async (nodeid: string) =>
        nodeid === name ? (await Promise.all(folders.map(list))).flat() : list(nodeid);
      const depth = numberOf(args, 'depth');
      const tree = await readCatalogueTree(
        listNamed,
        name,
        depth ?? DEFAULT_DEPTH,
        depth === undefined ? DEFAULT_FOLDERS : undefined,
      ).catch((error) => rethrowUnknownFolder(client, name, error));
      return { json: tree, text: drawTree(tree) };
    },
  },
  search: {
    options: ['manufacturer'],
    async query(client, args) {
      const manufacturer = textOf(args, 'manufacturer');
      const query = textOf(args, SUBJECT);
      if (manufacturer === undefined || query === undefined) {
        throw usageError(
          'catalogue search: expected a query and --manufacturer, received only one',
        );
      }
      const nodes = await client.search(manufacturer.toUpperCase(), query);
      if (nodes.length === 0) {
        await checkManufacturer(client, manufacturer.toUpperCase(), '--manufacturer');
      }
      return { json: nodes, text: drawNodes(nodes) };
    },
  },
  show: {
    options: ['reinitstring', 'varcode', 'all'],
    async query(client, args) {
      const name = readArticleName(textOf(args, SUBJECT) ?? '');
      const configuration = {
        reinitstring: textOf(args, 'reinitstring') ?? '',
        varcode: textOf(args, 'varcode') ?? '',
      };
      const { article } = await client
        .getArticle({ ...name, ...configuration, getallproperties: args.all === true })
        .catch((error) => rethrowUnknownArticle(client, name, configuration, error));
      return { json: article, text: articleText(article) };
    },
  },
};

/** The command. */
export const catalogueCommand: Command = {
  positionals: [
    { name: WHAT, describe: 'list folders, search, or show an article', required: true },
    {
      name: SUBJECT,
      describe:
        'folder id, MANUFACTURER or MANUFACTURER/PROGRAM; a text; or MANUFACTURER/PROGRAM/number',
      required: false,
    },
  ],
  options: {
    ...SERVICE_OPTIONS,
    json: { type: 'boolean', describe: 'print JSON' },
    depth: { type: 'number', min: 1, describe: 'ls: levels to list', default: DEFAULT_DEPTH },
    manufacturer: { type: 'string', describe: 'search: manufacturer id' },
    reinitstring: { type: 'string', describe: 'show: configuration string, byte for byte' },
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
    const { service: content } = await pipelineOf(args, io);
    const { openService } = await import('../pipeline/service.ts');
    const service = await openService(content, environmentOf(io));
    try {
      const { json, text } = await query(service.client, args);
      if (args.json) io.printData(`${JSON.stringify(json, null, 2)}\n`);
      else io.printData(text === '' ? 'nothing found\n' : text);
      return 0;
    } finally {
      await service.close();
    }
  },
};

/** Ids of the folders that a text names: itself, or those of `MANUFACTURER` or `MANUFACTURER/PROGRAM`. */
async function foldersNamed(list: ListFolder, name: string): Promise<string[]> {
  if (name === '' || NODE_ID.test(name)) return [name];
  const [manufacturer, program] = name.toUpperCase().split('/');
  const isFolder = ({ nodetype }: CatalogueNode) => nodetype === 'F';
  let folders = (await list('')).filter(isFolder);
  folders = folders.filter((node) => node.manufacturer.toUpperCase() === manufacturer);
  if (program !== undefined) {
    const below = await Promise.all(folders.map(({ nodeid }) => list(nodeid)));
    folders = below.flat().filter(isFolder);
    folders = folders.filter((node) => node.program.toUpperCase() === program);
  }
  return folders.length === 0 ? [name] : folders.map(({ nodeid }) => nodeid);
}

/** An article that is requested by its name is unknown because of its manufacturer, number or configuration. */
async function rethrowUnknownArticle(
  client: ServiceClient,
  name: ArticleId,
  { varcode, reinitstring }: { varcode: string; reinitstring: string },
  error: unknown,
): Promise<never> {
  if (asConverterError(error).code !== 'ARTICLE_NOT_FOUND') throw error;
  await checkManufacturer(client, name.manufacturer, 'catalogue show');
  const label = articleLabel(name);
  const found = await client.search(name.manufacturer, name.basearticlenumber).catch(() => []);
  const known = found.map(articleLabel);
  const configuration = varcode || reinitstring;
  if (known.includes(label) && configuration !== '') {
    const message = `catalogue show: expected a configuration of ${label}, received "${configuration}"`;
    throw new ConverterError('CONFIGURATION_REFUSED', message, { cause: error });
  }
  const hint = didYouMean(label, known);
  const message = `catalogue show: expected an article of the service, received ${label}${hint}`;
  throw new ConverterError('ARTICLE_NOT_FOUND', message, { cause: error });
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

/** A search for an unknown one finds nothing without an error; a folder without one may contain any. */
async function checkManufacturer(
  client: ServiceClient,
  manufacturer: string,
  where: string,
): Promise<void> {
  const { nodes } = await client.getNodes('');
  const ids = nodes
    .filter(({ nodetype }) => nodetype !== 'I')
    .map((node) => node.manufacturer.toUpperCase());
  if (ids.length === 0 || ids.includes('') || ids.includes(manufacturer)) return;
  const known = [...new Set(ids)].sort();
  throw new ConverterError(
    'NODE_NOT_FOUND',
    `${where}: expected one of the manufacturers ${known.join(', ')}, received ${manufacturer}`,
  );
}

function queryOf(args: Arguments): Query {
  const what = textOf(args, WHAT)!;
  const names = Object.keys(QUERIES);
  if (!names.includes(what)) {
    const hint = didYouMean(what, names);
    throw usageError(`catalogue: expected ${names.join(', ')}, received "${what}"${hint}`);
  }
  for (const [name, { options }] of Object.entries(QUERIES)) {
    const foreign =
      name === what ? undefined : options.find((option) => args[option] !== undefined);
    if (foreign !== undefined) {
      throw usageError(`catalogue ${what}: --${foreign} is an option of catalogue ${name}`);
    }
  }
  return QUERIES[what]!;
}

interface TreeNode extends CatalogueNode {
  /** Undefined if it was not listed. */
  children?: TreeNode[];
  /** Why it was not listed, unless because of its depth. */
  note?: string;
}

type ListFolder = (nodeid: string) => Promise<CatalogueNode[]>;

const KINDS: Record<CatalogueNode['nodetype'], string> = { F: 'folder', A: 'article', I: 'info' };

/**
 * Lists a folder and the folders below it, level by level. A folder is listed once, also if several
 * folders contain it; one that cannot be listed gets a note.
 *
 * @param depth - Levels to list, from 1.
 * @param most - Folders to list below the first.
 * @throws {@link ConverterError} an error of the first folder, or one that ends a run.
 */
export async function readCatalogueTree(
  list: ListFolder,
  nodeid: string,
  depth: number,
  most = Number.POSITIVE_INFINITY,
): Promise<TreeNode[]> {
  const seen = new Set([nodeid]);
  const roots: TreeNode[] = await list(nodeid);
  let level = roots;
  for (let below = 1; below < depth && level.length > 0; below++) {
    const folders = level.filter(({ nodetype }) => nodetype === 'F');
    const fresh = folders.filter((folder) => {
      if (folder.nodeid === '') folder.note = 'cannot be listed: it has no id';
      else if (seen.has(folder.nodeid)) folder.note = 'already in this tree';
      else if (seen.size > most) return false;
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

/** Draws a tree: kinds, texts, `MANUFACTURER/PROGRAM/number` or a part of it, and ids for the next `ls`. */
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

/** Lists nodes, such as those of a search. */
export function drawNodes(nodes: readonly CatalogueNode[]): string {
  return textTable(nodes.map((node) => factsOf(node, '')));
}

function factsOf(node: CatalogueNode, lead: string): string[] {
  const { manufacturer, program, basearticlenumber } = node;
  // Ids, because options and pipeline files use these.
  const name = [manufacturer, program, basearticlenumber].filter((id) => id !== '').join('/');
  return [KINDS[node.nodetype], lead + node.text, name, node.nodeid];
}

/**
 * Parses `MANUFACTURER/PROGRAM/number`; a number may contain slashes.
 *
 * @throws {@link ConverterError} `USAGE`
 */
export function readArticleName(text: string): ArticleId {
  const [manufacturer = '', program = '', ...number] = text.split('/');
  const basearticlenumber = number.join('/');
  if (manufacturer === '' || program === '' || basearticlenumber === '') {
    throw usageError(`catalogue show: expected MANUFACTURER/PROGRAM/number, received "${text}"`);
  }
  return {
    manufacturer: manufacturer.toUpperCase(),
    program: program.toUpperCase(),
    basearticlenumber,
  };
}

/** Describes an article: number, texts, price, then a table of properties for each class. @see Spec 2.2 */
export function articleText(article: Article): string {
  const { ocd, children } = article;
  const name = articleLabel(article);
  const parts = [
    `${[name, ocd?.shorttext ?? ''].join('  ').trim()}\n`,
    ocd === undefined ? '  without commercial data\n' : commercialText(ocd, article.reinit),
    ...classTexts('', ocd?.propclasses ?? []),
    ...classTexts('planning: ', article.propclasses),
    ...(children.length === 0 ? [] : [`\n  Children\n${childrenText(children)}`]),
    ...articleMessages(article).map(({ message }) => `\n  The service reports ${message}\n`),
  ];
  return parts.join('');
}

function commercialText(ocd: CommercialData, metaConfiguration: string): string {
  const price = ocd.articlewithprice ? `${ocd.price} ${ocd.currency}`.trim() : 'none';
  const rows = [
    ['final number', ocd.finalarticlenumber],
    ['price', price],
    ['converted', ocd.convertdate],
    ['configuration', ocd.reinitstring],
    ['of the planning', metaConfiguration],
  ].filter(([, value]) => value !== '');
  const open = ocd.obligatory2c ? '  not valid yet: a property must still be chosen\n' : '';
  const texts = [ocd.longtext, ocd.varianttext].filter((text) => text.trim() !== '');
  return [textTable(rows, '  '), open, ...texts.map((text) => `\n${indented(text)}`)].join('');
}

function indented(text: string): string {
  const lines = text.trimEnd().split(/\r\n|\r|\n/);
  return lines.map((line) => `${`  ${line}`.trimEnd()}\n`).join('');
}

const HEAD = ['property', 'text', 'type', 'now', 'allowed', ''];

function classTexts(what: string, classes: readonly PropertyClass[]): string[] {
  return classes.map(({ name, text, properties }) => {
    const rows = properties.map((property) => [
      property.name,
      property.text,
      typeOf(property),
      property.currentvalue,
      allowedOf(property),
      flagsOf(property),
    ]);
    const title = `\n  ${what}${name}${text === '' || text === name ? '' : `  ${text}`}\n`;
    return title + (rows.length === 0 ? '' : textTable([HEAD, ...rows], '    '));
  });
}

/** `C 12`, `N 6.2`: alphanumeric or numeric, with the length. */
function typeOf({ proptype, digits, decdigits }: ArticleProperty): string {
  const length = digits === 0 ? '' : decdigits === 0 ? ` ${digits}` : ` ${digits}.${decdigits}`;
  return `${proptype}${length}`;
}

function allowedOf({ propertyvalues, ranges, addvalues }: ArticleProperty): string {
  const values = propertyvalues.map(({ valuefrom, text }) =>
    text === '' || text === valuefrom ? valuefrom : `${valuefrom} (${text})`,
  );
  const others = addvalues ? ['others'] : [];
  return [...values, ...ranges.map(rangeText), ...others].join(' · ');
}

/** `600 ≤ … ≤ 1200 step 50`; a bound is inclusive unless the service says otherwise. */
function rangeText({ valuefrom, opfrom, valueto, opto, raster }: PropertyRange): string {
  const from = valuefrom === undefined ? '' : `${valuefrom} ${opfrom === 'GT' ? '<' : '≤'} `;
  const to = valueto === undefined ? '' : ` ${opto === 'LT' ? '<' : '≤'} ${valueto}`;
  return `${from}…${to}${raster === undefined ? '' : ` step ${raster}`}`;
}

function flagsOf(property: ArticleProperty): string {
  const { obligatory, obligatory2c, currentvalue, enabled, visible } = property;
  return [
    obligatory && 'required',
    obligatory2c && currentvalue === '' && 'still to be chosen',
    !enabled && 'fixed',
    !visible && 'hidden',
  ]
    .filter((flag) => flag !== false)
    .join(', ');
}

function childrenText(children: readonly Article[]): string {
  return textTable(
    children.map(({ ocd, ...id }) => [
      configurationLabel({ ...id, finalarticlenumber: ocd?.finalarticlenumber ?? '' }),
      ocd?.shorttext ?? '',
    ]),
    '    ',
  );
}

/** The largest width of a column; a longer cell moves only its own row. */
const WIDEST = 60;

/** Aligns rows of the same length in columns; a line break in a cell becomes a blank. */
function textTable(rows: readonly (readonly string[])[], indent = ''): string {
  const cells = rows.map((row) => row.map((text) => text.replace(/[\p{Cc}]+/gu, ' ')));
  const widths = (cells[0] ?? []).map((_, column) => {
    return Math.max(...cells.map((row) => Math.min(widthOf(row[column]!), WIDEST)));
  });
  return cells
    .map((row) => row.map((text, i) => text + ' '.repeat(Math.max(0, widths[i]! - widthOf(text)))))
    .map((row) => `${`${indent}${row.join('  ')}`.trimEnd()}\n`)
    .join('');
}

/** Code points, not UTF-16 units. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
