/**
 * Gates between runs: what is too different from what is published stays unpublished until an
 * operator accepts it.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { body } from '../helpers/graphics.ts';
import { publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { markBuilds, readStateRows } from '../helpers/state-rows.ts';

/** Gates without the size from which the default ones act. */
const GATES = {
  articlesGone: { warn: 0.1, refuse: 0.4 },
  triangles: { change: 0.5, refuse: 0.4 },
  bounds: { change: 0.25, refuse: 0.4 },
};
const ARTICLES = 4;
let range: CountedRange;
let runs: DailyRuns;

const close = () => runs.close();

async function publish(
  articles = ARTICLES,
  pipeline: Record<string, unknown> = { gates: GATES },
): Promise<void> {
  range = countedRange({ articles, blocks: ARTICLES, images: 1, blocksPerArticle: 1 });
  runs = await openDailyRuns(range, pipeline);
  expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
}

/** What shops see: everything but the store and the reports. */
async function published(): Promise<[string, string][]> {
  const files = await publishedFiles(runs.outputDir);
  return [...files].filter(([name]) => !name.startsWith('objects'));
}

/** One triangle where a box was. */
function collapse(articles: number): void {
  for (let index = 0; index < articles; index++) {
    const [name] = range.articleAt(index).blocks;
    const V = [0, 0, 0, 0.01, 0, 0, 0, 0.01, 0];
    const A = [{ F: [0, 1, 2], TI: [], C: false }];
    range.bodies.set(name!, body({ N: name!, P: [0, 0, 0], R: [0, 0, 0], V, T: [], A }));
  }
}

test('half the range is gone: with the default gates each run over all is refused until one is accepted', async () => {
  await publish(20, {});
  onTestFinished(close);
  range.convertedOn('2026-01-02');
  for (let index = 0; index < 10; index++) range.gone.add(range.articleAt(index).number);
  // A run over a part loses nothing, so nothing is refused.
  expect((await runs.run('2026-01-02', '--only', `*/${range.articleAt(19).number}`)).exit).toBe(0);
  expect(await readManifest(runs.outputDir)).toHaveLength(20);
  // What shops see stays byte for byte, and the operator learns what and how.
  const before = await published();
  for (const day of ['2026-01-02', '2026-01-03']) {
    const { exit, stderr } = await runs.run(day);
    expect(exit).toBe(4);
    expect(stderr).toContain('10 of 20 configurations are gone (50 %, refused from 40 %)');
    expect(stderr).toContain('--accept');
    expect(await published()).toEqual(before);
    expect(await runs.report()).toMatchObject({
      published: false,
      gates: { refused: true, accepted: false, byGate: { articlesGone: { refuse: 10 } } },
      stop: { code: 'GATE_REFUSED' },
    });
  }
  expect((await runs.run('2026-01-04', '--accept')).exit).toBe(0);
  expect(await readManifest(runs.outputDir)).toHaveLength(10);
  expect(await runs.report()).toMatchObject({
    published: true,
    gates: { refused: true, accepted: true },
  });
  expect((await runs.run('2026-01-05')).exit).toBe(0);
});

test('the verdict on what is gone has the threshold of the gate', async () => {
  const articles = Array.from({ length: 11 }, (_, i) => {
    const basearticlenumber = `A${String(i + 1).padStart(5, '0')}`;
    return { article: { manufacturer: 'N01', program: 'S01', basearticlenumber } };
  });
  await publish(articles.length, { articles });
  onTestFinished(close);
  // What is no longer selected is gone, too, and no article is asked for.
  const GONE = '1 configuration is gone';
  const ALL = 'all converted';
  const verdicts = [
    [undefined, ALL],
    [{ warn: '4%' }, GONE],
    [{ refuse: '4%' }, GONE],
    // The unit tests of the report have these, too.
    ...(IS_LONG
      ? ([
          [{ warn: '50%' }, ALL],
          [{}, ALL],
        ] as const)
      : []),
  ] as const;
  for (const [i, [articlesGone, verdict]] of verdicts.entries()) {
    const gates = articlesGone && { gates: { articlesGone } };
    await runs.configure({ articles: articles.slice(i + 1), ...gates });
    const { stdout } = await runs.run(`2026-01-0${i + 2}`, '--accept');
    expect(stdout).toContain(`test: ${verdict} ·`);
  }
});

