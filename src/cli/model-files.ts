/** Models that a command names by files, folders and globs, and the loop over them. */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { wrapped } from '../run/report/text.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { exists, statIfExists } from '../support/files.ts';
import { listEntries } from '../support/folders.ts';
import { globMatcher } from '../support/glob.ts';
import { inParallel } from '../support/in-parallel.ts';
import { visibleLines } from '../support/visible.ts';
import { type Arguments, type Io, usageError } from './command.ts';
import { openOutput } from './run-output.ts';

/** A model on disk. */
export interface ModelFile {
  path: string;
  /** Its path below the folder that all have in common, without the ending; no two models have the same one. */
  name: string;
}

/** What a command that takes models says of them in its help. */
export const MODELS_HELP = ".glb and .gltf files, folders with them, or patterns such as '*.glb'";

/** A paragraph of the help of a command that takes models. */
export const MODEL_NOTES = [
  '',
  'A folder stands for every .glb and .gltf file in it and in the folders below it. Put quotes around a pattern:',
  '* stands for any characters of a name, ? for one, and ** for any folders. Names that begin with a dot are left out.',
] as const;

const ENDING = /\.(?:glb|gltf)$/i;

/** Whether a word of the command line names models: a folder, or a file or glob that ends in .glb or .gltf. */
export async function namesModels(word: string): Promise<boolean> {
  return ENDING.test(word) || (await statIfExists(resolve(word)))?.folder === true;
}

/**
 * Finds models, sorted by path, each once.
 *
 * @param words - Files, folders and globs.
 * @param output - A folder in which models are not searched, since the command writes its files there.
 * @throws {@link ConverterError} `FILE_MISSING` for a word that names none; `USAGE` if the output is a folder in which
 *   models are searched at any depth.
 */
export async function findModels(words: readonly string[], output?: string): Promise<ModelFile[]> {
  const folders: string[] = [];
  const paths = new Set<string>();
  for (const word of words) {
    const { folder, found } = await search(word, output);
    if (found.length === 0) {
      const isFolder = (await statIfExists(resolve(word)))?.folder === true;
      const message = isFolder
        ? `${word}: there is no .glb or .gltf file in this folder`
        : `${word}: there is no such .glb or .gltf file`;
      throw new ConverterError('FILE_MISSING', message);
    }
    folders.push(folder);
    for (const path of found) paths.add(path);
  }
  const common = commonFolder(folders);
  const taken = new Set<string>();
  return [...paths].sort().map((path) => {
    const stem = relative(common, path).replace(ENDING, '');
    const nameOf = (number: number) => (number === 1 ? stem : `${stem}-${number}`);
    let number = 1;
    // Names that differ only in case are one name on many disks.
    while (taken.has(nameOf(number).toLowerCase())) number++;
    taken.add(nameOf(number).toLowerCase());
    return { path, name: nameOf(number) };
  });
}

async function search(
  word: string,
  output: string | undefined,
): Promise<{ folder: string; found: string[] }> {
  const path = resolve(word);
  const facts = await statIfExists(path);
  if (facts?.folder) return { folder: path, found: await modelsBelow(path, output) };
  if (facts !== undefined) return { folder: dirname(path), found: [path] };
  const steps = path.split(sep);
  const first = steps.findIndex(isPattern);
  if (first < 0) return { folder: dirname(path), found: [] };
  const folder = steps.slice(0, first).join(sep) || sep;
  const found = await matches(folder, steps.slice(first), output);
  return { folder, found: found.filter((one) => ENDING.test(one)) };
}

const isPattern = (step: string) => /[*?]/.test(step);

async function modelsBelow(folder: string, output: string | undefined): Promise<string[]> {
  return (await matches(folder, ['**', '*'], output)).filter((path) => ENDING.test(path));
}

/** The files below a folder whose path matches; no link to a folder is followed. */
async function matches(
  folder: string,
  [step = '', ...rest]: readonly string[],
  output: string | undefined,
): Promise<string[]> {
  if (!isPattern(step)) {
    const path = join(folder, step);
    if (rest.length > 0) return matches(path, rest, output);
    return (await exists(path)) ? [path] : [];
  }
  const isDeep = step === '**';
  if (isDeep && folder === output) {
    const message = `--output: expected another folder than that of the models, received ${output}`;
    throw usageError(message, 'name a folder that is not there yet, which may be below it');
  }
  const isMatch = globMatcher(step);
  const found = isDeep ? await matches(folder, rest, output) : [];
  for (const { name, kind } of await listEntries(folder)) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    if (path === output) continue;
    if (kind === 'folder' && isDeep) found.push(...(await matches(path, [step, ...rest], output)));
    else if (kind === 'folder' && isMatch(name) && rest.length > 0)
      found.push(...(await matches(path, rest, output)));
    else if (kind !== 'folder' && !isDeep && isMatch(name) && rest.length === 0) found.push(path);
  }
  return found;
}

