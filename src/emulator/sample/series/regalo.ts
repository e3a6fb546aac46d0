/**
 * REGALO by Aulinde: shelves, sideboards and a chest of drawers for the home.
 */
import { heightOnFloor } from '../blocks/blocks.ts';
import type { Part, PropertyDefinition, SeriesDefinition, Values } from '../definition.ts';
import { imp, movable, partsOn, top } from '../tree.ts';
import { board, home, layer, plan, shared, WOOD, wood } from './aulinde-common.ts';
import { articlesOf, choice, choices, millimetres, text } from './properties.ts';

const PROGRAM = 'REGALO';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);

const FRONTS: Readonly<Record<string, string>> = {
  Weiß: home('WEISS LACK'),
  Salbei: home('SALBEI LACK'),
};

/** Finish of the fronts: optional, but the article is invalid without a value; the fronts are then of wood. */
const FRONT: PropertyDefinition = choices(
  'FRONT',
  'OBERFLÄCHE',
  text('Front', 'Front'),
  [
    choice('Holz', 'HOLZ', 'Holz wie Korpus', 'Wood as the carcass'),
    choice('Weiß', 'WEISS', 'Lack weiß', 'White lacquer'),
    choice('Salbei', 'SALBEI', 'Lack salbei', 'Sage lacquer', { surcharge: 40 }),
  ],
  { mustChoose: true },
);

const WIDTH = millimetres(
  'BREITE',
  text('Breite in mm', 'Width in mm'),
  { from: 600, to: 1200, raster: 100 },
  800,
  { surchargePerUnit: 0.18 },
);

const lacquer = ({ FRONT: value = '' }: Values): string | undefined => FRONTS[value];
const front = (values: Values): string => lacquer(values) ?? wood(values, ' HOCH');

/** Material of a drawer's front: without lacquer its grain is horizontal. */
const drawerFront = (values: Values): string => lacquer(values) ?? wood(values);

/** An open bookcase of boards; w, h, d in millimetres. */
function bookcase(w: number, h: number, d: number, levels: number, values: Values): Part[] {
  const [W, H, t] = [w / 1000, h / 1000, 0.022];
  const step = (H - t - 0.06) / levels;
  return [
    top({ lay: D3 }, [
      board(22, h, d, { mat: wood(values, ' HOCH') }),
      board(22, h, d, { at: [W - t, 0, 0], mat: wood(values, ' HOCH') }),
      ...Array.from({ length: levels + 1 }, (_, i) =>
        board(w - 44, 22, d - 10, { at: [t, 0.06 + i * step, 0.01], mat: wood(values) }),
      ),
      board(w - 44, 60, 16, { at: [t, 0, d / 1000 - 0.05], mat: wood(values) }),
      imp(shared('RÜCKWAND', w - 44, h - 82), { at: [t, 0.07, 0.008], mat: home('FILZ') }),
    ]),
    ...plan(PROGRAM, W, d / 1000),
  ];
}

/** A leaning ladder shelf: rails of wood, five shelves that grow towards the floor. */
function ladder(values: Values): Part[] {
  const rail = shared('PROFIL', 28, 1900, 40);
  const rot = [-12, 0, 0] as const;
  const y = heightOnFloor(rail, rot);
  return [
    top({ mat: wood(values, ' HOCH'), lay: D3 }, [
      imp(rail, { at: [0, y, 0.4], rot }),
      imp(rail, { at: [0.612, y, 0.4], rot }),
    ]),
    ...[0.22, 0.58, 0.94, 1.3, 1.66].map((y, i) =>
      top({ at: [0.028, y, 0.0], lay: D3 }, [
        board(584, 20, 420 - i * 70, { at: [0, 0, 0.01], mat: wood(values) }),
        board(584, 40, 12, { at: [0, 0, 0.002], mat: wood(values) }),
      ]),
    ),
    ...plan(PROGRAM, 0.64, 0.45),
  ];
}

