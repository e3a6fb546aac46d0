/** `btg2gltf render`: pictures of models, or of all published files of a pipeline. */
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { readModel } from '../deliver/models/read-model.ts';
import { PICTURE_CHOICES, PICTURE_DEFAULTS } from '../deliver/pictures/picture-options.ts';
import { openPublished } from '../distribute/published.ts';
import type { FileFacts } from '../run/output/delivered-files.ts';
import { amount, integer, size, wrapped } from '../run/report/text.ts';
import { ConverterError } from '../support/errors.ts';
import { replaceFile } from '../support/files.ts';
import { visibleLines } from '../support/visible.ts';
import { type Arguments, type Command, type Io, numberOf, textOf, textsOf } from './command.ts';
import {
  eachItem,
  findModels,
  MODEL_NOTES,
  MODELS_HELP,
  type ModelFile,
  stemOf,
} from './model-files.ts';
import { BROWSER_OPTION, pipelineAt } from './pipeline-options.ts';
import { openOutput } from './run-output.ts';

const CAMERA_NAMES = PICTURE_CHOICES.cameras.join(', ');

const SUBJECT = 'MODELS|PIPELINE.yaml';

/** The command. */
export const renderCommand: Command = {
  positionals: [
    {
      name: SUBJECT,
      describe: `${MODELS_HELP}; or a pipeline file, for the models that its runs have published`,
      required: true,
      isList: true,
    },
  ],
  options: {
    camera: {
      type: 'string',
      value: 'NAMES',
      describe: `views, with commas between: ${CAMERA_NAMES}`,
      default: PICTURE_DEFAULTS.cameras.join(','),
    },
    size: {
      type: 'string',
      value: 'N|WxH',
      describe: 'width and height in pixels; those of the view top follow from --pixels-per-metre',
      default: `${PICTURE_DEFAULTS.width}x${PICTURE_DEFAULTS.height}`,
    },
    format: {
      type: 'string',
      choices: PICTURE_CHOICES.formats,
      describe: 'format of the files',
      default: PICTURE_DEFAULTS.format,
    },
    background: {
      type: 'string',
      value: 'COLOUR',
      describe: 'colour behind the model such as #f4f4f4, or transparent',
      default: PICTURE_DEFAULTS.background,
    },
    floor: {
      type: 'string',
      choices: PICTURE_CHOICES.floors,
      describe: 'draw a shadow on the floor; auto: only if the model stands on the floor',
      default: PICTURE_DEFAULTS.floor,
    },
    'pixels-per-metre': {
      type: 'number',
      min: 1,
      describe: 'pixels of the view top for a metre of the furniture',
      default: PICTURE_DEFAULTS.pixelsPerMetre,
    },
    frames: {
      type: 'number',
      describe: 'number of pictures from all sides, and a sheet with all of them; 0 is none',
      default: PICTURE_DEFAULTS.frames,
    },
    output: {
      type: 'string',
      value: 'DIR',
      describe:
        'folder for the pictures [default: beside each model; for PIPELINE.yaml: its output folder with -pictures behind the name]',
    },
    browser: BROWSER_OPTION,
  },
  notes: [
    'render MODELS writes NAME-CAMERA.jpg, such as desk-hero.jpg, beside each model, or below --output. If a model',
    'cannot be drawn, a line says why, the others are drawn, and the exit code is 1.',
    ...MODEL_NOTES,
    '',
    'render PIPELINE.yaml takes pictures of all published articles, also without a section "deliver", into folders',
    'like those below articles/. To have pictures with each run, and to publish them, write deliver: pictures: into the',
    'pipeline file instead.',
  ],
  examples: [
    'btg2gltf render desk.glb',
    'btg2gltf render desk.glb --camera hero,top --size 400x300 --format png --background transparent',
    'btg2gltf render desk.glb --frames 8 --size 200',
    "btg2gltf render '*.glb' --size 600 --output pictures",
    'btg2gltf render pipeline.yaml --size 600 --output pictures',
  ],
  async run(args, io) {
    const options = pictureOptionsOf(args);
    const words = textsOf(args, SUBJECT);
    const pipeline = words.length === 1 ? await pipelineAt(words[0]!, io) : undefined;
    const { withPictures } = await import('../deliver/pictures/render.ts');
    const cacheDir = pipeline?.cacheDir ?? userCacheDir(io.env);
    // After the pictures: while they are taken, a bar is on the terminal.
    const warnings: string[] = [];
    const printWarnings = () => {
      const lines = warnings.flatMap((text) => wrapped(text, io.columns, 2));
      io.printError(lines.map((line) => `${line}\n`).join(''));
    };
    const warn = (text: string) => void warnings.push(text);
    const models = pipeline === undefined ? await findModels(words) : [];
    const taking = withPictures(io, cacheDir, textOf(args, 'browser'), warn, async (pictures) => {
      if (pipeline === undefined) {
        const take = (glb: Uint8Array) => pictures.take(glb, options);
        return renderModels(models, { ...options, ...pictures, take }, args, io);
      }
      const folder = folderBeside(pipeline.outputDir, args);
      const counts = { pictures: 0, articles: 0, failed: 0 };
      const { display, environment } = await openOutput(args, io);
      const rendering = pictures.renderPublished(options, {
        ...{ published: await openPublished(pipeline, io), cacheDir, folder, environment },
        onRendered({ article, ...result }) {
          counts.articles++;
          if (result.error !== undefined) {
            counts.failed++;
            const { code, message } = result.error;
            display.above(() =>
              io.printData(visibleLines([`failed: ${article}  ${code}  ${message}`, ''])),
            );
            return;
          }
          counts.pictures += result.files.length;
          const lines = result.files.map(({ path, picture: { bytes, facts } }) => {
            return `${path}: ${described(facts, bytes)}`;
          });
          display.above(() => io.printData(visibleLines([...lines, ''])));
        },
      });
      await rendering.finally(() => display.close());
      const { articles, failed } = counts;
      const what = `${amount(counts.pictures, 'picture')} of ${amount(articles, 'configuration')}`;
      io.print(`${what} below ${folder}, ${integer(failed)} failed\n`);
      return failed > 0 ? 1 : 0;
    });
    return taking.finally(printWarnings);
  },
};

