/**
 * Groups that run over many small articles: cold, warm, unchanged, rebuilt; growth in configurations; the first start
 * of all.
 */
import { execFileSync } from 'node:child_process';
import { cp, rm, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CountedSize } from '../helpers/counted-range.ts';
import { amount, growthFigure, inMs, memoryFigure, oursByTheirs, secondsOf } from './details.ts';
import { inPairs, inRounds, medianOf, repeated, runProcess, type Side } from './process.ts';
import type { GroupInput } from './results.ts';
import {
  ALL,
  CONNECTIONS,
  inWorkspace,
  PROGRAM,
  scriptOf,
  settleDisk,
  type Workspace,
} from './workspace.ts';

/** A service of a range, and a pipeline that converts all of it. */
async function openPipeline(
  workspace: Workspace,
  name: string,
  range: { counted: CountedSize },
  latencyMs = 0,
) {
  const service = await workspace.serve({ range, latencyMs });
  return { service, pipeline: await workspace.pipeline(name, service, ALL) };
}

/** A range of so many articles that all look different. */
export function smallArticles(articles: number): { counted: CountedSize } {
  return { counted: { articles, blocks: 200, images: 30 } };
}

/** A range of so many articles of which 300 of each manufacturer look different: large, and quick to build. */
function similarArticles(articles: number): { counted: CountedSize } {
  return { counted: { articles, blocks: 200, images: 60, manufacturers: 3, looks: 300 } };
}

/** Cold runs without and with latency, and what follows them. */
export async function runs({ results, isQuick, isFull }: GroupInput): Promise<void> {
  const articles = isQuick ? 200 : isFull ? 2000 : 1000;
  const times = isQuick ? 1 : 3;
  for (const latencyMs of [0, 20, 100]) {
    await inWorkspace(async (workspace) => {
      const range = smallArticles(articles);
      const { service, pipeline } = await openPipeline(workspace, 'small', range, latencyMs);
      const before = await service.requests();
      const run = () => pipeline.run('run');
      const cold = await repeated({ prepare: () => pipeline.clear(), run }, times);
      const requests = ((await service.requests()) - before) / times;
      const seconds = medianOf(cold, 'seconds');
      const detail = `${secondsOf(cold)}, ${amount(articles)} articles, ${requests.toFixed(0)} requests`;
      if (latencyMs > 0) {
        const floor = (requests * latencyMs) / 1000 / CONNECTIONS;
        const withFloor = `${detail}, floor ${inMs(floor)}`;
        results.add('runs', `cold ${latencyMs}`, { value: seconds / floor, detail: withFloor });
        return;
      }
      results.add('runs', 'cold', { value: (seconds * 1000) / articles, detail });
      const sides = { warm: { prepare: () => pipeline.clear('cache'), run }, again: { run } };
      for (const [row, side] of Object.entries(sides)) {
        const measured = await repeated(side, times);
        const value = medianOf(measured, 'seconds');
        results.add('runs', row, { value, detail: secondsOf(measured) });
      }
    });
  }
}

/** A build with a full cache and no output, against doing nothing but writing its files. */
export function rebuild({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const articles = isQuick ? 200 : 1000;
    const { pipeline } = await openPipeline(workspace, 'small', smallArticles(articles));
    await pipeline.run('run');
    const objects = join(workspace.folder, 'objects');
    await cp(join(pipeline.outputDir, 'objects'), objects, { recursive: true });
    const copies = join(workspace.folder, 'floor');
    const paired = await inPairs(
      { prepare: () => pipeline.clear('cache'), run: () => pipeline.run('build') },
      {
        prepare: async () => {
          await rm(copies, { recursive: true, force: true });
          settleDisk();
        },
        run: () => runProcess([process.execPath, scriptOf('floor-process.js'), objects, copies]),
      },
      isQuick ? 2 : 7,
    );
    const { value, detail } = oursByTheirs(paired, 'floor');
    results.add('rebuild', 'rebuild', { value, detail: `${amount(articles)} articles; ${detail}` });
  });
}

