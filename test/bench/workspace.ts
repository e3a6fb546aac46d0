/**
 * What a measurement needs around the program: a folder, a service in a process of its own, pipelines, and caches
 * that hold what was fetched and nothing else.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { temporaryFolder } from '../helpers/temporary.ts';
import { type Measured, runProcess, type Side } from './process.ts';
import type { Listening, ServiceSettings } from './service-process.ts';

const { bin } = JSON.parse(await readFile('package.json', 'utf8')) as {
  bin: { btg2gltf: string };
};
/** How a built program is started. */
export type Program = readonly [node: string, script: string];
/** The built program of a checkout. */
export const programOf = (checkout: string): Program => [
  process.execPath,
  resolve(checkout, bin.btg2gltf),
];
/** That of this one. */
export const PROGRAM = programOf('.');

/** All articles. */
export const ALL = { articles: [{ catalogue: {} }] };
/** The articles of `pipelines/demo.yaml`: all, and some of them in other finishes. */
export const DEMO = {
  articles: [...ALL.articles, { list: resolve('pipelines', 'demo-configurations.csv') }],
};

/** The lines of a list, such as `manifest.jsonl`, of an output folder. */
export async function listIn<Line>(outputDir: string, name: string): Promise<Line[]> {
  const text = await readFile(join(outputDir, name), 'utf8');
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

/** A module of the built program for pictures, which finds the page beside itself. */
export function pictureModule<Module>(name: string, checkout = '.'): Promise<Module> {
  const room = resolve(checkout, 'dist', 'deliver', 'pictures');
  // Earlier builds have the same modules in the folder above.
  const folder = existsSync(room) ? room : dirname(room);
  return import(pathToFileURL(join(folder, `${name}.js`)).href) as Promise<Module>;
}

/** Removes what was made, in reverse order. */
type Cleanup = () => Promise<void>;

/** Runs some work in a folder of its own, and closes everything that it opened there. */
export async function inWorkspace(work: (workspace: Workspace) => Promise<void>): Promise<void> {
  const folder = await temporaryFolder();
  const cleanups: Cleanup[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    await work(createWorkspace(folder, cleanups));
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** A folder with services and pipelines. */
export interface Workspace {
  readonly folder: string;
  serve(settings: ServiceSettings): Promise<Service>;
  /**
   * A pipeline of its own folder; its service is that of the environment, unless it names the emulator, its program that
   * of this checkout.
   */
  pipeline(
    name: string,
    service: Pick<Service, 'env'>,
    content: PipelineContent,
    program?: Program,
  ): Promise<BenchPipeline>;
}

/** A service, running. */
export interface Service {
  readonly env: Readonly<Record<string, string>>;
  /** Requests answered so far, logins included. */
  requests(): Promise<number>;
}

/** Keys of the pipeline file that differ. */
interface PipelineContent {
  articles: readonly object[];
  service?: { emulator?: boolean; [key: string]: unknown };
  [key: string]: unknown;
}

/** A pipeline, its output and its cache. */
export interface BenchPipeline {
  readonly outputDir: string;
  readonly file: string;
  /** Runs a command of the built program with the pipeline file. */
  run(command: 'run' | 'fetch' | 'build' | 'deliver', ...options: string[]): Promise<Measured>;
  /** The same; articles may fail. */
  runAnyway(command: 'run'): Promise<Measured>;
  /** Removes the output, and the cache too unless it is kept. */
  clear(keep?: 'cache'): Promise<void>;
  /** Fetches everything, so that {@link BenchPipeline.restore} can bring back that state. */
  fetch(): Promise<void>;
  /** No output, and a cache with what was fetched and nothing that was derived from it. */
  restore(): Promise<void>;
  /** A build of everything from what was fetched. */
  readonly forcedBuild: Side;
}

/** More than the default of a pipeline. */
export const CONNECTIONS = 16;

function createWorkspace(folder: string, cleanups: Cleanup[]): Workspace {
  return {
    folder,
    serve: (settings) => serve(settings, cleanups),
    pipeline: async (name, { env }, { service, ...content }, program = PROGRAM) => {
      const dir = join(folder, 'pipelines', name);
      await mkdir(dir, { recursive: true });
      const file = join(dir, 'pipeline.yaml');
      const address = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
      const all = {
        name: 'bench',
        service: { ...(!service?.emulator && address), concurrency: CONNECTIONS, ...service },
        output: { dir: 'out' },
        cache: { dir: 'cache' },
        ...content,
      };
      await writeFile(file, JSON.stringify(all, null, 1));
      return pipelineOf(dir, file, env, program);
    },
  };
}

function pipelineOf(
  dir: string,
  file: string,
  env: Readonly<Record<string, string>>,
  program: Program,
): BenchPipeline {
  const [outputDir, cacheDir, fetched] = ['out', 'cache', 'fetched'].map((name) => join(dir, name));
  const remove = (name: string) => rm(name, { recursive: true, force: true });
  const run: BenchPipeline['run'] = (command, ...options) =>
    runProcess([...program, command, file, '--quiet', ...options], { env });
  const restore = async () => {
    await Promise.all([remove(outputDir!), remove(cacheDir!)]);
    await cp(fetched!, cacheDir!, { recursive: true });
    settleDisk();
  };
  return {
    outputDir: outputDir!,
    file,
    run,
    runAnyway: (command) =>
      runProcess([...program, command, file, '--quiet'], { env, mayFail: true }),
    clear: async (keep) => {
      await remove(outputDir!);
      if (keep !== 'cache') await remove(cacheDir!);
      settleDisk();
    },
    fetch: async () => {
      await run('fetch');
      await remove(fetched!);
      await cp(cacheDir!, fetched!, { recursive: true });
    },
    restore,
    forcedBuild: { prepare: restore, run: () => run('build', '--force') },
  };
}

/** Writes out what was prepared: otherwise the first fsync of the measured program would wait for it. */
export function settleDisk(): void {
  execFileSync('sync');
}

async function serve(settings: ServiceSettings, cleanups: Cleanup[]): Promise<Service> {
  const child = fork(scriptOf('service-process.js'));
  cleanups.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the service has ended');
  });
  // It ends after the last answer, too.
  ended.catch(() => {});
  const answer = async <T>(message: object): Promise<T> => {
    const received = once(child, 'message');
    child.send(message);
    const [value] = (await Promise.race([received, ended])) as [T];
    return value;
  };
  const { env } = await answer<Listening>(settings);
  return { env, requests: () => answer<number>({}) };
}

/** Does some work with the address that a command prints while it serves. */
export async function whileServing(
  words: readonly string[],
  address: RegExp,
  work: (address: string) => Promise<void>,
): Promise<void> {
  const [node, program] = PROGRAM;
  const server = spawn(node, [program, ...words, '--port', '0']);
  try {
    await work(await firstMatch(server.stdout, address));
  } finally {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  }
}

async function firstMatch(output: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  for await (const line of createInterface(output)) {
    const found = pattern.exec(line)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error(`the server has ended before it printed ${pattern}`);
}

/** A program beside this one. */
export function scriptOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
