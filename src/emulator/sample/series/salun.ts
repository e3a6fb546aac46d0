/**
 * SALUN by Aulinde: sofas and the low tables beside them.
 */

import { heightOnFloor } from '../blocks/blocks.ts';
import type { Part, SeriesDefinition, Values } from '../definition.ts';
import { imp, partsOn, solid, top } from '../tree.ts';
import {
  COVER,
  cover,
  home,
  layer,
  plan,
  shared,
  threeLegs,
  WOOD,
  wood,
} from './aulinde-common.ts';
import { articlesOf, choice, choices, text } from './properties.ts';

const PROGRAM = 'SALUN';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);

const LEGS = choices('FÜSSE', 'AUSSTATTUNG', text('Füße', 'Legs'), [
  choice('Holz', 'H', 'Holz gedreht', 'Turned wood'),
  choice('Metall', 'M', 'Metall schwarz', 'Metal, black'),
]);

function legs(w: number, d: number, values: Values): Part[] {
  const mat = values.FÜSSE === 'Metall' ? home('SCHWARZ MATT') : wood(values, ' HOCH');
  const leg = shared('KONUSBEIN', 150, 44, 26);
  return [0.09, w - 0.09].flatMap((x, i) =>
    [0.09, d - 0.09].map((z, k) => {
      const rot = [k === 0 ? 8 : -8, 0, i === 0 ? -8 : 8] as const;
      const [dx, dz] = [i === 0 ? -0.02 : 0.02, k === 0 ? -0.02 : 0.02];
      return visible(leg, mat, [x + dx, heightOnFloor(leg, rot), z + dz], rot);
    }),
  );
}

/** A sofa with so many seats of a width in millimetres; arms on the sides that are named. */
function sofa(seats: number, seat: number, values: Values, arms: 'both' | 'left' = 'both'): Part[] {
  const [arm, d] = [160, 900];
  const inner = seats * seat;
  const w = inner + arm * (arms === 'both' ? 2 : 1);
  const [A, W, S] = [arm / 1000, w / 1000, seat / 1000];
  const armBlock = shared('KASTEN', arm, 420, d - 20, 55);
  const each = (make: (x: number) => Part): Part[] =>
    Array.from({ length: seats }, (_, i) => make(A + i * S));
  return [
    top({ mat: cover(values), lay: D3 }, [
      imp(shared('KASTEN', inner + 60, 170, d - 40, 30), { at: [A - 0.03, 0.13, 0.02] }),
      imp(shared('KASTEN', inner + 60, 460, 190, 60), {
        at: [A - 0.03, 0.2, 0.01],
        rot: [-6, 0, 0],
      }),
      imp(armBlock, { at: [0, 0.13, 0.02] }),
      ...(arms === 'both' ? [imp(armBlock, { at: [W, 0.13, 0.02], scale: [-1, 1, 1] })] : []),
      ...each((x) => imp(shared('KISSEN', seat - 6, 160, 680), { at: [x + 0.003, 0.29, 0.21] })),
      ...each((x) =>
        imp(shared('KISSEN', seat - 10, 400, 170), {
          at: [x + 0.005, 0.455, 0.185],
          rot: [-14, 0, 0],
        }),
      ),
    ]),
    ...legs(W, d / 1000, values),
    ...plan(PROGRAM, W, d / 1000),
  ];
}

function cornerSofa(values: Values): Part[] {
  const [large, small] = [shared('WURFKISSEN', 460, 460, 150), shared('WURFKISSEN', 420, 420, 140)];
  return [
    ...sofa(2, 700, values, 'left'),
    top({ at: [1.56, 0, 0], mat: cover(values), lay: layer(PROGRAM, 'D3_RÉCAMIÈRE') }, [
      imp(shared('KASTEN', 900, 170, 1580, 30), { at: [0, 0.13, 0.02] }),
      imp(shared('KASTEN', 900, 460, 190, 60), { at: [0, 0.2, 0.01], rot: [-6, 0, 0] }),
      imp(shared('KISSEN', 890, 160, 1390), { at: [0.005, 0.29, 0.205] }),
      imp(shared('KISSEN', 880, 400, 170), { at: [0.01, 0.455, 0.185], rot: [-14, 0, 0] }),
    ]),
    visible(large, home('STOFF ROST'), [0.3, 0.5, 0.36], [-24, 14, 4]),
    visible(small, home('STOFF MOOS'), [1.95, 0.5, 0.36], [-26, -18, -6]),
    top({ at: [1.56, 0, 0.7], lay: D3 }, legs(0.9, 0.9, values)),
  ];
}

/** A footstool; the origin is its middle. */
function ottoman(values: Values): Part[] {
  return [
    top({ at: [-0.35, 0, -0.3], lay: D3 }, [
      imp(shared('KASTEN', 700, 130, 600, 30), { at: [0, 0.13, 0], mat: cover(values) }),
      imp(shared('KISSEN', 710, 150, 610), { at: [-0.005, 0.25, -0.005], mat: cover(values) }),
      ...legs(0.7, 0.6, values),
    ]),
    ...plan(PROGRAM, 0.7, 0.6, [-0.35, 0, -0.3]),
  ];
}