/** A room divider of cubes, open from both sides. */
function divider(columns: number, rows: number, values: Values): Part[] {
  const [cell, t, d] = [380, 22, 380];
  const at = (i: number): number => (i * (cell + t)) / 1000;
  const w = at(columns) * 1000 + t;
  const box = shared('KASTEN', 300, 340, 320, 20);
  return [
    ...Array.from({ length: rows + 1 }, (_, i) =>
      visible(board(w, t, d), wood(values), [0, at(i), 0]),
    ),
    ...Array.from({ length: (columns + 1) * rows }, (_, i) =>
      visible(board(t, cell, d), wood(values, ' HOCH'), [
        at(i % (columns + 1)),
        at(Math.floor(i / (columns + 1))) + t / 1000,
        0,
      ]),
    ),
    ...[
      [0, 0],
      [2, 0],
      [1, 2],
    ].map(([column, row]) =>
      movable(
        {
          at: [at(column!) + 0.06, at(row!) + 0.024, 0.04],
          lay: layer(PROGRAM, `D3_BOX ${column! + 1}`),
        },
        [visible(box, home('FILZ'))],
      ),
    ),
    ...plan(PROGRAM, w / 1000, d / 1000),
  ];
}

/** Legs of a sideboard: a loop at each end. */
function stand(w: number, d: number, h: number): Part[] {
  const loop = shared('KUFE', h, d - 80, 40);
  return [
    visible(loop, home('SCHWARZ MATT'), [0.15, 0, 0.04]),
    imp(loop, {
      at: [w / 1000 - 0.15, 0, 0.04],
      scale: [-1, 1, 1],
      mat: home('SCHWARZ MATT'),
      lay: D3,
    }),
  ];
}

/** A cabinet body with mitred-looking ends: boards around, a back behind. */
function body(w: number, h: number, d: number, y: number, values: Values): Part {
  const [W, H, t] = [w / 1000, h / 1000, 0.022];
  return top({ at: [0, y, 0], lay: D3 }, [
    board(22, h, d, { mat: wood(values, ' HOCH') }),
    board(22, h, d, { at: [W - t, 0, 0], mat: wood(values, ' HOCH') }),
    board(w - 44, 22, d, { at: [t, 0, 0], mat: wood(values) }),
    board(w - 44, 22, d, { at: [t, H - t, 0], mat: wood(values) }),
    imp(shared('PANEEL', w - 44, h - 44, 8), { at: [t, t, 0.01], mat: wood(values, ' HOCH') }),
  ]);
}

/** A low board for a screen: a flap, a drawer and an open bay. */
function lowboard(values: Values): Part[] {
  const [w, h, d, y] = [1800, 380, 420, 0.14];
  const frontOf = (tag: string, x: number) =>
    movable({ at: [x, y + 0.024, 0.4], lay: layer(PROGRAM, `D3_${tag}`) }, [
      visible(board(584, h - 48, 18), front(values)),
      visible(shared('KASTEN', 120, 8, 16, 3), home('MESSING'), [0.232, h / 1000 - 0.07, 0.016]),
    ]);
  return [
    body(w, h, d, y, values),
    ...[0.611, 1.167].map((x) =>
      visible(board(22, h - 44, d - 20), wood(values, ' HOCH'), [x, y + 0.022, 0.01]),
    ),
    frontOf('KLAPPE', 0.024),
    frontOf('SCHUB', 1.191),
    visible(board(534, 18, d - 40), wood(values), [0.633, y + 0.18, 0.02]),
    ...stand(w, d, 140),
    ...plan(PROGRAM, 1.8, 0.42),
  ];
}

function sideboard(values: Values): Part[] {
  const [w, h, d, y] = [1650, 620, 440, 0.16];
  const knob = shared('RUNDROHR', 26, 18);
  const door = (i: number): Part =>
    movable({ at: [0.024 + i * 0.535, y + 0.024, 0.42], lay: layer(PROGRAM, `D3_TÜR ${i + 1}`) }, [
      visible(board(531, h - 48, 18), front(values)),
      visible(knob, home('MESSING'), [i === 2 ? 0.05 : 0.48, 0.3, 0.018], [90, 0, 0]),
    ]);
  return [
    body(w, h, d, y, values),
    ...[0, 1, 2].map(door),
    ...stand(w, d, 160),
    ...plan(PROGRAM, 1.65, 0.44),
  ];
}

