/**
 * DEPOT by Fjelmark: pedestals, cabinets, lockers; drawers and doors move.
 */
import type { Part, PropertyDefinition, SeriesDefinition, Values } from '../definition.ts';
import { imp, movable, partsOn, solid, top } from '../tree.ts';
import {
  basis,
  board,
  DECOR,
  decor,
  front,
  glides,
  invisible,
  layer,
  shared,
  upright,
} from './fjelmark-common.ts';
import { articlesOf, choice, choices, text } from './properties.ts';

const PROGRAM = 'DEPOT';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);
const METAL = basis('PULVER_SILBER');

const HANDLE = choices('GRIFF', 'AUSSTATTUNG', text('Griff', 'Handle'), [
  choice('BUEGEL', 'B', 'Bügelgriff', 'Bow handle'),
  choice('LEISTE', 'L', 'Griffleiste', 'Edge grip', { surcharge: 12 }),
]);

/** Carcass of boards with a back panel; measures in millimetres, standing at height y. */
function carcass(w: number, h: number, d: number, y: number, values: Values): Part {
  const t = 19;
  const [W, H, T] = [w / 1000, h / 1000, t / 1000];
  return top({ at: [0, y, 0], mat: upright(values), lay: D3 }, [
    board(t, h, d - 20),
    board(t, h, d - 20, { at: [W - T, 0, 0] }),
    board(w - 2 * t, t, d - 20, { at: [T, 0, 0], mat: decor(values) }),
    board(w - 2 * t, t, d - 20, { at: [T, H - T, 0], mat: decor(values) }),
    imp(shared('PANEEL', w - 2 * t, h - 2 * t, 8), { at: [T, T, 0.012] }),
  ]);
}

/** Shelves inside, evenly. */
function shelves(
  w: number,
  h: number,
  d: number,
  y: number,
  count: number,
  values: Values,
): Part[] {
  const shelf = board(w - 40, 19, d - 60);
  return Array.from({ length: count }, (_, i) =>
    visible(shelf, decor(values), [0.02, y + ((i + 1) * h) / 1000 / (count + 1), 0.025]),
  );
}

function handle(w: number, h: number, values: Values): Part[] {
  if (values.GRIFF === 'LEISTE') {
    return [imp(shared('GRIFFLEISTE', 160), { at: [(w - 160) / 2000, h / 1000, 0], mat: METAL })];
  }
  return [imp(shared('BÜGELGRIFF', 128), { at: [w / 2000, h / 2000, 0.019], mat: METAL })];
}

/** A drawer with its front at z = d; it moves along z. */
function drawer(w: number, h: number, d: number, y: number, tag: string, values: Values): Part {
  const box = shared('SCHUBKASTEN', w - 64, Math.min(h - 30, 180), d - 80);
  return movable({ at: [0.002, y, d / 1000 - 0.019], lay: layer(PROGRAM, `D3_${tag}`) }, [
    visible(board(w - 4, h - 4, 19), decor(values)),
    visible(box, METAL, [0.03, 0.012, -(d - 80) / 1000]),
    ...handle(w - 4, h - 3, values),
  ]);
}

/** How lockers are locked; a buyer may name an existing locking system. */
const LOCKING = choices(
  'SCHLIESSUNG',
  'AUSSTATTUNG',
  text('Schließung', 'Locking'),
  [
    choice('EINZELN', 'E', 'je Fach verschieden', 'each compartment differs'),
    choice('HAUPT', 'H', 'mit Hauptschlüssel', 'with master key'),
  ],
  { others: 12 },
);

const FIRST_NUMBER: PropertyDefinition = {
  name: 'NUMMER',
  group: 'AUSSTATTUNG',
  text: text('Fachnummern ab', 'Compartment numbers from'),
  ranges: () => [{ from: 1, raster: 1 }],
  initial: '1',
};

/** A pedestal on castors with drawers of the given heights, from below. */
function pedestal(heights: number[], values: Values, cushion = false): Part[] {
  const [w, d, base] = [420, 580, 0.06];
  const h = heights.reduce((sum, value) => sum + value, 0) + 22;
  let y = base + 0.011;
  const drawers = heights.map((height, i) => {
    const part = drawer(w, height, d, y, `SCHUB ${i + 1}`, values);
    y += height / 1000;
    return part;
  });
  const castor = shared('ROLLE', 24);
  const castors = [
    [0.05, 0.06],
    [0.37, 0.06],
    [0.05, 0.52],
    [0.37, 0.52],
  ].map(([x, z], i) => visible(castor, basis('KUNSTSTOFF'), [x!, 0, z!], [0, 35 + i * 70, 0]));
  const pad = shared('KISSEN', 420, 50, 560);
  return [
    carcass(w, h, d, base, values),
    ...castors,
    ...drawers,
    ...(cushion ? [visible(pad, 'FJEL::DEPOT::POLSTER', [0, base + h / 1000, 0.01])] : []),
    ...invisible(PROGRAM, w / 1000, d / 1000),
  ];
}