function commonFolder([first = '', ...others]: readonly string[]): string {
  const steps = first.split(sep);
  const isShared = (at: number) => others.every((other) => other.split(sep)[at] === steps[at]);
  const end = steps.findIndex((_, at) => !isShared(at));
  return (end < 0 ? steps : steps.slice(0, end)).join(sep) || sep;
}

/** One file to make, or to look at. */
interface Item {
  /** The model that it is of. */
  model: ModelFile;
  /** What of it, such as a profile; undefined if there is only one thing. */
  what?: string;
}

interface Failed<I extends Item> {
  item: I;
  error: ConverterError;
}

interface Loop<I extends Item> {
  /** What is made, for the line of the progress. */
  making: string;
  atOnce: number;
  /**
   * @param show - Shows how much of the item is done, if it takes long.
   * @returns Lines for standard output.
   */
  work(item: I, show: (done: number, of: number) => void): Promise<readonly string[]>;
}

/**
 * Works on each item, with a bar on a terminal. What fails is a line, and the others go on; the error of a single item is
 * thrown. Both name the file.
 *
 * @param args - With `json`, nothing is printed.
 * @returns What failed, in the order of the items.
 * @throws {@link ConverterError} an error that every item would have; the reason of the signal.
 */
export async function eachItem<I extends Item>(
  items: readonly I[],
  { making, atOnce, work }: Loop<I>,
  args: Arguments,
  io: Io,
): Promise<Failed<I>[]> {
  const { display, environment } = await openOutput(args, io);
  const failed = new Map<I, ConverterError>();
  const messages = new Set<string>();
  const progress = { making, total: items.length, done: 0, failed: 0 };
  const show = (now: Pick<typeof progress, 'making' | 'total' | 'done'>) =>
    environment.progress?.({ failed: 0, ...now });
  const print = (lines: readonly string[]) => {
    const isPrinted = lines.length > 0 && !args.json;
    if (isPrinted) display.above(() => io.printData(visibleLines([...lines, ''])));
  };
  show({ ...progress });
  const working = inParallel(items, atOnce, async (item) => {
    io.signal.throwIfAborted();
    try {
      const name = basename(item.model.path);
      print(await work(item, (done, total) => show({ making: `${making}: ${name}`, total, done })));
    } catch (thrown) {
      const error = errorOf(item, thrown);
      if (io.signal.aborted || endsRun(error.code) || items.length === 1) throw error;
      failed.set(item, error);
      progress.failed++;
      // What is wrong with a model is wrong for all that is made of it.
      const isNew = !messages.has(error.message);
      messages.add(error.message);
      const sentence = `failed: ${error.message} (${error.code})`;
      if (isNew)
        print([sentence, `  → ${error.help}`].flatMap((line) => wrapped(line, io.columns, 4)));
    }
    progress.done++;
    show({ ...progress });
  });
  await working.finally(() => display.close());
  return items.flatMap((item) => {
    const error = failed.get(item);
    return error === undefined ? [] : [{ item, error }];
  });
}

/** The error with the path of the model at its beginning, which errors of the file system have already. */
function errorOf({ model: { path }, what }: Item, thrown: unknown): ConverterError {
  const error = asConverterError(thrown);
  const { code, message, help, isGeneralHelp, cause } = error;
  if (message.includes(path) || endsRun(code)) return error;
  const named = message.replace(/^(?:model|the master): /, '');
  const where = what === undefined ? path : `${path}: ${what}`;
  const context = { cause, ...(!isGeneralHelp && { help }) };
  return new ConverterError(code, `${where}: ${named}`, context);
}

/** The path of a model without its ending: beside the model, or in the same place below a folder. */
export function stemOf({ path, name }: ModelFile, folder: string | undefined): string {
  return folder === undefined ? join(dirname(path), basename(name)) : join(folder, name);
}
