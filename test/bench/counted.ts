/** Counted ranges of any size, served for distributed runs: to convert, or converted already. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type BenchQueue, type DistributedRun, runDistributed, withQueue } from './distributed.ts';
import type { Side } from './process.ts';
import type { ServiceSettings } from './service-process.ts';
import type { WorkerStart } from './workers.ts';
import { ALL, inWorkspace, settleDisk, type Workspace } from './workspace.ts';

/** A range in which ten configurations have one block or image of their own. */
export function rangeOf(configurations: number) {
  const images = Math.ceil(configurations / 80);
  const blocks = Math.ceil(configurations / 10) - images;
  const articlesPerSeries = 200;
  return {
    parts: blocks + images,
    counted: { articles: configurations, blocks, images, articlesPerSeries },
  };
}

interface Opened {
  workspace: Workspace;
  queue: BenchQueue;
  /** Of all processes: service and queue. */
  env: Readonly<Record<string, string>>;
}

/** All of a counted range. */
export const countedRange = (configurations: number) => ({
  ...{ range: { counted: rangeOf(configurations).counted }, articles: ALL.articles },
});

/** Does some work with a queue and a service of its own. */
export function withService(
  range: ServiceSettings['range'],
  latencyMs: number,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  return withQueue((queue) =>
    inWorkspace(async (workspace) => {
      const service = await workspace.serve({ range, latencyMs });
      await work({ workspace, queue, env: { ...service.env, ...queue.env } });
    }),
  );
}

/** Folders of its own for each worker, as on a machine of its own. */
export function ownFolders({ folder }: Workspace): (index: number) => string[] {
  return (index) =>
    ['output', 'cache'].flatMap((name) => [`--${name}`, join(folder, `worker-${index}`, name)]);
}

const TREES = ['out', 'cache'];

/** Copies output and cache with their hard links: without these, a run would link all GLBs again. */
async function copyTrees(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', ...TREES.map((name) => join(from, name)), to]);
}

/** A side of a comparison that shows its parts. */
export interface DistributedSide {
  prepare?: () => Promise<void>;
  run(): Promise<DistributedRun>;
}

/** A range that is converted and published, without any delivery. */
export interface Converted {
  /** A run with workers that makes all files. */
  distributed(workers: WorkerStart): Required<DistributedSide>;
  /** The same by a run in one process. */
  local: Side;
  /** The same again, with nothing to make. */
  unchanged: DistributedSide;
}

/** Works with a range that is converted and published, without any delivery. */
export async function withConverted(
  { range, articles }: { range: ServiceSettings['range']; articles: readonly object[] },
  deliver: object,
  work: (converted: Converted) => Promise<void>,
): Promise<void> {
  await withService(range, 0, async ({ workspace, queue, env }) => {
    const open = (content: object) =>
      workspace.pipeline('converted', { env }, { articles, ...content });
    const plain = await open({});
    await plain.run('run');
    const folder = dirname(plain.file);
    const kept = join(workspace.folder, 'kept');
    await mkdir(kept);
    await copyTrees(folder, kept);
    // As on a machine that has taken pictures before.
    const browser = join('.cache', 'browser');
    if (existsSync(browser)) await cp(browser, join(kept, 'cache', 'browser'), { recursive: true });
    let preparations = 0;
    const prepare = async () => {
      // ext4 searches longer for what was not removed just now: folders and files would take up to 0.2 ms each.
      const past = join(workspace.folder, `past-${preparations++}`);
      await mkdir(past);
      for (const name of TREES) await rename(join(folder, name), join(past, name));
      await copyTrees(kept, folder);
      // The measured run would examine copies, which are other files.
      await (await open({})).run('run');
      await open({ deliver });
      settleDisk();
    };
    const pipeline = await open({ deliver });
    const run = (workers: WorkerStart) => runDistributed(pipeline, queue, workers, env);
    await work({
      distributed: (workers) => ({ prepare, run: () => run(workers) }),
      local: { prepare, run: () => pipeline.run('run') },
      unchanged: { run: () => run({ count: 1 }) },
    });
  });
}
