/**
 * Reads the surface that users see without a run: commands with their options, exports of the
 * library, keys of the pipeline file and of the report, error codes and exit codes.
 */
import { readFile } from 'node:fs/promises';
import { runProgram } from './runs.mjs';

const fromRoot = (path) => new URL(`../../${path}`, import.meta.url);

/** The record of everything that needs no run. */
export async function recordSurface() {
  const library = await import(fromRoot('dist/index.js').href);
  return {
    ...(await commandLine()),
    exports: {
      values: Object.keys(library).sort(),
      types: await exportedTypes(new Set(Object.keys(library))),
    },
    errorCodes: errorCodes(library),
    pipelineSchema: schemaPaths(await readJson('pipelines/schema.json')),
    reportSchema: schemaPaths(await readJson('pipelines/report.schema.json')),
  };
}

async function readJson(path) {
  return JSON.parse(await readFile(fromRoot(path), 'utf8'));
}

/** Commands, options, environment variables and exit codes, as the help lists them. */
async function commandLine() {
  const stdout = await helpOf();
  const names = (text) => text.split('\n').flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
  const section = (title) => {
    const lines = new RegExp(`^${title}:?\\n((?: .*\\n)+)`, 'm').exec(stdout)?.[1];
    if (lines === undefined) throw new Error(`--help has no section "${title}"`);
    return names(lines);
  };
  // The groups of commands are at the beginning, before the first sentence.
  const commands = names(stdout.slice(0, stdout.indexOf('\nRun btg2gltf COMMAND')));
  const options = {};
  for (const command of commands.sort()) options[command] = optionsOf(await helpOf(command));
  return {
    options,
    environment: section('Environment variables').sort(),
    exitCodes: section('Exit codes'),
  };
}

async function helpOf(...command) {
  const { exit, stdout } = await runProgram([...command, '--help']);
  if (exit !== 0) throw new Error(`${command} --help: exit code ${exit}`);
  return stdout;
}

/** Every option as a line: name, alias, type, choices and default; descriptions are left out. */
function optionsOf(help) {
  const groups = [...help.matchAll(/^Options.*:\n((?: .*\n)+)/gm)].map(([, lines]) => lines);
  const entries = [];
  for (const line of groups.join('').trimEnd().split('\n')) {
    if (/^ {2,6}(?:-\w, )?--/.test(line)) entries.push(line);
    else entries.push(`${entries.pop()} ${line.trim()}`);
  }
  return entries.map(optionLine).sort();
}

function optionLine(entry) {
  const [, alias, name] = /^\s+(?:-(\w), )?--([\w-]+)/.exec(entry);
  const type = /\[(string|number|boolean|array|count)\]/.exec(entry)?.[1];
  const required = /\[required\]/.test(entry) ? ['required'] : [];
  const listed = /\[choices: ([^\]]*)\]/.exec(entry)?.[1].replaceAll(/["\s]/g, '').split(',');
  const stated = /: (\S+(?: or \S+)+)\s*(?:\[|$)/.exec(entry)?.[1].split(' or ');
  const choices = listed ?? stated;
  // A default of several words is a description.
  const standard = /\[default: "?([^\]\s"]+)"?\]/.exec(entry)?.[1];
  return [
    `--${name}`,
    ...(alias === undefined ? [] : [`-${alias}`]),
    `[${type}]`,
    ...required,
    ...(choices === undefined ? [] : [`choices=${choices.join('|')}`]),
    ...(standard === undefined ? [] : [`default=${standard}`]),
  ].join(' ');
}

/** Names in the export lists of `dist/index.d.ts` that are no values. */
async function exportedTypes(values) {
  const text = await readFile(fromRoot('dist/index.d.ts'), 'utf8');
  if (/export\s*\*/.test(text))
    throw new Error('src/index.ts: export * hides the names; list them');
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].map((match) => match[1]);
  const listed = lists.flatMap((list) =>
    list.split(',').map((item) => item.trim().replace(/^(?:type |.* as )+/, '')),
  );
  const declared = [...text.matchAll(/export (?:declare )?(?:type|interface) (\w+)/g)];
  const names = [...listed, ...declared.map((match) => match[1])];
  return [...new Set(names)].filter((name) => name !== '' && !values.has(name)).sort();
}

/** Every error code with its exit code, from the exported table that has them, whatever its name. */
function errorCodes(library) {
  const table = Object.values(library).find(
    (value) =>
      value && Object.hasOwn(value, 'PIPELINE_INVALID') && Object.hasOwn(value, 'INTERNAL'),
  );
  if (table === undefined) throw new Error('dist/index.js exports no table of error codes');
  const rows = Object.entries(table).map(([code, { exit }]) => [code, exit]);
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Every property path of a JSON schema with all that restricts its value; descriptions are left out. */
function schemaPaths(schema) {
  const paths = new Map();
  const add = (path, facts) => {
    const known = paths.get(path) ?? new Set();
    paths.set(path, known.add(facts));
  };
  const visit = (node, path, seen) => {
    if (typeof node !== 'object' || node === null) return;
    if (typeof node.$ref === 'string') {
      if (seen.includes(node.$ref)) return add(path, `recursive ${node.$ref}`);
      const target = node.$ref.replace(/^#\/?/, '').split('/').filter(Boolean);
      const found = target.reduce((value, key) => value?.[key], schema);
      return visit(found, path, [...seen, node.$ref]);
    }
    add(path, factsOf(node));
    for (const [key, value] of Object.entries(node.properties ?? {})) {
      visit(value, path === '' ? key : `${path}.${key}`, seen);
    }
    for (const [key, value] of Object.entries(node.patternProperties ?? {})) {
      visit(value, `${path}./${key}/`, seen);
    }
    visit(node.additionalProperties, `${path}.*`, seen);
    const { items, prefixItems = [], anyOf = [], oneOf = [], allOf = [] } = node;
    for (const part of [items, ...prefixItems]) visit(part, `${path}[]`, seen);
    for (const part of [...anyOf, ...oneOf, ...allOf]) visit(part, path, seen);
  };
  visit(schema, '', []);
  const sorted = [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([path, facts]) => [
      path || '(root)',
      [...facts].filter(Boolean).sort().join(' | '),
    ]),
  );
}

const STRUCTURE = [
  ...['$schema', '$id', '$defs', 'title', 'description', 'examples'],
  ...['properties', 'patternProperties', 'propertyNames', 'items', 'prefixItems'],
  ...['anyOf', 'oneOf', 'allOf'],
];

function factsOf(node) {
  return Object.entries(node)
    .filter(([key]) => !STRUCTURE.includes(key))
    .filter(([key, value]) => key !== 'additionalProperties' || typeof value !== 'object')
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join(' ');
}
