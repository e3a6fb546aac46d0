/** What a publishing run removes: reports beyond `keepRuns`, and what nothing has referred to for `keepObjectsDays`. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parsePipeline } from '../../src/deliver/pipeline.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import type { CommandResult } from '../helpers/command.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { filesBelow } from '../helpers/output-folder.ts';
import { startS3Server } from '../helpers/s3-server.ts';
import { IS_LONG } from '../helpers/samples.ts';

let range: CountedRange;
let runs: DailyRuns;
async function open(articles: number): Promise<void> {
  range = countedRange({ articles, blocks: articles, images: 1, blocksPerArticle: 1 });
  runs = await openDailyRuns(range, { output: OUTPUT, gates: GATES });
}
beforeEach(() => open(4));
afterEach(() => runs.close());

const OUTPUT = { dir: 'out', keepRuns: 3 };
const GATES = { articlesGone: {}, bounds: {} };

const below = async (folder: string) => {
  const paths = await filesBelow(join(runs.outputDir, folder));
  return paths.map((path) => relative(runs.outputDir, path));
};
const reports = async () =>
  (await readdir(join(runs.outputDir, 'runs'))).filter((n) => n !== 'latest');
const objectOf = (sha256: string) => `objects/${sha256.slice(0, 2)}/${sha256}.glb`;
/** What becomes of three of four articles on a day: changed, failed, gone. */
const change = (day: string) => {
  range.convertdates.set('N01', day);
  range.bodies.set('N01::PART::B001', countedBlock('N01::PART::B001', 3));
  range.missing.add('N01::PART::B002');
  range.gone.add(range.articleAt(2).number);
};
const good = ({ exit, stderr }: CommandResult) => expect(exit <= 1 ? '' : stderr).toBe('');

test('the defaults are 90 reports and 14 days', () => {
  const text =
    'name: x\nservice: { emulator: true }\narticles: [{ catalogue: {} }]\noutput: { dir: out }';
  expect(parsePipeline(text, 'x.yaml', {})).toMatchObject({ keepRuns: 90, keepObjectsDays: 14 });
});

