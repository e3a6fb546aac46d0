/** Explains from the cache why published configurations look as they do, without a network. */
import type { StoredDecision } from '../cache/cached-builds.ts';
import { inputsDigest, loadSnapshot } from '../fetch/snapshot.ts';
import type { ManifestLine } from '../model/asset.ts';
import { configurationKey, configurationLabels } from '../model/configuration-id.ts';
import type { Scene } from '../model/scene.ts';
import { ConverterError } from '../support/errors.ts';
import { globMatcher } from '../support/glob.ts';
import type { MaterialExplanation } from '../transform/material-trace.ts';
import { snapshotSource, sourceDigest } from './configuration.ts';
import { loadConverter } from './convert-article.ts';
import { type Run, withRun } from './open-run.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { RunEnvironment } from './run-options.ts';

/** Why one configuration looks as it does. */
export interface ArticleExplanation {
  line: ManifestLine;
  /** Decision of the last run that processed it; undefined if it is not in the cache. */
  decision: StoredDecision | undefined;
  /** Whether the next build from the cache would write it anew. */
  rebuilds: boolean;
  materials: MaterialExplanation[];
  /** Undefined if it cannot be converted: see `line.error` and `line.reason`. */
  scene: Scene | undefined;
}

/**
 * Explains the configurations in a pipeline's manifest that match.
 *
 * @param pattern - Glob on `MANUFACTURER/PROGRAM/number`, base or final, or on a number alone.
 * @throws {@link ConverterError} `USAGE` if none matches; `SNAPSHOT_MISSING` if one is not in the cache.
 */
export function explainArticle(
  pattern: string,
  pipeline: Pipeline,
  environment: RunEnvironment,
): Promise<ArticleExplanation[]> {
  return withRun({ pipeline }, environment, async (run) => {
    const matches = globMatcher(pattern);
    const all = run.stores.previous.lines;
    const lines: ManifestLine[] = [];
    for (const line of all.values()) {
      const numbers = [line.basearticlenumber, line.finalarticlenumber];
      if ([...numbers, ...configurationLabels(line)].some(matches)) lines.push(line);
    }
    if (lines.length === 0) {
      const of = `${all.size} configurations in ${pipeline.outputDir}`;
      const message = `expected a glob that matches one of ${of}, received ${pattern}`;
      const none = `${pipeline.outputDir}: this pipeline has published nothing yet: run it first`;
      throw new ConverterError('USAGE', all.size === 0 ? none : message);
    }
    const explained: ArticleExplanation[] = [];
    for (const line of lines) explained.push(await explainLine(line, run));
    return explained;
  });
}

async function explainLine(
  line: ManifestLine,
  run: Pick<Run, 'options' | 'stores'>,
): Promise<ArticleExplanation> {
  const { convert, outputDir } = run.options.pipeline;
  const { bodies, database } = run.stores;
  const snapshot = await loadSnapshot(snapshotSource(run), line.requested[0] ?? line);
  const converter = await loadConverter(bodies, convert);
  const materials: MaterialExplanation[] = [];
  const rebuilds = sourceDigest(convert)(inputsDigest(snapshot)) !== line.source;
  const decision = database.decisions.get(outputDir, configurationKey(line));
  const scene =
    line.sha256 === undefined
      ? undefined
      : await converter.transform(snapshot, (material) => materials.push(material));
  return { line, decision, rebuilds, materials, scene };
}
