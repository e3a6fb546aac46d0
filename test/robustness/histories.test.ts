/**
 * Histories: whatever has happened, one good night publishes what a run into an empty folder with an empty cache
 * publishes.
 *
 * `npm test` takes 2 histories of 2 nights, with `BTG2GLTF_TEST_LONG=1` it is 500 of up to 12 nights, with more
 * deliveries that need no browser, and a kill is that of a process.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configurationKey } from '../../src/model/configuration-id.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { detailsInScript, listedInScript } from '../helpers/gallery-output.ts';
import { type Ending, type Histories, openHistories } from '../helpers/histories.ts';
import { anyHistory, type Night } from '../helpers/history-events.ts';
import { filesBelow, parsedLines } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';

/** Of each seed: a hundred take some minutes. */
const HISTORIES = IS_LONG ? 100 : 2;
const SEEDS = IS_LONG ? [1, 2, 3, 4, 5] : [1];
const MOST_NIGHTS = IS_LONG ? 12 : 2;

/**
 * Histories after which a good night did not publish that once, as the property prints them. Of those of prices and
 * listings `test/pipeline/prices.test.ts` and `listings.test.ts` have cases.
 */
const KNOWN: readonly Night[][] = [
  // Answers that something has cached without publishing what they say.
  [['run'], ['price 0', 'dated', 'fetch']],
  [['run'], ['text 0', 'dated', 'fetch'], ['build']],
  [['run'], ['price 0', 'dated', 'SIGTERM request 13', 'run']],
  [['run'], ['price 0', 'gone 1 2', 'dated', 'run']],
  [['second'], ['run'], ['price 0', 'dated', 'run']],
  // Listings that are empty, or lack what is there.
  [['service empty', 'run'], ['run']],
  [['run'], ['price 0', 'dated', 'service empty', 'run'], ['run']],
  [['gone 3 0', 'run'], ['listed 3', 'dated', 'service empty', 'run'], ['run']],
  [['soon', 'gone 3 0', 'run'], ['listed 3', 'dated', 'service empty', 'run'], ['second']],
  // GLBs that several articles share, from a warm cache into an empty folder.
  [['second'], ['run']],
  // What waits in quarantine when it is there again.
  [['gone 0', 'run'], ['run'], ['run'], ['listed 0', 'run']],
];

/** What a pipeline delivers, beside what an event asks for. */
const DELIVERIES = {
  feeds: { baseUrl: 'https://furniture.example/', kinds: ['jsonld', 'csv'] },
  gallery: IS_LONG,
  variants: IS_LONG,
};

let histories: Histories;
beforeAll(async () => {
  histories = await openHistories(DELIVERIES);
});
afterAll(() => histories.close());

test.runIf(IS_LONG).each(KNOWN.map((history) => [history]))('a good night heals %j', heals);

test.each(SEEDS)('a good night heals any history (seed %i)', async (seed) => {
  await fc.assert(fc.asyncProperty(anyHistory(MOST_NIGHTS), heals), {
    numRuns: HISTORIES,
    seed,
    reporter: ({ failed, counterexample, errorInstance, numRuns, numShrinks }) => {
      if (!failed) return;
      const nights = counterexample?.[0].map((night) => `  ${JSON.stringify(night)},\n`).join('');
      const found = `history ${numRuns}, after ${numShrinks} simplifications`;
      throw new Error(`${found}:\n[\n${nights}]\n${errorInstance}`);
    },
  });
});

/** Plays a history and compares what the night after it has published, in each output folder. */
async function heals(history: readonly Night[]): Promise<void> {
  const { folder, nights, endings, fresh } = await histories.play(history);
  for (const [index, { stderr }] of nights.entries())
    expect(stderr, `night ${index + 1}`).not.toContain('"code":"INTERNAL"');
  const truth = await truthOf(fresh);
  for (const ending of endings) {
    const { exit, stderr } = ending;
    expect(exit, stderr).toBe(fresh.exit);
    const found = differences(await truthOf(ending), truth);
    if (found !== '')
      throw new Error(`${relative(folder, ending.outputDir)} is not that:\n${found}`);
  }
}