describe('a run that publishes', () => {
  test('removes objects and links after 14 days without a reference, by its clock; the last good GLB is one; and it keeps the last reports only', async () => {
    good(await runs.run('2026-01-01'));
    const [changed, failed, gone] = (await readManifest(runs.outputDir)) as {
      glb: string;
      sha256: string;
    }[];
    const own = ['articles/index.html', 'objects/notes.txt'];
    for (const path of own) await writeFile(join(runs.outputDir, path), 'of the user');
    change('2026-01-02');
    good(await runs.run('2026-01-02'));
    const before = [...(await below('objects')), ...(await below('articles'))];
    const outdated = [objectOf(changed!.sha256), objectOf(gone!.sha256), gone!.glb];
    expect(before).toEqual(expect.arrayContaining([...outdated, ...own, failed!.glb]));
    good(await runs.run('2026-01-15'));
    expect([...(await below('objects')), ...(await below('articles'))]).toEqual(before);

    good(await runs.run('2026-01-16'));
    const after = [...(await below('objects')), ...(await below('articles'))];
    expect(after).toEqual(before.filter((path) => !outdated.includes(path)));
    expect(after).toEqual(expect.arrayContaining([objectOf(failed!.sha256), failed!.glb, ...own]));
    expect((await runs.call(['verify', runs.outputDir])).stdout).toContain('all intact');
    // Of four reports, as many as the pipeline file says.
    const left = await reports();
    expect(left.map((name) => name.slice(0, 10))).toEqual([
      '2026-01-02',
      '2026-01-15',
      '2026-01-16',
    ]);
    expect((await runs.report()).previousRun).toBe(left[1]);
  });

  test('keeps what is referred to again, and counts anew from the next day without a reference', async () => {
    await runs.close();
    await open(2);
    const runWithout = async (day: string, ...gone: string[]) => {
      range.convertdates.set('N01', day);
      range.gone.clear();
      for (const number of gone) range.gone.add(number);
      good(await runs.run(day));
      return below('objects');
    };
    const { number } = range.articleAt(0);
    const before = await runWithout('2026-01-01');
    expect(await runWithout('2026-01-02', number)).toEqual(before);
    expect(await runWithout('2026-01-17')).toEqual(before);
    expect(await runWithout('2026-02-01', number)).toEqual(before);
    if (IS_LONG) expect(await runWithout('2026-02-14', number)).toEqual(before);
    expect(await runWithout('2026-02-15', number)).toHaveLength(before.length - 1);
  });

  test('begins the days again where the cache is gone, and ends them no later where the clock was set back', async () => {
    good(await runs.run('2026-01-01'));
    const before = await below('objects');
    change('2026-01-02');
    good(await runs.run('2026-03-01'));
    const all = await below('objects');
    good(await runs.run('2026-01-05'));
    await rm(join(runs.cacheDir, 'unreferenced'), { recursive: true });
    good(await runs.run('2026-01-06'));
    good(await runs.run('2026-01-19'));
    expect(await below('objects')).toEqual(all);
    good(await runs.run('2026-01-20'));
    expect(await below('objects')).toHaveLength(before.length - 1);
  });

  test('removes at once what is outdated with keepObjectsDays: 0, nothing where a gate refuses, and succeeds although it cannot remove it, and says why', async () => {
    await runs.configure({ output: { ...OUTPUT, keepObjectsDays: 0 }, gates: GATES });
    good(await runs.run('2026-01-01'));
    const before = await below('objects');
    change('2026-01-02');
    await runs.configure({
      output: { ...OUTPUT, keepObjectsDays: 0 },
      gates: { bounds: { refuse: '1%' } },
    });
    expect((await runs.run('2026-01-02')).exit).toBe(4);
    expect(await below('objects')).toEqual(expect.arrayContaining(before));
    good(await runs.run('2026-01-02', '--accept'));
    expect(await below('objects')).toHaveLength(3);
    expect((await runs.command('prune', '2026-01-02')).stdout).toContain('nothing to remove');

    // A folder is in the place of the list of what is outdated.
    const lists = join(runs.cacheDir, 'unreferenced');
    const [list] = await readdir(lists);
    await rm(join(lists, list!));
    await mkdir(join(lists, list!));
    range.gone.add(range.articleAt(3).number);
    const { exit, stderr } = await runs.run('2026-01-03');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('could not be removed')]);
  });
});

test('what a store has goes by the same rules', async () => {
  const server = await startS3Server();
  try {
    Object.assign(runs.proxy.env, server.env);
    const store = { url: `s3://${server.bucket}/nightly` };
    await runs.configure({ output: { ...OUTPUT, keepRuns: 2 }, gates: GATES, store });
    const keys = (prefix: string) => {
      const all = [...server.objects.keys()].map((key) => key.slice('nightly/'.length));
      return all.filter((key) => key.startsWith(prefix)).sort();
    };
    const runOn = async (day: string) => {
      server.switches.clockAheadMs = Date.parse(`${day}T02:00:00Z`) - Date.now();
      good(await runs.run(day));
    };
    await runOn('2026-01-01');
    const [changed, failed, gone] = (await readManifest(runs.outputDir)) as { sha256: string }[];
    change('2026-01-02');
    await runOn('2026-01-02');
    const before = keys('objects/');
    if (IS_LONG) {
      await runOn('2026-01-15');
      expect(keys('objects/')).toEqual(before);
    }
    await runOn('2026-01-16');
    const outdated = [changed!, gone!].map(({ sha256 }) => objectOf(sha256));
    expect(before).toEqual(expect.arrayContaining(outdated));
    expect(keys('objects/')).toEqual(before.filter((key) => !outdated.includes(key)));
    expect(keys('objects/')).toContain(objectOf(failed!.sha256));
    expect(new Set(keys('runs/').map((key) => key.split('/')[1])).size).toBe(2);
    expect(await reports()).toHaveLength(2);
  } finally {
    await server.close();
  }
});
