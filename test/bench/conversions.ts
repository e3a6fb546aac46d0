/**
 * Groups that convert generated articles: peers, the straightforward converter, stages, configurations, memory and
 * growth in triangles.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GLTF } from '@gltf-transform/core';
import {
  type ArticleSize,
  configurationOf,
  objFile,
  SERIES,
  SIZES,
  writeArticle,
  writeConfigurations,
  writeImages,
} from './article.ts';
import { amount, growthFigure, inMs, memoryFigure, theirsByOurs } from './details.ts';
import { HOSTILE_ARTICLES } from './hostile-range.ts';
import { openPeers } from './peers.ts';
import {
  inPairs,
  inRounds,
  type Measured,
  medianOf,
  repeated,
  runProcess,
  type Side,
} from './process.ts';
import type { GroupInput } from './results.ts';
import {
  type BenchPipeline,
  inWorkspace,
  type Program,
  type Service,
  scriptOf,
  type Workspace,
} from './workspace.ts';

type Size = keyof typeof SIZES;

/** Pairs of the full form: a pair of XL takes as long as forty of S. */
const PAIRS: Readonly<Record<Size, number>> = { S: 9, M: 9, L: 5, XL: 3, I: 5 };
const QUICK_PAIRS = 2;
const MILLION = 1e6;

/** A pipeline of one generated article, fetched by the program that will build it. */
export async function fetchedPipeline(
  workspace: Workspace,
  service: Service,
  article: string,
  program?: Program,
): Promise<BenchPipeline> {
  const articles = [{ article: { ...SERIES, basearticlenumber: article } }];
  const name = program === undefined ? article : `${article}-other`;
  const pipeline = await workspace.pipeline(name, service, { articles }, program);
  await pipeline.fetch();
  return pipeline;
}

/** Generated articles by name, how many triangles each draws, and a service that has them. */
export async function serveArticles(
  workspace: Workspace,
  sizes: Readonly<Record<string, ArticleSize>>,
) {
  const folder = join(workspace.folder, 'articles');
  await writeImages(folder);
  const triangles = new Map<string, number>();
  for (const [name, size] of Object.entries(sizes))
    triangles.set(name, await writeArticle(folder, name, size));
  const service = await workspace.serve({ range: { folder }, latencyMs: 0 });
  return { folder, service, triangles };
}

/** Other converters against `build --force` of the fetched article. */
export function peers({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const { folder, service, triangles } = await serveArticles(workspace, SIZES);
    const outputs = join(workspace.folder, 'peers');
    await mkdir(outputs);
    for (const size of Object.keys(SIZES) as Size[]) {
      const pipelines = new Map<string, BenchPipeline>();
      for (const [name, { version, isPlain, command }] of Object.entries(await openPeers())) {
        const row = `${name} ${size}`;
        if (version === undefined) {
          results.add('peers', row, { missing: `${name} is not installed` });
          continue;
        }
        const article = isPlain ? `${size}-PLAIN` : size;
        if (!pipelines.has(article)) {
          pipelines.set(article, await fetchedPipeline(workspace, service, article));
        }
        const pipeline = pipelines.get(article)!;
        const output = join(outputs, `${article}.glb`);
        const theirs = { run: () => runProcess(command(objFile(folder, article), output)) };
        const pairs = isQuick ? QUICK_PAIRS : PAIRS[size];
        const paired = await inPairs(pipeline.forcedBuild, theirs, pairs);
        await expectTriangles(triangles.get(size)!, [output, await onlyGlb(pipeline.outputDir)]);
        const { value, detail } = theirsByOurs(paired, name);
        const drawn = `${amount(triangles.get(size)!)} triangles`;
        results.add('peers', row, { value, detail: `${drawn}; ${detail}` });
      }
    }
  });
}

/** Both must have converted the same. */
async function expectTriangles(expected: number, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const found = await drawnTriangles(file);
    if (found === expected) continue;
    throw new Error(`${file}: expected ${expected} triangles, received ${found}`);
  }
}

/** Of all nodes of a GLB; a mesh counts as often as it is drawn. */
async function drawnTriangles(file: string): Promise<number> {
  const glb = await readFile(file);
  const json: GLTF.IGLTF = JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12)));
  const drawn = (json.nodes ?? []).flatMap(({ mesh }) =>
    mesh === undefined ? [] : json.meshes![mesh]!.primitives,
  );
  const corners = drawn.map(
    ({ indices, attributes }) => json.accessors![indices ?? attributes.POSITION!]!.count,
  );
  return corners.reduce((sum, count) => sum + count, 0) / 3;
}

async function onlyGlb(outputDir: string): Promise<string> {
  const entries = await readdir(join(outputDir, 'articles'), { recursive: true });
  const files = entries.filter((name) => name.endsWith('.glb'));
  if (files.length !== 1) throw new Error(`${outputDir}: expected one file, received ${files}`);
  return join(outputDir, 'articles', files[0]!);
}

/** A converter that does what this one does for such an article, written without regard to speed. */
export function straightforward({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const { folder, service, triangles } = await serveArticles(workspace, { L: SIZES.L });
    const pipeline = await fetchedPipeline(workspace, service, 'L');
    const output = join(workspace.folder, 'straightforward.glb');
    const program = [process.execPath, scriptOf('straightforward.js'), folder, 'L', output];
    const theirs = { run: () => runProcess(program) };
    const pairs = isQuick ? QUICK_PAIRS : PAIRS.L;
    const paired = await inPairs(pipeline.forcedBuild, theirs, pairs);
    await expectTriangles(triangles.get('L')!, [output, await onlyGlb(pipeline.outputDir)]);
    results.add('straightforward', 'straightforward', theirsByOurs(paired, 'straightforward'));
  });
}

