/** Surveys the data of a pipeline: what each reading would change in it, and what its numbers say. */

import type { Scene } from '../convert/model/scene.ts';
import { CONVERTER_VERSION, type ConvertOptions } from '../convert/transform/convert-options.ts';
import { createMeshCache } from '../convert/transform/mesh-cache.ts';
import type { ImageCodec } from '../model/image-codec.ts';
import type { ArticleSnapshot } from '../model/snapshot.ts';
import { selectLive } from '../run/articles/select.ts';
import { type Run, withReadingRun } from '../run/open/open-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import type { OpenSharedStore } from '../run/open/shared-store.ts';
import { sharpImageCodec } from '../support/image-codec.ts';
import { inParallel } from '../support/in-parallel.ts';
import { programVersion } from '../support/version.ts';
import { Features } from './articles/features.ts';
import { chooseByFeatures, spread } from './articles/sample.ts';
import { servicePictureOf } from './articles/service-picture-of.ts';
import { ArticleReader, type SurveyedArticle } from './articles/surveyed-article.ts';
import { readStoredRecord, withEarlierChoices } from './choices.ts';
import { findingsOf } from './indications/findings.ts';
import { ImageFacts } from './indications/materials.ts';
import { seamVotes } from './indications/seams.ts';
import { ServicePictures, voteOf } from './indications/service-pictures.ts';
import { jointReading } from './joint-readings.ts';
import { type Decision, decide, type Effect, type Vote } from './readings/decide.ts';
import { READING_OPTIONS, type ReadingOption } from './readings/readings.ts';
import { SmallImages } from './readings/small-images.ts';
import { Looks } from './readings/visible.ts';
import type { FeatureRecord, OptionRecord, SurveyRecord } from './record.ts';
import { failure, testArticles, type Unread } from './test-articles.ts';

/** Articles of the sample, if nothing else is asked for. */
export const DEFAULT_LIMIT = 60;
/** So many times as many articles are fetched as are chosen: features show only then. */
const POOL = 2;

/** A survey: its record, and the articles from which pictures of its questions are taken. */
export interface Survey {
  record: SurveyRecord;
  articles: readonly SurveyedArticle[];
  /** The scene of an article with other values of options; the others are those that were decided. */
  sceneOf(article: SurveyedArticle, values: Partial<ConvertOptions>): Promise<Scene>;
  /** The service's own picture of an article, by its label; undefined without one. */
  pictureOf(label: string): Promise<Uint8Array | undefined>;
}

interface SurveyOptions extends RunOptions {
  limit?: number;
}

/**
 * Surveys the data of a pipeline, and works with what was found while its cache is open. Publishes nothing.
 *
 * @throws {@link ConverterError} `NOTHING_SELECTED`, `INTERRUPTED`, and the errors of a service that cannot be opened.
 */
export function withSurvey<T>(
  options: SurveyOptions,
  environment: RunEnvironment,
  work: (survey: Survey) => Promise<T>,
  openStore?: OpenSharedStore,
): Promise<T> {
  const { limit = DEFAULT_LIMIT, ...ofRun } = options;
  return withReadingRun(
    ofRun,
    environment,
    async (run) => work(await survey(run, limit)),
    openStore,
  );
}

async function survey(run: Run, limit: number): Promise<Survey> {
  const images = sharpImageCodec();
  const { signal } = run.environment;
  const reader = new ArticleReader(run.sources.bodies, images, createMeshCache(), signal);
  const { selected, pool, unread } = await fetchPool(run, POOL * limit, reader);
  const articles = chooseByFeatures(pool, limit);
  const { convert: present, name: pipeline } = run.options.pipeline;
  const settled = await settle(articles, run, reader, images);
  const { base, failed } = settled;
  const { options, pictures } = await drawOpen(settled, articles, run, reader, images);
  const readable = articles.filter(({ label }) => !failed.some((row) => row.article === label));
  await run.sources.session.finish(true);
  const countOf = (keyOf: (article: SurveyedArticle) => string) =>
    new Set(articles.map(keyOf)).size;
  const record: SurveyRecord = {
    version: 1,
    pipeline,
    program: programVersion(),
    conversion: CONVERTER_VERSION,
    data: {
      selected,
      sampled: articles.length,
      manufacturers: countOf(({ snapshot: { key } }) => key.manufacturer),
      series: countOf(({ snapshot: { key } }) => `${key.manufacturer}\0${key.program}`),
      unread: sortedByArticle([...unread, ...failed]),
    },
    features: allFeatures(articles),
    findings: await findingsOf(readable, new ImageFacts(images, reader), (article) =>
      reader.sceneOf(article, base),
    ),
    options: options.map((one) => ({ ...one, present: present[one.option] })),
  };
  const earlier = run.options.pipeline.surveyFile;
  const stored = earlier === undefined ? undefined : await readStoredRecord(earlier);
  const sceneOf: Survey['sceneOf'] = (article, values) =>
    reader.sceneOf(article, { ...base, ...values });
  return {
    record: stored ? withEarlierChoices(record, stored) : record,
    articles,
    sceneOf,
    pictureOf: (label) => pictures.bytesOf(label),
  };
}

