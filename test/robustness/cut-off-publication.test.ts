/**
 * A publication, looked at before each of its steps, as a shop sees it that reads the lists at that moment; and as a kill
 * at that moment leaves it: `verify` says what is incomplete, and the next run completes it.
 *
 * `npm test` goes on from the steps that divide the publication, with `BTG2GLTF_TEST_LONG=1` it is every step.
 */
import { cpSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Verification, verifyOutput } from '../../src/run/output/verify.ts';
import { watchFileOperations } from '../../src/support/file-operations.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { command } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { folderAt, missingNames, namesOf } from '../helpers/named-files.ts';
import { manifestWithoutStatus, publishedFiles } from '../helpers/output-folder.ts';
import { ALL_LISTS, republishedRange } from '../helpers/republished-range.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { IS_LONG } from '../helpers/samples.ts';

/** Clocks of the runs, which stand still: the next run begins after the one that was killed, however long that took. */
const [FIRST, SECOND, NEXT] = ['2024-06-01T02:00Z', '2024-06-02T02:00Z', '2024-06-02T04:00Z'].map(
  (at) => () => Date.parse(at),
) as [() => number, () => number, () => number];

/** Chooses the steps after which a next run is tried: the first of each kind, or all. */
function chooser(kinds: readonly RegExp[]): (step: string) => boolean {
  const left = new Set(kinds);
  return (step) => {
    const kind = [...left].find((expected) => expected.test(step));
    return (kind !== undefined && left.delete(kind)) || IS_LONG;
  };
}

describe('in an output folder', () => {
  /** Operations that change what a reader finds. */
  const CHANGES = new Set(['link', 'rename', 'copy', 'unlink', 'remove']);
  const DIVIDING = [
    /^rename manifest\.jsonl$/,
    /^rename published\.jsonl$/,
    /^unlink (?:articles|web)\//,
  ];
  let runs: DailyRuns;
  /** Each step that did not come about, and a folder with what `out` and `cache` had then. */
  const moments: { step: string; folder: string }[] = [];
  const problems = new Set<string>();
  let [before, after] = [new Map<string, string>(), new Map<string, string>()];
  let published: Awaited<ReturnType<typeof results>>;

  beforeAll(async () => {
    const { range, change } = republishedRange();
    runs = await openDailyRuns(range, { deliver: ALL_LISTS });
    const first = await runs.run(FIRST);
    expect(first.exit, first.stderr).toBe(0);
    before = seenIn(runs.outputDir);
    change();
    const second = await observed(() => runs.run(SECOND));
    expect(second.exit, second.stderr).toBe(0);
    after = seenIn(runs.outputDir);
    published = await results();
  });
  afterAll(() => runs.close());

  test('every address that a list names answers, and every digest is that of an object, before each step', () => {
    expect([...problems]).toEqual([]);
    expect(missingNames(folderAt(runs.outputDir))).toEqual([]);
    expect(moments.length).toBeGreaterThanOrEqual(DIVIDING.length);
  });

  test('what a kill leaves is no damage, and verify says what is incomplete', async () => {
    let named = 0;
    for (const { step, folder } of moments) {
      const outputDir = join(folder, 'out');
      const { problems: damages, incomplete } = await verifyOutput(outputDir);
      expect(damages, step).toEqual([]);
      if (incomplete.length > 0) named++;
      else expect([[...before], [...after]], step).toContainEqual([...seenIn(outputDir)]);
    }
    expect(named).toBeGreaterThan(moments.length / 2);
    const { folder } = moments.find(({ step }) => step === 'rename published.jsonl')!;
    const { exit, stdout } = await runs.call(['verify', join(folder, 'out')]);
    expect([exit, stdout]).toEqual([1, expect.stringContaining('a publication was cut off')]);
    // The older lists name files to which the manifest no longer refers.
    const pruned = await runs.call(['prune', join(folder, 'out'), '--yes']);
    expect([pruned.exit, pruned.stderr]).toEqual([3, expect.stringContaining('was cut off')]);
  });

  test('the next run completes what a kill left', async () => {
    for (const { step, folder } of moments) {
      for (const path of [runs.outputDir, runs.cacheDir]) {
        rmSync(path, { recursive: true });
        cpSync(join(folder, relative(runs.folder, path)), path, { recursive: true });
      }
      // This process is not the one that was killed.
      rmSync(join(runs.outputDir, '.lock'), { force: true });
      const { exit, stderr } = await runs.run(NEXT);
      expect(exit, `${step}: ${stderr}`).toBe(0);
      expect(await results(), step).toEqual(published);
      expect((await verifyOutput(runs.outputDir)).incomplete, step).toEqual([]);
    }
  });

  /** Looks at the output folder before each step of a run, and keeps what it has at some. */
  async function observed<T>(run: () => Promise<T>): Promise<T> {
    const { outputDir, cacheDir, folder } = runs;
    const isChosen = chooser(DIVIDING);
    watchFileOperations((operation, path) => {
      const name = relative(outputDir, path);
      if (!CHANGES.has(operation) || /^(?:\.\.|\.tmp|\.lock|runs)/.test(name)) return;
      const step = `${operation} ${name}`;
      for (const problem of missingNames(folderAt(outputDir)))
        problems.add(`before ${step}: ${problem}`);
      if (!isChosen(step)) return;
      const kept = join(folder, `step-${moments.length}`);
      for (const from of [outputDir, cacheDir])
        cpSync(from, join(kept, relative(folder, from)), { recursive: true });
      moments.push({ step, folder: kept });
    });
    try {
      return await run();
    } finally {
      watchFileOperations(undefined);
    }
  }

  /** The digest of each list, and of each file that one names. */
  function seenIn(outputDir: string): Map<string, string> {
    const place = folderAt(outputDir);
    const named = namesOf(place);
    const paths = [...named.values()].flatMap(({ addresses }) => addresses);
    const all = [...new Set([...named.keys(), ...paths])].sort();
    return new Map(all.map((path) => [path, sha256Hex(place.read(path))]));
  }

  /** All that is published, but for what says only which run has done it. */
  async function results() {
    const files = await publishedFiles(runs.outputDir);
    for (const name of [...files.keys()])
      if (/^(?:manifest|changes)\.jsonl$|^\.(?:tmp|lock)/.test(name)) files.delete(name);
    return { manifest: await manifestWithoutStatus(runs.outputDir), files };
  }
});

