/**
 * This program against another build of it, in turns: how long starting takes, one article, and many; or pictures.
 *
 * Each side fetches into a cache of its own, since their formats may differ.
 */
import { resolve } from 'node:path';
import type { DeliveryLine } from '../../src/run/output/delivered-files.ts';
import { SIZES } from './article.ts';
import { fetchedPipeline, serveArticles } from './conversions.ts';
import { memoryByTheirs, oursByTheirs } from './details.ts';
import type { PictureTimes } from './pictures-process.ts';
import { inPairs, type Paired, runProcess, type Side } from './process.ts';
import { smallArticles } from './runs.ts';
import {
  ALL,
  DEMO,
  inWorkspace,
  listIn,
  PROGRAM,
  pictureModule,
  programOf,
  scriptOf,
} from './workspace.ts';

const OTHER = 'other';
/** With `--quick`. */
const QUICK_PAIRS = 2;

/** Prints a line for each comparison: our time divided by that of the build in `checkout`. */
export async function against(checkout: string, isQuick: boolean): Promise<void> {
  const other = programOf(checkout);
  const compare = (name: string, ours: Side, theirs: Side, pairs: number) =>
    compareTimes(name, ours, theirs, isQuick ? QUICK_PAIRS : pairs);
  for (const option of ['--version', '--help']) {
    const [ours, theirs] = [PROGRAM, other].map((program) => ({
      run: () => runProcess([...program, option]),
    }));
    await compare(`start, ${option}`, ours!, theirs!, 40);
  }
  await inWorkspace(async (workspace) => {
    const { S, M } = SIZES;
    const { service } = await serveArticles(workspace, { S, M });
    for (const size of ['S', 'M']) {
      const ours = await fetchedPipeline(workspace, service, size);
      const theirs = await fetchedPipeline(workspace, service, size, other);
      await compare(`article ${size}`, ours.forcedBuild, theirs.forcedBuild, 60);
    }
  });
  await inWorkspace(async (workspace) => {
    const service = await workspace.serve({ range: smallArticles(1000), latencyMs: 0 });
    const ours = await workspace.pipeline('ours', service, ALL);
    const theirs = await workspace.pipeline('theirs', service, ALL, other);
    for (const { fetch } of [ours, theirs]) await fetch();
    await compare('1,000 articles', ours.forcedBuild, theirs.forcedBuild, 20);
  });
}

/** The pictures of `pipelines/demo.yaml`. */
const PICTURES = { cameras: ['hero'], width: 400, height: 400 };
/** Sides of single pictures, pixels. */
const SINGLE_SIDES = [400, 1024];

/**
 * Prints two lines for each comparison of pictures, time and peak memory: ours divided by that of the build in
 * `checkout`. Both builds start the same browser.
 */
export function picturesAgainst(checkout: string, isQuick: boolean): Promise<void> {
  const pairs = isQuick ? QUICK_PAIRS : 3;
  return inWorkspace(async (workspace) => {
    const env = { BTG2GLTF_BROWSER: await browserPath() };
    const content = { ...DEMO, service: { emulator: true }, deliver: { pictures: PICTURES } };
    const ours = await workspace.pipeline('ours', { env }, content);
    const theirs = await workspace.pipeline('theirs', { env }, content, programOf(checkout));
    const counts: number[] = [];
    for (const { run, outputDir } of [ours, theirs]) {
      await run('run');
      counts.push(await deliveredFiles(outputDir));
    }
    const [count, otherCount] = counts;
    if (count !== otherCount)
      throw new Error(`expected ${count} pictures of both builds, received ${otherCount}`);
    const compare = async (name: string, sides: readonly Side[]) => {
      const paired = await compareTimes(name, sides[0]!, sides[1]!, pairs);
      printComparison(`${name}, peak memory`, memoryByTheirs(paired, OTHER));
    };
    const forced = [ours, theirs].map(({ run }) => ({ run: () => run('deliver', '--force') }));
    await compare(`${count} pictures of ${PICTURES.width} pixels`, forced);
    for (const side of SINGLE_SIDES) {
      const singles = ['.', checkout].map((build) => ({
        run: () => singlePictures(build, ours.outputDir, side, env),
      }));
      await compare(`one picture of ${side} pixels of a new model`, singles);
    }
  });
}

/** The time of one picture replaces that of the process. */
async function singlePictures(
  checkout: string,
  outputDir: string,
  side: number,
  env: Readonly<Record<string, string>>,
) {
  const command = [process.execPath, scriptOf('pictures-process.js'), resolve(checkout)];
  const measured = await runProcess([...command, outputDir, String(side)], { env });
  const { seconds, cpuSeconds } = JSON.parse(measured.stdout) as PictureTimes;
  return { ...measured, seconds, cpuSeconds };
}

async function browserPath(): Promise<string> {
  const [{ findBrowser }, { unpackBrowser }] = await Promise.all([
    pictureModule<typeof import('../../src/deliver/pictures/browser.ts')>('browser'),
    pictureModule<typeof import('../../src/deliver/pictures/browser-package.ts')>(
      'browser-package',
    ),
  ]);
  const found = await findBrowser(process.env, resolve('.cache'));
  if (found === undefined) throw new Error('there is no browser');
  return found.path ?? unpackBrowser(found.cacheDir);
}

async function deliveredFiles(outputDir: string): Promise<number> {
  const lines = await listIn<DeliveryLine>(outputDir, 'deliveries.jsonl');
  // The same picture may be at two addresses.
  return lines.reduce((sum, { files }) => sum + new Set(files.map((one) => one.sha256)).size, 0);
}

/** Prints a line: our time divided by theirs. */
async function compareTimes(
  name: string,
  ours: Side,
  theirs: Side,
  pairs: number,
): Promise<Paired> {
  const paired = await inPairs(ours, theirs, pairs);
  printComparison(name, oursByTheirs(paired, OTHER));
  return paired;
}

function printComparison(name: string, { value, detail }: { value: number; detail: string }): void {
  console.log(`${name}: ${value.toFixed(3)}×; ${detail}`);
}
