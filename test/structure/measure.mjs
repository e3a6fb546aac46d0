/**
 * Measures what makes `src/` hard to read, and compares it with limits: `--check` ends with exit code 1 where one is
 * exceeded, `--list` names what counts.
 *
 * A function is a declaration, a method, or an arrow function or function expression that has a name. A function with
 * inner functions is a closure that holds at least five of them with names: its state is theirs, and nothing says which
 * of them uses what. Imports are counted with those of types and lazy ones, as a reader meets them. The files beside the
 * wings are no wing: what they import is the public library.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'rolldown/parseAst';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LONG = 80;
const TOO_LONG = 100;
const MANY_INNER = 5;

/** What a reader follows, and the most that it may take: files and lines. */
const READERS = [
  {
    what: 'converting an article from bytes',
    from: ['convert/transform/transform-article.ts', 'convert/write/glb.ts'],
    most: [60, 9_000],
  },
  {
    what: 'converting an article of a service',
    from: ['run/single-article.ts'],
    most: [112, 18_730],
  },
  { what: 'a run', from: ['run/run.ts'], most: [168, 30_000] },
];
/** The most of each of the other figures: what there is now, and no more. */
const LIMITS = {
  'imports of a wing above': 0,
  'files in a cycle of imports': 0,
  'functions above 100 lines': 0,
  'functions above 80 lines': 0,
  'closures with five inner functions': 0,
  'ReturnType of a function of another file': 0,
  'exported names that another wing uses': 490,
};

const flag = { type: 'boolean' };
const { values: options } = parseArgs({ options: { check: flag, list: flag } });
/** From the highest to the lowest, as the picture of the wings has them. */
const WINGS = Array.from(
  (await readFile(join(ROOT, 'src/ARCHITECTURE.md'), 'utf8')).matchAll(/^ {2}(\w+) ─/gm),
  ([, name]) => name,
);
const files = await readSources();
const { figures, lists } = measured();
printFigures();

/** Reads and parses every file of the program, by path below `src/`. */
async function readSources() {
  const names = (await readdir(join(ROOT, 'src'), { recursive: true })).sort();
  const read = new Map();
  for (const name of names) {
    const path = name.replaceAll('\\', '/');
    if (!/\.tsx?$/.test(path) || /\.d\.ts$|^convert\/kernels\/assembly\//.test(path)) continue;
    const text = await readFile(join(ROOT, 'src', path), 'utf8');
    read.set(path, { path, text, lines: text.split('\n').length - 1, ...factsOf(path, text) });
  }
  return read;
}

function factsOf(path, text) {
  const imports = [];
  const functions = [];
  const lazyNames = new Map();
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const lineOf = (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  const addImport = (source, names) => {
    const specifier = source?.value;
    if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
    imports.push({ target: posix.join(posix.dirname(path), specifier), names });
  };
  const visit = (node, outer) => {
    let inside = outer;
    const name = nameOf(node);
    noteLazyNames(node, lazyNames);
    if (name !== undefined) {
      const from = lineOf(node.start);
      inside = { name, path, line: from, lines: lineOf(node.end - 1) - from + 1, inner: 0 };
      functions.push(inside);
      if (outer !== undefined) outer.inner++;
    }
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
        addImport(
          node.source,
          (node.specifiers ?? []).map(({ imported, local }) => (imported ?? local)?.name),
        );
        break;
      case 'ExportAllDeclaration':
        addImport(node.source, ['*']);
        break;
      case 'ImportExpression':
        addImport(node.source, lazyNames.get(node) ?? ['*']);
        break;
      case 'TSImportType':
        addImport(node.source ?? node.argument?.literal, ['*']);
        break;
    }
    for (const key in node) {
      const value = node[key];
      if (typeof value !== 'object' || value === null) continue;
      if (typeof value.type === 'string') visit(value, inside);
      else if (Array.isArray(value))
        for (const child of value) if (typeof child?.type === 'string') visit(child, inside);
    }
  };
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }), undefined);
  return { imports, functions };
}

/** Notes which names of a module `const { name } = await import(…)` and the like use; without a note it is all of them. */
function noteLazyNames(node, lazyNames) {
  const awaited = (one) => (one?.type === 'AwaitExpression' ? one.argument : undefined);
  const note = (loaded, names) => {
    if (loaded?.type === 'ImportExpression') lazyNames.set(loaded, names);
  };
  const keysOf = (pattern) =>
    pattern?.type === 'ObjectPattern'
      ? pattern.properties.map(({ key }) => key?.name ?? '*')
      : ['*'];
  switch (node.type) {
    case 'VariableDeclarator':
      note(awaited(node.init), keysOf(node.id));
      break;
    case 'MemberExpression':
      note(awaited(node.object), [node.property.name]);
      break;
    case 'CallExpression':
      if (node.callee?.property?.name === 'then')
        note(node.callee.object, keysOf(node.arguments[0]?.params?.[0]));
      break;
  }
}

