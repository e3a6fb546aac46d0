/**
 * The desk made to measure: the article whose properties depend on one another most.
 *
 * A lifting frame fixes the height, requires a switch and has other widths and depths; a narrow desk
 * has no cable tray; the available edges depend on the finish.
 */
import type { ArticleDefinition, Part, PropertyDefinition, Values } from '../definition.ts';
import { imp, top } from '../tree.ts';
import {
  basis,
  board,
  DECOR,
  decor,
  FRAME,
  frame,
  invisible,
  isVeneer,
  layer,
  shared,
} from './fjelmark-common.ts';
import { CABLE, deskTop, fourLegs, sitStand, tray } from './linea-desks.ts';
import { choice, choices, millimetres, text } from './properties.ts';

const PROGRAM = 'LINEA';
const D3 = layer(PROGRAM, 'D3');
const TOP_MILLIMETRES = 25;
const TRAY_FROM = 1200;

const lifts = (values: Values): boolean => values.UNTERGESTELL === 'HUB';
const takesTray = (values: Values): boolean => Number(values.BREITE) >= TRAY_FROM;

const BASE = choices('UNTERGESTELL', 'AUSSTATTUNG', text('Untergestell', 'Base'), [
  choice('VIER', 'V', 'Vierfuß', 'Four legs'),
  choice('KUFE', 'K', 'Kufen', 'Loop legs', { surcharge: 60 }),
  choice('HUB', 'H', 'elektrisch höhenverstellbar', 'Electrically adjustable', { surcharge: 390 }),
]);

const WIDTH = millimetres(
  'BREITE',
  text('Breite in mm', 'Width in mm'),
  { from: 800, to: 1400, raster: 50 },
  1600,
  {
    surchargePerUnit: 0.12,
    ranges: (values) =>
      lifts(values)
        ? [{ from: 1200, to: 1800, raster: 100 }]
        : [
            { from: 800, to: 1400, raster: 50 },
            { from: 1400, opfrom: 'GT', to: 2000, raster: 100 },
          ],
  },
);

const DEPTH = millimetres(
  'TIEFE',
  text('Tiefe in mm', 'Depth in mm'),
  { from: 600, to: 900, raster: 100 },
  800,
  {
    surchargePerUnit: 0.1,
    ranges: (values) => [{ from: lifts(values) ? 700 : 600, to: 900, raster: 100 }],
  },
);

/** Height in centimetres; a lifting frame is delivered at one height. */
const HEIGHT: PropertyDefinition = {
  name: 'HÖHE',
  group: 'MASS',
  text: text('Höhe in cm', 'Height in cm'),
  form: { digits: 3, decdigits: 1 },
  ranges: (values) =>
    lifts(values)
      ? [{ from: 74, to: 74 }]
      : [{ from: 64, opfrom: 'GT', to: 86, opto: 'LT', raster: 0.5 }],
  enabled: (values) => !lifts(values),
  initial: '74',
};

const EDGE = choices('KANTE', 'OBERFLÄCHE', text('Kante', 'Edge'), [
  choice('DEKOR', 'D', 'wie Platte', 'as the top'),
  choice('SCHWARZ', 'S', 'schwarz', 'Black'),
  choice('MASSIV', 'M', 'Massivholz Eiche', 'Solid oak', {
    surcharge: 70,
    allowed: isVeneer,
  }),
]);

const TRAY: PropertyDefinition = {
  ...CABLE,
  choices: CABLE.choices!.map((one) =>
    one.value === 'OHNE' ? one : { ...one, allowed: takesTray },
  ),
  enabled: takesTray,
};

/** Cord of any length: only the number of digits limits the length. */
const CORD: PropertyDefinition = {
  name: 'KABELLÄNGE',
  group: 'AUSSTATTUNG',
  text: text('Anschlussleitung in m', 'Mains lead in m'),
  form: { digits: 2, decdigits: 0 },
  ranges: () => [{ from: 1, raster: 1 }],
  surcharge: { perUnit: 1.9, above: 3 },
  visible: ({ KABEL }) => KABEL === 'WANNE',
  initial: '3',
};

const SWITCH = choices(
  'TASTER',
  'AUSSTATTUNG',
  text('Handtaster', 'Hand switch'),
  [
    choice('AUFAB', 'A', 'auf und ab', 'up and down'),
    choice('SPEICHER', 'S', 'mit Speicher', 'with memory', { surcharge: 45 }),
  ],
  { initial: '', mustChoose: true, visible: lifts },
);

/** A desk on two loops; w and d in millimetres, `height` of the top's lower side in metres. */
function loops(w: number, d: number, values: Values, height: number): Part[] {
  const loop = shared('KUFE', height * 1000, d - 80, 60);
  return [
    top({ mat: frame(values), lay: D3 }, [
      imp(loop, { at: [0.06, 0, 0.04] }),
      imp(loop, { at: [w / 1000 - 0.06, 0, 0.04], scale: [-1, 1, 1] }),
      imp(shared('PROFIL', w - 120, 40, 30), { at: [0.06, height - 0.045, 0.2] }),
      ...tray(w, d, height, values),
    ]),
    deskTop(w, d, height, values),
    ...invisible(PROGRAM, w / 1000, d / 1000),
  ];
}

function edge(w: number, d: number, y: number, values: Values): Part {
  const mats: Readonly<Record<string, string>> = {
    SCHWARZ: basis('KANTE'),
    MASSIV: basis('EICHE_MASSIV'),
  };
  const mat = mats[values.KANTE ?? ''] ?? decor(values);
  return board(w - 60, TOP_MILLIMETRES - 2, 2, { at: [0.03, y + 0.001, d / 1000], mat, lay: D3 });
}

function parts(values: Values): Part[] {
  const [w, d] = [Number(values.BREITE), Number(values.TIEFE)];
  const under = Number(values.HÖHE) / 100 - TOP_MILLIMETRES / 1000;
  const make = { HUB: sitStand, KUFE: loops }[values.UNTERGESTELL ?? ''] ?? fourLegs;
  return [...make(w, d, values, under), edge(w, d, under, values)];
}

/** The article. */
export const MADE_TO_MEASURE: ArticleDefinition = {
  manufacturer: 'FJEL',
  program: PROGRAM,
  number: 'LN-M',
  short: text('Schreibtisch nach Maß', 'Desk made to measure'),
  long: [
    text('Platte 25 mm, Kante 2 mm', 'Top 25 mm, edge 2 mm'),
    text('Breite, Tiefe und Höhe frei gewählt', 'Width, depth and height as you choose'),
  ],
  price: 520,
  properties: [BASE, DECOR, EDGE, FRAME, WIDTH, DEPTH, HEIGHT, TRAY, CORD, SWITCH],
  parts,
};
