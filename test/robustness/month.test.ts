/**
 * A month of nights over a range that changes, each a run of the built program: each morning what is published is what
 * the service says, and in the end nothing grows but by what has changed.
 *
 * It takes part in the long form only, and prints a line for each night.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, parse, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { modelComparer } from '../exact/compare-model.ts';
import {
  ACCEPTED_NIGHT,
  changingMonth,
  DESK,
  dayOf,
  FETCHED_NIGHT,
  KILLED_NIGHT,
  OUTAGE_NIGHT,
  REFUSED_NIGHT,
} from '../helpers/changing-month.ts';
import { startChild } from '../helpers/child.ts';
import { type DailyRuns, LIVE_ONCE, openDailyRuns } from '../helpers/daily-runs.ts';
import {
  type ExpectedConfiguration,
  evaluatePublished,
  type PublishedFindings,
} from '../helpers/evaluator/published.ts';
import { raw } from '../helpers/fault-server.ts';
import { type FolderSize, folderSize } from '../helpers/folder-size.ts';
import { filesBelow, parsedLines, publishedFiles } from '../helpers/output-folder.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { serveFolder } from '../helpers/static-server.ts';

const NIGHTS = 40;
const LAST_NIGHTS = 10;
const KEEP_RUNS = 10;
/** The default of `output: keepObjectsDays`. */
const KEEP_OBJECTS_DAYS = 14;
const LANGUAGES = ['de', 'en'];
/** Of each configuration; those of the desk with many finishes have `variants`, too. */
const DELIVERIES = ['pictures', 'web', 'ar-ios'];
const PIXELS_PER_METRE = 50;
/** Of the killed run, which would send some more: most of its answers are cached. */
const KILLED_AT_REQUEST = 60;
/** Ten reports have up to 0.7 MiB or, of nights that fail, 0.5; lists and databases have some KiB more or less. */
const SLACK_BYTES = 2 ** 18;
const SLACK_FILES = 10;

/** What happens on some nights, and how their run ends: all others end with 0, and publish. */
const EVENTS: Readonly<Record<number, { what: string; end: Night['end'] }>> = {
  [OUTAGE_NIGHT]: { what: 'the service fails', end: 3 },
  [FETCHED_NIGHT]: { what: 'a price; fetched before', end: 0 },
  [KILLED_NIGHT]: { what: 'prices; killed', end: 'SIGKILL' },
  [REFUSED_NIGHT]: { what: 'half is gone; refused', end: 4 },
  [ACCEPTED_NIGHT]: { what: 'accepted', end: 0 },
};

const FOLDERS = ['output', 'objects', 'runs', 'cache', 'temporary'] as const;
type Folder = (typeof FOLDERS)[number];

/** A row of the table. */
interface Night {
  day: string;
  what: string;
  /** Exit code, or the signal that has ended the run. */
  end: number | NodeJS.Signals | null;
  requests: number;
  /** Bodies that the service had not sent before. */
  answers: FolderSize;
  seconds: number;
  sizes: Record<Folder, FolderSize>;
  /** Objects that were not there before. */
  added: FolderSize;
}

