/** `btg2gltf doctor`: checks what a run needs, prints a line for each check, and suggests what to do. */

import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkBrowser } from '../deliver/pictures/browser.ts';
import { loadPipeline } from '../deliver/pipeline.ts';
import { sectionOf } from '../deliver/section.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import { readArticleList } from '../run/articles/source-files.ts';
import { ENVIRONMENT, type Environment, readCredentials } from '../run/file/environment.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { describeService, openService } from '../run/open/connect.ts';
import { MANIFEST_FILE } from '../run/output/manifest.ts';
import { amount, duration, size, wrapped } from '../run/report/text.ts';
import { asConverterError, ConverterError, ERROR_CODES, endsRun } from '../support/errors.ts';
import { exists, readText, removeFile, replaceFile } from '../support/files.ts';
import { freeBytes } from '../support/folders.ts';
import { linkOrCopy } from '../support/links.ts';
import { nearestName } from '../support/nearest.ts';
import { type Arguments, type Command, type Io, textOf, usageError } from './command.ts';
import { applyOptions, optionsOf } from './pipeline-options.ts';
import { environmentOf, pipelineOf } from './service-options.ts';

/** The command. */
export const doctorCommand: Command = {
  positionals: [
    {
      name: 'PIPELINE.yaml',
      describe: 'the pipeline to check [default: the service of the environment variables]',
    },
  ],
  options: optionsOf('doctor'),
  examples: ['btg2gltf doctor', 'btg2gltf doctor pipeline.yaml'],
  async run(args, io) {
    let worst = 0;
    for await (const { state, what, text, todo, exit = 0 } of examine(args, io)) {
      io.signal.throwIfAborted();
      const rows = [`${state.padEnd(8)} ${what.padEnd(13)} ${text}`];
      if (todo !== undefined) rows.push(`${' '.repeat(INDENT)}→ ${todo}`);
      const lines = rows.flatMap((row) => wrapped(row.replace(/\n/g, '; '), io.columns, INDENT));
      io.print(lines.map((line) => `${line}\n`).join(''));
      worst = Math.max(worst, exit);
    }
    return worst;
  },
};

/** Characters of the first two columns. */
const INDENT = 23;

interface Finding {
  state: 'ok' | 'warning' | 'problem';
  what: string;
  text: string;
  todo?: string;
  /** Exit code of a run with this problem. */
  exit?: 2 | 3;
}

const ok = (what: string, text: string): Finding => ({ state: 'ok', what, text });
const warning = (what: string, text: string, todo: string): Finding => {
  return { state: 'warning', what, text, todo };
};

function problem(what: string, thrown: unknown): Finding {
  const { code, message, help } = asConverterError(thrown);
  const exit = ERROR_CODES[code].exit === 2 ? 2 : 3;
  return { state: 'problem', what, text: message, todo: help, exit };
}

/** Turns what a check returns or throws into its finding. */
async function check(what: string, work: () => Promise<Finding | string>): Promise<Finding> {
  try {
    const found = await work();
    return typeof found === 'string' ? ok(what, found) : found;
  } catch (thrown) {
    return problem(what, thrown);
  }
}

async function* examine(args: Arguments, io: Io): AsyncGenerator<Finding> {
  yield await check('Node.js', checkNode);
  const file = textOf(args, 'PIPELINE.yaml');
  let pipeline: Pipeline | undefined;
  if (file !== undefined) {
    yield await check('pipeline', async () => {
      ({ pipeline } = applyOptions(await loadPipeline(file, io.env), args, io));
      return `${file}: ${describeService(pipeline.service)}`;
    });
    if (pipeline !== undefined) yield* checkLists(pipeline);
  }
  let ready: Pipeline | undefined;
  yield await check('environment', async () => {
    if (file === undefined) requireAddresses(io.env);
    else if (pipeline === undefined) return skipped('environment');
    const loaded = pipeline ?? applyOptions(await pipelineOf({}, io), args, io).pipeline;
    const text = requireCredentials(loaded, io.env);
    ready = loaded;
    return text;
  });
  yield* misspeltVariables(io);
  yield* checkWebhook(pipeline, io.env);
  yield* checkAssets(pipeline, io.env);
  yield* checkSharing(pipeline, io);
  yield* ready === undefined ? [skipped('login'), skipped('catalogue')] : checkService(ready, io);
  yield await check('browser', async () => {
    const found = await checkBrowser(io.env, pipeline?.cacheDir ?? '.');
    if ('text' in found) return found.text;
    return warning('browser', `${found.why}: there will be no pictures`, found.help);
  });
  yield* checkFolders(pipeline?.outputDir ?? '.', pipeline?.cacheDir ?? '.');
}