describe('geometry collapses', () => {
  // The second test goes on where the first has ended.
  beforeAll(async () => {
    await publish();
    range.convertedOn('2026-01-02');
    collapse(ARTICLES / 2);
  });
  afterAll(close);

  test('the result is refused; --accept publishes it without building or asking anything again', async () => {
    const before = await published();
    expect((await runs.run('2026-01-02')).exit).toBe(4);
    expect(await published()).toEqual(before);
    const { gates } = await runs.report();
    expect(gates.byGate).toMatchObject({ triangles: { refuse: 2 }, bounds: { refuse: 2 } });

    markBuilds(runs.cacheDir);
    range.asked.clear();
    expect((await runs.run('2026-01-02', '--accept')).exit).toBe(0);
    const { builds } = await readStateRows(runs.cacheDir);
    expect([...builds.values()].every((isUntouched) => isUntouched)).toBe(true);
    expect(range.count('block') + range.count('btg') + range.count('materials')).toBe(0);
    const lines = await readManifest(runs.outputDir);
    expect(lines.filter(({ triangles }) => triangles === 1)).toHaveLength(ARTICLES / 2);
  });

  test('build applies the same gates as run', async () => {
    // Boxes again, where single triangles are published.
    range.bodies.clear();
    range.convertedOn('2026-01-03');
    const before = await published();
    expect((await runs.command('fetch', '2026-01-03')).exit).toBe(0);
    expect((await runs.command('build', '2026-01-03')).exit).toBe(4);
    expect(await published()).toEqual(before);
    expect((await runs.command('build', '2026-01-03', '--accept')).exit).toBe(0);
  });
});

test('a run of failures in between does not hide that geometry collapsed after it', async () => {
  await publish();
  onTestFinished(close);
  range.convertedOn('2026-01-02');
  runs.proxy.break(/\/btg\?/, (response) => response.writeHead(500).end());
  expect((await runs.run('2026-01-02')).exit).toBe(1);
  runs.proxy.mend();
  collapse(ARTICLES / 2);
  expect((await runs.run('2026-01-03')).exit).toBe(4);
  const lines = await readManifest(runs.outputDir);
  expect(lines.every(({ status }) => status === 'failed')).toBe(true);
});

test('beyond --max-failures nothing is published, unless it is accepted', async () => {
  await publish();
  onTestFinished(close);
  const before = await published();
  range.convertedOn('2026-01-02');
  const numbers = [0, 1, 2].map((index) => range.articleAt(index).number);
  runs.proxy.break(new RegExp(`/btg\\?.*(${numbers.join('|')})`), (response) =>
    response.writeHead(500).end(),
  );
  const refused = await runs.run('2026-01-02', '--max-failures', '50%');
  expect(refused.exit).toBe(4);
  expect(refused.stderr).toContain(
    '--max-failures: expected at most 50 % failures, received 3 of 4 configurations (75 %)',
  );
  expect(await published()).toEqual(before);
  expect(await runs.failures()).toHaveLength(3);
  // Some failed, which is 1.
  expect((await runs.run('2026-01-02', '--max-failures', '2', '--accept')).exit).toBe(1);
  expect((await runs.report()).published).toBe(true);
  expect((await runs.run('2026-01-02', '--max-failures', '3')).exit).toBe(1);
  const lines = await readManifest(runs.outputDir);
  expect(lines.filter(({ lastGood }) => lastGood !== undefined)).toHaveLength(3);
});
