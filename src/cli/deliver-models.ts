/** `btg2gltf deliver MODELS`: files of profiles of any models, without a pipeline. */
import { dirname, join, resolve } from 'node:path';
import { withProfileMaker } from '../deliver/model-profiles.ts';
import { readModel } from '../deliver/models/read-model.ts';
import { amount, integer, size } from '../run/report/text.ts';
import { replaceFile, statIfExists } from '../support/files.ts';
import { visibleJson, visibleLines } from '../support/visible.ts';
import { type Arguments, columns, type Io, textOf, textsOf, usageError } from './command.ts';
import { eachItem, findModels, type ModelFile, stemOf } from './model-files.ts';

/** A file that was made. */
interface Made {
  file: string;
  profile: string;
  output: string;
  bytesBefore: number;
  /** With the files to which it refers. */
  bytes: number;
  facts: Readonly<Record<string, unknown>>;
  dropped: readonly string[];
}

/** Makes the files, and prints a line for each and a summary, or JSON. @returns The exit code. */
export async function deliverModels(
  words: readonly string[],
  args: Arguments,
  io: Io,
): Promise<number> {
  const names = textsOf(args, 'profile');
  const folder = textOf(args, 'output');
  if (names.length === 0 || folder === undefined) {
    const missing = [
      ...(names.length === 0 ? ['--profile'] : []),
      ...(folder === undefined ? ['--output'] : []),
    ];
    const help = `for example: btg2gltf deliver ${words[0]} --profile web --output delivered`;
    const verb = missing.length > 1 ? 'are' : 'is';
    throw usageError(`deliver: ${missing.join(' and ')} ${verb} missing`, help);
  }
  const output = resolve(folder);
  const models = await findModels(words, output);
  return withProfileMaker(names, io, async ({ profiles, atOnce, make }) => {
    await expectOthers(models, profiles, output);
    const items = models.flatMap((model) => profiles.map((what) => ({ model, what })));
    const made = new Map<(typeof items)[number], Made>();
    const read = readOnce(profiles.length);
    const work = async (item: (typeof items)[number]) => {
      const { model, what: profile } = item;
      const glb = await read(model);
      const { ending, bytes, others, facts, dropped } = await make(profile, glb);
      const path = `${stemOf(model, join(output, profile))}${ending}`;
      const contents = [...others].map(
        ([name, content]) => [join(dirname(path), name), content] as const,
      );
      const files = [...contents, [path, bytes] as const];
      for (const [name, content] of files) await replaceFile(name, content);
      const sum = files.reduce((total, [, content]) => total + content.length, 0);
      const where = { file: model.path, profile, output: path };
      const one = { ...where, bytesBefore: glb.length, bytes: sum, facts, dropped };
      made.set(item, one);
      return [lineOf(one)];
    };
    const making = profiles.length === 1 ? profiles[0]! : amount(profiles.length, 'profile');
    const failed = await eachItem(items, { making, atOnce, work }, args, io);
    const inOrder = items.flatMap((item) => made.get(item) ?? []);
    if (args.json) {
      const failures = failed.map(({ item: { model, what }, error: { code, message } }) => {
        return { file: model.path, profile: what, error: { code, message } };
      });
      io.printData(visibleJson(`${JSON.stringify([...inOrder, ...failures], null, 2)}\n`));
    } else io.printData(visibleLines([...summaryOf(inOrder, profiles, models.length, output), '']));
    return failed.length > 0 ? 1 : 0;
  });
}

/** Models are never overwritten. */
async function expectOthers(
  models: readonly ModelFile[],
  profiles: readonly string[],
  output: string,
): Promise<void> {
  const identities = new Map<string, string>();
  for (const { path } of models) identities.set((await statIfExists(path))?.identity ?? '', path);
  for (const model of models) {
    const stems = profiles.map((profile) => stemOf(model, join(output, profile)));
    for (const path of stems.flatMap((stem) => [`${stem}.glb`, `${stem}.gltf`])) {
      const input = identities.get((await statIfExists(path))?.identity ?? '-');
      if (input !== undefined)
        throw usageError(`--output: expected another folder: ${input} would be overwritten`);
    }
  }
}

/** Reads a model once for some uses, which follow one another, and keeps it no longer. */
function readOnce(uses: number) {
  const open = new Map<ModelFile, { content: Promise<Uint8Array>; remaining: number }>();
  return (model: ModelFile): Promise<Uint8Array> => {
    const known = open.get(model) ?? { content: readModel(model.path), remaining: uses };
    known.remaining--;
    if (known.remaining > 0) open.set(model, known);
    else open.delete(model);
    return known.content;
  };
}

function lineOf({ output, bytesBefore, bytes, facts, dropped }: Made): string {
  const { lost } = facts;
  const notes = [
    ...(dropped.length > 0 ? [`without ${dropped.join(', ')}`] : []),
    ...(lost === undefined ? [] : [String(lost)]),
  ];
  return [`${output}: ${size(bytesBefore)} → ${size(bytes)}`, ...notes].join('; ');
}

function summaryOf(
  made: readonly Made[],
  profiles: readonly string[],
  models: number,
  output: string,
): string[] {
  const rows = profiles.map((profile) => {
    const own = made.filter((one) => one.profile === profile);
    const before = own.reduce((sum, { bytesBefore }) => sum + bytesBefore, 0);
    const after = own.reduce((sum, { bytes }) => sum + bytes, 0);
    const missing = models - own.length;
    const failed = missing > 0 ? `, ${integer(missing)} failed` : '';
    const sizes = `${size(before)} → ${size(after)} (${Math.round((100 * after) / before)} %)`;
    const counted = `${amount(own.length, 'file')}${failed}`;
    return [profile, own.length > 0 ? `${counted}, ${sizes}` : counted] as const;
  });
  return [
    '',
    `${amount(models, 'model')}; the new files are in the folder ${output}`,
    ...columns(rows),
  ];
}
