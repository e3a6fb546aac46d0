/** Deliveries of whole runs: how much faster they are on more processors, and by workers of a queue. */

import { type Converted, countedRange, withConverted } from './counted.ts';
import { amount, inMs } from './details.ts';
import { inPairs, type Measured, median, type Side } from './process.ts';
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

/** Profiles of all articles again, by two processors and by one. */
export async function delivering({ results, isQuick }: GroupInput): Promise<void> {
  await inWorkspace(async (workspace) => {
    const content = { ...DEMO, deliver: { profiles: PROFILES }, service: { emulator: true } };
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
    const detail = `${PROFILES.join(', ')} of ${masters} configurations of the demo: ${perFile(ours)} a file, pinned to one ${perFile(theirs)}; ${(1 / cpuRatio).toFixed(2)}× the processor time`;
    results.add('deliveries', 'two processors', { value: ratio, detail });
  });
}

const QUEUED_PROFILES = ['web', 'ar-android', 'ar-ios'];

/** What workers of a queue make, without anything to convert: on processors of their own, and beside a local run. */
export async function deliveringByWorkers(input: GroupInput): Promise<void> {
  await pinned(input, 'workers, profiles', { profiles: PROFILES });
  await pinned(input, 'workers, pictures', { pictures: { width: 800, height: 600 } });
  await besideLocal(input, { profiles: PROFILES });
  await coordinatorAlone(input, input.isQuick ? 200 : 2_000);
}

const SAMPLES = { range: 'sample', ...DEMO } as const;
const timesOf = (all: readonly Measured[]) => inMs(median(all.map(({ seconds }) => seconds)));

/** Two workers, each on a processor with its browser, and one: as on one machine more. */
async function pinned(
  { results, isQuick }: GroupInput,
  row: 'workers, profiles' | 'workers, pictures',
  deliver: object,
): Promise<void> {
  await withConverted(SAMPLES, deliver, async ({ distributed }) => {
    const of = (count: number) => sideOf(distributed({ count, isPinned: true }));
    const { ours, theirs, ratio } = await inPairs(of(2), of(1), isQuick ? 1 : 3);
    const detail = `the demo; two ${timesOf(ours)}, one ${timesOf(theirs)}, ${ours.length} pairs`;
    results.add('deliveries', row, { value: ratio, detail });
  });
}

/** Three workers that share two processors, beside the threads of a local run. */
async function besideLocal({ results, isQuick }: GroupInput, deliver: object): Promise<void> {
  await withConverted(SAMPLES, deliver, async ({ distributed, local }) => {
    const queued = sideOf(distributed({ count: 3 }));
    const { ratio, ours, theirs } = await inPairs(queued, local, isQuick ? 1 : 3);
    const detail = `the demo; workers ${timesOf(ours)}, local ${timesOf(theirs)}, ${ours.length} pairs`;
    results.add('deliveries', 'workers, local', { value: ratio, detail });
  });
}

/** What the coordinator does itself, which more workers do not divide. */
async function coordinatorAlone({ results }: GroupInput, configurations: number): Promise<void> {
  const deliver = { profiles: QUEUED_PROFILES };
  await withConverted(countedRange(configurations), deliver, async ({ distributed, unchanged }) => {
    const { prepare, run } = distributed({ count: 3 });
    await prepare();
    const { coordinator } = await run();
    const { coordinator: nothing } = await unchanged();
    const spent = coordinator.cpuSeconds - nothing.cpuSeconds;
    results.add('deliveries', 'coordinator', {
      value: (spent * 1000) / configurations / QUEUED_PROFILES.length,
      detail: `${QUEUED_PROFILES.join(', ')} of ${amount(configurations)} configurations, less ${inMs(nothing.cpuSeconds)} of an unchanged run`,
    });
  });
}

function sideOf({ prepare, run }: ReturnType<Converted['distributed']>): Side {
  return { prepare, run: async () => (await run()).coordinator };
}
