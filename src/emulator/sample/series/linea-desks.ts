/**
 * LINEA by Fjelmark: desks, sit-stand desks, a bench for two.
 */
import type { ArticleDefinition, Part, Values } from '../definition.ts';
import { imp, partsOn, solid, top } from '../tree.ts';
import {
  basis,
  DECOR,
  decor,
  FRAME,
  frame,
  glides,
  invisible,
  layer,
  shared,
} from './fjelmark-common.ts';
import { articlesOf, choice, choices, millimetres, text } from './properties.ts';

const PROGRAM = 'LINEA';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);

/** A tray for cables below the top. */
export const CABLE = choices('KABEL', 'AUSSTATTUNG', text('Kabelführung', 'Cable management'), [
  choice('OHNE', '0', 'ohne', 'none'),
  choice('WANNE', 'KW', 'Kabelwanne', 'Cable tray', { surcharge: 48 }),
]);

/** The top, its lower side at `y`. */
export function deskTop(w: number, d: number, y: number, values: Values): Part {
  return visible(shared('TISCHPLATTE', w, 25, d), decor(values), [0, y, 0]);
}

/** A tray below the top, if chosen. */
export function tray(w: number, d: number, y: number, values: Values): Part[] {
  if (values.KABEL !== 'WANNE') return [];
  return [imp(shared('KABELWANNE', w - 500), { at: [0.25, y - 0.1, d / 1000 / 2 - 0.2] })];
}

/** A desk on four legs; w and d in millimetres, `height` of the top's lower side in metres. */
export function fourLegs(w: number, d: number, values: Values, height = 0.715): Part[] {
  const [W, D] = [w / 1000, d / 1000];
  const leg = shared('PROFIL', 50, height * 1000 - 15, 50);
  const xs = [0.03, W - 0.08];
  const zs = [0.03, D - 0.08];
  const legs = xs.flatMap((x) => zs.map((z) => imp(leg, { at: [x, 0.015, z] })));
  const rails = [
    ...zs.map((z) =>
      imp(shared('PROFIL', w - 160, 40, 20), { at: [0.08, height - 0.045, z + 0.015] }),
    ),
    ...xs.map((x) =>
      imp(shared('PROFIL', 20, 40, d - 160), { at: [x + 0.015, height - 0.045, 0.08] }),
    ),
  ];
  return [
    top({ mat: frame(values), lay: D3 }, [...legs, ...rails, ...tray(w, d, height, values)]),
    ...glides(xs.flatMap((x) => zs.map((z) => [x + 0.025, z + 0.025] as const))),
    deskTop(w, d, height, values),
    ...invisible(PROGRAM, W, D),
  ];
}

/** A sit-stand desk on two columns; `upper` is the height of the top's lower side in metres. */
export function sitStand(w: number, d: number, values: Values, upper: number): Part[] {
  const [W, D] = [w / 1000, d / 1000];
  const inner = Math.round((upper - 0.035 - 0.045) * 1000);
  const column = shared('HUBSÄULE', 560, inner);
  const xs = [0.21, W - 0.21];
  const foot = shared('TFUSS', d - 80);
  const sides = xs.map((x, i) =>
    top({ at: [x, 0, 0], lay: layer(PROGRAM, `D3_FUSS ${i + 1}`) }, [
      imp(foot, { at: [0, 0, 0.04] }),
      imp(column, { at: [0, 0.035, D / 2] }),
      imp(shared('PROFIL', 70, 32, d - 200), { at: [-0.035, upper - 0.034, 0.1] }),
    ]),
  );
  const rail = imp(shared('PROFIL', w - 420, 34, 50), { at: [0.21, upper - 0.036, D / 2 - 0.025] });
  const display = { w: 0.04, h: 0.012, d: 0.001 };
  const controls = top({ at: [W - 0.32, upper - 0.022, D - 0.07] }, [
    imp(shared('KASTEN', 130, 20, 60, 6), { mat: basis('KUNSTSTOFF') }),
    solid('block', display, { at: [0.045, 0.004, 0.06], mat: basis('ANZEIGE') }),
  ]);
  return [
    top({ mat: frame(values), lay: D3 }, [...sides, rail, ...tray(w, d, upper, values)]),
    ...xs.flatMap((x) => [0.09, D - 0.09].flatMap((z) => glides([[x, z]], 30))),
    controls,
    deskTop(w, d, upper, values),
    ...invisible(PROGRAM, W, D),
  ];
}

