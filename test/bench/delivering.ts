/** Deliveries of whole runs: how much faster they are on more processors, and by workers of a queue. */

import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { countedRange, type DistributedSide, withConverted } from './counted.ts';
import { amount, inMs } from './details.ts';
import { inPairs, inRounds, type Measured, median, type Side } from './process.ts';
import type { GroupInput } from './results.ts';
import {
  type BenchPipeline,
  DEMO,
  inWorkspace,
  listIn,
  PROGRAM,
  type Program,
  settleDisk,
} from './workspace.ts';

const PROFILES = ['web', 'ar-android', 'ar-ios', 'planner', 'shopify'];

/** The program, kept on the first processor. */
const PINNED = ['taskset', '-c', '0', ...PROGRAM] as unknown as Program;

/** Articles that are made in many finishes: each value of a property, with each combination of some others. */
const IN_MANY_FINISHES: readonly {
  series: readonly [manufacturer: string, program: string];
  articles: readonly string[];
  each: string;
  others: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    series: ['BRNK', 'AKTA'],
    articles: ['AK110 N', 'AK110 P', 'AK120 K', 'AK150 L', 'AK150 N+'],
    each: 'BEZUG.STOFF',
    others: {
      'AUSSTATTUNG.FUSSKREUZ': ['SW', 'ALU'],
      'AUSSTATTUNG.ROLLEN': ['H', 'W'],
      'AUSSTATTUNG.ARMLEHNEN': ['MIT', 'OHNE'],
    },
  },
  {
    series: ['BRNK', 'KONVA'],
    articles: ['KV-BANK 140', 'KV20 F', 'KV20 FA'],
    each: 'BEZUG.STOFF',
    others: { 'OBERFLÄCHE.GESTELL': ['SW', 'CHROM'] },
  },
  {
    series: ['FJEL', 'LINEA'],
    articles: ['LN-D120/80', 'LN-D140/80', 'LN-D160/80', 'LN-D180/80', 'LN-S140/80', 'LN-S160/80'],
    each: 'OBERFLÄCHE.DEKOR',
    others: {
      'OBERFLÄCHE.GESTELL': ['SW', 'WS', 'SI'],
      'AUSSTATTUNG.KABEL': ['OHNE', 'WANNE'],
    },
  },
  {
    series: ['FJEL', 'FORUM'],
    articles: ["FM-B200 'Boot'", "FM-B240 'Boot'", 'FM-H160', 'FM-R110'],
    each: 'OBERFLÄCHE.DEKOR',
    others: { 'OBERFLÄCHE.GESTELL': ['SW', 'WS', 'SI'] },
  },
  {
    series: ['AULI', 'SALUN'],
    articles: ['SL-1 SITZER', 'SL-2 SITZER', 'SL-3 SITZER', 'SL-ECK 2+R', 'SL-HOCKER'],
    each: 'BEZUG.BEZUG',
    others: { 'OBERFLÄCHE.HOLZ': ['Eiche natur', 'Nussbaum', 'Esche'] },
  },
];

/** The demo, and more finishes, so that the start of the program and of its workers is little of it. */
function finishes() {
  const more = IN_MANY_FINISHES.flatMap(({ series, articles, each, others }) => {
    const [manufacturer, program] = series;
    return articles.flatMap((basearticlenumber) =>
      combinations(others).map((values) => ({
        configurations: {
          ...{ manufacturer, program, basearticlenumber },
          ...{ values, each: [each], max: 20 },
        },
      })),
    );
  });
  return { articles: [...DEMO.articles, ...more] };
}

/** Each value of each property with each of the others. */
function combinations(others: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(others).reduce<Record<string, string>[]>(
    (all, [property, values]) =>
      all.flatMap((one) => values.map((value) => ({ ...one, [property]: value }))),
    [{}],
  );
}

/** Profiles of all articles again, by two processors and by one. */
export async function delivering({ results, isQuick }: GroupInput): Promise<void> {
  await inWorkspace(async (workspace) => {
    const content = { ...finishes(), deliver: { profiles: PROFILES }, service: { emulator: true } };
    const open = (name: string, program: Program) =>
      workspace.pipeline(name, { env: {} }, content, program);
    const two = await open('two', PROGRAM);
    const one = await open('one', PINNED);
    for (const pipeline of [two, one]) await pipeline.run('run');
    const side = (pipeline: BenchPipeline, count: number) => ({
      prepare: async () => settleDisk(),
      run: () => pipeline.run('deliver', '--force', '--workers', String(count)),
    });
    const { ours, theirs, ratio, cpuRatio } = await inPairs(
      side(two, 2),
      side(one, 1),
      isQuick ? 1 : 3,
    );
    const masters = (await listIn(two.outputDir, 'manifest.jsonl')).length;
    const files = masters * PROFILES.length;
    const perFile = (all: typeof ours) => inMs(median(all.map(({ seconds }) => seconds)) / files);
    const detail = `${PROFILES.join(', ')} of ${masters} configurations, the demo in more finishes: ${perFile(ours)} a file, pinned to one ${perFile(theirs)}; ${(1 / cpuRatio).toFixed(2)}× the processor time`;
    results.add('deliveries', 'two processors', { value: ratio, detail });
  });
}