/**
 * What has to be equal: every file of an output folder once `prune` has removed what it names, by its path and its
 * digest, or a list by its rows; so nothing else is left. But:
 *
 * - `runs/`, the reports, and `changes.jsonl` say what has happened.
 * - `status` of a manifest line says whether this run has built it.
 * - What fails is compared by what was requested, and by its error. Its last good files, the other files of its article
 *   (finishes share one), and the rows that name them are there only if an earlier night was good.
 */
async function truthOf({ outputDir }: Ending): Promise<Rows> {
  const paths = (await filesBelow(outputDir)).map((path) => relative(outputDir, path));
  const failed = (await readManifest(outputDir)).filter(({ status }) => status === 'failed');
  // The profile shared has the files of all articles side by side.
  const places = failed.flatMap((line) => [placeOf(line), `shared/${line.basearticlenumber}.`]);
  const isApart = (text: string) => places.some((place) => text.includes(place));
  const failures = failed.map(({ requested, error }) => [requested.map(configurationKey), error]);
  const truth: Rows = new Map([['failures', failures.map((row) => JSON.stringify(row))]]);
  const named = { apart: '', together: '' };
  const others: string[] = [];
  for (const path of paths.filter((path) => !OF_THE_PAST.test(path) && !isApart(path))) {
    const rowsOf = LISTS.find(([pattern]) => pattern.test(path))?.[1];
    if (rowsOf === undefined) {
      others.push(path);
      continue;
    }
    const rows = rowsOf(await readFile(join(outputDir, path), 'utf8'));
    const together = rows.filter((row) => !isApart(row));
    truth.set(path, together);
    for (const row of rows) named[isApart(row) ? 'apart' : 'together'] += row;
  }
  for (const path of others) {
    // An object, or a file that articles share.
    const [digest] = /[0-9a-f]{64}/.exec(path) ?? [];
    if (digest && named.apart.includes(digest) && !named.together.includes(digest)) continue;
    truth.set(path, [sha256Hex(await readFile(join(outputDir, path)))]);
  }
  return truth;
}

const MOST_DIFFERENCES = 8;
/** Characters of each. */
const MOST_SHOWN = 500;

/** The rows of each list, and the digest of each other file. */
type Rows = Map<string, string[]>;

/** The first rows that only one of two outputs has: `+` where it should not be, `-` where it is missing. */
function differences(actual: Rows, expected: Rows): string {
  const rowsOf = (files: Rows) =>
    [...files].flatMap(([path, rows]) => [path, ...rows.map((row) => `${path}: ${row}`)]);
  const [is, should] = [new Set(rowsOf(actual)), new Set(rowsOf(expected))];
  const rows = [
    ...[...is].filter((row) => !should.has(row)).map((row) => `+ ${row}`),
    ...[...should].filter((row) => !is.has(row)).map((row) => `- ${row}`),
  ];
  return rows
    .slice(0, MOST_DIFFERENCES)
    .map((row) => row.slice(0, MOST_SHOWN))
    .join('\n');
}

const OF_THE_PAST = /^(?:runs\/|changes\.jsonl$)/;

/** The beginning of all paths of an article below the folder of a delivery. */
const placeOf = (id: Pick<ManifestLine, 'manufacturer' | 'program' | 'basearticlenumber'>) =>
  `${id.manufacturer}/${id.program}/${id.basearticlenumber}.`;

const identifiedRows = (text: string) =>
  parsedLines<ManifestLine>(text).map(
    ({ status, ...line }) => `${placeOf(line)} ${JSON.stringify(line)}`,
  );

/** The rows of lists, with the place of the article that each is about. */
const LISTS: readonly [RegExp, (text: string) => string[]][] = [
  [/^(?:manifest|catalogue(?:\.\w\w)?|deliveries|published)\.jsonl$/, identifiedRows],
  [/^feeds\//, (text) => text.split('\n')],
  [
    /^gallery\/articles\.js$/,
    (text) => {
      const { articles, ...others } = listedInScript(text);
      return [others, ...articles].map((one) => JSON.stringify(one));
    },
  ],
  [
    /^gallery\/details-\d+\.js$/,
    (text) => detailsInScript(text).configurations.map((one) => JSON.stringify(one)),
  ],
];
