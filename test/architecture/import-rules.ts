/** Rules on imports between the folders of `src`: each breach is one sentence (file, problem, action). */
import { isBuiltin } from 'node:module';
import {
  type ImportLine,
  importsIn,
  importsOf,
  matchesIn,
  type SourceFile,
} from './source-tree.ts';

/** The layers of folders, bottom to top; folders of one layer may not import one another. */
const LAYERS = [
  ['model'],
  ['support'],
  ['store'],
  ['math'],
  ['kernels'],
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

/** Folders that may import less than all lower layers. */
const NARROWER: { from: string; to: RegExp; may: RegExp; why: string }[] = [
  {
    from: 'transform',
    to: /^src\/service\//,
    may: /\/wire-[\w-]+\.ts$/,
    why: 'transform may import only the pure decoders wire-*.ts from service',
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
    may: /^src\/(model|support|sample)\/|^src\/math\/elementary\.ts$/,
    why: 'the emulator serves the sample range: model, support and elementary functions only',
  },
  {
    from: 'planning',
    to: /^src\//,
    may: /^src\/(planning|model|math|transform|support)\/|^src\/service\/(operations|target)\.ts$|^src\/fetch\/(image-location|requests|resolve-article)\.ts$|^src\/write\/(glb|scene-)|\/wire-[\w-]+\.ts$|^src\/deliver\/(usdz|camera|page\/(model-stage|studio-texture|elements))\.ts$/,
    why: 'the planning page runs in a browser: only pure folders',
  },
];

/** Files that also run in a browser: no Node, no package. */
const PURE =
  /^src\/(model|math|transform)\/|^src\/service\/wire-|^src\/write\/(glb|scene-)|^src\/deliver\/(usd-|usdz\.|stored-zip)/;

/** Test helpers that compute the expected result independently, and the code that they check. */
const EVALUATORS = /^test\/helpers\/.*(evaluat|glb-reader|reference|oracle|truth|judge|ideal)/;
const JUDGED = /^src\/(?!model\/|support\/)/;

/** The folder of a file of `src`, or `index`. */
function folderOf(path: string): string {
  const [, folder = '', below] = path.split('/');
  return below === undefined ? 'index' : folder;
}

function layerOf(folder: string): number {
  if (folder === 'index') return LAYERS.length;
  return LAYERS.findIndex((folders) => folders.includes(folder));
}

const code = (files: SourceFile[], folder = 'src/') =>
  files.filter((f) => f.path.startsWith(folder) && f.path.endsWith('.ts'));

/** Every folder of `src` is in {@link LAYERS}. */
export function unknownFolders(files: SourceFile[]): string[] {
  return code(files)
    .filter((file) => layerOf(folderOf(file.path)) < 0)
    .map(
      (file) =>
        `${file.path}: src/${folderOf(file.path)} is not a known folder; move the file, or add the folder to LAYERS of import-rules.ts and to src/ARCHITECTURE.md`,
    );
}

/** Imports go to lower layers only, and never from a stage to a stage. */
export function upwardImports(files: SourceFile[]): string[] {
  return eachLocalImport(files, (from, target) => {
    const to = folderOf(target);
    if (from === to || layerOf(to) < layerOf(from)) return undefined;
    const how =
      layerOf(to) === layerOf(from)
        ? 'a stage may not import another stage'
        : `${to} is above ${from}`;
    return `${how}; share a type in src/model, or pass the value as a parameter`;
  });
}

/** Some folders may import less than all lower layers. */
export function forbiddenImports(files: SourceFile[]): string[] {
  return eachLocalImport(files, (from, target) => {
    const rule = NARROWER.find((r) => r.from === from && r.to.test(target) && !r.may.test(target));
    return rule && `${rule.why}; pass the value as a parameter`;
  });
}

/** A helper that checks a result computes it without the code that made it. */
export function dependentEvaluators(files: SourceFile[]): string[] {
  return importsIn(code(files, 'test/helpers/'))
    .filter(({ file, target }) => EVALUATORS.test(file.path) && JUDGED.test(target ?? ''))
    .map(
      ({ where, target }) =>
        `${where} imports ${target}, which it checks; compute the expected result independently`,
    );
}

/** A unit test has the path of the file of `src` that it tests, perhaps with `-` and the aspect that it tests. */
export function unmirroredTests(files: SourceFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path }) => /^test\/unit\/.*\.test\.ts$/.test(path))
    .filter(({ path }) => {
      const words = path.replace('test/unit/', 'src/').replace('.test.ts', '').split('-');
      return !words.some((_, n) => paths.has(`${words.slice(0, n + 1).join('-')}.ts`));
    })
    .map(({ path }) => `${path} mirrors no file of src; rename it, or move it out of test/unit`);
}

/** Imports of values, lazy ones included, form no cycle. */
export function cycles(files: SourceFile[]): string[] {
  const graph = valueGraph(files);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) {
      const loop = [...trail.slice(trail.indexOf(path)), path];
      found.push(`${loop.join(' → ')}: a cycle; move what both need into a third file`);
    }
    if (done.has(path)) return;
    done.add(path);
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

/** Pure files, and all that they load, use neither Node nor a package (except lru-cache, and zod in wire-*.ts). */
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
  const imports = importsIn([file])
    .filter((i) => i.target === undefined && !allowedPackage(file, i))
    .map(
      ({ where, specifier }) =>
        `${where} imports ${specifier}${how}: pure files run in a browser too; pass it as a parameter`,
    );
  const globals = matchesIn([file], /\bBuffer\b|\bprocess\.|\brequire\(|\b__dirname\b/g).map(
    ({ where, match }) =>
      `${where} uses ${match[0]}${how}: pure files run in a browser too; use Uint8Array, or pass it as a parameter`,
  );
  return [...imports, ...globals];
}

function allowedPackage(file: SourceFile, line: ImportLine): boolean {
  if (isBuiltin(line.specifier)) return false;
  // Types are gone where the code runs.
  if (line.typeOnly && line.specifier.startsWith('@gltf-transform/')) return true;
  return line.specifier === 'lru-cache' || (line.specifier === 'zod' && /\/wire-/.test(file.path));
}

function eachLocalImport(
  files: SourceFile[],
  judge: (folder: string, target: string) => string | undefined,
): string[] {
  return importsIn(code(files)).flatMap(({ file, where, target }) => {
    if (target === undefined) return [];
    const breach = target.startsWith('src/')
      ? judge(folderOf(file.path), target)
      : 'src may import only from src; move the file into src';
    return breach === undefined ? [] : `${where} imports ${target}: ${breach}`;
  });
}

function valueGraph(files: SourceFile[]): Map<string, string[]> {
  return new Map(
    code(files).map((file) => [
      file.path,
      importsOf(file).flatMap((i) => (i.typeOnly || i.target === undefined ? [] : [i.target])),
    ]),
  );
}