/** The handle of a hinged door, at the edge that opens: 1 for the left door, whose hinges are at x = 0, -1 for the right. */
function doorHandle(h: number, side: 1 | -1, values: Values): Part {
  const [grip, bow] = [shared('GRIFFLEISTE', 160), shared('BÜGELGRIFF', 128)];
  const y = Math.min(h / 2000, 0.95);
  return values.GRIFF === 'LEISTE'
    ? visible(grip, METAL, [side * 0.396, y + side * 0.08, 0], [0, 0, side * -90])
    : visible(bow, METAL, [side * 0.36, y, 0.019], [0, 0, 90]);
}

/** A cabinet with two hinged doors; the right one is the left one mirrored. */
function hinged(h: number, count: number, values: Values): Part[] {
  const [w, d, base] = [800, 420, 0.06];
  const door = visible(board(396, h - 4, 19), front(values));
  const hinge = visible(solid('cyl', '0.05, 0.006'), METAL, [0.008, 0.1, -0.004]);
  return [
    carcass(w, h, d, base, values),
    ...shelves(w, h, d, base, count, values),
    top({ lay: D3 }, [
      imp(shared('EINHEIT'), {
        at: [0.03, 0.012, 0.03],
        scale: [0.74, 0.048, 0.34],
        mat: basis('KANTE'),
      }),
      ...glides([
        [0.08, 0.08],
        [0.72, 0.08],
        [0.08, 0.34],
        [0.72, 0.34],
      ]),
    ]),
    movable({ at: [0.001, base + 0.002, 0.401], lay: layer(PROGRAM, 'D3_TÜR LINKS') }, [
      door,
      doorHandle(h, 1, values),
      hinge,
    ]),
    movable({ at: [0.799, base + 0.002, 0.401], lay: layer(PROGRAM, 'D3_TÜR RECHTS') }, [
      { ...door, scale: [-1, 1, 1] },
      doorHandle(h, -1, values),
      { ...hinge, offs: [-0.008, 0.1, -0.004] },
    ]),
    ...invisible(PROGRAM, w / 1000, d / 1000),
  ];
}

/** A sideboard with two sliding doors. */
function sliding(values: Values): Part[] {
  const [w, h, d, base] = [1600, 680, 450, 0.12];
  const grip = solid('frame', { W: 0.03, H: 0.18, D: 0.004, T: 0.003 });
  const door = (tag: string, x: number, z: number): Part =>
    movable({ at: [x, base + 0.021, z], lay: layer(PROGRAM, `D3_${tag}`) }, [
      visible(board(800, h - 42, 16), front(values)),
      visible(grip, METAL, [tag.endsWith('LINKS') ? 0.03 : 0.74, h / 2000 - 0.11, 0.016]),
    ]);
  const leg = shared('KUFE', 120, 390, 40);
  return [
    carcass(w, h, d, base, values),
    visible(board(19, h - 38, d - 70), upright(values), [0.79, base + 0.019, 0.02]),
    visible(board(770, 19, d - 80), decor(values), [0.02, base + 0.33, 0.02]),
    visible(board(770, 19, d - 80), decor(values), [0.81, base + 0.33, 0.02]),
    door('TÜR LINKS', 0.02, 0.39),
    door('TÜR RECHTS', 0.78, 0.412),
    visible(leg, basis('PULVER_SCHWARZ'), [0.2, 0, 0.03]),
    visible(leg, basis('PULVER_SCHWARZ'), [1.4, 0, 0.03]),
    ...invisible(PROGRAM, 1.6, 0.45),
  ];
}

function lateral(count: number, values: Values): Part[] {
  const [w, d, each, base] = [800, 450, 330, 0.06];
  const h = count * each + 38;
  return [
    carcass(w, h, d, base, values),
    plinth(0.76, 0.38),
    ...Array.from({ length: count }, (_, i) =>
      drawer(w, each, d, base + 0.019 + (i * each) / 1000, `SCHUB ${i + 1}`, values),
    ),
    ...invisible(PROGRAM, 0.8, 0.45),
  ];
}