interface Camera {
  format: string;
  atOnce: number;
  take(glb: Uint8Array): Promise<(PictureFacts & { name: string; bytes: Uint8Array })[]>;
}

async function renderModels(
  models: readonly ModelFile[],
  { format, atOnce, take }: Camera,
  args: Arguments,
  io: Io,
): Promise<number> {
  const output = textOf(args, 'output');
  const folder = output === undefined ? undefined : resolve(output);
  let pictures = 0;
  const work = async ({ model }: { model: ModelFile }) => {
    const lines: string[] = [];
    for (const picture of await take(await readModel(model.path, 'plain'))) {
      const path = `${stemOf(model, folder)}-${picture.name}.${format}`;
      await replaceFile(path, picture.bytes);
      lines.push(`${path}: ${described(picture, picture.bytes.length)}`);
    }
    pictures += lines.length;
    return lines;
  };
  const items = models.map((model) => ({ model }));
  const failed = await eachItem(items, { making: 'pictures', atOnce, work }, args, io);
  if (models.length === 1) return 0;
  const what = `${amount(pictures, 'picture')} of ${amount(models.length, 'model')}`;
  io.print(`${what}, ${integer(failed.length)} failed\n`);
  return failed.length > 0 ? 1 : 0;
}

/** Where programs keep files that can be made again: a single GLB has no cache folder. */
const userCacheDir = ({ XDG_CACHE_HOME }: Io['env']): string =>
  join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'btg2gltf');

type PictureFacts = Partial<Record<'width' | 'height' | 'pixelsPerMetre', FileFacts[string]>>;

function described({ width, height, pixelsPerMetre: scale }: PictureFacts, bytes: number): string {
  const note =
    scale === undefined ? '' : `, to the scale of ${Number(scale).toFixed(2)} pixels a metre`;
  return `${width} × ${height}, ${size(bytes)}${note}`;
}

/** The folder of the pictures of a pipeline: outside of what the pipeline publishes. */
function folderBeside(outputDir: string, args: Arguments): string {
  const folder = resolve(textOf(args, 'output') ?? `${outputDir}-pictures`);
  const inside = relative(outputDir, folder);
  if (isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`)) return folder;
  throw wrong('output', `a folder outside of the published ${outputDir}`, folder);
}

function pictureOptionsOf(args: Arguments) {
  const background = textOf(args, 'background') ?? PICTURE_DEFAULTS.background;
  if (!/^(?:transparent|#[0-9a-fA-F]{6})$/.test(background))
    throw wrong('background', 'a colour such as #f4f4f4, or transparent', background);
  const [width, height] = sizeOf(textOf(args, 'size'));
  const { floors, formats } = PICTURE_CHOICES;
  return {
    cameras: camerasOf(textOf(args, 'camera')),
    width,
    height,
    sizes: PICTURE_DEFAULTS.sizes,
    format: formats.find((one) => one === textOf(args, 'format')) ?? PICTURE_DEFAULTS.format,
    background: background.toLowerCase(),
    floor: floors.find((one) => one === textOf(args, 'floor')) ?? PICTURE_DEFAULTS.floor,
    pixelsPerMetre: numberOf(args, 'pixels-per-metre') ?? PICTURE_DEFAULTS.pixelsPerMetre,
    frames: numberOf(args, 'frames') ?? PICTURE_DEFAULTS.frames,
  };
}

function camerasOf(text: string | undefined) {
  if (text === undefined) return PICTURE_DEFAULTS.cameras;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const camera = PICTURE_CHOICES.cameras.find((one) => one === name);
    if (camera === undefined) throw wrong('camera', `names of ${CAMERA_NAMES}`, name);
    return camera;
  });
}

function sizeOf(text: string | undefined): [number, number] {
  if (text === undefined) return [PICTURE_DEFAULTS.width, PICTURE_DEFAULTS.height];
  const [, width, height] = /^(\d+)(?:x(\d+))?$/.exec(text) ?? [];
  const sides = [Number(width), Number(height ?? width)] as [number, number];
  if (sides.every((side) => side >= 1 && side <= PICTURE_CHOICES.mostPixelsASide)) return sides;
  throw wrong(
    'size',
    `pixels such as 1024 or 1600x1200, at most ${PICTURE_CHOICES.mostPixelsASide} a side`,
    text,
  );
}

function wrong(option: string, expected: string, received: string): ConverterError {
  return new ConverterError('USAGE', `--${option}: expected ${expected}, received ${received}`);
}
