/** `btg2gltf inspect MODELS|ARTICLE`: what GLBs consist of, and which profiles they fit. */
import { resolve } from 'node:path';
import { decoderText } from '../deliver/embed/decoders.ts';
import { readModel } from '../deliver/models/read-model.ts';
import { loadPipeline } from '../deliver/pipeline.ts';
import { type Breach, breachHelp, inspectGlb } from '../deliver/profiles/profiles.ts';
import type { DeliveredFile, DeliveryLine } from '../run/output/delivered-files.ts';
import { findPublished } from '../run/publishing/masters.ts';
import { amount, integer, size, wrapped } from '../run/report/text.ts';
import { replaceFile, statIfExists } from '../support/files.ts';
import { visibleJson, visibleLines } from '../support/visible.ts';
import {
  type Arguments,
  type Command,
  columns,
  type Io,
  inGroup,
  numberOf,
  textOf,
  textsOf,
  usageError,
} from './command.ts';
import {
  eachItem,
  findModels,
  MODEL_NOTES,
  MODELS_HELP,
  namesModels,
  stemOf,
} from './model-files.ts';
import { openSubject } from './output-commands.ts';

/** Rows of a list, unless an option requests another number. */
const ROWS = 10;
const MOST_CONFIGURATIONS = 5;
const SUBJECT = 'MODELS|ARTICLE';

/** The command. */
export const inspectCommand: Command = {
  usage: ['inspect MODELS...', 'inspect ARTICLE --pipeline PIPELINE.yaml'],
  positionals: [
    {
      name: SUBJECT,
      describe: `${MODELS_HELP}; or published articles: MANUFACTURER/PROGRAM/NUMBER, where * stands for any characters`,
      required: true,
      isList: true,
    },
  ],
  options: {
    ...inGroup('Options for MODELS:', {
      html: {
        type: 'boolean',
        describe:
          'write a web page for each model instead: it in 3D, its parts, materials and textures, mistakes in the file, and what each profile would change',
      },
    }),
    ...inGroup('Options for ARTICLE:', {
      pipeline: {
        type: 'string',
        value: 'PIPELINE.yaml',
        describe: 'the pipeline file whose runs have published the article',
      },
    }),
    output: {
      type: 'string',
      value: 'DIR',
      describe:
        'for ARTICLE: the output folder in which it is [default: that of --pipeline, or ./output]; with --html: the folder for the pages, or the name of a single page [default: NAME-inspection.html beside each model]',
    },
    json: { type: 'boolean', describe: 'print JSON, a list of all files' },
    rows: {
      type: 'number',
      min: 1,
      describe: 'how many meshes and textures are listed, the largest first',
      default: ROWS,
    },
  },
  notes: [
    'A profile is a set of limits for one use, such as web or ar-android. inspect says which ones a file fits. A published',
    'GLB need not fit any: deliver: profiles: in the pipeline file makes files that do, and so does',
    'btg2gltf deliver FILE.glb --profile NAME --output DIR for a single model.',
    '',
    'For an article, inspect shows the published GLB and each file that was made of it.',
    ...MODEL_NOTES,
  ],
  examples: [
    'btg2gltf inspect desk.glb',
    "btg2gltf inspect '*.glb' --json",
    'btg2gltf inspect desk.glb --html --output pictures',
    'btg2gltf inspect FJEL/LINEA/LN-M --pipeline pipeline.yaml',
  ],
  async run(args, io) {
    const words = textsOf(args, SUBJECT);
    const areModels = await Promise.all(words.map(namesModels));
    const models = words.filter((_, at) => areModels[at]);
    const articles = words.filter((_, at) => !areModels[at]);
    for (const article of articles) await refuseOtherFile(article);
    if (args.html) return writePages(models, articles, args, io);
    const listed: object[] = [];
    const failed = models.length > 0 ? await inspectModels(models, listed, args, io) : 0;
    for (const article of articles) await inspectArticle(article, listed, args, io);
    if (args.json) io.printData(visibleJson(`${JSON.stringify(listed, null, 2)}\n`));
    return failed > 0 ? 1 : 0;
  },
};

/** A word that is neither a model nor an article, but a file such as a text. */
async function refuseOtherFile(word: string): Promise<void> {
  if ((await statIfExists(resolve(word))) === undefined) return;
  throw usageError(
    `inspect: ${word} is another kind of file; expected .glb or .gltf, or an article such as FJEL/LINEA/LN-M`,
  );
}