function armchair(values: Values): Part[] {
  const frame = [0.02, 0.68].map((x) =>
    top({ at: [x, 0, 0], mat: wood(values, ' GEDREHT'), lay: D3 }, [
      imp(shared('KUFE', 560, 640, 46), { at: [0.0, 0, 0.08] }),
      // The grain runs along the block's x axis, which is turned to the front.
      imp(shared('KASTEN', 700, 26, 56, 10), {
        at: [-0.028, 0.55, 0.75],
        rot: [0, 90, 0],
        mat: wood(values),
      }),
    ]),
  );
  return [
    ...frame,
    visible(shared('PLATTE', 660, 60, 30), wood(values), [0.02, 0.25, 0.66]),
    visible(shared('PLATTE', 660, 60, 30), wood(values), [0.02, 0.22, 0.12]),
    top({ at: [0.045, 0.27, 0.1], rot: [4, 0, 0], mat: cover(values), lay: D3 }, [
      imp(shared('KISSEN', 610, 140, 620), { at: [0, 0.03, 0.04] }),
      imp(shared('KISSEN', 610, 560, 140), { at: [0, 0.1, 0.02], rot: [-18, 0, 0] }),
    ]),
    ...plan(PROGRAM, 0.7, 0.8),
  ];
}

/** A round side table: a tray on three turned legs; the origin is its middle. */
function sideTable(diameter: number, h: number, values: Values): Part[] {
  const disc = solid('cyl', { LENGTH: 0.02, RADIUS: diameter * 0.0003 });
  const leg = shared('KONUSBEIN', h - 20, 32, 20);
  return [
    visible(shared('RUNDPLATTE', diameter, 24), home('TERRAZZO'), [0, h / 1000 - 0.024, 0]),
    ...threeLegs(leg, diameter * 0.00032 + 0.05, 7, D3, values),
    visible(disc, wood(values), [0, h / 1000 - 0.044, 0]),
    ...plan(PROGRAM, diameter / 1000, diameter / 1000, [-diameter / 2000, 0, -diameter / 2000]),
  ];
}

/** A pebble-shaped coffee table on a round base; the origin is its middle. */
function coffeeTable(values: Values): Part[] {
  return [
    visible(shared('KIESELPLATTE', 1150, 36, 680), wood(values), [0, 0.334, 0]),
    ...[-0.27, 0.27].map((x) =>
      imp(shared('RUNDROHR', 300, 320), {
        at: [x, 0.014, 0],
        scale: [0.7, 1, 1],
        mat: wood(values, ' HOCH'),
        lay: D3,
      }),
    ),
    ...[-0.27, 0.27].map((x) =>
      visible(solid('cyl', [0.016, 0.1]), home('SCHWARZ MATT'), [x, 0, 0]),
    ),
    ...plan(PROGRAM, 1.15, 0.68, [-0.575, 0, -0.34]),
  ];
}

const piece = articlesOf('AULI', PROGRAM, {
  long: [text('gefertigt in Kleinserie', 'made in small batches')],
  properties: [COVER, LEGS, WOOD],
});

/** The series. */
export const SALUN: SeriesDefinition = {
  program: PROGRAM,
  text: text('SALUN Sofas & Beistelltische', 'SALUN sofas & side tables'),
  articles: [
    piece('SL-1 SITZER', 'Sessel gepolstert', 'Upholstered armchair', 890, {
      parts: (v) => sofa(1, 640, v),
    }),
    piece('SL-2 SITZER', 'Sofa, zwei Sitze', 'Sofa, two seats', 1490, {
      parts: (v) => sofa(2, 680, v),
      variants: [{ BEZUG: 'Moosgrün', HOLZ: 'Nussbaum' }],
    }),
    piece('SL-3 SITZER', 'Sofa, drei Sitze', 'Sofa, three seats', 1890, {
      parts: (v) => sofa(3, 680, v),
      variants: [
        { BEZUG: 'Leder Cognac', FÜSSE: 'Metall' },
        // With metal legs no wood is visible.
        { BEZUG: 'Leder Cognac', FÜSSE: 'Metall', HOLZ: 'Nussbaum' },
        { BEZUG: 'Rost' },
      ],
    }),
    piece('SL-ECK 2+R', 'Ecksofa mit Récamière', 'Corner sofa with daybed', 2690, {
      parts: cornerSofa,
    }),
    piece('SL-HOCKER', 'Polsterhocker', 'Ottoman', 420, { parts: ottoman }),
    piece('SL-HOLZSESSEL', 'Sessel mit Holzkufen', 'Armchair on wooden loops', 980, {
      properties: [COVER, WOOD],
      parts: armchair,
      variants: [{ HOLZ: 'Nussbaum', BEZUG: 'Leder Cognac' }],
    }),
    piece('SL-TISCH Ø45', 'Beistelltisch Ø 450, Terrazzo', 'Side table Ø 450, terrazzo', 320, {
      properties: [WOOD],
      parts: (v) => sideTable(450, 520, v),
    }),
    piece('SL-COUCHTISCH', 'Couchtisch Kiesel', 'Coffee table, pebble', 640, {
      properties: [WOOD],
      parts: coffeeTable,
      variants: [{ HOLZ: 'Esche' }],
    }),
  ],
};
