/**
 * `btg2gltf catalogue ls [NODE]` and `btg2gltf catalogue search QUERY --manufacturer M`.
 */
import type { CatalogueNode } from '../model/catalogue.ts';
import type { ServiceClient } from '../service/client.ts';
import { didYouMean } from '../support/nearest.ts';
import { usageError } from './arguments.ts';
import { type Arguments, type Command, textOf } from './command.ts';
import { toolsOf } from './job.ts';
import { pipelineOf, SERVICE_OPTIONS } from './service-options.ts';

const KINDS = { F: 'folder', A: 'article', I: 'info' } as const satisfies Record<
  CatalogueNode['nodetype'],
  string
>;

/** What follows `catalogue`. */
const QUESTIONS: Record<
  string,
  (client: ServiceClient, args: Arguments) => Promise<CatalogueNode[]>
> = {
  ls: async (client, args) => (await client.getNodes(textOf(args, 'NODE or QUERY') ?? '')).nodes,
  search: async (client, args) => {
    const manufacturer = textOf(args, 'manufacturer');
    const query = textOf(args, 'NODE or QUERY');
    if (manufacturer === undefined || query === undefined) {
      throw usageError('catalogue search: expected a query and --manufacturer');
    }
    return client.search(manufacturer.toUpperCase(), query);
  },
};

/** The command. */
export const catalogueCommand: Command = {
  positionals: [
    { name: 'ls|search', describe: 'list a folder, or search a manufacturer', required: true },
    {
      name: 'NODE or QUERY',
      describe: 'id of a folder (default: the top), or a text',
      required: false,
    },
  ],
  options: {
    ...SERVICE_OPTIONS,
    manufacturer: { type: 'string', describe: 'manufacturer id to search' },
  },
  examples: [
    'btg2gltf catalogue ls --emulator',
    'btg2gltf catalogue search desk --manufacturer ACME --pipeline pipelines/nightly.yaml',
  ],
  async run(args, io) {
    const what = textOf(args, 'ls|search')!;
    const ask = Object.hasOwn(QUESTIONS, what) ? QUESTIONS[what]! : undefined;
    if (ask === undefined) {
      throw usageError(
        `catalogue: unknown "${what}"${didYouMean(what, Object.keys(QUESTIONS)) || '; expected ls or search'}`,
      );
    }
    const { service: content } = await pipelineOf(args, io);
    const { openService } = await import('../pipeline/service-setup.ts');
    const service = await openService(content, toolsOf(io));
    try {
      const nodes = await ask(service.client, args);
      io.print(nodes.length === 0 ? 'nothing there\n' : table(nodes));
      return 0;
    } finally {
      await service.close();
    }
  },
};

/** Kind, number, text, then the id, which the next `ls` takes. */
function table(nodes: readonly CatalogueNode[]): string {
  const rows = nodes.map((node) => [
    KINDS[node.nodetype],
    node.basearticlenumber,
    node.text,
    node.nodeid,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => `${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}
