/**
 * Counts files, lines, importers and exports of `src/` and compares them with their limits.
 *
 * The importers of a file are the files of `src/` outside the sample range that import or re-export
 * from it in any form, type-only and dynamic imports included; `src/index.ts` is no importer, and the
 * files that a table loads (see `TABLES`) are not single-importer files. An exported name counts once
 * per file that exports it, `src/index.ts` aside, and a function is a declaration, a method, or an
 * arrow function with a block body that has a name.
 *
 * Options: `--single`, `--folders`, `--check` (exit code 1 when a limit is exceeded).
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Not measured. */
const SAMPLE_RANGE = 'src/emulator/sample/';
const INDEX = 'src/index.ts';
const ENTRY_POINTS = [
  INDEX,
  'src/cli/main.ts',
  'src/cli/program.ts',
  'src/cli/conversion-process.ts',
  'src/cli/mesh-thread.ts',
  'src/cli/queue-thread.ts',
  'src/distribute/queue/queue-thread.ts',
  'src/run/conversions/mesh-thread.ts',
];
/** Files that a table of their folder loads: a single importer is what they are meant to have. */
const TABLES = [
  // The table of commands imports each of them dynamically.
  { folder: 'src/cli/', loads: (_, kind) => kind === 'dynamic' },
  // The emulator lists its route files. The series of the sample range are not measured at all.
  { folder: 'src/emulator/', loads: (path) => /\/routes[-/]/.test(path) },
];

const LIMITS = {
  files: 210,
  lines: 26_000,
  'single-importer files': 40,
  'exported names': 750,
  'longest file': 450,
};

const flag = { type: 'boolean' };
const { values: options } = parseArgs({ options: { single: flag, folders: flag, check: flag } });
const files = await readSources();
const importers = importersOf(files);
const single = singleImporterFiles();
if (options.folders) printFolders();
else if (options.single) printSingle();
else printFigures();

/** Reads and parses every measured file, by path from the root. */
async function readSources() {
  const names = (await readdir(join(ROOT, 'src'), { recursive: true })).sort();
  const read = new Map();
  for (const name of names) {
    const path = `src/${name.replaceAll('\\', '/')}`;
    if (!path.endsWith('.ts') || path.startsWith(SAMPLE_RANGE)) continue;
    const text = await readFile(join(ROOT, path), 'utf8');
    read.set(path, { path, ...factsOf(path, text) });
  }
  return read;
}

/** Lines, imports, exported names and function lengths of one file. */
function factsOf(path, text) {
  const imports = [];
  const exported = [];
  const lengths = [];
  const lineStarts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const lineOf = (offset) => lineStarts.findLastIndex((start) => start <= offset);
  const linesOf = (node) => lineOf(node.end - 1) - lineOf(node.start) + 1;
  const addImport = (source, kind) => {
    const specifier = source?.value;
    if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
    imports.push({ target: posix.join(posix.dirname(path), specifier), kind });
  };
  const visit = (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
        addImport(node.source, isTypeOnly(node) ? 'type' : 'value');
        break;
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
        addImport(node.source, isTypeOnly(node) ? 'type' : 'value');
        exported.push(...exportedNames(node));
        break;
      case 'ExportDefaultDeclaration':
        exported.push('default');
        break;
      case 'ImportExpression':
        addImport(node.source, 'dynamic');
        break;
      case 'TSImportType':
        addImport(node.source ?? node.argument?.literal, 'type');
        break;
      case 'FunctionDeclaration':
      case 'MethodDefinition':
        lengths.push(linesOf(node));
        break;
      case 'VariableDeclarator':
      case 'PropertyDefinition':
      case 'Property':
        if (isFunctionWithBody(node)) lengths.push(linesOf(node));
        break;
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') visit(child);
      }
    }
  };
  visit(parseAst(text, { lang: 'ts' }));
  return { lines: text.split('\n').length - 1, imports, exported: [...new Set(exported)], lengths };
}