describe.runIf(IS_LONG && HAS_BROWSER)(`${NIGHTS} nights`, () => {
  const month = changingMonth();
  const compare = modelComparer();
  const nights: Night[] = [];
  /** Sentences of what was not right in the morning. */
  const wrong = {
    ...{ ends: [] as string[], published: [] as string[] },
    ...{ kept: [] as string[], temporary: [] as string[] },
  };
  /** Digests of all bodies that the service has sent. */
  const answered = new Set<string>();
  let picturesCompared = 0;
  let runs: DailyRuns;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const inOutput = (...names: string[]) => join(runs.outputDir, ...names);
  const temporary = () => join(runs.folder, 'temporary');

  beforeAll(async () => {
    runs = await openDailyRuns(month.range);
    server = await serveFolder(runs.outputDir);
    await runs.configure(pipelineOf(server.address));
    await mkdir(temporary());
    const references = openReferences(runs.outputDir);
    for (let night = 0; night < NIGHTS; night++) {
      const change = month.pass(night);
      const { what, end } = EVENTS[night] ?? { what: change, end: 0 };
      const day = dayOf(night);
      const note = (list: keyof typeof wrong, sentences: readonly string[]) =>
        wrong[list].push(...sentences.map((sentence) => `${day}, ${what}: ${sentence}`));
      const before = await publishedNow();
      const measured = await run(night);
      if (measured.end !== end)
        note('ends', [`ended with ${measured.end}: ${measured.stderr.slice(-2000)}`]);
      note('temporary', await readdir(temporary()));
      // Otherwise a run has published nothing.
      const isPublished = measured.end === 0 || measured.end === 1;
      const found = isPublished ? await morning() : undefined;
      note('published', found?.problems ?? differences(before, await publishedNow()));
      picturesCompared += found?.picturesCompared ?? 0;
      const added = await references.note(night, found);
      if (found !== undefined) note('kept', await references.overdue(night));
      nights.push({ day, what, ...measured, added });
    }
  });
  afterAll(async () => {
    process.stdout.write(tableOf(nights));
    await server?.close();
    await runs?.close();
  });

  test('each run ends as what happens on its night says', () => {
    expect(wrong.ends).toEqual([]);
  });

  test('each morning, lists, feeds, gallery, models and pictures are what the service says', () => {
    expect(wrong.published).toEqual([]);
    expect(picturesCompared).toBeGreaterThan(8 * NIGHTS);
  });

  test(`what nothing has referred to for ${KEEP_OBJECTS_DAYS} days is gone, and so are all but ${KEEP_RUNS} runs`, () => {
    expect(wrong.kept).toEqual([]);
  });

  test('the temporary folder is empty each morning', () => {
    expect(wrong.temporary).toEqual([]);
  });

  test.for(['output', 'cache'] as const)(
    `the last ${LAST_NIGHTS} nights add to the %s no more than what has changed`,
    (folder) => {
      const most = changedSize(folder, nights.slice(-LAST_NIGHTS));
      const [before, last] = [nights.at(-1 - LAST_NIGHTS)!, nights.at(-1)!];
      for (const unit of ['bytes', 'files'] as const) {
        const grown = last.sizes[folder][unit] - before.sizes[folder][unit];
        expect(grown, unit).toBeLessThanOrEqual(most[unit]);
      }
    },
  );

  /** Runs the pipeline, and measures. */
  async function run(night: number) {
    const startedMs = Date.now();
    const first = runs.proxy.seen.length;
    const asked = () => runs.proxy.seen.length - first;
    const answers = { bytes: 0, files: 0 };
    const count = (body: Buffer) => {
      const digest = createHash('sha256').update(body).digest('hex');
      if (answered.has(digest)) return body;
      answered.add(digest);
      answers.bytes += body.length;
      answers.files++;
      return body;
    };
    if (night === OUTAGE_NIGHT) runs.proxy.break(/./, raw('', {}, 503));
    // A minute later than on the night before: so many days have passed, whatever a run takes.
    const minute = String(night).padStart(2, '0');
    const start = (command: string, hour: string, ...options: string[]) =>
      startChild([command, runs.pipelineFile, ...options], {
        ...{ ...runs.proxy.env, TMPDIR: temporary() },
        NODE_OPTIONS: clockFrom(`${dayOf(night)}T${hour}:${minute}:00Z`),
      });
    runs.proxy.disturb(() => ({ damage: count }));
    if (night === FETCHED_NIGHT) await start('fetch', '01').ended;
    const child = start('run', '02', ...(night === ACCEPTED_NIGHT ? ['--accept'] : []));
    runs.proxy.disturb(() => {
      if (night === KILLED_NIGHT && asked() === KILLED_AT_REQUEST) child.kill('SIGKILL');
      return { damage: count };
    });
    const { exit, signal, stderr } = await child.ended;
    runs.proxy.mend();
    const seconds = (Date.now() - startedMs) / 1000;
    const sizes: Night['sizes'] = {
      output: await folderSize(runs.outputDir),
      objects: await folderSize(inOutput('objects')),
      runs: await folderSize(inOutput('runs')),
      cache: await folderSize(runs.cacheDir),
      temporary: await folderSize(temporary()),
    };
    return { end: signal ?? exit, stderr, requests: asked(), answers, seconds, sizes };
  }

  /** What is published, but for the objects that it links and what runs keep for themselves. */
  async function publishedNow(): Promise<Map<string, string>> {
    const files = [...(await publishedFiles(runs.outputDir))];
    return new Map(files.filter(([name]) => !/^(?:objects|\.)/.test(name)));
  }

  /** Evaluates all that is published. */
  async function morning(): Promise<PublishedFindings> {
    // What was read of the range before may have changed since.
    const range = { ...month.range };
    const lines = parsedLines<ManifestLine>(await readFile(inOutput('manifest.jsonl'), 'utf8'));
    const problems: string[] = [];
    const expected = new Map<string, ExpectedConfiguration>();
    for (const id of month.configurations()) {
      const { finalarticlenumber: number, reinitstring: ocdreinitstring } = id;
      const line = lines.find(({ finalarticlenumber }) => finalarticlenumber === number);
      if (line?.glb === undefined) problems.push(`${number}: expected a GLB, found none`);
      if (line?.glb === undefined || line.sha256 === undefined) continue;
      const glb = await readFile(inOutput(line.glb));
      const model = await compare(range, id, { glb, sha256: line.sha256 });
      problems.push(...model.problems.map((problem) => `${number}: ${problem}`));
      const answers = LANGUAGES.map(
        (lang) => [lang, range.article({ ...id, ocdreinitstring, lang })!] as const,
      );
      expected.set(number, { ...model, articles: Object.fromEntries(answers) });
    }
    const numbers = [...expected.keys()];
    const finishes = numbers.filter((number) => number.startsWith(DESK.basearticlenumber));
    const found = await evaluatePublished({
      ...{ outputDir: runs.outputDir, address: server.address, expected },
      deliveries: new Map([
        ...DELIVERIES.map((name) => [name, numbers] as const),
        ['variants', finishes],
      ]),
      pixelsPerMetre: PIXELS_PER_METRE,
    });
    return { ...found, problems: [...problems, ...found.problems] };
  }
});

