/** `btg2gltf view`: the gallery of an output folder, in the browser of this machine. */

import { openGallery } from '../deliver/gallery/publish-gallery.ts';
import { amount } from '../run/report/text.ts';
import { openGalleryServer } from '../web/servers/gallery-server.ts';
import type { Command } from './command.ts';
import { listenOptions, readListening, serveUntilInterrupted } from './listen.ts';
import { SUBJECT, subjectOf } from './output-commands.ts';

const DEFAULT_PORT = 4850;

/** The command. */
export const viewCommand: Command = {
  positionals: [
    { name: SUBJECT, describe: 'a pipeline file, or its output folder [default: ./output]' },
  ],
  options: listenOptions(DEFAULT_PORT),
  notes: [
    'Open the address that is printed in a browser. No file is written. To have the same page for your web server, write',
    'deliver: { gallery: true } into the pipeline file: then each run writes it into the folder gallery.',
  ],
  examples: ['btg2gltf view output', 'btg2gltf view pipeline.yaml'],
  async run(args, io) {
    const at = await readListening(args, DEFAULT_PORT);
    const { published, name } = await subjectOf(args, io);
    const { count, read } = await openGallery(published, name);
    const start = () => openGalleryServer({ ...at, read });
    return serveUntilInterrupted(at, io, start, ({ url }) => {
      return `  ${amount(count, 'configuration')} at ${url}\n`;
    });
  },
};
