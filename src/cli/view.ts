/** `btg2gltf view`: the gallery of an output folder, in the browser of this machine. */
import { resolve } from 'node:path';
import { openGalleryServer } from '../gateway/gallery-server.ts';
import { openGallery } from '../pipeline/gallery.ts';
import { amount } from '../report/text.ts';
import { type Command, textOf } from './command.ts';
import { listenOptions, readListening, serveUntilInterrupted } from './listen.ts';
import { SUBJECT } from './output-commands.ts';
import { pipelineAt } from './pipeline-options.ts';

const DEFAULT_PORT = 4850;

/** The command. */
export const viewCommand: Command = {
  positionals: [{ name: SUBJECT, describe: 'a pipeline, or an output folder [default: ./output]' }],
  options: listenOptions(DEFAULT_PORT),
  notes: [
    'Open the address in a browser. Nothing is written, and the page needs no network. With deliver:',
    '{ gallery: true } a run writes the same page below gallery/, for any web server.',
  ],
  examples: ['btg2gltf view output', 'btg2gltf view pipeline.yaml'],
  async run(args, io) {
    const at = await readListening(args, DEFAULT_PORT);
    const given = textOf(args, SUBJECT) ?? 'output';
    const pipeline = await pipelineAt(given, io);
    const folder = resolve(pipeline?.outputDir ?? given);
    const { count, read } = await openGallery(folder, pipeline?.name);
    const start = () => openGalleryServer({ ...at, read });
    return serveUntilInterrupted(at, io, start, ({ url }) => {
      return `  ${amount(count, 'configuration')} at ${url}\n`;
    });
  },
};
