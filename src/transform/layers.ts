/**
 * Layers: `72_<MANUFACTURER>_<SERIES>_<MODE>[_<TAG>]`, in any letter case.
 */

import { globMatcher } from '../support/glob.ts';

/** The mode and tag of a layer; both empty where the layer is of another form. */
export interface LayerName {
  /** Upper case, with its tag behind it, as drop patterns are matched. */
  modeAndTag: string;
  /** Behind the mode, in its own letter case; names a movable part. */
  tag: string;
}

/** The one mode whose own name holds an underscore. */
const TWO_WORD_MODE = 'ARTICLE_INFO';

/**
 * Takes a layer name apart.
 *
 * @example
 * ```ts
 * parseLayer('72_ACME_DESK_D3_DRAWER_1'); // → { modeAndTag: 'D3_DRAWER_1', tag: 'DRAWER_1' }
 * ```
 *
 * @see D-112.
 */
export function parseLayer(layer: string): LayerName {
  const rest = /^72_[^_]*_[^_]*_(.+)$/i.exec(layer)?.[1] ?? '';
  const modeAndTag = rest.toUpperCase();
  const mode = modeAndTag.startsWith(TWO_WORD_MODE) ? TWO_WORD_MODE : modeAndTag.split('_', 1)[0]!;
  return { modeAndTag, tag: rest.slice(mode.length).replace(/^[^_]*_?/, '') };
}

/** Makes the test that says whether a layer is not drawn; each layer name is judged once. */
export function layerFilter(dropLayers: readonly string[]): (layer: string) => boolean {
  const patterns = dropLayers.map(globMatcher);
  const judged = new Map<string, boolean>();
  return (layer) => {
    let dropped = judged.get(layer);
    if (dropped === undefined) {
      const { modeAndTag } = parseLayer(layer);
      dropped = modeAndTag !== '' && patterns.some((matches) => matches(modeAndTag));
      judged.set(layer, dropped);
    }
    return dropped;
  };
}
