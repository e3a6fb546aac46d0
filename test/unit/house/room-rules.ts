/**
 * Rules about imports: which room may know which.
 *
 * In: the files of `src` and `test`. Out: one sentence for each breach (file, what, what to do).
 */
import { isBuiltin } from 'node:module';
import { type ImportLine, importsOf, lineOf, type SourceFile } from './source-tree.ts';

/** The rooms, bottom to top; rooms of one line may not know one another. */
export const ROOMS = [
  ['model'],
  ['support'],
  ['math'],
  ['service'],
  ['cache'],
  ['fetch', 'transform', 'write', 'deliver'],
  ['execute'],
  ['report'],
  ['pipeline'],
  ['sample'],
  ['emulator'],
  ['gateway'],
  ['planning'],
  ['cli'],
];

/** Rooms that may take less from below than their height allows. */
const NARROWER: { from: string; to: RegExp; may: RegExp; why: string }[] = [
  {
    from: 'transform',
    to: /^src\/service\//,
    may: /\/wire-[\w-]+\.ts$/,
    why: 'transform takes the pure decoders wire-*.ts alone from service',
  },
  {
    from: 'emulator',
    to: /^src\//,
    may: /^src\/(model|support|sample|emulator)\//,
    why: 'the emulator is a second, independent reading of the specification: model, support and sample only',
  },
  {
    from: 'sample',
    to: /^src\//,
    may: /^src\/(model|support|sample)\//,
    why: 'the emulator serves the sample range: model and support only',
  },
  {
    from: 'planning',
    to: /^src\//,
    may: /^src\/(planning|model|math|transform|support)\/|^src\/write\/(glb|scene-)|\/wire-[\w-]+\.ts$/,
    why: 'the planning page runs in a browser: only the pure rooms',
  },
];

/** Files that run in a browser as well: no Node, no package. */
const PURE = /^src\/(model|math|transform)\/|^src\/service\/wire-|^src\/write\/(glb|scene-)/;

/** Helpers that work out the right answer on their own, and what they would otherwise judge. */
const EVALUATORS = /^test\/helpers\/.*(evaluat|glb-reader|reference|oracle|truth|judge|ideal)/;
const JUDGED = /^src\/(?!model\/|support\/)/;

/** The room of a file of `src`: its folder, or `index`. */
export function roomOf(path: string): string {
  const [, room = '', below] = path.split('/');
  return below === undefined ? 'index' : room;
}

function height(room: string): number {
  if (room === 'index') return ROOMS.length;
  return ROOMS.findIndex((line) => line.includes(room));
}

const code = (files: SourceFile[], folder = 'src/') =>
  files.filter((f) => f.path.startsWith(folder) && f.path.endsWith('.ts'));

const at = (file: SourceFile, line: number) => `${file.path}:${line}`;

/** Every folder of `src` is a room that has its place in {@link ROOMS}. */
export function unknownRooms(files: SourceFile[]): string[] {
  return code(files)
    .filter((file) => height(roomOf(file.path)) < 0)
    .map(
      (file) =>
        `${file.path}: src/${roomOf(file.path)} is no room; move the file to one, or give it its place in ROOMS of room-rules.ts and in src/ARCHITECTURE.md`,
    );
}

/** Imports run downwards, and never from a stage to a stage. */
export function upwardImports(files: SourceFile[]): string[] {
  return eachLocalImport(files, (file, target, line) => {
    const [from, to] = [roomOf(file.path), roomOf(target)];
    if (from === to || height(to) < height(from)) return undefined;
    const how =
      height(to) === height(from) ? 'a stage may not know another' : `${to} lies above ${from}`;
    return `${at(file, line)} imports ${target}: ${how}; share through src/model, or hand the value in`;
  });
}

/** Some rooms take less from below than others. */
export function forbiddenNeighbours(files: SourceFile[]): string[] {
  return eachLocalImport(files, (file, target, line) => {
    const rule = NARROWER.find(
      (r) => r.from === roomOf(file.path) && r.to.test(target) && !r.may.test(target),
    );
    return rule && `${at(file, line)} imports ${target}: ${rule.why}; hand the value in instead`;
  });
}

/** A helper that judges a result works it out without the code that made it. */
export function partialJudges(files: SourceFile[]): string[] {
  return code(files, 'test/helpers/')
    .filter((file) => EVALUATORS.test(file.path))
    .flatMap((file) =>
      importsOf(file)
        .filter((i) => i.target !== undefined && JUDGED.test(i.target))
        .map(
          (i) =>
            `${at(file, i.line)} imports ${i.target}, which it judges; work the answer out here anew`,
        ),
    );
}

/** Value imports, lazy ones included, form no cycle. */
export function cycles(files: SourceFile[]): string[] {
  const graph = valueGraph(files);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) {
      const loop = [...trail.slice(trail.indexOf(path)), path];
      found.push(`${loop.join(' → ')}: a cycle; move what both need into a third file below them`);
    }
    if (done.has(path)) return;
    done.add(path);
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

/** Pure files, and all that they load, use neither Node nor a package (zod in wire-*.ts excepted). */
export function impurities(files: SourceFile[]): string[] {
  const graph = valueGraph(files);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const pure = code(files).filter((file) => PURE.test(file.path));
  const reached = new Map<string, string>();
  const visit = (path: string, via: string) => {
    if (reached.has(path)) return;
    reached.set(path, via);
    for (const next of graph.get(path) ?? []) visit(next, path);
  };
  for (const file of pure) visit(file.path, '');
  return [...reached].flatMap(([path, via]) => {
    const file = byPath.get(path);
    const how = via === '' || PURE.test(path) ? '' : ` (loaded by ${via})`;
    return file ? impuritiesOf(file, how) : [];
  });
}

function impuritiesOf(file: SourceFile, how: string): string[] {
  const imports = importsOf(file)
    .filter((i) => i.target === undefined && !allowedPackage(file, i))
    .map(
      (i) =>
        `${at(file, i.line)} imports ${i.specifier}${how}: pure files run in a browser too; hand it in as a parameter`,
    );
  const globals = [...file.bare.matchAll(/\bBuffer\b|\bprocess\.|\brequire\(|\b__dirname\b/g)].map(
    (m) =>
      `${at(file, lineOf(file.text, m.index))} uses ${m[0]}${how}: pure files run in a browser too; use Uint8Array, or hand it in`,
  );
  return [...imports, ...globals];
}

function allowedPackage(file: SourceFile, line: ImportLine): boolean {
  return !isBuiltin(line.specifier) && line.specifier === 'zod' && /\/wire-/.test(file.path);
}

function eachLocalImport(
  files: SourceFile[],
  judge: (file: SourceFile, target: string, line: number) => string | undefined,
): string[] {
  return code(files).flatMap((file) =>
    importsOf(file).flatMap((i) => {
      if (i.target === undefined) return [];
      if (!i.target.startsWith('src/')) {
        return [
          `${at(file, i.line)} imports ${i.target}: src knows nothing outside src; move it in`,
        ];
      }
      return judge(file, i.target, i.line) ?? [];
    }),
  );
}

function valueGraph(files: SourceFile[]): Map<string, string[]> {
  return new Map(
    code(files).map((file) => [
      file.path,
      importsOf(file).flatMap((i) => (i.typeOnly || i.target === undefined ? [] : [i.target])),
    ]),
  );
}