/** What a cabinet stands on; width and depth in metres. */
function plinth(w: number, d: number): Part {
  const scale = [w, 0.06, d] as const;
  return imp(shared('EINHEIT'), { at: [0.02, 0, 0.02], scale, mat: basis('KANTE'), lay: D3 });
}

/** Lockers: perforated doors on hinges, all of one kind. */
function lockers(columns: number, rows: number, values: Values): Part[] {
  const [w, h, d, base] = [300 * columns + 20, 400 * rows + 20, 480, 0.06];
  const door = (column: number, row: number): Part =>
    movable(
      {
        at: [0.012 + column * 0.3, base + 0.012 + row * 0.4, 0.46],
        lay: layer(PROGRAM, `D3_FACH ${row * columns + column + 1}`),
      },
      [
        visible(shared('PROFIL', 296, 396, 18), 'FJEL::DEPOT::LOCHBLECH'),
        visible(shared('PROFIL', 34, 60, 12), basis('KUNSTSTOFF'), [0.245, 0.16, 0.014]),
        visible(solid('cyl', [0.006, 0.011]), METAL, [0.262, 0.19, 0.026], [90, 0, 0]),
      ],
    );
  const wall = board(16, h - 38, d - 60);
  const doors = Array.from({ length: columns * rows }, (_, i) =>
    door(i % columns, Math.floor(i / columns)),
  );
  return [
    carcass(w, h, d, base, values),
    ...Array.from({ length: columns - 1 }, (_, i) =>
      visible(wall, basis('LICHTGRAU'), [0.002 + (i + 1) * 0.3, base + 0.019, 0.02]),
    ),
    plinth(w / 1000 - 0.04, 0.42),
    ...doors,
    ...invisible(PROGRAM, w / 1000, 0.48),
  ];
}

const equipped = (initial: string) => [{ ...DECOR, initial }, HANDLE];

const storage = articlesOf('FJEL', PROGRAM, {
  long: [text('Korpus 19 mm, Rückwand 8 mm', 'Carcass 19 mm, back 8 mm')],
  properties: equipped('WS'),
});

/** The series. */
export const DEPOT: SeriesDefinition = {
  program: PROGRAM,
  text: text('DEPOT Stauraum', 'DEPOT storage'),
  articles: [
    storage('DP-R3', 'Rollcontainer, drei Schübe', 'Pedestal, three drawers', 298, {
      parts: (v) => pedestal([160, 160, 160], v),
      variants: [{ DEKOR: 'EI' }, { DEKOR: 'NB', GRIFF: 'LEISTE' }],
    }),
    storage('DP-R2/H', 'Rollcontainer, Schub und Hängeregister', 'Pedestal, drawer and file', 315, {
      parts: (v) => pedestal([320, 160], v),
    }),
    storage('DP-R3/K', 'Rollcontainer mit Sitzkissen', 'Pedestal with seat cushion', 372, {
      parts: (v) => pedestal([130, 130, 130], v, true),
    }),
    storage('DP-F2', 'Flügeltürenschrank, 2 OH', 'Hinged-door cabinet, 2 heights', 344, {
      parts: (v) => hinged(760, 1, v),
      variants: [{ DEKOR: 'BU' }],
      properties: equipped('EI'),
    }),
    storage('DP-F3', 'Flügeltürenschrank, 3 OH', 'Hinged-door cabinet, 3 heights', 412, {
      parts: (v) => hinged(1120, 2, v),
    }),
    storage('DP-F5', 'Flügeltürenschrank, 5 OH', 'Hinged-door cabinet, 5 heights', 538, {
      parts: (v) => hinged(1880, 4, v),
      properties: equipped('LG'),
    }),
    storage('DP-S160', 'Schiebetürensideboard 1600', 'Sliding-door sideboard 1600', 690, {
      parts: sliding,
      variants: [{ DEKOR: 'NB' }],
      properties: equipped('EI'),
    }),
    storage('DP-L80/3', 'Hängeregisterschrank, drei Schübe', 'Lateral file, three drawers', 585, {
      parts: (v) => lateral(3, v),
    }),
    storage('DP-X3/4', 'Schließfachschrank, zwölf Fächer', 'Lockers, twelve compartments', 940, {
      parts: (v) => lockers(3, 4, v),
      properties: [...equipped('LG'), LOCKING, FIRST_NUMBER],
    }),
    storage('DP-R1', 'Rollcontainer, ein Schub (Auslauf)', 'Pedestal, discontinued', 0, {
      parts: (v) => pedestal([160], v),
      isListed: false,
      dump: 'OCD: no price of DP-R1: the article is discontinued',
    }),
  ],
};