/** A corner desk: a moulded top on loop legs. */
function corner(values: Values): Part[] {
  const loop = shared('KUFE', 715, 640, 60);
  return [
    top({ mat: frame(values), lay: D3 }, [
      imp(loop, { at: [1.74, 0, 0.08] }),
      imp(loop, { at: [0.08, 0, 0.06], rot: [0, 90, 0], scale: [1, 1, 0.85] }),
      imp(loop, { at: [0.06, 0, 1.54], rot: [0, 90, 0], scale: [1, 1, 1.05] }),
      imp(shared('PROFIL', 1500, 40, 30), { at: [0.2, 0.67, 0.2] }),
      imp(shared('PROFIL', 30, 40, 1300), { at: [0.2, 0.67, 0.23] }),
    ]),
    // The boards meet in a joint, each with its grain along its length.
    visible(shared('ECKPLATTE', 1800, 800), decor(values), [0, 0.715, 0]),
    visible(shared('ANSATZPLATTE', 800, 800), decor(values), [0, 0.715, 1.6], [0, 90, 0]),
    ...invisible(PROGRAM, 1.8, 1.6),
  ];
}

/** A bench for two; the far half is the near half rotated by 180°. */
function bench(values: Values): Part[] {
  const half = (lay: string): Part[] => [
    deskTop(1600, 780, 0.715, values),
    top({ mat: frame(values), lay }, [
      imp(shared('KUFE', 715, 700, 60), { at: [0.06, 0, 0.05] }),
      imp(shared('KUFE', 715, 700, 60), { at: [1.54, 0, 0.05], scale: [-1, 1, 1] }),
      imp(shared('PROFIL', 1480, 40, 30), { at: [0.06, 0.67, 0.2] }),
    ]),
  ];
  return [
    top({ at: [0, 0, 0.82], lay: D3 }, half(layer(PROGRAM, 'D3_PLATZ 1'))),
    top({ at: [1.6, 0, 0.78], rot: [0, 180, 0], lay: D3 }, half(layer(PROGRAM, 'D3_PLATZ 2'))),
    imp(shared('KABELWANNE', 1400), { at: [0.1, 0.6, 0.74], mat: frame(values) }),
    ...invisible(PROGRAM, 1.6, 1.6),
  ];
}

const LONG = text('Platte 25 mm, Kante 2 mm', 'Top 25 mm, edge 2 mm');

const article = articlesOf('FJEL', PROGRAM, { long: [LONG], properties: [DECOR, FRAME] });

const FOUR_LEGS = text('Vierfußgestell, verstellbare Gleiter', 'Four-leg frame, adjustable glides');

function desk(number: string, w: number, d: number, price: number, variants: Values[] = []) {
  return article(number, `Schreibtisch ${w} × ${d}`, `Desk ${w} × ${d}`, price, {
    long: [LONG, FOUR_LEGS],
    properties: [DECOR, FRAME, CABLE],
    parts: (values) => fourLegs(w, d, values),
    variants,
  });
}

const HEIGHT = millimetres(
  'HÖHE',
  text('Höhe in mm', 'Height in mm'),
  { from: 650, to: 1250, raster: 10 },
  740,
);

function lift(number: string, w: number, price: number, variants: Values[] = []) {
  return article(number, `Sitz-Steh-Tisch ${w} × 800`, `Sit-stand desk ${w} × 800`, price, {
    long: [LONG, text('elektrisch höhenverstellbar', 'electrically adjustable height')],
    properties: [DECOR, FRAME, HEIGHT, CABLE],
    parts: (values) => sitStand(w, 800, values, Number(values.HÖHE) / 1000 - 0.025),
    variants,
  });
}

/** The desks of the series. */
export const LINEA_DESKS: readonly ArticleDefinition[] = [
  desk('LN-D120/80', 1200, 800, 389),
  desk('LN-D140/80', 1400, 800, 419),
  desk('LN-D160/80', 1600, 800, 449, [
    { DEKOR: 'NB', GESTELL: 'SI' },
    { DEKOR: 'WS', GESTELL: 'WS', KABEL: 'WANNE' },
  ]),
  desk('LN-D180/80', 1800, 800, 489, [{ DEKOR: 'BU' }]),
  lift('LN-S140/80', 1400, 798),
  lift('LN-S160/80', 1600, 849, [
    { DEKOR: 'NB', HÖHE: '1120' },
    { DEKOR: 'LG', GESTELL: 'SI', KABEL: 'WANNE' },
  ]),
  article('LN-E180/160 L', 'Ecktisch 1800 × 1600, links', 'Corner desk 1800 × 1600, left', 729, {
    long: [LONG, text('Kufengestell', 'Loop legs')],
    parts: corner,
    variants: [{ DEKOR: 'WS', GESTELL: 'WS' }],
  }),
  article('LN-B160/160', 'Doppelarbeitsplatz 1600 × 1600', 'Bench for two 1600 × 1600', 1180, {
    long: [LONG, text('gemeinsame Kabelwanne', 'shared cable tray')],
    parts: bench,
  }),
];