/** Read before this process is kept on some of them. */
const PROCESSORS = cpus().length;
/** So much that the start of workers, which a night has once, is little of it. */
const ALL_PROFILES = [...PROFILES, 'shared', 'google'];
const PICTURES = { cameras: ['hero', 'front'], width: 1024, height: 768 };
const QUEUED_PROFILES = ['web', 'ar-android', 'ar-ios'];

/** What workers of a queue make, without anything to convert: on processors of their own, and beside a local run. */
export async function deliveringByWorkers(input: GroupInput): Promise<void> {
  await pinned(input, 'workers, profiles', MORE_SAMPLES, { profiles: ALL_PROFILES });
  await pinned(input, 'workers, pictures', SAMPLES, { pictures: PICTURES });
  await besideLocal(input, { profiles: ALL_PROFILES });
}

const SAMPLES = { name: 'the demo', range: 'sample' as const, ...DEMO };
/** With which the start of workers is little of a run. */
const MORE_SAMPLES = {
  ...{ name: 'the demo in more finishes', range: 'sample' as const },
  ...finishes(),
};
const timesOf = (all: readonly Measured[]) => inMs(median(all.map(({ seconds }) => seconds)));

/**
 * Two workers, each on a processor with its browser, and one, as on one machine more: coordinator, queue and service are
 * on the first processor in both cases.
 */
async function pinned(
  { results, isQuick }: GroupInput,
  row: 'workers, profiles' | 'workers, pictures',
  { name, ...samples }: typeof SAMPLES | typeof MORE_SAMPLES,
  deliver: object,
): Promise<void> {
  const release = keepOnFirstProcessor();
  await withConverted(samples, deliver, async ({ distributed }) => {
    const of = (count: number) => sideOf(distributed({ count, isPinned: true }));
    const { ours, theirs, ratio } = await inPairs(of(2), of(1), isQuick ? 1 : 3);
    const detail = `${name}; two ${timesOf(ours)}, one ${timesOf(theirs)}, ${ours.length} pairs`;
    results.add('deliveries', row, { value: ratio, detail });
  }).finally(release);
}

/** Keeps this process, and all that it starts, on the first processor, until the function is called. */
function keepOnFirstProcessor(): () => void {
  const setTo = (processors: string) =>
    void execFileSync('taskset', ['-a', '-c', '-p', processors, `${process.pid}`]);
  setTo('0');
  return () => setTo(`0-${PROCESSORS - 1}`);
}

/** Three workers that share two processors, beside the threads of a local run. */
async function besideLocal({ results, isQuick }: GroupInput, deliver: object): Promise<void> {
  const { name, ...samples } = MORE_SAMPLES;
  await withConverted(samples, deliver, async ({ distributed, local }) => {
    const queued = sideOf(distributed({ count: 3 }));
    const { ratio, ours, theirs } = await inPairs(queued, local, isQuick ? 1 : 3);
    const detail = `${name}; workers ${timesOf(ours)}, local ${timesOf(theirs)}, ${ours.length} pairs`;
    results.add('deliveries', 'workers, local', { value: ratio, detail });
  });
}

/**
 * What the coordinator does itself, which more workers do not divide. It is measured before others remove their files:
 * for each new folder, ext4 without a journal examines what was removed within five minutes, which takes up to 0.5 ms.
 */
export async function coordinatorAlone({ results, isQuick }: GroupInput): Promise<void> {
  const configurations = isQuick ? 200 : 2_000;
  const deliver = { profiles: QUEUED_PROFILES };
  await withConverted(countedRange(configurations), deliver, async ({ distributed, unchanged }) => {
    const side = sideOf(distributed({ count: 3 }));
    const rounds = await inRounds([side, sideOf(unchanged)], isQuick ? 1 : 3);
    const files = configurations * QUEUED_PROFILES.length;
    const perFile = rounds.map(
      ([all, nothing]) => ((all!.cpuSeconds - nothing!.cpuSeconds) * 1000) / files,
    );
    results.add('deliveries', 'coordinator', {
      value: median(perFile),
      detail: `${QUEUED_PROFILES.join(', ')} of ${amount(configurations)} configurations, less an unchanged run: ${perFile.map((ms) => ms.toFixed(2)).join(', ')}`,
    });
  });
}

function sideOf({ prepare, run }: DistributedSide): Side {
  return { ...(prepare && { prepare }), run: async () => (await run()).coordinator };
}
