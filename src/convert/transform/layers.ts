/**
 * Layers: mode and tag of a node's `lay`, `72_<MANUFACTURER>_<SERIES>_<MODE>[_<TAG>]` in any letter case.
 * Manufacturer and series may contain underscores, so that the form alone does not say where the mode begins.
 */

import { globMatcher } from '../../support/glob.ts';
import { canonicalName } from '../wire/value.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from './convert-options.ts';

interface Layer {
  /** Text after the mode, as sent, or empty. */
  tag: string;
  isDropped: boolean;
}

/** Reads the layer of a node with the name of its block. */
export type LayerReader = (layer: string, blockName: string) => Layer;

const NO_LAYER: Layer = { tag: '', isDropped: false };

/** Parts among which names and mode are searched: names have a few, and a longer search would take too long. */
const MOST_PARTS = 32;

/** The one mode whose own name contains an underscore. */
const TWO_WORD_MODE = 'ARTICLE_INFO';

/**
 * Creates a reader of the layers of one article, each with the name of its node's block (D-112).
 *
 * @param names - Qualified names such as `ACME::DESK::LEG`: a layer may begin with their first two segments.
 * @param dropLayers - Globs, compared with the mode and its tag.
 *
 * @example
 * ```ts
 * createLayerReader(['FRM::FRMR_2Q::'], ['D2*'])('72_FRM_FRMR_2Q_D2_PLAN', '');
 * // → { tag: 'PLAN', isDropped: true }
 * ```
 */
export function createLayerReader(
  names: readonly string[],
  dropLayers: ConvertOptions['dropLayers'],
): LayerReader {
  const prefixes = new Set(names.flatMap(prefixesOf));
  const dropped = dropLayers.map(globMatcher);
  const known = [...dropped, ...[...CONVERT_DEFAULTS.dropLayers, 'D3*'].map(globMatcher)];
  const layers = new Map<string, Layer>();
  return (layer, blockName) => {
    if (layer === '') return NO_LAYER;
    const key = `${layer}\0${blockName}`;
    const before = layers.get(key);
    if (before) return before;
    const rest = /^72_(.+)$/s.exec(layer)?.[1] ?? '';
    const own = prefixesOf(blockName);
    const isPrefix = (text: string) => prefixes.has(text) || own.includes(text);
    const modeAndTag = behindNames(rest, isPrefix, known);
    const isDropped = modeAndTag !== '' && dropped.some((matches) => matches(modeAndTag));
    const read = { tag: tagOf(modeAndTag), isDropped };
    layers.set(key, read);
    return read;
  };
}

/** `MANUFACTURER_SERIES_` of a qualified name, in upper case; none of a name of another form. */
function prefixesOf(name: string): string[] {
  const [manufacturer, series, block] = canonicalName(name).split('::');
  return manufacturer && series && block !== undefined ? [`${manufacturer}_${series}_`] : [];
}

/** The text behind the longest prefix that fits; else from the first known mode; else behind two parts. */
function behindNames(
  rest: string,
  isPrefix: (text: string) => boolean,
  known: readonly ((text: string) => boolean)[],
): string {
  const parts = rest.split('_');
  const from = (index: number) => parts.slice(index).join('_');
  const few = parts.slice(0, MOST_PARTS);
  const inNames = few.findLastIndex((_, i) =>
    isPrefix(`${few.slice(0, i).join('_')}_`.toUpperCase()),
  );
  if (inNames > 0) return from(inNames);
  const isMode = (index: number) => {
    const text = from(index);
    return known.some((matches) => matches(text));
  };
  const mode = few.findIndex((_, i) => i >= 2 && isMode(i));
  return from(Math.max(2, mode));
}

function tagOf(modeAndTag: string): string {
  const hasTwoWords = modeAndTag.toUpperCase().startsWith(TWO_WORD_MODE);
  return modeAndTag.slice(hasTwoWords ? TWO_WORD_MODE.length : 0).replace(/^[^_]*_?/, '');
}
