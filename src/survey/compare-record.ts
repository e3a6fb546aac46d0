/** Compares the record of a survey with articles of a later run, from the cache alone. */

import { createMeshCache } from '../convert/transform/mesh-cache.ts';
import type { ArticleSnapshot } from '../model/snapshot.ts';
import type { LoadSnapshot } from '../run/executor.ts';
import type { ManifestLine } from '../run/lists/manifest-line.ts';
import type { Run } from '../run/open/open-run.ts';
import { runId } from '../run/open/run-options.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import { sharpImageCodec } from '../support/image-codec.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { ArticleReader, type SurveyedArticle } from './articles/surveyed-article.ts';
import { evidenceText } from './choices.ts';
import { MOST_EXCEPTIONS, type Vote } from './readings/decide.ts';
import { READINGS } from './readings/readings.ts';
import { type OptionRecord, readRecord } from './record.ts';
import { testArticles } from './test-articles.ts';

/** Articles of a run that are compared. */
const COMPARED = 20;
/** Larger articles would take longer than the rest of a run without changes. */
const MOST_TRIANGLES = 300_000;
/** One article may be an exception. */
const LEAST_CONTRADICTING = 2;

/**
 * What the articles of a run say against the decisions of a survey: its own indications are tested in twenty articles,
 * which a hash of the run's identifier chooses. Requests nothing.
 *
 * @param recordFile - The record beside the pipeline file.
 * @param lines - The manifest of the run. @param load - Loads a snapshot from the cache.
 * @returns A sentence for each decision that is contradicted.
 * @throws {@link ConverterError} `SURVEY_INVALID`.
 */
export async function contradictions(
  run: Run,
  recordFile: string,
  lines: PackedMap<ManifestLine>,
  load: LoadSnapshot,
): Promise<string[]> {
  const { options } = await readRecord(recordFile);
  const { convert: present } = run.options.pipeline;
  // What a person has changed since is no decision of the survey any more.
  const decided = options.filter(({ option, state, value, evidence }) => {
    return state === 'decided' && evidence.length > 0 && present[option] === value;
  });
  if (decided.length === 0) return [];
  const images = sharpImageCodec();
  const reader = readerOf(run, images);
  const articles = await chosenArticles(run, lines, load, reader);
  const names = decided.map(({ option }) => option);
  // A run shows progress of its own.
  const { progress: _, ...environment } = run.environment;
  const quiet = { options: run.options, environment };
  const { votes } = await testArticles(articles, quiet, reader, images, names);
  return decided.flatMap((one) => contradiction(one, votes, articles.length));
}

function readerOf(
  { sources, environment }: Pick<Run, 'sources' | 'environment'>,
  images = sharpImageCodec(),
) {
  return new ArticleReader(sources.bodies, images, createMeshCache(), environment.signal);
}

/** Articles whose data is in the cache, as the run's identifier orders them. */
async function chosenArticles(
  run: Run,
  lines: PackedMap<ManifestLine>,
  load: LoadSnapshot,
  reader: ArticleReader,
): Promise<SurveyedArticle[]> {
  const id = runId(run.startedAt);
  const ordered = Array.from(lines.keys(), (key) => [sha256Hex(`${id}\0${key}`), key] as const);
  ordered.sort(([a], [b]) => (a < b ? -1 : 1));
  const found: SurveyedArticle[] = [];
  const seen = new Set<string>();
  for (const [, key] of ordered) {
    if (found.length === COMPARED) break;
    const { sha256, triangles = 0, requested } = lines.get(key)!;
    const [request] = requested;
    if (request === undefined || sha256 === undefined || triangles > MOST_TRIANGLES) continue;
    // Equal GLBs say the same.
    if (seen.has(sha256)) continue;
    seen.add(sha256);
    try {
      found.push(await reader.read(await load(request)));
    } catch (thrown) {
      // What another machine has fetched is not in this cache.
      if (endsRun(asConverterError(thrown).code)) throw thrown;
    }
  }
  return found;
}

function contradiction(one: OptionRecord, votes: readonly Vote[], compared: number): string[] {
  const { option, value, evidence } = one;
  for (const { indication } of evidence) {
    const about = votes.filter((vote) => {
      return (
        vote.option === option && vote.indication === indication && vote.values.includes(value)
      );
    });
    const against = about.filter(({ fits }) => !fits.includes(value));
    const articles = [...new Set(against.map(({ article }) => article))];
    const isException = against.length <= MOST_EXCEPTIONS * about.length;
    if (isException || articles.length < LEAST_CONTRADICTING) continue;
    const [first] = articles;
    return [
      `the survey has decided ${option}: ${value} by ${evidenceText(one)}; now ${indication} contradicts it in ${articles.length} of ${compared} articles, such as ${first}`,
    ];
  }
  return [];
}

/**
 * The decisions and choices of a survey that an article depends on, a sentence each.
 *
 * @throws {@link ConverterError} `SURVEY_INVALID`.
 */
export async function choicesOf(
  run: Run,
  recordFile: string,
  snapshot: ArticleSnapshot,
): Promise<string[]> {
  const { options } = await readRecord(recordFile);
  const { features } = await readerOf(run).read(snapshot);
  const { convert: present } = run.options.pipeline;
  return options.flatMap((one) => {
    const { option, state, value } = one;
    const isUsed =
      (state === 'decided' || state === 'chosen') && READINGS[option].touches(features);
    if (!isUsed) return [];
    const how =
      state === 'chosen' ? 'chosen in the survey' : `decided by the survey (${evidenceText(one)})`;
    return present[option] === value
      ? [`${option} ${value}: ${how}`]
      : [`${option} ${present[option]}: changed since; ${value} was ${how}`];
  });
}