function chest(values: Values): Part[] {
  const [w, d, y] = [Number(values.BREITE), 450, 0.14];
  const [count, each] = [5, 170];
  const h = count * each + 44;
  const leg = shared('KONUSBEIN', 142, 46, 28);
  const box = shared('SCHUBKASTEN', w - 90, 120, d - 70);
  const knob = shared('RUNDROHR', 26, 20);
  return [
    body(w, h, d, y, values),
    ...Array.from({ length: count }, (_, i) =>
      movable(
        {
          at: [0.024, y + 0.023 + (i * each) / 1000, d / 1000 - 0.018],
          lay: layer(PROGRAM, `D3_SCHUB ${i + 1}`),
        },
        [
          visible(board(w - 48, each - 4, 18), drawerFront(values)),
          visible(box, home('ESCHE'), [0.02, 0.015, -(d - 70) / 1000]),
          ...[0.25, 0.75].map((t) =>
            visible(knob, home('MESSING'), [((w - 48) / 1000) * t, each / 2000, 0.018], [90, 0, 0]),
          ),
        ],
      ),
    ),
    ...[0.07, w / 1000 - 0.07].flatMap((x) =>
      [0.07, d / 1000 - 0.07].map((z) => visible(leg, wood(values, ' HOCH'), [x, 0, z])),
    ),
    ...plan(PROGRAM, w / 1000, d / 1000),
  ];
}

const piece = articlesOf('AULI', PROGRAM, {
  long: [text('Massivholz und Furnier, geölt', 'Solid wood and veneer, oiled')],
  properties: [WOOD],
});

/** The series. */
export const REGALO: SeriesDefinition = {
  program: PROGRAM,
  text: text('REGALO Regale & Kommoden', 'REGALO shelves & chests'),
  articles: [
    piece('RG-BÜCHER 5', 'Bücherregal, fünf Fächer', 'Bookcase, five levels', 540, {
      properties: [WOOD, WIDTH],
      parts: (v) => bookcase(Number(v.BREITE), 1880, 320, 5, v),
      variants: [{ HOLZ: 'Nussbaum', BREITE: '1000' }],
    }),
    piece('RG-BÜCHER 3', 'Bücherregal, drei Fächer', 'Bookcase, three levels', 390, {
      properties: [WOOD, WIDTH],
      parts: (v) => bookcase(Number(v.BREITE), 1140, 320, 3, v),
    }),
    piece('RG-LEITER', 'Leiterregal', 'Ladder shelf', 330, { parts: ladder }),
    piece('RG-RAUM 3X4', 'Raumteiler, zwölf Würfel', 'Room divider, twelve cubes', 870, {
      parts: (v) => divider(3, 4, v),
      variants: [{ HOLZ: 'Esche' }],
    }),
    piece('RG-LOW 180', 'Lowboard 1800', 'Lowboard 1800', 960, {
      properties: [WOOD, FRONT],
      parts: lowboard,
      variants: [{ FRONT: 'Salbei' }],
    }),
    piece('RG-SIDE 165', 'Sideboard, drei Türen', 'Sideboard, three doors', 1140, {
      properties: [WOOD, FRONT],
      parts: sideboard,
      variants: [{ HOLZ: 'Nussbaum', FRONT: 'Weiß' }],
    }),
    piece('RG-KOMMODE 5', 'Kommode, fünf Schübe', 'Chest, five drawers', 880, {
      properties: [WOOD, FRONT, WIDTH],
      parts: chest,
      variants: [{ FRONT: 'Weiß', BREITE: '1000' }],
    }),
  ],
};
