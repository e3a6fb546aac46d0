/** Rules on imports between the folders of `src`: each breach is one sentence (file, problem, action). */
import { isBuiltin } from 'node:module';
import {
  type ImportLine,
  importsIn,
  importsOf,
  matchesIn,
  type SourceFile,
} from './source-tree.ts';

/**
 * The wings, bottom to top, and their rooms, bottom to top: a file imports from its own room and from what is below it.
 * The files of a wing that lie in no room are above all of its rooms.
 */
const WINGS = {
  model: [],
  support: [],
  convert: ['model', 'math', 'kernels', 'wire', 'transform', 'write'],
  source: ['service', 'cache', 'fetch'],
  emulator: ['sample'],
  run: [
    ...['file', 'lists', 'report', 'output', 'open', 'conversions', 'articles', 'publishing'],
    ...['processor', 'failures'],
  ],
  deliver: [
    ...['making', 'pictures', 'swatches', 'usd', 'profiles', 'models', 'variants', 'embed'],
    ...['gallery', 'inspection', 'feeds'],
  ],
  survey: ['articles', 'readings', 'indications', 'pictures', 'page'],
  distribute: ['store', 'queue'],
  web: [
    ...['planning/state', 'planning/parts', 'planning/panel', 'planning/stage', 'planning'],
    ...['servers', 'assets', 'migrate'],
  ],
  cli: [],
} as const satisfies Record<string, readonly string[]>;
const NAMES = Object.keys(WINGS) as (keyof typeof WINGS)[];
/** Beside the wings: where they meet. A command may import it, too. */
const WIRING = 'src/wiring.ts';

/** Folders that may import less than all below them. */
const NARROWER: { from: RegExp; to: RegExp; may: RegExp; why: string }[] = [
  {
    from: /^src\/emulator\//,
    to: /^src\//,
    may: /^src\/(model|support|emulator)\//,
    why: 'the emulator is a second, independent reading of the specification: model and support only',
  },
  {
    from: /^src\/convert\/(wire|write)\//,
    to: /^src\/convert\//,
    may: /^src\/convert\/(model|kernels|wire|write)\//,
    why: 'a decoder and a writer know nothing of the transformation',
  },
  {
    from: /^src\/web\/planning\//,
    to: /^src\//,
    may: /^src\/(web\/planning|model|convert|support)\/|^src\/source\/service\/(calls|target)\.ts$|^src\/source\/fetch\/(requests|resolve-article)\.ts$|^src\/deliver\/(usd\/usdz|pictures\/camera|pictures\/page\/(model-stage|studio-texture|elements))\.ts$/,
    why: 'the planning page runs in a browser: only pure folders',
  },
];

/** Files that also run in a browser: no Node, no package. */
const PURE =
  /^src\/(model|convert)\/|^src\/deliver\/usd\/(usd-|usdz\.|stored-zip)|^src\/deliver\/embed\/(decoders|snippet)\./;

/** Test helpers that compute the expected result independently, and the code that they check. */
const EVALUATORS = /^test\/helpers\/.*(evaluat|glb-reader|reference|oracle|truth|judge|ideal)/;
const JUDGED = /^src\/(?!model\/|support\/)/;

/** Wing and room of a file of `src`; of a file beside the wings neither. A room may have rooms of its own. */
function placeOf(path: string): { wing?: string | undefined; room?: string | undefined } {
  const [wing, ...below] = path.split('/').slice(1, -1);
  const rooms: readonly string[] = WINGS[wing as keyof typeof WINGS] ?? [];
  const [outer, inner] = [below[0], below.slice(0, 2).join('/')];
  return { wing, room: rooms.includes(inner) ? inner : outer };
}

/** Higher numbers are above lower ones. */
function heightOf(path: string): [wing: number, room: number] {
  if (path === WIRING) return [NAMES.indexOf('cli'), -1];
  const { wing, room } = placeOf(path);
  if (wing === undefined) return [NAMES.length, 0];
  const rooms: readonly string[] = WINGS[wing as keyof typeof WINGS] ?? [];
  return [NAMES.indexOf(wing as keyof typeof WINGS), room ? rooms.indexOf(room) : rooms.length];
}

