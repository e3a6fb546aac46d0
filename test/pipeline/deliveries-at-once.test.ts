/** Deliveries of the built program on several processors, and while the run still converts. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DELIVERIES } from '../../src/deliver/hooks.ts';
import { FileContents } from '../../src/deliver/making/file-contents.ts';
import { cachedContents } from '../../src/deliver/making/made-files.ts';
import { loadPipeline } from '../../src/deliver/pipeline.ts';
import { createUsdzMaker } from '../../src/deliver/usd/usdz-maker.ts';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { Run } from '../../src/run/open/open-run.ts';
import { runPipeline } from '../../src/run/run.ts';
import { exists } from '../../src/support/files.ts';
import { SILENT } from '../../src/support/log.ts';
import { PARTS } from '../../src/wiring.ts';
import { environmentOf, runChild, startChild } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { deliveryLines, publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { closedGate, until } from '../helpers/until.ts';

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true }));

describe('deliveries of the sample range', () => {
  /** What threads make, of which the libraries of one profile load in a third of the time; maker-threads.test.ts has all. */
  const profiles = IS_LONG ? ['web', 'ar-ios'] : ['ar-ios'];
  const content = {
    service: { emulator: true },
    articles: [{ catalogue: {} }],
    deliver: { profiles, variants: IS_LONG },
    // To encode textures is most of what they take.
    convert: { maxTextureSize: IS_LONG ? 1024 : 64 },
  };
  const started = async (name: string, ...options: string[]) => {
    const own = { output: { dir: name }, cache: { dir: `${name}-cache` } };
    const file = await writePipeline(folder, { ...content, ...own });
    return ['run', file, '--limit', '2', ...options];
  };
  /** Without the manifest, which says when a line was built. */
  const filesOf = async (name: string) => {
    const files = await publishedFiles(join(folder, name));
    files.delete('manifest.jsonl');
    return files;
  };
  let one: Map<string, string>;
  beforeAll(async () => {
    const { exit } = await command(await started('one', '--workers', '1'));
    expect(exit).toBe(0);
    one = await filesOf('one');
    expect([...one.keys()].some((path) => path.startsWith('ar-ios/'))).toBe(true);
  });

  it.runIf(IS_LONG)('are the same files with one worker and with three', async () => {
    const { exit } = await runChild(await started('three', '--workers', '3'), {});
    expect(exit).toBe(0);
    expect(await filesOf('three')).toEqual(one);
  });

  it('are the same files after a kill with two workers, and end at once by Ctrl-C', async () => {
    const words = await started('killed', '--workers', '2');
    // That a run ends by Ctrl-C, and threads when they are closed: long-conversion.test.ts and maker-threads.test.ts.
    for (const signal of IS_LONG ? (['SIGKILL', 'SIGINT'] as const) : (['SIGKILL'] as const)) {
      const child = startChild(words, {});
      await until(() => child.printed.stderr.includes(`next: ${profiles[0]}`));
      child.kill(signal);
      const { exit } = await child.ended;
      expect(exit).toBe(signal === 'SIGINT' ? 130 : null);
    }
    expect((await runChild(words, {})).exit).toBe(0);
    expect(await filesOf('killed')).toEqual(one);
  });
});

describe('deliveries of a run that still converts', () => {
  let range: CountedRange;
  let emulator: Emulator;
  const gate = closedGate();
  beforeAll(async () => {
    range = countedRange({ articles: 2, blocks: 6, images: 1 });
    const [first, second] = [range.articleAt(0), range.articleAt(1)];
    const held = second.blocks.find((name) => !first.blocks.includes(name));
    const { block } = range;
    range.block = async (name) => {
      if (name === held) await gate.opened;
      return block(name);
    };
    emulator = await startEmulator({ range });
  });
  afterAll(() => emulator.close());

  const environment = {
    log: SILENT,
    now: Date.now,
    random: Math.random,
    signal: new AbortController().signal,
    startEmulator: () => Promise.reject(new Error('no emulator was asked for')),
  };

  it('begin with each GLB that is built, and publish nothing before all are', async () => {
    const env = environmentOf(emulator);
    const file = await writePipeline(folder, {
      ...{ output: { dir: 'early' }, cache: { dir: 'early-cache' } },
      deliver: { profiles: ['ar-ios'] },
    });
    let opened: Run | undefined;
    const built: string[] = [];
    const deliveries: typeof DELIVERIES = {
      ...DELIVERIES,
      async begin(run) {
        opened = run;
        const begun = await DELIVERIES.begin(run);
        const add: typeof begun.add = (glb) => {
          built.push(glb.sha256);
          begun.add(glb);
        };
        return { ...begun, add };
      },
    };
    const options = { pipeline: await loadPipeline(file, env) };
    const running = runPipeline(options, { ...environment, env }, { ...PARTS, deliveries });
    const made = async () => {
      const [glb] = built;
      if (glb === undefined) return false;
      const { derived } = opened!.sources;
      const [usdz] = await cachedContents(
        derived,
        FileContents.of(opened!),
        createUsdzMaker(),
        glb,
      );
      return usdz !== undefined;
    };
    await until(made);
    expect(built).toHaveLength(1);
    const outputDir = join(folder, 'early');
    expect(await exists(join(outputDir, 'ar-ios'))).toBe(false);
    gate.open();
    const { report, end } = await running;
    expect(end.kind).toBe('complete');
    const [counts] = report.delivered!.deliveries;
    expect(counts).toMatchObject({ name: 'ar-ios', made: 2, failed: 0 });
    expect(counts!.slowest!.length).toBeLessThanOrEqual(2);
    expect(await deliveryLines(outputDir)).toHaveLength(2);
  });

  it('are ended by a run that does not publish', async () => {
    const env = environmentOf(emulator);
    const file = await writePipeline(folder, {
      ...{ output: { dir: 'refused' }, cache: { dir: 'refused-cache' } },
      deliver: { profiles: ['ar-ios'] },
    });
    const options = { pipeline: await loadPipeline(file, env), maxFailures: { count: 0 } };
    range.missing.add(range.articleAt(1).blocks.at(-1)!);
    const { end } = await runPipeline(options, { ...environment, env }, PARTS);
    expect(end.kind).toBe('refused');
    expect(await exists(join(folder, 'refused', 'ar-ios'))).toBe(false);
    const manifest = await readFile(join(folder, 'refused', 'manifest.jsonl')).catch(() => 'none');
    expect(manifest).toBe('none');
  });
});
