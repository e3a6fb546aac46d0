/** `btg2gltf inspect FILE.glb`: what a GLB consists of, and which profiles it fits. */
import { resolve } from 'node:path';
import { type GlbFigures, readFigures } from '../deliver/glb-figures.ts';
import { breachesOf, breachText, PROFILE_NAMES, PROFILES } from '../deliver/profiles.ts';
import { amount, integer, size } from '../report/text.ts';
import { readBytes } from '../support/files.ts';
import { visibleLines } from '../support/visible.ts';
import { type Command, columns, numberOf, textOf } from './command.ts';

/** Rows of a list, unless the user wants more. */
const ROWS = 10;

/** The command. */
export const inspectCommand: Command = {
  positionals: [{ name: 'FILE.glb', describe: 'the model', required: true }],
  options: {
    rows: {
      type: 'number',
      min: 1,
      describe: 'how many meshes and textures are listed, the largest first',
      default: ROWS,
    },
  },
  notes: [
    'It compares the file as it is. A published GLB need not fit: deliver: profiles: makes files that do.',
  ],
  examples: ['btg2gltf inspect desk.glb'],
  async run(args, io) {
    const file = resolve(textOf(args, 'FILE.glb')!);
    const figures = await readFigures(await readBytes(file));
    const rows = numberOf(args, 'rows') ?? ROWS;
    const lines = [
      file,
      ...columns(totals(figures)),
      '',
      ...list('mesh', 'meshes', meshRows(figures), rows),
      ...list('texture', 'textures', textureRows(figures), rows),
      'profiles',
      ...columns(profileRows(figures)),
    ];
    io.printData(visibleLines([...lines, '']));
    return 0;
  },
};

type Row = readonly [string, string];

function totals(figures: GlbFigures): Row[] {
  const { bytes, triangles, drawCalls, materials, meshes, images } = figures;
  const { extensionsUsed, extensionsRequired } = figures;
  const sum = (parts: readonly { bytes: number }[]) =>
    size(parts.reduce((total, part) => total + part.bytes, 0));
  return [
    ['bytes', `${size(bytes)}: meshes ${sum(meshes)}, textures ${sum(images)}`],
    ['triangles', integer(triangles)],
    ['draw calls', integer(drawCalls)],
    ['materials', integer(materials)],
    ['extensions', extensionsUsed.join(', ') || 'none'],
    ['required', extensionsRequired.join(', ') || 'none'],
  ];
}

interface Sized {
  bytes: number;
  name: string;
  text: string;
}

function meshRows({ meshes }: GlbFigures): Sized[] {
  return meshes.map(({ name, bytes, triangles, instances }) => {
    const text = `${amount(triangles, 'triangle')}, drawn ${amount(instances, 'time')}`;
    return { bytes, name, text };
  });
}

function textureRows({ images }: GlbFigures): Sized[] {
  return images.map(({ name, bytes, mimeType, width, height }) => {
    return { bytes, name, text: `${width} × ${height}, ${mimeType.replace('image/', '')}` };
  });
}

/** The largest first; equal ones by name. */
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

function profileRows(figures: GlbFigures): Row[] {
  return PROFILE_NAMES.map((name) => {
    const breaches = breachesOf(figures, PROFILES[name]).map(breachText);
    return [name, breaches.join('; ') || 'fits'] as const;
  });
}