function isTypeOnly({ type, importKind, exportKind, specifiers = [] }) {
  if (importKind === 'type' || exportKind === 'type') return true;
  const kind = type === 'ImportDeclaration' ? 'importKind' : 'exportKind';
  return specifiers.length > 0 && specifiers.every((specifier) => specifier[kind] === 'type');
}

function exportedNames({ type, declaration, specifiers = [] }) {
  if (type === 'ExportAllDeclaration') return [];
  const declared = declaration?.declarations ?? (declaration ? [declaration] : []);
  return [
    ...declared.flatMap(({ id }) => id?.name ?? []),
    ...specifiers.map((specifier) => specifier.exported.name),
  ];
}

function isFunctionWithBody({ type, init, value }) {
  const given = type === 'VariableDeclarator' ? init : value;
  const isFunction = ['ArrowFunctionExpression', 'FunctionExpression'].includes(given?.type);
  return isFunction && given.body?.type === 'BlockStatement';
}

/** By path: the files that import it, each with the way it does. */
function importersOf(sources) {
  const found = new Map([...sources.keys()].map((path) => [path, new Map()]));
  for (const { path, imports } of sources.values()) {
    if (path === INDEX) continue;
    for (const { target, kind } of imports) {
      const known = found.get(target);
      if (known === undefined || target === path) continue;
      if (known.get(path) !== 'value') known.set(path, kind);
    }
  }
  return found;
}

function singleImporterFiles() {
  return [...importers].flatMap(([path, by]) => {
    if (by.size !== 1 || ENTRY_POINTS.includes(path)) return [];
    const [importer, kind] = [...by][0];
    const inTable = TABLES.some(
      ({ folder, loads }) => path.startsWith(folder) && loads(path, kind),
    );
    return inTable ? [] : [{ path, importer, kind }];
  });
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function exportsIn(sources) {
  return sum(sources.map(({ path, exported }) => (path === INDEX ? 0 : exported.length)));
}

function printFigures() {
  const all = [...files.values()];
  const lengths = all.flatMap((file) => file.lengths).sort((a, b) => a - b);
  const longest = all.reduce((a, b) => (b.lines > a.lines ? b : a));
  const figures = {
    files: all.length,
    lines: sum(all.map(({ lines }) => lines)),
    'single-importer files': single.length,
    'exported names': exportsIn(all),
    'longest file': longest.lines,
    'function length, median': lengths[Math.floor(lengths.length / 2)],
    'function length, 90th percentile': lengths[Math.floor(lengths.length * 0.9)],
  };
  const rows = Object.entries(figures).map(([name, now]) => {
    const limit = LIMITS[name] ?? Number.POSITIVE_INFINITY;
    return [name, now, LIMITS[name] ?? '', now > limit ? 'exceeded' : ''];
  });
  printTable([['figure', 'now', 'limit', ''], ...rows]);
  console.log(`\nlongest file: ${longest.path}`);
  if (options.check && rows.some((row) => row[3] !== '')) process.exitCode = 1;
}

function printSingle() {
  printTable([
    ['file', 'lines', 'importer', ''],
    ...single.map(({ path, importer, kind }) => {
      return [path, files.get(path).lines, importer, kind === 'value' ? '' : kind];
    }),
  ]);
  console.log(`\n${single.length} files`);
}

function printFolders() {
  const folders = new Map();
  for (const file of files.values()) {
    const folder = posix.dirname(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  printTable([
    ['folder', 'files', 'lines', 'exports'],
    ...[...folders].sort().map(([folder, inside]) => {
      return [folder, inside.length, sum(inside.map(({ lines }) => lines)), exportsIn(inside)];
    }),
  ]);
}

function printTable(cells) {
  const rows = cells.map((row) => row.map(String));
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const isNumber = (i) => rows.slice(1).every((row) => /^[\d,]*$/.test(row[i]));
  for (const row of rows) {
    const cells = row.map((cell, i) =>
      isNumber(i) && i > 0 ? cell.padStart(widths[i]) : cell.padEnd(widths[i]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}
