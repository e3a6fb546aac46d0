/**
 * Runs pipelines with the built program and condenses what they leave behind: hashes of the GLBs, a
 * hash of each manifest and catalogue line, the number of requests, and the keys of all files.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist/cli/main.js');
const FURNITURE = join(ROOT, '../shared/data/cc0-furniture');

/** Keys whose values are sentences; `done` says in words what became of a lost value. */
const SENTENCES = new Set(['message', 'help', 'done']);
const ARTICLES_PER_GROUP = 100;

/** Options of each group of generated articles. The first one fails articles with missing blocks. */
const GENERATED_GROUPS = [
  {},
  { allowMissingParts: true },
  { allowMissingParts: true, winding: 'keep', textureTransform: 'bake', unusedUvs: 'drop' },
  { allowMissingParts: true, tangents: 'mikktspace', keepSourceExtras: true, tintTextures: true },
  {
    allowMissingParts: true,
    winding: 'flip',
    creaseAngleDegrees: 30,
    preferStoredUvs: false,
    textureRotation: 'clockwise',
    luminanceDivisor: 40,
    glassTint: 'exact',
    dropLayers: ['D2*'],
    overrides: { '*': { scaleu: 3, scalev: 2, rot: 33 } },
  },
];

/** The SHA-256 of a text or of bytes, in hexadecimal digits. */
function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

/** Runs the built program to its end without any environment variable of this process. */
export function runProgram(words) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: ROOT,
    // Pictures of every article take a minute.
    env: { PATH: process.env.PATH, BTG2GLTF_BROWSER: 'none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      texts[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit, ...texts }));
  });
}

/**
 * Runs all pipelines, each of them twice.
 *
 * @param {string} folder - An empty folder for inputs and outputs.
 * @returns The record of each pipeline by name, and the names of those that were skipped.
 */
export async function recordRuns(folder) {
  const recordings = GENERATED_GROUPS.map((_, i) => join(folder, `generated-recording-${i}`));
  await writeGenerated(recordings);
  const jobs = [{ name: 'sample', pipeline: join(ROOT, 'pipelines/demo.yaml') }];
  const add = async (name, recording, content) => {
    const file = await writePipeline(folder, name, { service: { recording }, ...content });
    jobs.push({ name, pipeline: file });
  };
  const skipped = existsSync(FURNITURE) ? [] : ['cc0-furniture'];
  if (skipped.length === 0) {
    await add('cc0-furniture', FURNITURE, { articles: await furnitureArticles() });
  }
  for (const [i, convert] of GENERATED_GROUPS.entries()) {
    await add(`generated-${i}`, recordings[i], { articles: [{ catalogue: {} }], convert });
  }
  const results = new Map();
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      results.set(job.name, await recordPipeline(folder, job));
    }
  };
  await Promise.all([work(), work()]);
  const runs = Object.fromEntries(jobs.map(({ name }) => [name, results.get(name)]));
  return { runs, skipped };
}

/** The generator is TypeScript, which Node 20 does not run. */
async function writeGenerated(recordings) {
  const server = await createViteServer({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const module = await server.ssrLoadModule('/test/behaviour/generated-recording.ts');
    await module.writeGeneratedRecordings(recordings, ARTICLES_PER_GROUP);
  } finally {
    await server.close();
  }
}

/** Every configuration that the recording lists. */
async function furnitureArticles() {
  const truth = JSON.parse(await readFile(join(FURNITURE, 'truth.json'), 'utf8'));
  return truth.articles.flatMap(({ program, basearticlenumber, configurations }) =>
    configurations.map(({ finalarticlenumber, reinitstring, metareinitstring }) => {
      const ids = { manufacturer: 'SH3D', program, basearticlenumber };
      return { article: { ...ids, finalarticlenumber, reinitstring, metareinitstring } };
    }),
  );
}

async function writePipeline(folder, name, content) {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, JSON.stringify({ name, ...content, output: { dir: `${name}/out` } }));
  return file;
}

