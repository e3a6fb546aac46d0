/** A picture in the catalogue of a range. */
import type { EmulatedRange, Json } from '../../src/emulator/sample/range.ts';

const NAME = 'ANY/any/PICTURE.JPG';

/** Serves a range of which each article that is found by a search has this picture. */
export function withPicture(range: EmulatedRange, take: () => Promise<Uint8Array>): EmulatedRange {
  const ressources = [{ restype: 'IT', rescontent: `xcf/ressource/${NAME}` }];
  const shown = (node: Json): Json => ({ ...node, ressources });
  return {
    ...range,
    search: (...query) => range.search(...query).map(shown),
    resource: async (path) => (path.join('/') === NAME ? take() : undefined),
  };
}