function pipelineOf(address: string): Record<string, unknown> {
  const { finish, ...desk } = DESK;
  return {
    service: { ...LIVE_ONCE, lang: LANGUAGES, giveUpAfterMs: 1 },
    articles: [{ catalogue: {} }, { configurations: { ...desk, each: [finish], max: 10 } }],
    gates: { articlesGone: { refuse: '30%' } },
    output: { dir: 'out', keepRuns: KEEP_RUNS },
    deliver: {
      pictures: {
        ...{ cameras: ['hero', 'top'], width: 128, height: 96, format: 'png' },
        pixelsPerMetre: PIXELS_PER_METRE,
      },
      profiles: ['web', 'ar-ios'],
      variants: true,
      gallery: true,
      feeds: {
        ...{ baseUrl: address, kinds: ['jsonld', 'google', 'shopify', 'csv'] },
        productUrl: 'https://shop.example/p/{id}',
      },
    },
  };
}

/** Node options that set the clock of a program. */
function clockFrom(instant: string): string {
  const script = `
    const ahead = ${Date.parse(instant)} - Date.now();
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) { super(...(given.length > 0 ? given : [Real.now() + ahead])); }
      static now() { return Real.now() + ahead; }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}

/** What is not as it was. */
function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changed = names.filter((name) => before.get(name) !== after.get(name));
  return changed.map((name) => `${name} has changed`);
}

/** Notes on which night the lists have last named each file of an output folder. */
function openReferences(outputDir: string) {
  /** By digest of an object, or by path. */
  const lastNamed = new Map<string, number>();
  let before = new Set<string>();
  const listed = async () => {
    const paths = await filesBelow(outputDir);
    return paths.map((path) => relative(outputDir, path));
  };
  const keyOf = (path: string) => (path.startsWith('objects/') ? parse(path).name : path);
  return {
    /** @param found - What the lists name; undefined where they are those of the night before. @returns The new objects. */
    async note(night: number, found: PublishedFindings | undefined): Promise<FolderSize> {
      const added = { bytes: 0, files: 0 };
      if (found === undefined)
        for (const [key, last] of lastNamed) if (last === night - 1) lastNamed.set(key, night);
      const paths = await listed();
      for (const path of paths) {
        if (!lastNamed.has(keyOf(path))) lastNamed.set(keyOf(path), night);
        if (before.has(path) || !path.startsWith('objects/')) continue;
        added.files++;
        added.bytes += (await stat(join(outputDir, path))).size;
      }
      before = new Set(paths);
      for (const key of [...(found?.digests ?? []), ...(found?.paths ?? [])])
        lastNamed.set(key, night);
      return added;
    },
    /** What should have gone. */
    async overdue(night: number): Promise<string[]> {
      const paths = await listed();
      const ageOf = (path: string) => night - lastNamed.get(keyOf(path))!;
      const old = paths.filter((path) => {
        const [folder = ''] = path.split('/');
        if (['objects', 'articles'].includes(folder)) return ageOf(path) > KEEP_OBJECTS_DAYS;
        // What a delivery no longer has goes at once.
        const isDelivered = [...DELIVERIES, 'variants'].includes(folder);
        return folder === '.tmp' || (isDelivered && ageOf(path) > 0);
      });
      const names = await readdir(join(outputDir, 'runs'));
      const kept = names.filter((name) => /^\d/.test(name)).length;
      return [
        ...old.map((path) => `${path}: named last ${ageOf(path)} days ago`),
        ...(kept > KEEP_RUNS ? [`${kept} runs`] : []),
      ];
    },
  };
}

/**
 * How much a folder may grow: the output by the new objects, each of which is one file with several names; the cache by
 * these, since it keeps what was made, and by what the service has answered otherwise than ever before, with what was
 * read from it and with indices. What is old and goes meanwhile only makes it less.
 */
function changedSize(folder: 'output' | 'cache', nights: readonly Night[]): FolderSize {
  const copiesOfAnswers = folder === 'cache' ? 3 : 0;
  const sum = (unit: keyof FolderSize) =>
    nights.reduce(
      (all, { added, answers }) => all + added[unit] + copiesOfAnswers * answers[unit],
      0,
    );
  return { bytes: sum('bytes') + SLACK_BYTES, files: sum('files') + SLACK_FILES };
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(2);

const COLUMNS: readonly [head: string, cell: (night: Night) => string | number | null][] = [
  ['night', ({ day }) => day],
  ['s', ({ seconds }) => seconds.toFixed(1)],
  ['requests', ({ requests }) => requests],
  ['new answers', ({ answers }) => answers.files],
  ['MiB', ({ answers }) => mib(answers.bytes)],
  ['new objects', ({ added }) => added.files],
  ['MiB', ({ added }) => mib(added.bytes)],
  ...FOLDERS.flatMap((folder): typeof COLUMNS => [
    [`${folder} MiB`, ({ sizes }) => mib(sizes[folder].bytes)],
    ['files', ({ sizes }) => sizes[folder].files],
  ]),
  ['end', ({ end }) => end],
  ['what changes', ({ what }) => what],
];

/** The nights, a line each. */
function tableOf(nights: readonly Night[]): string {
  const columns = COLUMNS.map(([head, cell], column) => {
    const cells = [head, ...nights.map((night) => String(cell(night)))];
    const width = Math.max(...cells.map(({ length }) => length));
    const isLast = column === COLUMNS.length - 1;
    return cells.map((text) => (isLast ? text : text.padStart(width)));
  });
  const lines = columns[0]!.map((_, row) => columns.map((cells) => cells[row]).join('  '));
  return `${lines.join('\n')}\n`;
}
