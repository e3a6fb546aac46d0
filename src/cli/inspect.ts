/** `btg2gltf inspect FILE.glb|ARTICLE`: what a GLB consists of, and which profiles it fits. */
import { resolve } from 'node:path';
import { loadPipeline } from '../deliver/pipeline.ts';
import { inspectGlb } from '../deliver/profiles/profiles.ts';
import type { DeliveredFile, DeliveryLine } from '../run/output/delivered-files.ts';
import { findPublished } from '../run/publishing/masters.ts';
import { amount, integer, size } from '../run/report/text.ts';
import { exists, readBytes } from '../support/files.ts';
import { visibleLines } from '../support/visible.ts';
import { type Arguments, type Command, columns, type Io, numberOf, textOf } from './command.ts';
import { openSubject } from './output-commands.ts';

/** Rows of a list, unless an option requests another number. */
const ROWS = 10;
const MOST_CONFIGURATIONS = 5;
const SUBJECT = 'FILE.glb|ARTICLE';

/** The command. */
export const inspectCommand: Command = {
  positionals: [
    {
      name: SUBJECT,
      describe: 'a model, or a glob on MANUFACTURER/PROGRAM/number[/configuration]',
      required: true,
    },
  ],
  options: {
    pipeline: {
      type: 'string',
      value: 'PIPELINE.yaml',
      describe: 'the pipeline that published the article',
    },
    output: {
      type: 'string',
      value: 'DIR',
      describe: 'output folder of the article [default: that of the pipeline, or ./output]',
    },
    rows: {
      type: 'number',
      min: 1,
      describe: 'how many meshes and textures are listed, the largest first',
      default: ROWS,
    },
  },
  notes: [
    'It compares a file as it is. A published GLB need not fit: deliver: profiles: makes files that do.',
    'Of an article it shows the published GLB and every file that was delivered.',
  ],
  examples: [
    'btg2gltf inspect desk.glb',
    'btg2gltf inspect FJEL/LINEA/LN-M --pipeline pipeline.yaml',
  ],
  async run(args, io) {
    const subject = textOf(args, SUBJECT)!;
    const rows = numberOf(args, 'rows') ?? ROWS;
    const file = resolve(subject);
    const isFile = /\.(?:glb|gltf)$/i.test(subject) || (await exists(file));
    if (isFile) {
      const lines = await glbLines(await readBytes(file), rows);
      io.printData(visibleLines([file, ...lines, '']));
    } else await inspectArticle(subject, rows, args, io);
    return 0;
  },
};

async function glbLines(glb: Uint8Array, rows: number): Promise<string[]> {
  const figures = await inspectGlb(glb);
  const { meshes, images, extensionsUsed, extensionsRequired } = figures;
  const sum = (parts: readonly { bytes: number }[]) =>
    size(parts.reduce((total, part) => total + part.bytes, 0));
  const meshRows = meshes.map(({ name, bytes, triangles, instances }) => {
    const text = `${amount(triangles, 'triangle')}, drawn ${amount(instances, 'time')}`;
    return { bytes, name, text };
  });
  const textureRows = images.map(({ name, bytes, mimeType, width, height }) => {
    return { bytes, name, text: `${width} × ${height}, ${mimeType.replace('image/', '')}` };
  });
  return [
    ...columns([
      ['bytes', `${size(figures.bytes)}: meshes ${sum(meshes)}, textures ${sum(images)}`],
      ['triangles', integer(figures.triangles)],
      ['draw calls', integer(figures.drawCalls)],
      ['materials', integer(figures.materials)],
      ['extensions', extensionsUsed.join(', ') || 'none'],
      ['required', extensionsRequired.join(', ') || 'none'],
    ]),
    '',
    ...list('mesh', 'meshes', meshRows, rows),
    ...list('texture', 'textures', textureRows, rows),
    'profiles',
    ...columns(
      Object.entries(figures.breaches).map(([name, breaches]) => [
        name,
        breaches.join('; ') || 'fits',
      ]),
    ),
  ];
}

async function inspectArticle(
  pattern: string,
  rows: number,
  args: Arguments,
  io: Io,
): Promise<void> {
  const file = textOf(args, 'pipeline');
  const pipeline = file === undefined ? undefined : await loadPipeline(file, io.env, true);
  const { published } = await openSubject(pipeline, textOf(args, 'output'), io);
  const found = await findPublished(published, pattern);
  for (const { name, glb, sha256, deliveries } of found.slice(0, MOST_CONFIGURATIONS)) {
    const print = (lines: readonly string[]) => io.printData(visibleLines([...lines, '', '']));
    const master = await published.read({ path: glb, sha256 });
    print([name, `${glb} (master)`, ...(await glbLines(master, rows))]);
    for (const line of deliveries) {
      if (line.error !== undefined) print([failureText(line)]);
      for (const file of line.files) {
        const text = `${file.path} (${line.delivery})`;
        const isGlb = file.path.endsWith('.glb');
        const lines = isGlb
          ? await glbLines(await published.read(file), rows)
          : columns(factRows(file));
        print([text, ...lines]);
      }
    }
  }
  const more = found.slice(MOST_CONFIGURATIONS);
  if (more.length === 0) return;
  const others = `${amount(more.length, 'other configuration')} of ${pattern}; name one, such as ${more[0]!.name}`;
  io.printData(visibleLines([others, '']));
}

function failureText({ delivery, error, files }: DeliveryLine): string {
  const kept = files.length > 0 ? '; the files below are of the last good one' : '';
  return `${delivery} failed: ${error!.code}: ${error!.message}${kept}`;
}

/** Rows about a file that is no GLB, such as a picture. */
function factRows({ bytes, facts }: DeliveredFile): Row[] {
  const named = Object.entries(facts).map(([name, value]): Row => {
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return [words, typeof value === 'number' ? integer(value) : String(value)];
  });
  return [['bytes', size(bytes)], ...named];
}

type Row = readonly [string, string];

interface Sized {
  bytes: number;
  name: string;
  text: string;
}

/** Lists the largest items first; items of equal size by name. */
function list(one: string, several: string, all: readonly Sized[], rows: number): string[] {
  if (all.length === 0) return [];
  const sorted = all.toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  const shown = sorted
    .slice(0, rows)
    .map(({ bytes, name, text }) => [size(bytes), `${name}  ${text}`] as const);
  const more = all.length - shown.length;
  return [
    `${integer(all.length)} ${all.length === 1 ? one : several}`,
    ...columns(shown),
    ...(more > 0 ? [`  … and ${integer(more)} more: --rows ${all.length} lists them`] : []),
    '',
  ];
}
