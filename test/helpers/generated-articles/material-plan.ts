/** Material plan: records of `mats[]` that mix every field, and what nodes call them. */
import fc from 'fast-check';

const channel = fc.integer({ min: 0, max: 255 });
const hex = fc
  .tuple(channel, channel, channel)
  .map((rgb) => `0x${rgb.map((c) => c.toString(16).padStart(2, '0')).join('')}`);
/** A number as the service may send it. */
const sent = (value: fc.Arbitrary<number>): fc.Arbitrary<unknown> =>
  fc.tuple(value, fc.constantFrom('number', 'number', 'number', 'text', 'comma')).map(([n, as]) => {
    if (as === 'number') return n;
    return as === 'text' ? String(n) : String(n).replace('.', ',');
  });

const fraction = fc.constantFrom(0, 0, 0.05, 0.05, 0.25, 0.25, 0.5, 0.5, 0.8, 0.8, 1, 1, 80, -3);
const repetitions = fc.constantFrom(1, 1, 2, 0.5, -1, -2, 3.2, 0, 10);
const rotations = fc.constantFrom(0, 90, 180, 33, 270, -90, 360, 33);
const shifts = fc.constantFrom(0, 0.25, -0.4, 1.5, 7.125);

/** Pairs that are equal, opposite or neither. */
const scales = (u: string, v: string) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: repetitions.map((s) => ({ [u]: s, [v]: s })) },
    { weight: 1, arbitrary: repetitions.map((s) => ({ [u]: s, [v]: -s })) },
    {
      weight: 3,
      arbitrary: fc.tuple(repetitions, repetitions).map(([s, t]) => ({ [u]: s, [v]: t })),
    },
    { weight: 1, arbitrary: repetitions.map((s) => ({ [u]: s })) },
  );

const picture = (...names: string[]) =>
  fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom('GEN::RANGE::', '', 'gen/range/', '::gen::range::'),
    )
    .map(([name, path]) => `${path}${name}`);

const fields = fc.record(
  {
    dif: fc.oneof({ weight: 9, arbitrary: hex }, fc.constantFrom('rot', '0x808080', '0x1a1a1a')),
    pic: picture('WOOD', 'WOOD', 'FABRIC', 'WEAVE', 'STONE', 'BITMAP', 'ABSENT'),
    bump: picture('BUMPS', 'BUMPS', 'HEIGHTS', 'ABSENT'),
    roughness_image: picture('ROUGH', 'ROUGH_RGB', 'ROUGH_LARGE', 'ABSENT'),
    metallic_image: picture('METAL', 'METAL_FLAT', 'ABSENT'),
    roughness: sent(fraction),
    metallic: sent(fraction),
    offsetx: sent(shifts),
    offsety: sent(shifts),
    rot: sent(rotations),
    bump_offsetx: sent(shifts),
    bump_offsety: sent(shifts),
    bump_rot: sent(rotations),
    amb: hex,
    spe: fc.oneof(hex, fc.constantFrom('0x000000', '0xffffff', '0x303030', '0x404040', '0x505050')),
    map: fc.constantFrom('auto', 'auto', 'rauto', 'rauto', 'env', ''),
    shi: sent(fc.constantFrom(0, 10, 30, 76.8, 128, -1)),
    tra: fc.oneof(
      { weight: 9, arbitrary: sent(fc.constantFrom(0, 0, 0.0005, 0.001, 0.3, 0.6, 1)) },
      fc.constantFrom('abc', 80, -1),
    ),
    luminance: sent(fc.constantFrom(0, 50, 100, 320, -5)),
    refr: sent(fc.constantFrom(0, 1, 1.33, 1.5)),
    pho: sent(fraction),
    mirror: sent(fraction),
    refl: sent(fraction),
  },
  { requiredKeys: [] },
);

const layers = fc.record(
  {
    clearcoat: fraction,
    clearcoat_roughness: fraction,
    sheen: fraction,
    sheen_color: hex,
    sheen_roughness: fraction,
    emission: hex,
  },
  { requiredKeys: [] },
);

/** A record without its name. */
export const materialRecord: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fields,
    scales('scaleu', 'scalev'),
    scales('bump_scaleu', 'bump_scalev'),
    fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: layers }),
    fc.constantFrom({}, {}, { pic: 'FABRIC' }, { pic: 'WOOD', map: 'stored' }),
  )
  .map(settled);

/** Leaves out what the rules do not settle: two kinds of emission, colours without their amount. */
function settled(parts: object[]) {
  const record: Record<string, unknown> = Object.assign({}, ...parts);
  const glows = record.luminance !== undefined;
  if (glows) delete record.emission;
  if (record.map === 'env') {
    delete record.luminance;
    delete record.roughness_image;
  }
  if (record.sheen === undefined || record.sheen_color === undefined) {
    delete record.sheen;
    delete record.sheen_color;
  }
  return record;
}

/** How a node calls its material. */
export type MaterialReference =
  | { kind: 'named'; index: number; spelling: number }
  | { kind: 'unknown' }
  | { kind: 'inline'; text: string }
  | { kind: 'overridden'; index: number; text: string };

export const materialReference: fc.Arbitrary<MaterialReference> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('named'), index: fc.nat(5), spelling: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unknown') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('inline'),
      text: fc.constantFrom(
        '$ dif 0.8 0.1 0.1;roughness 0.4',
        '$ DIF #336699;tra 0.5;refraction 1.5',
        '$dif 0.2 0.3 0.4;scale 2 3 0;ROTATE 0 0 33;Tex Image jpg WOOD',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('overridden'),
      index: fc.nat(5),
      text: fc.constantFrom(
        ';tra 0.5;dif 0.2 0.2 0.2',
        ';roughness 0.9;metallic 1',
        ';scale 4 0.5 0;offset 0,1 0.2 0;rotation 0 0 90',
      ),
    }),
  },
);

/** Any letter case, with or without a leading `::`. */
export function spell(name: string, spelling: number): string {
  return [name, `::${name}`, name.toLowerCase(), `::${name.toUpperCase()}`][spelling % 4]!;
}
