/**
 * Compares what users see of the built program with `record.json`, and exits with 1 where it differs.
 * Use `--write` to write the record, `--keep DIR` to keep inputs and outputs for a closer look.
 *
 * Manifest and catalogue lines are hashed with the values of all keys named `message`, `help` and `done`
 * blanked, because these are sentences; codes, `status` and the digest `source` are part of the hash.
 * `renamed-exports.json` maps old to new names of exports; a rename that it lists is no difference.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keyPaths, recordRuns } from './runs.mjs';
import { recordSurface } from './surface.mjs';

const RECORD = fileURLToPath(new URL('record.json', import.meta.url));
const RENAMED = fileURLToPath(new URL('renamed-exports.json', import.meta.url));
const MOST_SHOWN = 20;
/** Sections that are unions over all runs. */
const KEY_UNIONS = ['manifestKeys', 'catalogueKeys', 'failureKeys', 'reportKeys', 'metrics'];

const { values: options } = parseArgs({
  options: { write: { type: 'boolean' }, keep: { type: 'string' } },
});
const folder = options.keep ? resolve(options.keep) : await mkdtemp(join(tmpdir(), 'behaviour-'));
await mkdir(folder, { recursive: true });
try {
  process.exitCode = await main();
} finally {
  if (!options.keep) await rm(folder, { recursive: true, force: true });
}

async function main() {
  const started = Date.now();
  const surface = await recordSurface();
  const { runs, skipped } = await recordRuns(folder);
  const keysOf = (name) => Object.values(runs).flatMap(({ keys }) => keys[name]);
  const now = {
    ...surface,
    manifestKeys: keyPaths(keysOf('manifest')),
    catalogueKeys: keyPaths(keysOf('catalogue')),
    failureKeys: keyPaths(keysOf('failures')),
    reportKeys: keyPaths(keysOf('report')),
    metrics: [...new Set(keysOf('metrics'))].sort(),
    runs: Object.fromEntries(Object.entries(runs).map(([name, { record }]) => [name, record])),
  };
  const seconds = Math.round((Date.now() - started) / 1000);
  for (const name of skipped) console.log(`skipped: ${name} (../shared/data is not there)`);
  if (options.write) {
    if (skipped.length > 0) {
      console.log('nothing written: the record would be incomplete');
      return 1;
    }
    await writeFile(RECORD, JSON.stringify(now));
    spawnSync('npx', ['--no-install', 'biome', 'format', '--write', RECORD], { stdio: 'inherit' });
    console.log(`written: test/behaviour/record.json (${seconds} s)`);
    return 0;
  }
  const before = JSON.parse(await readFile(RECORD, 'utf8'));
  for (const name of skipped) delete before.runs[name];
  // Their key paths are unions over all runs: without one, what is missing proves nothing.
  const incomplete = skipped.length > 0 ? KEY_UNIONS : [];
  rename(before.exports, JSON.parse(await readFile(RENAMED, 'utf8')));
  const differences = differencesOf(before, now).filter(
    (line) => !incomplete.some((key) => line.startsWith(`${key}: -`)),
  );
  for (const line of grouped(differences)) console.log(line);
  const total = `${differences.length} differences`;
  console.log(`${differences.length === 0 ? 'behaviour is unchanged' : total} (${seconds} s)`);
  return differences.length === 0 ? 0 : 1;
}

function rename(exported, renamed) {
  for (const kind of ['values', 'types']) {
    exported[kind] = [...new Set(exported[kind].map((name) => renamed[name] ?? name))].sort();
  }
}

/** One line per difference: path, what was recorded (`-`) and what is there now (`+`). */
function differencesOf(before, now, path = '') {
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  if (Array.isArray(before) && Array.isArray(now)) {
    const gone = before.filter((value) => !now.includes(value));
    const added = now.filter((value) => !before.includes(value));
    return [...gone.map((v) => `${path}: - ${v}`), ...added.map((v) => `${path}: + ${v}`)];
  }
  if (isObject(before) && isObject(now)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return keys.flatMap((key) =>
      differencesOf(before[key], now[key], path === '' ? key : `${path} › ${key}`),
    );
  }
  const text = (value) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return [`${path}: - ${text(before)} + ${text(now)}`];
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first lines of each section; a section is the text before the colon, without its last key. */
function grouped(lines) {
  const sections = new Map();
  for (const line of lines) {
    const path = line.slice(0, line.indexOf(': '));
    const section = path.includes(' › ') ? path.slice(0, path.lastIndexOf(' › ')) : path;
    sections.set(section, [...(sections.get(section) ?? []), line]);
  }
  return [...sections].flatMap(([section, all]) => {
    const more = all.length - MOST_SHOWN;
    return [...all.slice(0, MOST_SHOWN), ...(more > 0 ? [`${section}: … and ${more} more`] : [])];
  });
}