/** Runs over many configurations without changes, and the memory of such runs. */
export async function unchanged({ results, isQuick }: GroupInput): Promise<void> {
  const sizes = isQuick ? [10_000] : [10_000, 50_000];
  for (const articles of sizes) {
    await inWorkspace(async (workspace) => {
      const { pipeline } = await openPipeline(workspace, 'many', similarArticles(articles));
      const first = await pipeline.run('run');
      const again = await repeated({ run: () => pipeline.run('run') }, isQuick ? 1 : 3);
      const peak = medianOf(again, 'peakMib');
      results.add('unchanged', `unchanged ${articles}`, {
        value: medianOf(again, 'seconds'),
        detail: `${secondsOf(again)}; the first run ${inMs(first.seconds)}, ${first.peakMib.toFixed(0)} MiB; ${peak.toFixed(0)} MiB`,
      });
      if (articles !== 50_000) return;
      const figure = memoryFigure([first]);
      const detail = `first run: ${figure.detail}; unchanged run ${peak.toFixed(0)} MiB`;
      results.add('unchanged', 'memory 50000', { value: Math.max(figure.value, peak), detail });
    });
  }
}

/** Builds of 1, 2, 4 and 8 times as many configurations. */
export async function configurationGrowth({ results, isQuick }: GroupInput): Promise<void> {
  const smallest = isQuick ? 250 : 1000;
  await inWorkspace(async (workspace) => {
    const builds: Side[] = [];
    for (const factor of [1, 2, 4, 8]) {
      const range = smallArticles(smallest * factor);
      const { pipeline } = await openPipeline(workspace, `growth-${factor}`, range);
      await pipeline.fetch();
      builds.push(pipeline.forcedBuild);
    }
    const rounds = await inRounds(builds, isQuick ? 1 : 3);
    const from = `${amount(smallest)} configurations`;
    results.add('growth', 'growth configurations', growthFigure(rounds, 'seconds', from));
    results.add('growth', 'growth memory', growthFigure(rounds, 'peakMib', from));
  });
}

/** The first `npm start` in a copy of the sources that was built. */
export function start({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const copy = join(workspace.folder, 'copy');
    const tracked = execFileSync('git', ['ls-files', 'src', 'pipelines', 'package.json'], {
      encoding: 'utf8',
    });
    for (const file of tracked.trim().split('\n')) await cp(file, join(copy, file));
    await symlink(resolve('node_modules'), join(copy, 'node_modules'));
    const [node, program] = PROGRAM;
    const inCopy = join(copy, program.slice(process.cwd().length + 1));
    const prepare = async () => {
      for (const name of ['output', 'dist'])
        await rm(join(copy, name), { recursive: true, force: true });
      // Without what earlier runs of the program left there.
      const filter = (path: string) => !basename(path).startsWith('.');
      await cp('dist', join(copy, 'dist'), { recursive: true, filter });
      settleDisk();
    };
    // Its pictures take a minute more: this row is the time of the conversion.
    const env = { BTG2GLTF_BROWSER: 'none' };
    const run = () => runProcess([node, inCopy, 'run', 'pipelines/demo.yaml'], { cwd: copy, env });
    const measured = await repeated({ prepare, run }, isQuick ? 1 : 3);
    const figure = { value: medianOf(measured, 'seconds'), detail: memoryFigure(measured).detail };
    results.add('start', 'start', figure);
  });
}

/** How long the program takes before it works: a small article against a Node.js that does nothing. */
export function coldStart({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const range = { counted: { articles: 1, blocks: 3, images: 1 } };
    const { pipeline } = await openPipeline(workspace, 'small', range);
    const nothing = { run: () => runProcess([process.execPath, '-e', '0']) };
    const pairs = isQuick ? 3 : 15;
    await pipeline.fetch();
    const build = { prepare: pipeline.restore, run: () => pipeline.run('build') };
    await pipeline.restore();
    await pipeline.run('run');
    const again = { run: () => pipeline.run('run') };
    for (const [name, side] of Object.entries({ unchanged: again, build })) {
      const paired = await inPairs(side, nothing, pairs);
      results.add('cold-start', name, oursByTheirs(paired, 'node -e 0'));
    }
  });
}