const code = (files: SourceFile[], folder = 'src/') =>
  files.filter((f) => f.path.startsWith(folder) && /\.tsx?$/.test(f.path));

/** Every folder of `src` is in {@link WINGS}. */
export function unknownFolders(files: SourceFile[]): string[] {
  return code(files).flatMap(({ path }) => {
    const { wing, room } = placeOf(path);
    if (wing === undefined) return [];
    const rooms: readonly string[] | undefined = WINGS[wing as keyof typeof WINGS];
    const isKnown = rooms && (rooms.length === 0 || room === undefined || rooms.includes(room));
    if (isKnown) return [];
    const folder = rooms ? `${wing}/${room}` : wing;
    const todo = 'move the file, or add the folder to WINGS of import-rules.ts and to its README';
    return [`${path}: src/${folder} is not a known folder; ${todo}`];
  });
}

/** Imports go to lower wings only, and within a wing to lower rooms; those of types, too. */
export function upwardImports(files: SourceFile[]): string[] {
  return eachLocalImport(files, (path, target) => {
    const [from, to] = [heightOf(path), heightOf(target)];
    if (to[0] < from[0] || (to[0] === from[0] && to[1] <= from[1])) return undefined;
    const [a, b] = [placeOf(path), placeOf(target)];
    const isWing = a.wing !== b.wing;
    const how = isWing ? `${b.wing ?? 'index'} is above ${a.wing}` : `${b.room} is above ${a.room}`;
    return `${how}; declare an interface where it is used, or pass the value as a parameter`;
  });
}

/** Other wings import only the files that the README of a wing names as public; each of those is needed. */
export function privateImports(files: SourceFile[]): string[] {
  const readmes = new Map(
    files
      .filter(({ path }) => /^src\/[^/]+\/README\.md$/.test(path))
      .map(({ path, text }) => [path.split('/')[1]!, text.split('## Public files')[1] ?? '']),
  );
  const listed = new Set(
    [...readmes].flatMap(([wing, text]) =>
      Array.from(text.matchAll(/`([\w./-]+)`/g), ([, name]) => `src/${wing}/${name}`),
    ),
  );
  const used = new Set<string>();
  const breaches = eachLocalImport(files, (path, target) => {
    const { wing } = placeOf(target);
    if (wing === undefined || wing === placeOf(path).wing) return undefined;
    used.add(target);
    if (listed.has(target) || /^\s*Every file\./.test(readmes.get(wing) ?? '')) return undefined;
    return `it is not public; use a public file of src/${wing}, or add it to src/${wing}/README.md`;
  });
  const unused = [...listed].filter((path) => !used.has(path));
  return [...breaches, ...unused.map((path) => `${path} is public, but no other wing imports it`)];
}

/** Some folders may import less than all that is below them. */
export function forbiddenImports(files: SourceFile[]): string[] {
  return eachLocalImport(files, (from, target) => {
    const rule = NARROWER.find(
      (r) => r.from.test(from) && r.to.test(target) && !r.may.test(target),
    );
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

/** Imports, lazy ones and those of types included, form no cycle. */
export function cycles(files: SourceFile[]): string[] {
  const graph = graphOf(files, true);
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
  const graph = graphOf(files);
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
  return line.specifier === 'lru-cache' || (line.specifier === 'zod' && /\/wire\//.test(file.path));
}

function eachLocalImport(
  files: SourceFile[],
  judge: (path: string, target: string) => string | undefined,
): string[] {
  return importsIn(code(files)).flatMap(({ file, where, target }) => {
    if (target === undefined) return [];
    const breach = target.startsWith('src/')
      ? judge(file.path, target)
      : 'src may import only from src; move the file into src';
    return breach === undefined ? [] : `${where} imports ${target}: ${breach}`;
  });
}

/** What each file imports. @param types - Whether imports that are gone after compilation count. */
function graphOf(files: SourceFile[], types = false): Map<string, string[]> {
  return new Map(
    code(files).map((file) => [
      file.path,
      importsOf(file).flatMap((i) =>
        (i.typeOnly && !types) || i.target === undefined ? [] : [i.target],
      ),
    ]),
  );
}
