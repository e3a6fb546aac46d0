/**
 * Publish outcomes: what a run found out, put into the output folder.
 *
 * In: outcomes by request. Out: the lines of the new manifest, and, if nobody objects, links, manifest
 * and catalogue.
 */

import type { Selection } from '../../fetch/selection.ts';
import type { CatalogueLine, ManifestLine } from '../../model/asset.ts';
import { parseConfigurationKey } from '../../model/configuration-id.ts';
import { createPackedMap, type PackedMap } from '../../support/packed-map.ts';
import { keepUnselected } from '../../write/manifest.ts';
import { type Published, publish } from '../../write/publish.ts';
import { manifestLine, type Outcome } from '../configuration/manifest-lines.ts';
import type { OutcomeBook } from '../configuration/outcome-book.ts';
import type { RunContext } from '../context/run-context.ts';
import { leftBehind } from './left-behind.ts';

/**
 * Makes the lines of the new manifest: those of the run's own configurations, and those of before that
 * stay.
 *
 * @param isPartial - Whether the run worked on a part of what its pipeline selects.
 *
 * @see D-740.
 */
export function newLines(
  run: RunContext,
  book: OutcomeBook,
  selection: Selection,
  isPartial: boolean,
): PackedMap<ManifestLine> {
  const lines = createPackedMap<ManifestLine>();
  const before = run.previous.byKey;
  for (const key of book.keys()) {
    const outcomes = book.entriesOf(key).map(({ outcome }) => outcome);
    const known = before.get(key);
    const line = manifestLine(parseConfigurationKey(key), outcomes, known);
    // One that says the same shares its bytes.
    if (line === known) lines.setBytes(key, before.bytesOf(key)!);
    else lines.set(key, line);
  }
  keepUnselected(lines, isPartial ? before.values() : leftBehind(run, book, selection));
  return lines;
}

/** Publishes the lines of the new manifest: links, manifest, catalogue. */
export async function publishLines(
  run: RunContext,
  lines: PackedMap<ManifestLine>,
  book: OutcomeBook,
): Promise<void> {
  const published = await publish({
    outputDir: run.job.pipeline.outputDir,
    lines,
    catalogue: newCatalogue(run, lines, book),
    objectPath: run.objects.pathOf,
    signal: run.tools.signal,
  });
  tell(run, published);
}

/** Fresh lines where a configuration was looked at, and for the rest those of before. */
function newCatalogue(
  { previousCatalogue: before }: RunContext,
  lines: PackedMap<ManifestLine>,
  book: OutcomeBook,
): PackedMap<CatalogueLine> {
  const catalogue = createPackedMap<CatalogueLine>();
  for (const key of lines.keys()) {
    const fresh = book.entriesOf(key).findLast(hasCatalogue)?.outcome;
    const bytes = before.bytesOf(key);
    if (fresh !== undefined && 'catalogue' in fresh) catalogue.set(key, fresh.catalogue);
    else if (bytes !== undefined) catalogue.setBytes(key, bytes);
  }
  return catalogue;
}

function hasCatalogue({ outcome }: { outcome: Outcome }): boolean {
  return 'catalogue' in outcome;
}

function tell({ job, tools: { log } }: RunContext, { copied, withoutObject }: Published): void {
  if (copied > 0) {
    log.warn('the file system has no hard links: files below articles/ are copies', { copied });
  }
  if (withoutObject.length > 0) {
    const advice = job.repair
      ? 'what failed cannot be built anew'
      : 'run btg2gltf run with --repair';
    log.warn(`objects are missing: ${advice}`, {
      missing: withoutObject.length,
      first: withoutObject[0],
    });
  }
}