interface Time {
  ms: number;
  /** Of all processors: compiler and garbage collector have threads of their own. */
  cpuMs: number;
}

interface Stages {
  triangles: number;
  bodyBytes: number;
  all: Time;
  stages: Record<string, Time>;
}

/** The stages in one warm thread. */
export function stages({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const folder = join(workspace.folder, 'articles');
    await writeImages(folder);
    await writeArticle(folder, 'L', SIZES.L);
    const rounds = isQuick ? '3' : '10';
    const program = [process.execPath, scriptOf('stages-process.js'), folder, 'L-PLAIN', rounds];
    const { stdout } = await runProcess(program);
    const { triangles, bodyBytes, all, stages: each } = JSON.parse(stdout) as Stages;
    const timeOf = ({ ms, cpuMs }: Time) => `${ms.toFixed(1)} ms (processors ${cpuMs.toFixed(1)})`;
    results.add('stages', 'warm', {
      value: triangles / all.ms / 1000,
      detail: `${timeOf(all)} for ${amount(triangles)} triangles`,
    });
    for (const [name, time] of Object.entries(each)) {
      const rate = `${(bodyBytes / time.ms / 1000).toFixed(0)} MB/s of bodies`;
      const value = (time.ms * MILLION) / triangles;
      results.add('stages', name, { value, detail: `${timeOf(time)}, ${rate}` });
    }
  });
}

/** Many configurations of one article, together and each in a process. */
export function configurations({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const count = 500;
    const samples = isQuick ? 3 : 15;
    const folder = join(workspace.folder, 'articles');
    await writeImages(folder);
    await writeConfigurations(folder, 'K', count);
    const service = await workspace.serve({ range: { folder }, latencyMs: 0 });
    const pipelineOf = async (name: string, indices: readonly number[]) => {
      const articles = indices.map((index) => ({
        article: { ...SERIES, basearticlenumber: 'K', reinitstring: configurationOf('K', index) },
      }));
      const pipeline = await workspace.pipeline(name, service, { articles });
      await pipeline.fetch();
      return pipeline;
    };
    const all = Array.from({ length: count }, (_, index) => index);
    const together = await pipelineOf('together', all);
    const ours = await repeated(together.forcedBuild, isQuick ? 1 : 3);
    const alone: Measured[] = [];
    for (let sample = 0; sample < samples; sample++) {
      const index = Math.floor((sample * count) / samples);
      const pipeline = await pipelineOf(`alone-${index}`, [index]);
      alone.push(...(await repeated(pipeline.forcedBuild, 1)));
    }
    const [one, seconds] = [medianOf(alone, 'seconds'), medianOf(ours, 'seconds')];
    const independent = `${count} × ${inMs(one)} (median of ${samples} processes)`;
    const detail = `${independent} against ${inMs(seconds)}`;
    results.add('configurations', 'configurations', { value: (count * one) / seconds, detail });
  });
}

/** The most memory of builds of large articles, and of a run over hostile ones. */
export function memory({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async (workspace) => {
    const { service } = await serveArticles(workspace, { L: SIZES.L, XL: SIZES.XL });
    const times = isQuick ? 1 : 3;
    for (const size of ['L', 'XL'] as const) {
      const pipeline = await fetchedPipeline(workspace, service, size);
      const runs = await repeated(pipeline.forcedBuild, times);
      results.add('memory', `memory ${size}`, memoryFigure(runs));
    }
    const hostile = await workspace.serve({ range: 'hostile', latencyMs: 0 });
    const limit = 2 ** 28;
    const pipeline = await workspace.pipeline('hostile', hostile, {
      service: { maxResponseBytes: limit, maxBytesInFlight: limit },
      articles: HOSTILE_ARTICLES.map((number) => ({
        article: { ...SERIES, basearticlenumber: number },
      })),
    });
    const side = { prepare: () => pipeline.clear(), run: () => pipeline.runAnyway('run') };
    const runs = await repeated(side, times);
    const figure = memoryFigure(runs);
    const manifest = await readFile(join(pipeline.outputDir, 'manifest.jsonl'), 'utf8');
    const converted = manifest.split('"status":"converted"').length - 1;
    const detail = `${figure.detail}; ${converted} of ${HOSTILE_ARTICLES.length} converted`;
    results.add('memory', 'memory hostile', { ...figure, detail });
  });
}

/** Times at 1×, 2×, 4× and 8× the triangles. */
export async function triangleGrowth({ results, isQuick }: GroupInput): Promise<void> {
  await inWorkspace(async (workspace) => {
    const smallest = isQuick ? 25_000 : 125_000;
    const sizes = Object.fromEntries(
      [1, 2, 4, 8].map((factor) => [`G${factor}`, { ...SIZES.S, triangles: smallest * factor }]),
    );
    const { service } = await serveArticles(workspace, sizes);
    const builds: Side[] = [];
    for (const name of Object.keys(sizes))
      builds.push((await fetchedPipeline(workspace, service, name)).forcedBuild);
    const rounds = await inRounds(builds, isQuick ? 1 : 3);
    const figure = growthFigure(rounds, 'seconds', `${amount(smallest)} triangles`);
    results.add('growth', 'growth triangles', figure);
  });
}