/**
 * Readings that are decided before others: places are wrong where lists are, and images where places are. In each stage
 * all other readings have the values that were decided before.
 */
const LISTS: readonly ReadingOption[] = ['winding', 'pointIndexBase', 'uvIndexBase', 'uvStride'];
const PLACES: readonly ReadingOption[] = [
  'rotationOrder',
  'rotationDirection',
  'inheritScale',
  'blockPlacement',
];
const LOOKS = READING_OPTIONS.filter((option) => ![...LISTS, ...PLACES].includes(option));
const STAGES = [LISTS, PLACES, LOOKS];
/** A stage is repeated so often while a value changes, and all stages are. */
const MOST_TURNS = 3;
const MOST_PASSES = 2;

interface Settled {
  /** The present values of options, with those that were decided. */
  base: ConvertOptions;
  found: ReadonlyMap<ReadingOption, FoundReading>;
  failed: Unread[];
}

/** Decides about all readings by numbers. A value that was decided counts when the others are tested. */
async function settle(
  articles: readonly SurveyedArticle[],
  run: Run,
  reader: ArticleReader,
  images: ImageCodec,
): Promise<Settled> {
  let base = run.options.pipeline.convert;
  const failed = new Map<string, Unread>();
  const found = new Map<ReadingOption, FoundReading>();
  const test = async (stage: readonly ReadingOption[]) => {
    const environment = inStage(run.environment, STAGES.indexOf(stage));
    const present = { environment, options: withConvert(run.options, base) };
    const tested = await testArticles(articles, present, reader, images, stage);
    for (const row of tested.failed) failed.set(row.article, row);
    for (const option of stage) {
      const votes = tested.votes.filter((vote) => vote.option === option);
      const effects = tested.tested.effectsOf(option);
      const decision = decide(option, base[option], effects, votes);
      found.set(option, { decision, votes, effects, articles: tested.tested.articlesOf(option) });
    }
    const next = { ...base };
    for (const option of stage)
      Object.assign(next, { [option]: found.get(option)!.decision.value });
    const isSame = stage.every((option) => next[option] === base[option]);
    base = next;
    return isSame;
  };
  const isDoubtful = (option: ReadingOption) => {
    const { state, evidence, value, certainty } = found.get(option)!.decision;
    const isOther = value !== run.options.pipeline.convert[option];
    return state === 'question' ? evidence.length > 0 : isOther && certainty !== 'high';
  };
  let isStable = false;
  for (let pass = 0; pass < MOST_PASSES && !isStable; pass++) {
    isStable = true;
    for (const stage of STAGES) {
      const before = base;
      for (let turn = 0; turn < MOST_TURNS && !(await test(stage)); turn++) isStable = false;
      if (pass > 0 || stage !== PLACES || !PLACES.some(isDoubtful)) continue;
      const readable = articles.filter(({ label }) => !failed.has(label));
      const joint = await jointReading(readable, PLACES, before, reader.sceneOf.bind(reader));
      if (PLACES.every((option) => joint[option] === base[option])) continue;
      base = joint;
      isStable = false;
      await test(stage);
    }
  }
  return { base, found, failed: [...failed.values()] };
}