function skipped(what: string): Finding {
  return warning(what, 'not checked', 'solve the problem above first');
}

async function checkNode(): Promise<string> {
  const manifest = await readText(fileURLToPath(new URL('../../package.json', import.meta.url)));
  const { engines } = JSON.parse(manifest) as { engines: { node: string } };
  const least = engines.node.replace('>=', '');
  const current = process.versions.node;
  if (current.localeCompare(least, 'en', { numeric: true }) >= 0) return current;
  throw usageError(`expected version ${least} or later, received ${current}`, 'install it');
}

async function* checkLists({ articles }: Pipeline): AsyncGenerator<Finding> {
  for (const source of articles) {
    if (source.kind !== 'list') continue;
    yield await check('list', async () => {
      const { length } = await readArticleList(source.file);
      return `${source.file}: ${amount(length, 'line')}`;
    });
  }
}

const ADDRESSES = ['BTG2GLTF_AUTH_URL', 'BTG2GLTF_BASE_URL'] as const;

function requireAddresses(env: Environment): void {
  const unset = ADDRESSES.filter((name) => (env[name] ?? '') === '');
  if (unset.length === 0) return;
  const message = `${unset.join(' and ')} ${unset.length > 1 ? 'are' : 'is'} not set`;
  const help = 'set these variables; without an account, use btg2gltf demo';
  throw new ConverterError('PIPELINE_VARIABLE_UNSET', message, { help });
}

function requireCredentials({ service }: Pipeline, env: Environment): string {
  const { emulator, recording } = service;
  if (emulator || recording !== undefined) return 'no variable is needed';
  readCredentials(env);
  const set = Object.keys(ENVIRONMENT).filter((name) => (env[name] ?? '') !== '');
  return `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set`;
}

/** A secret that can be guessed is none. */
const SHORTEST_SECRET = 16;

/** What `btg2gltf assets` would offer; nothing where neither file nor environment speaks of it. */
async function* checkAssets(
  pipeline: Pipeline | undefined,
  { BTG2GLTF_ASSETS_SECRET: secret = '' }: Environment,
): AsyncGenerator<Finding> {
  if (pipeline === undefined) return;
  const { configurations, prices } = pipeline.assets;
  if (secret === '' && configurations === 'any' && !prices) return;
  yield await check('assets', async () => {
    if (secret !== '' && secret.length < SHORTEST_SECRET) {
      const expected = `BTG2GLTF_ASSETS_SECRET: expected at least ${SHORTEST_SECRET} characters`;
      return warning(
        'assets',
        expected,
        'choose a random one, such as openssl rand -hex 32 prints',
      );
    }
    const manifest = join(pipeline.outputDir, MANIFEST_FILE);
    const isEmpty = configurations === 'published' && pipeline.store === undefined;
    if (isEmpty && !(await exists(manifest)))
      return warning('assets', 'only what is published, which is nothing yet', 'run the pipeline');
    const of = configurations === 'any' ? 'any configuration' : 'published configurations';
    const who = secret === '' ? 'addresses need no signature' : 'addresses must be signed';
    return `${of}, ${prices ? 'with' : 'without'} prices; ${who}`;
  });
}

/** A run does not call a webhook whose key is missing, and fails: the changes wait in the outbox. */
function* checkWebhook(pipeline: Pipeline | undefined, env: Environment): Generator<Finding> {
  const after = pipeline && sectionOf(pipeline)?.afterPublish;
  if (after === undefined) return;
  const { secretVariable } = after;
  if ((env[secretVariable] ?? '') !== '') yield ok('webhook', `${secretVariable} is set`);
  else {
    const message = `${secretVariable}: expected the key of the signature, received none`;
    const help = `set ${secretVariable}; without it the webhook is not called`;
    yield problem('webhook', new ConverterError('PIPELINE_VARIABLE_UNSET', message, { help }));
  }
}

/** A larger difference between the clocks is worth a warning: S3 refuses 15 minutes. */
const NOTABLE_CLOCK_MS = 60_000;