/** Two runs of a pipeline, one after the other: the second finds everything unchanged. */
async function recordPipeline(folder, { name, pipeline }) {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  const out = join(home, 'out');
  const metrics = join(home, 'metrics.prom');
  const words = ['run', pipeline, '--output', out, '--cache', join(home, 'cache')];
  const record = {};
  const keys = { manifest: [], catalogue: [], report: [], failures: [], metrics: [] };
  for (const which of ['firstRun', 'secondRun']) {
    const { exit, stdout, stderr } = await runProgram([...words, '--metrics-file', metrics]);
    const runs = existsSync(join(out, 'runs')) ? (await readdir(join(out, 'runs'))).sort() : [];
    if (runs.length === 0) throw new Error(`${name}: no report\n${stdout}${stderr}`);
    const runDir = join(out, 'runs', runs.at(-1));
    const manifest = await readLines(join(out, 'manifest.jsonl'));
    const catalogue = await readLines(join(out, 'catalogue.jsonl'));
    const failures = await readLines(join(runDir, 'failures.jsonl'));
    const report = JSON.parse(await readFile(join(runDir, 'report.json'), 'utf8'));
    const series = seriesOf(await readFile(metrics, 'utf8'));
    const found = { manifest, catalogue, failures, report: [report], metrics: series };
    for (const [name, values] of Object.entries(found)) keys[name].push(...values);
    const files = (await readdir(out, { recursive: true })).filter((f) => f.endsWith('.glb'));
    const { ended, published, configurations, geometry, warnings, losses } = report;
    record[which] = {
      ...{ exit, ended, published, configurations, geometry, warnings, losses },
      requests: countsOf(report.requests),
      status: tally(manifest.map((line) => line.status)),
      links: hashOfList(files.filter((f) => !f.startsWith('objects'))),
      manifest: columnsOf(manifest),
      catalogue: columnsOf(catalogue),
    };
    if (which === 'firstRun') {
      record.objects = await objectsOf(join(out, 'objects'));
      record.lines = linesOf(manifest, catalogue);
    }
  }
  return { record, keys };
}

async function readLines(file) {
  const text = existsSync(file) ? await readFile(file, 'utf8') : '';
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => blank(JSON.parse(line)));
}

/** The same value with every sentence left out. */
function blank(value) {
  if (Array.isArray(value)) return value.map(blank);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [key, SENTENCES.has(key) ? '' : blank(v)]),
  );
}

/** Without the bytes received: the emulator's own sentences are among them. */
function countsOf({ bytesReceived, ...counts }) {
  return counts;
}

function tally(values) {
  const counts = {};
  for (const value of [...values].sort()) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** One hash per key over all lines: a difference names the key. */
function columnsOf(lines) {
  const names = [...new Set(lines.flatMap((line) => Object.keys(line)))].sort();
  const hashOf = (of) => sha256(JSON.stringify(lines.map(of))).slice(0, 16);
  const columns = names.map((name) => [name, hashOf((line) => line[name])]);
  return { lines: lines.length, order: hashOf(Object.keys), ...Object.fromEntries(columns) };
}

async function objectsOf(folder) {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const hashes = [];
  for (const name of names) hashes.push(`${name} ${sha256(await readFile(join(folder, name)))}`);
  return hashOfList(hashes);
}

/** Count and hash: which object differs is seen in the line of its configuration. */
function hashOfList(list) {
  return { count: list.length, sha256: sha256([...list].sort().join('\n')) };
}

/** By configuration: what became of it, the hash of its GLB, of its manifest and catalogue line. */
function linesOf(manifest, catalogue) {
  const entries = {};
  const short = (line) => (line ? sha256(JSON.stringify(line)).slice(0, 12) : 'none');
  const identity = (line) => JSON.stringify(IDENTITY.map((key) => line[key]));
  const byIdentity = new Map(catalogue.map((line) => [identity(line), line]));
  for (const line of manifest) {
    const name = `${line.program}/${line.finalarticlenumber || line.basearticlenumber}`;
    let key = name;
    for (let n = 2; key in entries; n++) key = `${name} #${n}`;
    const object = line.sha256 ?? line.error?.code ?? 'none';
    entries[key] =
      `${line.status} ${object} ${short(line)} ${short(byIdentity.get(identity(line)))}`;
  }
  return entries;
}

const IDENTITY = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'finalarticlenumber',
  'reinitstring',
  'metareinitstring',
];

/** Names of metrics with their types and labels, without the name of the pipeline. */
function seriesOf(text) {
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('# TYPE ')) return [line.slice('# TYPE '.length)];
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) return [];
    return [`${name}{${labels.replace(/pipeline="[^"]*"/, 'pipeline')}}`];
  });
}

/** Every path of keys that occurs in values, with `[]` for the elements of a list. */
export function keyPaths(values) {
  const paths = new Set();
  const visit = (value, path) => {
    if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, below] of Object.entries(value)) {
        const to = path === '' ? key : `${path}.${key}`;
        paths.add(to);
        visit(below, to);
      }
    }
  };
  for (const value of values) visit(value, '');
  return [...paths].sort();
}
