/** Mutate an article: some of its bodies are damaged, the others stay as they are. */
import { type Chance, chanceOf } from './chance.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';
import type { Bodies } from './seeds.ts';

/** The input of a seed and an index: always the same. */
export function mutatedArticle(seeds: readonly Bodies[], seed: number, index: number): Bodies {
  const chance = chanceOf(seed, index);
  let bodies = chance.pick(seeds);
  for (let left = 1 + chance.below(1 + chance.below(3)); left > 0; left--)
    bodies = damaged(bodies, chance);
  return { ...bodies, options: { ...bodies.options, ...otherOptions(chance) } };
}

/** Options that differ from the defaults. */
const OPTIONS: readonly Record<string, unknown>[] = [
  { inheritScale: true },
  { winding: 'flip', doubleSided: 'all' },
  { weldToleranceMetres: 0.01 },
  { tangents: 'mikktspace' },
  { textureTransform: 'bake' },
  { normalMap: 'directx', heightMaps: 'normals' },
  { keepSourceExtras: true },
  { unusedUvs: 'drop' },
  { origin: 'floor-centre' },
  { creaseAngleDegrees: 180 },
  { environmentLook: 'texture', tintTextures: true },
  { glass: 'blend', packedTextureFormat: 'jpeg' },
  { roughnessStrategy: 'matt', textureScale: 'metres' },
  { allowMissingParts: false },
];

function otherOptions(chance: Chance): Record<string, unknown> {
  if (chance.oneIn(2)) return {};
  return { ...chance.pick(OPTIONS), ...chance.pick(OPTIONS) };
}

function damaged(bodies: Bodies, chance: Chance): Bodies {
  switch (chance.below(8)) {
    case 0:
      return { ...bodies, article: anyText(bodies.article, chance) };
    case 1:
    case 2:
    case 3:
      return { ...bodies, partsList: anyText(bodies.partsList, chance) };
    case 4:
    case 5:
      return { ...bodies, blocks: oneOf(bodies.blocks, anyText, chance) };
    default:
      return { ...bodies, images: oneOf(bodies.images, mutateBytes, chance) };
  }
}

/** As JSON three times of four: bytes that are not JSON fail when they are received. */
function anyText(bytes: Uint8Array, chance: Chance): Uint8Array {
  if (chance.oneIn(4)) return mutateBytes(bytes, chance);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return new TextEncoder().encode(mutateJson(decoder.decode(bytes), chance));
}

function oneOf(
  bodies: Map<string, Uint8Array>,
  mutate: (bytes: Uint8Array, chance: Chance) => Uint8Array,
  chance: Chance,
): Map<string, Uint8Array> {
  if (bodies.size === 0) return bodies;
  const name = chance.pick([...bodies.keys()]);
  return new Map(bodies).set(name, mutate(bodies.get(name)!, chance));
}
