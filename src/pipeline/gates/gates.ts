/**
 * Gates: whether what a night brought may stand in the place of the night before.
 *
 * In: both manifests, line by line, and thresholds. Out: a verdict with what led to it.
 * Pure; it holds a tally a manufacturer and the keys of what is gone. It must not know what becomes of
 * the verdict.
 */

import type { AssetFigures, ManifestLine } from '../../model/asset.ts';
import {
  configurationKey,
  configurationLabel,
  parseConfigurationKey,
} from '../../model/configuration-id.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import { publishedAsset } from '../../write/publish.ts';
import { GATE_FIGURES } from './gate-figures.ts';
import type { Gates } from './gate-schema.ts';
import { count, type Example, emptyTally, type Tally } from './gate-tally.ts';
import { type GateVerdict, judgeTallies } from './gate-verdict.ts';

const FIGURES = Object.entries(GATE_FIGURES) as [
  keyof typeof GATE_FIGURES,
  (typeof GATE_FIGURES)[keyof typeof GATE_FIGURES],
][];

/**
 * Compares a night with the one before.
 *
 * @param before - The manifest that is published.
 * @param now - The whole manifest that would replace it. What failed counts with what it had before,
 *   since that stays published; how much may fail is another question.
 *
 * @example
 * ```ts
 * judgeNight(previous, lines, pipeline.gates);
 * // → { refused: true, count: 513, byGate: { articlesGone: { warn: 0, refuse: 512 } }, findings: [
 * //     { gate: 'articlesGone', action: 'refuse', article: '*', before: 1000, now: 488, message: '512 of 1,000 …' }, … ] }
 * ```
 *
 * @see D-850, D-851.
 */
export function judgeNight(
  before: PackedMap<ManifestLine>,
  now: PackedMap<ManifestLine>,
  thresholds: Gates,
): GateVerdict {
  const gates = createGates(thresholds);
  const left: string[] = [];
  for (const key of before.keys()) {
    // A line that says the same shares its bytes.
    if (before.bytesOf(key) === now.bytesOf(key))
      gates.same(parseConfigurationKey(key).manufacturer);
    else if (now.has(key)) gates.compare(before.get(key)!, now.get(key));
    else left.push(key);
  }
  const successors = successorsOf(left, before, now);
  for (const key of left) gates.compare(before.get(key)!, now.get(successors.get(key) ?? ''));
  return gates.verdict();
}

/**
 * What the requests of lines resolve to now whose identity is no more: where a property is added, or
 * another value becomes the default, every article of a series gets another configuration string.
 */
function successorsOf(
  left: readonly string[],
  before: PackedMap<ManifestLine>,
  now: PackedMap<ManifestLine>,
): ReadonlyMap<string, string> {
  const successors = new Map<string, string>();
  const wanted = new Map<string, string>();
  for (const key of left) {
    for (const request of before.get(key)!.requested) wanted.set(configurationKey(request), key);
  }
  for (const line of wanted.size === 0 ? [] : now.values()) {
    for (const request of line.requested) {
      const key = wanted.get(configurationKey(request));
      if (key !== undefined) successors.set(key, configurationKey(line));
    }
  }
  return successors;
}

/** Gates that are told of one configuration after the other, in any order. */
export interface GateKeeper {
  /** @param now - Undefined where the configuration is no longer selected. */
  compare(before: ManifestLine, now: ManifestLine | undefined): void;
  /** One configuration of a manufacturer says what it said. */
  same(manufacturer: string): void;
  verdict(): GateVerdict;
}

/** Opens the gates of a night. @see judgeNight */
export function createGates(thresholds: Gates): GateKeeper {
  const tallies = new Map<string, Tally>();
  const tallyOf = (manufacturer: string): Tally => {
    const known = tallies.get(manufacturer) ?? emptyTally();
    tallies.set(manufacturer, known);
    return known;
  };
  return {
    compare(before, now) {
      const tally = tallyOf(before.manufacturer);
      tally.compared++;
      if (now === undefined) {
        // What never stood anywhere is no loss.
        if (publishedAsset(before)) count(tally.gates.articlesGone, goneExample(before));
        return;
      }
      const [was, is] = [lastGoodOf(before), lastGoodOf(now)];
      if (was === undefined || is === undefined || was.sha256 === is.sha256) return;
      for (const [gate, row] of FIGURES) {
        const [figure, other] = [row.figure(was), row.figure(is)];
        if (figure === undefined || other === undefined) continue;
        const change = row.change(was, is);
        if (change < thresholds[gate].change! || change === 0) continue;
        const message = `${row.tell(was)} before, ${row.tell(is)} now`;
        const article = configurationLabel(before);
        count(tally.gates[gate], { article, change, before: figure, now: other, message });
      }
    },
    same: (manufacturer) => void tallyOf(manufacturer).compared++,
    verdict: () => judgeTallies(tallies, thresholds),
  };
}

/** The figures of what stands published: what fails keeps those that it had. */
function lastGoodOf(line: ManifestLine): Partial<AssetFigures> | undefined {
  return line.sha256 === undefined ? line.lastGood : line;
}

function goneExample(before: ManifestLine): Example {
  const message = 'no longer selected';
  return { article: configurationLabel(before), change: 1, before: 1, now: 0, message };
}