/** Draws the articles of open questions in their readings: what cannot be seen is not asked, and pictures may decide. */
async function drawOpen(
  { base, found }: Settled,
  articles: readonly SurveyedArticle[],
  run: Run,
  reader: ArticleReader,
  images: ImageCodec,
): Promise<{ options: OptionRecord[]; pictures: ServicePictures }> {
  const articleOf = (label: string) => articles.find((one) => one.label === label)!;
  const sceneOf = (label: string, values: Partial<ConvertOptions>) => {
    return reader.sceneOf(articleOf(label), { ...base, ...values });
  };
  const small = new SmallImages(images);
  const looks = new Looks(small, sceneOf);
  const fetcher = await run.sources.session.fetcher();
  const pictures = new ServicePictures(
    (label) => servicePictureOf(articleOf(label), fetcher),
    images,
  );
  const isOpen = (option: ReadingOption) => found.get(option)!.decision.state === 'question';
  const state = { making: 'drawings', total: READING_OPTIONS.filter(isOpen).length, failed: 0 };
  let done = 0;
  const options: OptionRecord[] = [];
  for (const option of READING_OPTIONS) {
    const { votes, effects, articles: count, ...first } = found.get(option)!;
    let { decision } = first;
    if (decision.state === 'question') {
      run.environment.progress?.({ ...state, done });
      const seams = await seamVotes(option, base[option], effects, small, (article, value) =>
        sceneOf(article, value === undefined ? {} : { [option]: value }),
      );
      const seen = await looks.measured(option, effects);
      const compared = await pictures.compare(
        ...([option, base[option], seen] as const),
        (article, value) => sceneOf(article, { [option]: value }),
        small,
      );
      const own = compared.flatMap((one) => voteOf(one) ?? []);
      decision = decide(option, base[option], seen, [...votes, ...seams, ...own]);
      run.environment.progress?.({ ...state, done: ++done });
    }
    const { effects: alternatives, ...rest } = decision;
    options.push({ ...rest, alternatives, articles: count });
  }
  return { options, pictures };
}

interface FoundReading {
  decision: Decision;
  votes: Vote[];
  effects: Effect[];
  articles: number;
}

/** Shows the progress of all stages as one. */
function inStage(environment: RunEnvironment, stage: number): RunEnvironment {
  const { progress } = environment;
  if (progress === undefined) return environment;
  return {
    ...environment,
    progress: ({ total, done, ...rest }) =>
      progress({ ...rest, total: STAGES.length * total, done: stage * total + done }),
  };
}

function withConvert(options: Run['options'], convert: ConvertOptions): Run['options'] {
  return { ...options, pipeline: { ...options.pipeline, convert } };
}

function sortedByArticle(rows: readonly Unread[]): Unread[] {
  return rows.toSorted((a, b) => (a.article < b.article ? -1 : Number(a.article > b.article)));
}

/** Fetches as many articles as a sample is chosen from. */
async function fetchPool(run: Run, count: number, reader: ArticleReader) {
  const { articles } = await selectLive(run);
  const fetcher = await run.sources.session.fetcher();
  const wanted = spread(articles).slice(0, count);
  const read: (SurveyedArticle | undefined)[] = wanted.map(() => undefined);
  const unread: Unread[] = [];
  let done = 0;
  const { progress } = run.environment;
  await inParallel(
    wanted,
    run.options.pipeline.service.concurrency,
    async ({ request, children }, at) => {
      progress?.({ total: wanted.length, done, failed: unread.length });
      try {
        const snapshot: ArticleSnapshot = await fetcher.fetch(request, children);
        read[at] = await reader.read(snapshot);
      } catch (thrown) {
        unread.push(
          failure(
            `${request.manufacturer}/${request.program}/${request.basearticlenumber}`,
            thrown,
          ),
        );
      }
      progress?.({ total: wanted.length, done: ++done, failed: unread.length });
    },
  );
  const pool = read.filter((article) => article !== undefined);
  return { selected: articles.length, pool, unread };
}

function allFeatures(articles: readonly SurveyedArticle[]): FeatureRecord[] {
  const sum = new Features();
  const having = new Features();
  for (const { features } of articles) {
    for (const { group, name, count } of features.all()) {
      sum.add(group, name, count);
      having.add(group, name);
    }
  }
  return sum.all().map((row) => ({ ...row, articles: having.count(row.group, row.name) }));
}