async function writePages(
  words: readonly string[],
  [article]: readonly string[],
  args: Arguments,
  io: Io,
): Promise<number> {
  if (article !== undefined || args.json) {
    const received = args.json ? '--json' : article;
    throw usageError(`--html is for models (.glb or .gltf) alone, and ${received} is given, too`);
  }
  const models = await findModels(words);
  const output = textOf(args, 'output');
  const isPage = output !== undefined && /\.html?$/i.test(output);
  if (isPage && models.length > 1)
    throw usageError(`--output: expected a folder for ${models.length} pages, received ${output}`);
  const folder = output === undefined ? undefined : resolve(output);
  const { modelPage } = await import('../deliver/inspect-model.ts');
  const items = models.map((model) => ({ model }));
  const work = async (
    { model }: (typeof items)[number],
    show: (done: number, of: number) => void,
  ) => {
    const page = await modelPage(model.path, { now: io.now, signal: io.signal, onProfile: show });
    const file = isPage ? folder! : `${stemOf(model, folder)}-inspection.html`;
    await replaceFile(file, page);
    return [`${file}: ${size(Buffer.byteLength(page))}`];
  };
  const failed = await eachItem(items, { making: 'pages', atOnce: 1, work }, args, io);
  return failed.length > 0 ? 1 : 0;
}

async function inspectModels(
  words: readonly string[],
  listed: object[],
  args: Arguments,
  io: Io,
): Promise<number> {
  const items = (await findModels(words)).map((model) => ({ model }));
  const work = async ({ model: { path } }: (typeof items)[number]) => {
    const solution = (names: string) =>
      `btg2gltf deliver ${path} --profile ${names} --output delivered`;
    const { lines, facts } = await described(await readModel(path), args, io, solution);
    listed.push({ file: path, ...facts });
    return [path, ...lines, ''];
  };
  const failed = await eachItem(items, { making: 'figures', atOnce: 1, work }, args, io);
  for (const { item, error } of failed) {
    const { code, message } = error;
    listed.push({ file: item.model.path, error: { code, message } });
  }
  return failed.length;
}

/**
 * A GLB as lines, and as the JSON that pipelines/README.md describes.
 *
 * @param solution - What makes files for profiles that it does not fit, by their names.
 */
async function described(
  glb: Uint8Array,
  args: Arguments,
  { columns: characters }: Io,
  solution = IN_PIPELINE,
): Promise<{ lines: string[]; facts: object }> {
  const { breaches, images: textures, ...figures } = await inspectGlb(glb);
  const profiles = Object.entries(breaches).map(([name, all]): [string, Fit] => {
    return [name, { fits: all.length === 0, breaches: all }];
  });
  const facts = { ...figures, textures, profiles: Object.fromEntries(profiles) };
  const rows = numberOf(args, 'rows') ?? ROWS;
  return { lines: linesOf(facts, { rows, characters, solution }), facts };
}

/** What makes files of published articles. */
const IN_PIPELINE = (names: string) => `deliver: { profiles: [${names}] } in the pipeline file`;

interface Shown {
  rows: number;
  /** Of a line. */
  characters: number;
  solution(names: string): string;
}

interface Fit {
  fits: boolean;
  breaches: readonly (Breach & { sentence: string })[];
}

interface Facts extends Record<'bytes' | 'triangles' | 'drawCalls' | 'materials', number> {
  meshes: readonly { name: string; bytes: number; triangles: number; instances: number }[];
  textures: readonly ({ name: string; mimeType: string } & Record<
    'bytes' | 'width' | 'height',
    number
  >)[];
  extensionsUsed: readonly string[];
  extensionsRequired: readonly string[];
  profiles: Readonly<Record<string, Fit>>;
}

