/**
 * Explain article: why published configurations look as they do.
 *
 * In: a glob on the article and the pipeline that published it. Out: for each configuration its
 * manifest line, and how each material and the geometry came about, from the cache, without a
 * network.
 */

import type { StoredDecision } from '../cache/cached-builds.ts';
import { inputsDigest, loadSnapshot } from '../fetch/snapshot.ts';
import type { ManifestLine } from '../model/asset.ts';
import { configurationKey, configurationLabels } from '../model/configuration-id.ts';
import type { Scene } from '../model/scene.ts';
import { ConverterError } from '../support/errors.ts';
import { globMatcher } from '../support/glob.ts';
import type { MaterialExplanation } from '../transform/material-table.ts';
import { loadConverter } from './configuration/build-article.ts';
import { sourceDigest } from './configuration/source-digest.ts';
import { type RunContext, type RunTools, withRun } from './context/run-context.ts';
import { pipelineServiceId } from './context/service-setup.ts';
import type { Pipeline } from './file/pipeline-file.ts';

/** How one configuration came about. */
export interface ArticleExplanation {
  line: ManifestLine;
  /** What the last run that saw it decided; undefined where the cache does not know. */
  decision: StoredDecision | undefined;
  /** Whether the next build of what is in the cache would write it anew. */
  rebuilds: boolean;
  materials: MaterialExplanation[];
  /** Undefined where it cannot be converted: see `line.error`. */
  scene: Scene | undefined;
}

/**
 * Explains the configurations of a pipeline's manifest that match.
 *
 * @param pattern - Glob on `MANUFACTURER/PROGRAM/number`, base or final, or on a number alone.
 * @throws {@link ConverterError} `USAGE` where none matches; `SNAPSHOT_MISSING` where the
 * cache no longer knows one.
 *
 * @example
 * ```ts
 * const [first] = await explainArticle('ACME/DESK/D160*', pipeline, tools);
 * first.materials[0].steps.length; // → 35
 * ```
 */
export function explainArticle(
  pattern: string,
  pipeline: Pipeline,
  tools: RunTools,
): Promise<ArticleExplanation[]> {
  return withRun({ pipeline }, tools, async (run) => {
    const matches = globMatcher(pattern);
    const all = run.previous.byKey;
    const lines = [
      ...filtered(all.values(), (line) =>
        [line.basearticlenumber, line.finalarticlenumber, ...configurationLabels(line)].some(
          matches,
        ),
      ),
    ];
    if (lines.length === 0) {
      const of = `${all.size} configurations in ${pipeline.outputDir}`;
      throw new ConverterError('USAGE', `nothing matches ${pattern} among ${of}`);
    }
    const explained: ArticleExplanation[] = [];
    for (const line of lines) explained.push(await explainLine(line, run));
    return explained;
  });
}

function* filtered<T>(items: Iterable<T>, wanted: (item: T) => boolean): Iterable<T> {
  for (const item of items) if (wanted(item)) yield item;
}

async function explainLine(line: ManifestLine, run: RunContext): Promise<ArticleExplanation> {
  const { convert, service } = run.job.pipeline;
  const source = { service: pipelineServiceId(service), database: run.state, store: run.bodies };
  const snapshot = await loadSnapshot(source, line.requested[0] ?? line);
  const converter = await loadConverter((digest) => run.bodies.get(digest), convert);
  const materials: MaterialExplanation[] = [];
  const rebuilds = sourceDigest(convert)(inputsDigest(snapshot)) !== line.source;
  const decision = run.state.decisions.get(run.job.pipeline.outputDir, configurationKey(line));
  const scene =
    line.status === 'failed'
      ? undefined
      : await converter.transform(snapshot, (material) => materials.push(material));
  return { line, decision, rebuilds, materials, scene };
}