/** Queue and store of runs on several machines. */
async function* checkSharing(pipeline: Pipeline | undefined, io: Io): AsyncGenerator<Finding> {
  const { env, now, random, signal } = io;
  if (env.BTG2GLTF_QUEUE_URL)
    yield await check('queue', async () => {
      const { checkQueue } = await import('../distribute/run-queue.ts');
      return checkQueue(env, now);
    });
  const { store } = pipeline ?? {};
  if (store === undefined) return;
  yield await check('store', async () => {
    const { checkStore } = await import('../distribute/store/open-store.ts');
    const limits = { timeoutMs: LONGEST_ANSWER_MS, giveUpAfterMs: 0 };
    const { url, pathStyle } = store;
    const { name, aheadMs } = await checkStore(url, {
      ...{ env, now, random, signal, pathStyle },
      ...limits,
    });
    const text = `${name}: conditional writes are possible`;
    if (Math.abs(aheadMs) < NOTABLE_CLOCK_MS) return text;
    const clocks = `${text}; its clock is ${duration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
    return warning('store', clocks, 'synchronise the clocks of all machines, such as by NTP');
  });
}

function* misspeltVariables({ env }: Io): Generator<Finding> {
  const prefix = 'BTG2GLTF_';
  const known = Object.keys(ENVIRONMENT).map((name) => name.slice(prefix.length));
  for (const name of Object.keys(env).filter((name) => name.startsWith(prefix))) {
    const nearest = nearestName(name.slice(prefix.length), known);
    if (name in ENVIRONMENT || nearest === undefined) continue;
    yield warning('environment', `${name} is not read`, `did you mean ${prefix}${nearest}?`);
  }
}

/** A run waits for a service that does not respond; a check reports that at once. */
const ONE_ATTEMPT = { retries: 0, giveUpAfterMs: 0 };
const LONGEST_ANSWER_MS = 15_000;
const SHOWN_NODES = 5;

async function* checkService({ service: content }: Pipeline, io: Io): AsyncGenerator<Finding> {
  const timeoutMs = Math.min(content.timeoutMs, LONGEST_ANSWER_MS);
  const opening = openService({ ...content, ...ONE_ATTEMPT, timeoutMs }, environmentOf(io));
  try {
    const { nodes } = await (await opening).client.getNodes('');
    yield ok('login', `accepted by ${describeService(content)}`);
    yield rootNodes(nodes);
  } catch (thrown) {
    // An error that does not end runs is the answer to the first request after the login.
    if (endsRun(asConverterError(thrown).code))
      yield* [problem('login', thrown), skipped('catalogue')];
    else
      yield* [ok('login', `accepted by ${describeService(content)}`), problem('catalogue', thrown)];
  } finally {
    await opening.then(
      (service) => service.close(),
      () => undefined,
    );
  }
}

function rootNodes(nodes: readonly CatalogueNode[]): Finding {
  const what = 'catalogue';
  if (nodes.length === 0) {
    const todo = 'ask the operator which catalogues the account may read; lists work without';
    return warning(what, 'the catalogue is empty', todo);
  }
  const more = nodes.length > SHOWN_NODES ? ', …' : '';
  const names = nodes.slice(0, SHOWN_NODES).map(({ text, nodeid }) => text || nodeid);
  return ok(what, `${amount(nodes.length, 'top folder')}: ${names.join(', ')}${more}`);
}

/** Bytes of an average catalogue with its cache, and the fewest free bytes with which a run may finish. */
const ENOUGH_BYTES = 2e9;
const LEAST_BYTES = 100e6;

async function* checkFolders(outputDir: string, cacheDir: string): AsyncGenerator<Finding> {
  let hasLinks: boolean | undefined;
  yield await check('write access', async () => {
    await probeFolder(await nearestFolder(cacheDir));
    hasLinks = await probeFolder(await nearestFolder(outputDir));
    return resolve(outputDir);
  });
  yield await check('free space', async () => {
    const folders = await Promise.all([outputDir, cacheDir].map(nearestFolder));
    const bytes = Math.min(...(await Promise.all(folders.map(freeBytes))));
    if (bytes >= ENOUGH_BYTES) return size(bytes);
    const message = `${size(bytes)} at ${outputDir} or ${cacheDir}`;
    if (bytes < LEAST_BYTES) throw new ConverterError('DISK_FULL', message);
    return warning('free space', message, 'free disk space, or choose another folder');
  });
  if (hasLinks === undefined) yield skipped('hard links');
  else
    yield hasLinks
      ? ok('hard links', 'possible: equal files need disk space only once')
      : warning('hard links', 'not possible here', 'expect that each file needs disk space twice');
}

/** The folder in which a run would create this one. */
async function nearestFolder(folder: string): Promise<string> {
  const path = resolve(folder);
  return (await exists(path)) ? path : nearestFolder(dirname(path));
}

/** Writes a file and a second name of it, and removes both. @returns Whether the second name is a hard link. */
async function probeFolder(folder: string): Promise<boolean> {
  const probe = join(folder, `.btg2gltf-doctor-${process.pid}`);
  const names = [probe, `${probe}-link`] as const;
  try {
    await replaceFile(names[0], 'probe');
    return (await linkOrCopy(...names)) === 'linked';
  } finally {
    for (const name of names) await removeFile(name).catch(() => undefined);
  }
}