/** The name of a function with a body; undefined for anything else. */
function nameOf(node) {
  switch (node.type) {
    case 'FunctionDeclaration':
      return node.id?.name ?? 'default';
    case 'MethodDefinition':
      return node.key?.name ?? 'method';
    case 'VariableDeclarator':
      return isFunction(node.init) ? node.id?.name : undefined;
    case 'PropertyDefinition':
    case 'Property':
      return isFunction(node.value) ? node.key?.name : undefined;
    default:
      return undefined;
  }
}

function isFunction(node) {
  return (
    ['ArrowFunctionExpression', 'FunctionExpression'].includes(node?.type) &&
    node.body?.type === 'BlockStatement'
  );
}

function measured() {
  const all = [...files.values()];
  const functions = all.flatMap((file) => file.functions);
  const above = (most) => functions.filter(({ lines }) => lines > most);
  const declared = new Set(
    all.flatMap(({ path, text }) =>
      Array.from(
        text.matchAll(/^export (?:async )?function\*? (\w+)/gm),
        ([, name]) => `${path} ${name}`,
      ),
    ),
  );
  const returnTypes = all.flatMap(({ path, text, imports }) => {
    const imported = new Set(imports.flatMap(({ names }) => names));
    const names = Array.from(text.matchAll(/ReturnType<\s*typeof (\w+)/g), ([, name]) => name);
    const isExported = (line) => /^export type|^\s+\w+\??: |^type /.test(line);
    return names
      .filter(
        (name) =>
          imported.has(name) || (declared.has(`${path} ${name}`) && isExported('export type')),
      )
      .map((name) => ({ path, name }));
  });
  const imports = all.flatMap(({ path, imports: own }) => own.map((one) => ({ path, ...one })));
  const between = imports.filter(({ path, target }) => {
    const [from, to] = [wingOf(path), wingOf(target)];
    return from !== to && from !== undefined && to !== undefined;
  });
  const crossing = new Set(
    between.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`)),
  );
  const isUpward = ({ path, target }) => heightOf(target) > heightOf(path);
  const lists = {
    'imports of a wing above': imports
      .filter(isUpward)
      .map(({ path, target }) => `${path} imports ${target}`),
    'files in a cycle of imports': all.map(({ path }) => path).filter(isInCycle),
    'functions above 100 lines': above(TOO_LONG),
    'functions above 80 lines': above(LONG),
    'closures with five inner functions': functions.filter(({ inner }) => inner >= MANY_INNER),
    'ReturnType of a function of another file': returnTypes,
    'exported names that another wing uses': [...crossing].sort(),
  };
  const figures = Object.entries(lists).map(([name, list]) => [name, list.length, LIMITS[name]]);
  for (const { what, from, most } of READERS) {
    const met = reached(from);
    const lines = [...met].reduce((sum, path) => sum + files.get(path).lines, 0);
    figures.push([`${what}: files`, met.size, most[0]], [`${what}: lines`, lines, most[1]]);
  }
  return { figures, lists };
}

/** `index`, a file beside the wings, has none. */
function wingOf(path) {
  return path.includes('/') ? path.split('/')[0] : undefined;
}

/** Files beside the wings are above all of them, but for `wiring.ts`, which `cli` imports. */
function heightOf(path) {
  if (path === 'wiring.ts') return -0.5;
  const wing = wingOf(path);
  return wing === undefined ? 1 : -WINGS.indexOf(wing);
}

function isInCycle(path) {
  const from = files.get(path).imports.map(({ target }) => target);
  return reached(from).has(path);
}

function reached(from) {
  const met = new Set();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (met.has(path) || !files.has(path)) continue;
    met.add(path);
    waiting.push(...files.get(path).imports.map(({ target }) => target));
  }
  return met;
}

function printFigures() {
  const all = [...files.values()];
  console.log(`files ${all.length}, lines ${all.reduce((sum, { lines }) => sum + lines, 0)}\n`);
  const width = Math.max(...figures.map(([name]) => name.length));
  for (const [name, now, most] of figures) {
    const mark = now > most ? '  exceeded' : '';
    console.log(`${name.padEnd(width)}  ${String(now).padStart(6)}  of ${most}${mark}`);
  }
  if (options.list)
    for (const [name, list] of Object.entries(lists)) {
      console.log(`\n${name}`);
      for (const one of list) console.log(`  ${typeof one === 'string' ? one : described(one)}`);
    }
  if (options.check && figures.some(([, now, most]) => now > most)) process.exitCode = 1;
}

function described({ path, name, line, lines, inner }) {
  const place = line === undefined ? path : `${path}:${line}`;
  return `${place} ${name}${lines ? `, ${lines} lines, ${inner} inner` : ''}`;
}
