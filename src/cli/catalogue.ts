/** `btg2gltf catalogue ls [NODE]`, `search QUERY --manufacturer M` and `show ARTICLE`. */
import type { ServiceClient } from '../service/client.ts';
import { ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import {
  articleText,
  drawNodes,
  drawTree,
  readArticleName,
  readCatalogueTree,
} from './catalogue-text.ts';
import { type Arguments, type Command, numberOf, textOf, usageError } from './command.ts';
import { environmentOf, pipelineOf, SERVICE_OPTIONS } from './service.ts';

const DEFAULT_DEPTH = 2;
/** Folders listed without `--depth`: a whole service has thousands. */
const DEFAULT_FOLDERS = 100;
const WHAT = 'ls|search|show';
const SUBJECT = 'NODE, QUERY or ARTICLE';

interface Query {
  /** Options of this query only. */
  options: readonly string[];
  /** The result for programs and for people. */
  query(client: ServiceClient, args: Arguments): Promise<{ json: unknown; text: string }>;
}

const QUERIES: Readonly<Record<string, Query>> = {
  ls: {
    options: ['depth'],
    async query(client, args) {
      const list = async (nodeid: string) => (await client.getNodes(nodeid)).nodes;
      const nodeid = textOf(args, SUBJECT) ?? '';
      const depth = numberOf(args, 'depth');
      const tree = await (depth === undefined
        ? readCatalogueTree(list, nodeid, DEFAULT_DEPTH, DEFAULT_FOLDERS)
        : readCatalogueTree(list, nodeid, depth));
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
      if (nodes.length === 0) await checkManufacturer(client, manufacturer.toUpperCase());
      return { json: nodes, text: drawNodes(nodes) };
    },
  },
  show: {
    options: ['reinitstring', 'varcode', 'all'],
    async query(client, args) {
      const name = readArticleName(textOf(args, SUBJECT) ?? '');
      const { article } = await client.getArticle({
        ...name,
        reinitstring: textOf(args, 'reinitstring') ?? '',
        varcode: textOf(args, 'varcode') ?? '',
        getallproperties: args.all === true,
      });
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
      describe: 'id of a folder (default: the top folder), a text, or MANUFACTURER/PROGRAM/number',
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
    'btg2gltf catalogue ls --emulator --depth 3',
    'btg2gltf catalogue search desk --manufacturer ACME --pipeline pipelines/nightly.yaml',
    'btg2gltf catalogue show ACME/DESK/D160 --json --pipeline pipelines/nightly.yaml',
  ],
  async run(args, io) {
    const { query } = queryOf(args);
    const { service: content } = await pipelineOf(args, io);
    const { openService } = await import('../pipeline/service.ts');
    const service = await openService(content, environmentOf(io));
    try {
      const { json, text } = await query(service.client, args);
      if (args.json) io.print(`${JSON.stringify(json, null, 2)}\n`);
      else io.print(text === '' ? 'nothing found\n' : text);
      return 0;
    } finally {
      await service.close();
    }
  },
};

/**
 * Refuses an unknown manufacturer, for which a search finds nothing without an error. A top folder
 * without a manufacturer may contain any of them.
 */
async function checkManufacturer(client: ServiceClient, manufacturer: string): Promise<void> {
  const { nodes } = await client.getNodes('');
  const ids = nodes
    .filter(({ nodetype }) => nodetype !== 'I')
    .map((node) => node.manufacturer.toUpperCase());
  if (ids.length === 0 || ids.includes('') || ids.includes(manufacturer)) return;
  const known = [...new Set(ids)].sort();
  throw new ConverterError(
    'NODE_NOT_FOUND',
    `--manufacturer: expected one of ${known.join(', ')}, received ${manufacturer}`,
  );
}

/** Finds the query and refuses options of another one, which would have no effect. */
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
