/**
 * Publish outcomes: what a run found out, put into the output folder.
 *
 * In: outcomes by request. Out: the lines of this run as published.
 */
import type { SelectionFailure } from '../fetch/select-articles.ts';
import type { ManifestLine } from '../model/asset.ts';
import { keyOf } from '../write/manifest.ts';
import { mergeManifest } from '../write/merge-manifest.ts';
import { type Published, publish } from '../write/publish.ts';
import { catalogueLines, indexPrevious, manifestLines, type Outcome } from './manifest-lines.ts';
import type { RunContext } from './run-context.ts';
import { isPartial } from './select.ts';

/**
 * Publishes the outcomes of a run: links, manifest, catalogue.
 *
 * Where a configuration of an article could not even be selected, the lines that the article had stay:
 * which of them it was cannot be told.
 *
 * @returns The lines of this run's own configurations.
 *
 * @see D-740.
 */
export async function publishOutcomes(
  run: RunContext,
  outcomes: readonly Outcome[],
  failures: readonly SelectionFailure[],
): Promise<ManifestLine[]> {
  return run.stopwatch.during('publish', async () => {
    const fresh = manifestLines(outcomes, indexPrevious(run.previous));
    const staying = isPartial(run.job) ? run.previous : unresolved(run.previous, failures);
    const lines = mergeManifest(staying, fresh, true);
    const published = await publish({
      outputDir: run.job.pipeline.outputDir,
      lines,
      catalogue: catalogueLines(lines, outcomes, run.previousCatalogue),
      objectPath: run.objects.pathOf,
    });
    tell(run, published);
    const own = new Set(fresh.map(keyOf));
    return published.lines.filter((line) => own.has(keyOf(line)));
  });
}

/** The lines of those articles of which something could not be selected. */
function unresolved(
  previous: readonly ManifestLine[],
  failures: readonly SelectionFailure[],
): ManifestLine[] {
  const articles = new Set(
    failures.flatMap(({ article }) => (article && articleName(article)) || []),
  );
  return previous.filter((line) => articles.has(articleName(line)));
}

function articleName(of: NonNullable<SelectionFailure['article']>): string {
  return JSON.stringify([of.manufacturer, of.program, of.basearticlenumber]);
}

function tell({ tools: { log } }: RunContext, { copied, withoutObject }: Published): void {
  if (copied > 0) {
    log.warn('the file system has no hard links: files below articles/ are copies', { copied });
  }
  if (withoutObject.length > 0) {
    log.warn('objects are missing: run btg2gltf verify, then run again', {
      missing: withoutObject.length,
      first: withoutObject[0],
    });
  }
}
