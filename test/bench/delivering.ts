/** Deliveries of whole runs: how much faster they are on more processors. */
import { inMs } from './details.ts';
import { inPairs, median } from './process.ts';
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
