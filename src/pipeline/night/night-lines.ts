/**
 * Night lines: what a report is told of each configuration, and of those that are gone.
 *
 * In: the lines of before and of now, and what the night found out beside them. Out: one line at a time.
 */

import type { ArticleRequest } from '../../model/article.ts';
import type { ManifestLine } from '../../model/asset.ts';
import {
  configurationKey,
  parseConfigurationKey,
  sortConfigurationKeys,
} from '../../model/configuration-id.ts';
import type { ReportedLine } from '../../report/collect.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import { publishedAsset } from '../../write/publish.ts';
import type { Entry, OutcomeBook } from '../configuration/outcome-book.ts';
import type { Quarantine } from './quarantine.ts';

/** What a night knows of its configurations. */
export interface NightKnowledge {
  before: PackedMap<ManifestLine>;
  lines: PackedMap<ManifestLine>;
  book: OutcomeBook;
  quarantine: Pick<Quarantine, 'rowOf'>;
}

/** The configurations that the night worked on, in the order of their keys. */
export function* nightLines(night: NightKnowledge): Iterable<ReportedLine> {
  for (const key of sortConfigurationKeys(night.book.keys())) {
    const line = night.lines.get(key);
    if (line !== undefined) yield reportedLine(line, night.book.entriesOf(key), night);
  }
}

/** Identities that had a GLB before and have no line now: what only ever failed was never there. */
export function* removedKeys(
  before: PackedMap<ManifestLine>,
  lines: PackedMap<ManifestLine>,
): Iterable<ArticleRequest> {
  for (const key of before.keys()) {
    if (lines.has(key)) continue;
    const line = before.get(key);
    if (line !== undefined && publishedAsset(line) !== undefined) yield parseConfigurationKey(key);
  }
}

function reportedLine(
  line: ManifestLine,
  entries: readonly Entry[],
  { before, lines, quarantine }: NightKnowledge,
): ReportedLine {
  const key = configurationKey(line);
  // One that says the same shares its bytes.
  const known = before.bytesOf(key) === lines.bytesOf(key) ? line : before.get(key);
  const built = entries.find(({ outcome }) => 'built' in outcome)?.outcome;
  const ms = entries.reduce((sum, entry) => sum + entry.ms, 0);
  const failed = entries.find(({ outcome }) => outcome.status === 'failed')?.outcome.request;
  const history = failed === undefined ? undefined : quarantine.rowOf(failed);
  const kept = entries.every(({ outcome }) => outcome.status === 'kept');
  return {
    ...line,
    ms,
    kept,
    counts: built !== undefined && 'built' in built ? built.built.counts : undefined,
    ...(line.sha256 === undefined ? {} : { change: changeOf(line, known) }),
    ...(known === undefined ? {} : { before: figuresOf(known) }),
    ...(history === undefined ? {} : { history }),
  };
}

function figuresOf({ bytes, triangles }: ManifestLine): NonNullable<ReportedLine['before']> {
  return bytes === undefined || triangles === undefined ? {} : { bytes, triangles };
}

function changeOf(
  line: ManifestLine,
  before: ManifestLine | undefined,
): NonNullable<ReportedLine['change']> {
  const published = before === undefined ? undefined : publishedAsset(before);
  if (published === undefined) return 'new';
  return published.sha256 === line.sha256 ? 'same' : 'changed';
}