describe.runIf(IS_LONG)('in a store', () => {
  const PREFIX = 'nightly/';
  const DIVIDING = [/^PUT deliveries\.jsonl$/];
  let runs: DailyRuns;
  let server: S3Server;
  const moments: { step: string; objects: S3Server['objects'] }[] = [];
  const problems = new Set<string>();
  let published: ReturnType<typeof results>;

  // By the clock of the server, which refuses another one.
  const call = (words: string[]) => command(words, { env: { ...runs.proxy.env, ...server.env } });
  const content = () => ({ deliver: ALL_LISTS, store: { url: `s3://${server.bucket}/nightly` } });
  const place = () => ({
    names: new Set(Array.from(server.objects.keys(), (key) => key.slice(PREFIX.length))),
    read: (name: string) => server.objects.get(PREFIX + name)!.content.toString(),
  });

  beforeAll(async () => {
    server = await startS3Server();
    const { range, change } = republishedRange();
    runs = await openDailyRuns(range, content());
    const first = await call(['run', runs.pipelineFile]);
    expect(first.exit, first.stderr).toBe(0);
    change();
    const isChosen = chooser(DIVIDING);
    server.switches.hold = ({ method, url }) => {
      const name = new URL(url, server.endpoint).pathname.split(`/${PREFIX}`)[1] ?? '';
      const step = `${method} ${name}`;
      if (!/^(?:PUT|DELETE) (?:[\w.]+\.jsonl?$|web|feeds|gallery)/.test(step)) return undefined;
      for (const problem of missingNames(place(), true)) problems.add(`before ${step}: ${problem}`);
      if (isChosen(step)) moments.push({ step, objects: new Map(server.objects) });
      return undefined;
    };
    const second = await call(['run', runs.pipelineFile]);
    server.switches.hold = undefined;
    expect(second.exit, second.stderr).toBe(0);
    published = results();
  });
  afterAll(async () => {
    await runs.close();
    await server.close();
  });

  test('every address that a list names answers, before each step', () => {
    expect([...problems]).toEqual([]);
    expect(missingNames(place(), true)).toEqual([]);
    expect(moments.length).toBeGreaterThanOrEqual(DIVIDING.length);
  });

  test('what a kill leaves is named by verify, and completed by the next run on any machine', async () => {
    for (const [index, { step, objects }] of moments.entries()) {
      server.objects.clear();
      for (const [key, object] of objects) server.objects.set(key, object);
      server.objects.delete(`${PREFIX}lock.json`);
      const isPublishing = place().names.has('publishing.jsonl');
      const verified = await call(['verify', runs.pipelineFile, '--json']);
      const { problems: damages, incomplete } = JSON.parse(verified.stdout) as Verification;
      expect([damages, incomplete.length > 0], step).toEqual([[], isPublishing]);
      const machine = join(runs.folder, `machine-${index}`);
      cpSync(runs.pipelineFile, join(machine, 'pipeline.yaml'));
      const { exit, stderr } = await call(['run', join(machine, 'pipeline.yaml')]);
      expect(exit, `${step}: ${stderr}`).toBe(0);
      expect(results(), step).toEqual(published);
      expect((await call(['verify', runs.pipelineFile])).exit, step).toBe(0);
    }
  });

  /** What readers find, but for what says only which run has done it. */
  function results(): Map<string, string> {
    const { names, read } = place();
    const seen = [...names].filter((name) =>
      /^(?:web|feeds|gallery)\/|^(?:catalogue|deliveries|published)\.jsonl$/.test(name),
    );
    return new Map(seen.sort().map((name) => [name, sha256Hex(read(name))]));
  }
});