function linesOf(facts: Facts, { rows, characters, solution }: Shown): string[] {
  const { meshes, textures, extensionsRequired, profiles } = facts;
  const decoder = decoderText(extensionsRequired);
  const sum = (parts: readonly { bytes: number }[]) =>
    size(parts.reduce((total, part) => total + part.bytes, 0));
  const meshRows = meshes.map(({ name, bytes, triangles, instances }) => {
    const text = `${amount(triangles, 'triangle')}, drawn ${amount(instances, 'time')}`;
    return { bytes, name, text };
  });
  const textureRows = textures.map(({ name, bytes, mimeType, width, height }) => {
    return { bytes, name, text: `${width} × ${height}, ${mimeType.replace('image/', '')}` };
  });
  const table = (lines: readonly Row[]) => columns(lines, undefined, characters);
  return [
    ...table([
      ['bytes', `${size(facts.bytes)}: shapes (meshes) ${sum(meshes)}, textures ${sum(textures)}`],
      ['triangles', integer(facts.triangles)],
      [
        'draw calls',
        `${integer(facts.drawCalls)} (commands for the graphics card; fewer are faster)`,
      ],
      ['materials', integer(facts.materials)],
      ...extensionRows(facts),
      ...(decoder === 'none' ? [] : [['decoders', decoder] as const]),
    ]),
    '',
    ...ranking('mesh', 'meshes', meshRows, rows, table),
    ...ranking('texture', 'textures', textureRows, rows, table),
    'profiles',
    ...table(
      Object.entries(profiles).map(([name, { fits, breaches }]) => [
        name,
        fits ? 'fits' : `does not fit: ${breaches.map(({ sentence }) => sentence).join('; ')}`,
      ]),
    ),
    ...remedies(profiles, solution).flatMap((line) => wrapped(line, characters, 4)),
  ];
}

function extensionRows({ extensionsUsed, extensionsRequired }: Facts): Row[] {
  if (extensionsUsed.length === 0) return [['extensions', 'none']];
  const used = `${extensionsUsed.join(', ')} (additions to glTF that the file uses)`;
  const none = 'none of these extensions: every glTF viewer can show the file';
  return [
    ['extensions', used],
    ['required', extensionsRequired.join(', ') || none],
  ];
}

/** How to get files for the profiles that a file does not fit. */
function remedies(profiles: Facts['profiles'], solution: Shown['solution']): string[] {
  const wrong = Object.entries(profiles).filter(([, { fits }]) => !fits);
  const [solved, unsolved] = [false, true].map((isUnsolved) =>
    wrong.filter(([, { breaches }]) => (breachHelp(breaches) !== undefined) === isUnsolved),
  );
  const names = solved!.map(([name]) => name).join(',');
  return [
    ...(names === '' ? [] : [`  → to make files that fit ${names}: ${solution(names)}`]),
    ...unsolved!.map(([name, { breaches }]) => `  → ${name}: ${breachHelp(breaches)}`),
  ];
}

async function inspectArticle(
  pattern: string,
  listed: object[],
  args: Arguments,
  io: Io,
): Promise<void> {
  const list = (lines: readonly string[], facts: object) => {
    listed.push(facts);
    if (!args.json) io.printData(visibleLines([...lines, '', '']));
  };
  const file = textOf(args, 'pipeline');
  const pipeline = file === undefined ? undefined : await loadPipeline(file, io.env, true);
  const { published } = await openSubject(pipeline, textOf(args, 'output'), io);
  const found = await findPublished(published, pattern);
  for (const { name, glb, sha256, deliveries } of found.slice(0, MOST_CONFIGURATIONS)) {
    const master = await described(await published.read({ path: glb, sha256 }), args, io);
    const facts = { file: glb, article: name, delivery: 'master', ...master.facts };
    list([name, `${glb} (master)`, ...master.lines], facts);
    for (const line of deliveries) {
      const { delivery, error } = line;
      if (error !== undefined) list([failureText(line)], { article: name, delivery, error });
      for (const file of line.files) {
        const isGlb = file.path.endsWith('.glb');
        const { lines, facts } = isGlb
          ? await described(await published.read(file), args, io)
          : { lines: columns(factRows(file)), facts: { bytes: file.bytes, facts: file.facts } };
        const where = { file: file.path, article: name, delivery };
        list([`${file.path} (${delivery})`, ...lines], { ...where, ...facts });
      }
    }
  }
  const more = found.slice(MOST_CONFIGURATIONS);
  if (more.length === 0 || args.json) return;
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
function ranking(
  one: string,
  several: string,
  all: readonly Sized[],
  rows: number,
  table: (lines: readonly Row[]) => string[],
): string[] {
  if (all.length === 0) return [];
  const sorted = all.toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  const shown = sorted
    .slice(0, rows)
    .map(({ bytes, name, text }) => [size(bytes), `${name}  ${text}`] as const);
  const more = all.length - shown.length;
  return [
    `${integer(all.length)} ${all.length === 1 ? one : several}`,
    ...table(shown),
    ...(more > 0 ? [`  … and ${integer(more)} more: --rows ${all.length} lists them`] : []),
    '',
  ];
}
