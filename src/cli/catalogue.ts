/**
 * `btg2gltf catalogue ls [NODE]`, `catalogue search QUERY --manufacturer M` and
 * `catalogue show MANUFACTURER/PROGRAM/number`: the catalogue as a person sees it.
 */
import type { ServiceClient } from '../service/client.ts';
import { ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import { usageError } from './arguments.ts';
import { readArticleName, tellArticle } from './catalogue-article.ts';
import { drawNodes, drawTree, readCatalogueTree } from './catalogue-tree.ts';
import { type Arguments, type Command, numberOf, textOf } from './command.ts';
import { toolsOf } from './job.ts';
import { pipelineOf, SERVICE_OPTIONS } from './service-options.ts';

const DEFAULT_DEPTH = 2;
/** Folders opened where nobody said how deep: a whole service has thousands. */
const DEFAULT_FOLDERS = 100;
const WHAT = 'ls|search|show';
const SUBJECT = 'NODE, QUERY or ARTICLE';

/** An answer, for a program and for a person. */
interface Told {
  json: unknown;
  text: string;
}

type Question = (client: ServiceClient, args: Arguments) => Promise<Told>;

/** What follows `catalogue`, and the options that only it takes. */
const QUESTIONS: Readonly<Record<string, { options: readonly string[]; ask: Question }>> = {
  ls: {
    options: ['depth'],
    async ask(client, args) {
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
    async ask(client, args) {
      const manufacturer = textOf(args, 'manufacturer');
      const query = textOf(args, SUBJECT);
      if (manufacturer === undefined || query === undefined) {
        throw usageError('catalogue search: expected a query and --manufacturer');
      }
      const nodes = await client.search(manufacturer.toUpperCase(), query);
      if (nodes.length === 0) await checkManufacturer(client, manufacturer.toUpperCase());
      return { json: nodes, text: drawNodes(nodes) };
    },
  },
  show: {
    options: ['reinitstring', 'varcode', 'all'],
    async ask(client, args) {
      const name = readArticleName(textOf(args, SUBJECT) ?? '');
      const { article } = await client.getArticle({
        ...name,
        reinitstring: textOf(args, 'reinitstring') ?? '',
        varcode: textOf(args, 'varcode') ?? '',
        getallproperties: args.all === true,
      });
      return { json: article, text: tellArticle(article) };
    },
  },
};

/** The command. */
export const catalogueCommand: Command = {
  positionals: [
    { name: WHAT, describe: 'list folders, search, or show an article', required: true },
    {
      name: SUBJECT,
      describe: 'id of a folder (default: the top), a text, or MANUFACTURER/PROGRAM/number',
      required: false,
    },
  ],
  options: {
    ...SERVICE_OPTIONS,
    json: { type: 'boolean', describe: 'as JSON' },
    depth: { type: 'number', min: 1, describe: 'ls: levels to open', default: DEFAULT_DEPTH },
    manufacturer: { type: 'string', describe: 'search: manufacturer id' },
    reinitstring: { type: 'string', describe: 'show: configuration string, byte for byte' },
    varcode: { type: 'string', describe: 'show: variant code' },
    all: { type: 'boolean', describe: 'show: properties that are not visible, too' },
  },
  examples: [
    'btg2gltf catalogue ls --emulator --depth 3',
    'btg2gltf catalogue search desk --manufacturer ACME --pipeline pipelines/nightly.yaml',
    'btg2gltf catalogue show ACME/DESK/D160 --json --pipeline pipelines/nightly.yaml',
  ],
  async run(args, io) {
    const { ask } = questionOf(args);
    const { service: content } = await pipelineOf(args, io);
    const { openService } = await import('../pipeline/service.ts');
    const service = await openService(content, toolsOf(io));
    try {
      const { json, text } = await ask(service.client, args);
      if (args.json) io.print(`${JSON.stringify(json, null, 2)}\n`);
      else io.print(text === '' ? 'nothing there\n' : text);
      return 0;
    } finally {
      await service.close();
    }
  },
};

/**
 * Refuses a manufacturer that the catalogue does not have: a search in it finds nothing, and says no more.
 *
 * A folder at the top that is nobody's may hold any of them.
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
    `the catalogue has no manufacturer ${manufacturer}; there are ${known.join(', ')}`,
  );
}

/** Finds the question, and refuses what is meant for another one: it would be passed over in silence. */
function questionOf(args: Arguments): (typeof QUESTIONS)[string] {
  const what = textOf(args, WHAT)!;
  const names = Object.keys(QUESTIONS);
  if (!names.includes(what)) {
    const hint = didYouMean(what, names) || `; expected ${names.join(', ')}`;
    throw usageError(`catalogue: unknown "${what}"${hint}`);
  }
  for (const [name, { options }] of Object.entries(QUESTIONS)) {
    const foreign =
      name === what ? undefined : options.find((option) => args[option] !== undefined);
    if (foreign !== undefined) {
      throw usageError(`catalogue ${what}: --${foreign} goes with catalogue ${name}`);
    }
  }
  return QUESTIONS[what]!;
}
