/**
 * FORUM by Fjelmark: meeting tables and acoustic screens.
 */
import { heightOnFloor } from '../blocks/blocks.ts';
import type { Part, SeriesDefinition, Values } from '../definition.ts';
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
  wide,
} from './fjelmark-common.ts';
import { articlesOf, choice, choices, materialOf, text } from './properties.ts';

const PROGRAM = 'FORUM';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);

const FELT = choices('FILZ', 'OBERFLÄCHE', text('Filz', 'Felt'), [
  choice('GRAU', 'FG', 'Filz grau', 'Felt, grey', { mat: basis('FILZ_GRAU') }),
  choice('BLAU', 'FB', 'Filz blau', 'Felt, blue', { mat: basis('FILZ_BLAU') }),
  choice('OCKER', 'FO', 'Filz ocker', 'Felt, ochre', { surcharge: 14, mat: basis('FILZ_OCKER') }),
]);

const felt = (values: Values): string => materialOf(FELT, values);

/** A boat-shaped table on two A-shaped trestles; the origin is its middle. */
function boatTable(w: number, d: number, values: Values): Part[] {
  const leg = shared('PROFIL', 70, 716, 30);
  const trestle = (x: number, turn: number): Part =>
    top({ at: [x, 0, 0], rot: [0, turn, 0], lay: D3 }, [
      ...[1, -1].map((side) => {
        const rot = [side * -9, 0, -4] as const;
        return imp(leg, { at: [0, heightOnFloor(leg, rot), side * (d * 0.00033)], rot });
      }),
      imp(shared('PROFIL', 60, 30, Math.round(d * 0.5)), { at: [0.042, 0.676, d * -0.00025] }),
    ]);
  return [
    top({ mat: frame(values), lay: D3 }, [
      trestle(w * -0.00034, 0),
      trestle(w * 0.00034, 180),
      imp(shared('PROFIL', Math.round(w * 0.6), 30, 60), { at: [w * -0.0003, 0.684, -0.03] }),
    ]),
    visible(shared('BOOTPLATTE', w, 28, d), wide(values), [0, 0.714, 0]),
    visible(shared('KASTEN', 320, 6, 130, 2), basis('EDELSTAHL'), [-0.16, 0.738, -0.065]),
    ...invisible(PROGRAM, w / 1000, d / 1000, [-w / 2000, 0, -d / 2000]),
  ];
}

/** A round table on a trumpet base; the origin is its middle. */
function roundTable(diameter: number, height: number, values: Values): Part[] {
  const D = diameter / 1000;
  const disc = solid('cyl', { length: 0.01, radius: 0.12 });
  return [
    visible(shared('TROMPETENFUSS', diameter * 0.55, height - 28), frame(values)),
    visible(disc, basis('KANTE'), [0, height / 1000 - 0.035, 0]),
    visible(shared('RUNDPLATTE', diameter, 25), decor(values), [0, height / 1000 - 0.025, 0]),
    ...invisible(PROGRAM, D, D, [-D / 2, 0, -D / 2]),
  ];
}

function highTable(values: Values): Part[] {
  const [w, d, h] = [1600, 800, 1080];
  const leg = shared('KUFE', h - 28, 700, 80);
  return [
    top({ mat: frame(values), lay: D3 }, [
      imp(leg, { at: [0.14, 0, 0.05] }),
      imp(leg, { at: [1.46, 0, 0.05], scale: [-1, 1, 1] }),
      imp(shared('PROFIL', 1320, 40, 30), { at: [0.14, 0.26, 0.385] }),
      imp(shared('PROFIL', 1320, 40, 30), { at: [0.14, 1.01, 0.385] }),
    ]),
    visible(shared('TISCHPLATTE', w, 28, d), decor(values), [0, h / 1000 - 0.028, 0]),
    ...invisible(PROGRAM, 1.6, 0.8),
  ];
}

/** A felt panel with round corners; measures in millimetres. */
function panel(w: number, h: number, mat: string, at: readonly [number, number, number]): Part {
  return visible(shared('KASTEN', w, h, 40, 16), mat, at);
}

/** A screen that clamps to the rear edge of a desk top. */
function deskScreen(w: number, values: Values): Part[] {
  const clamp = top({ lay: D3, mat: basis('PULVER_SILBER') }, [
    imp(shared('KASTEN', 40, 8, 70, 3), { at: [-0.02, 0, 0] }),
    imp(shared('KASTEN', 40, 60, 8, 3), { at: [-0.02, -0.03, -0.002] }),
    solid('cyl', [0.02, 0.008], { at: [0, -0.03, 0.04] }),
  ]);
  const clamps = [0.25, w / 1000 - 0.25].map((x) => ({ ...clamp, offs: [x, 0, 0] as const }));
  return [
    panel(w, 420, felt(values), [0, 0.03, -0.02]),
    ...clamps,
    ...invisible(PROGRAM, w / 1000, 0.07),
  ];
}

/** A free-standing screen on two flat feet. */
function standing(values: Values): Part[] {
  const foot = shared('KASTEN', 50, 12, 420, 5);
  return [
    panel(1200, 1540, felt(values), [0, 0.06, -0.02]),
    ...[0.2, 0.95].flatMap((x) => [
      visible(foot, basis('PULVER_SCHWARZ'), [x, 0.008, -0.21]),
      visible(shared('PROFIL', 40, 60, 10), basis('PULVER_SCHWARZ'), [x + 0.005, 0.018, -0.005]),
    ]),
    ...glides(
      [0.225, 0.975].flatMap((x) => [[x, -0.18] as const, [x, 0.18] as const]),
      20,
    ),
    ...invisible(PROGRAM, 1.2, 0.42, [0, 0, -0.21]),
  ];
}

/** Three panels that fold; each hangs at the edge of the one before it. */
function folding(values: Values): Part[] {
  const wing = (turn: number, i: number, rest: Part[]): Part => ({
    ...top(
      {
        at: [i === 0 ? 0 : 0.74, 0, 0],
        rot: [0, turn, 0],
        lay: layer(PROGRAM, `D3_FLÜGEL ${i + 1}`),
      },
      [
        panel(720, 1680, felt(values), [0.01, 0.03, -0.02]),
        visible(shared('RUNDROHR', 24, 1740), basis('PULVER_SILBER'), [0, 0, 0]),
        visible(
          solid('frame', '0.70 1.66 0.006 0.012'),
          'FJEL::BASIS::KANTE;roughness 0.3',
          [0.02, 0.04, 0.018],
        ),
        ...rest,
      ],
    ),
    type: i === 0 ? 'top' : 'clsref',
    childsBesideProp: i === 2,
  });
  const last = wing(56, 2, [
    visible(shared('RUNDROHR', 24, 1740), basis('PULVER_SILBER'), [0.74, 0, 0]),
  ]);
  return [wing(28, 0, [wing(-56, 1, [last])]), ...invisible(PROGRAM, 2, 0.8, [0, 0, -0.6])];
}

function glassBoard(): Part[] {
  const posts = [0.06, 1.44].flatMap((x) => [0.06, 0.94].map((y) => [x, y] as const));
  return [
    visible(shared('PLATTE', 1500, 1000, 6), 'FJEL::FORUM::GLAS', [0, 0, 0.03]),
    visible(shared('PLATTE', 1480, 980, 12), basis('WEISS'), [0.01, 0.01, 0.012]),
    ...posts.map(([x, y]) =>
      visible(solid('cyl', { l: 0.036, r: 0.011 }), basis('EDELSTAHL'), [x, y, 0.004], [90, 0, 0]),
    ),
    visible(shared('KASTEN', 300, 14, 60, 4), basis('EDELSTAHL'), [0.6, -0.012, 0.01]),
    visible(
      solid('ellipsoid', { rx: 0.06, ry: 0.018, rz: 0.024 }),
      '$ dif 0.15 0.16 0.17;roughness 0.8',
      [0.68, 0.02, 0.042],
    ),
    ...invisible(PROGRAM, 1.5, 0.06),
  ];
}

const table = articlesOf('FJEL', PROGRAM, {
  long: [
    text(
      'Platte 25 bis 28 mm mit abgeschrägter Unterkante',
      'Top 25 to 28 mm, lower edge bevelled',
    ),
  ],
  properties: [DECOR, FRAME],
});

const screen = articlesOf('FJEL', PROGRAM, {
  long: [text('schallabsorbierend, 40 mm', 'sound absorbing, 40 mm')],
  properties: [FELT],
});

/** The series. */
export const FORUM: SeriesDefinition = {
  program: PROGRAM,
  text: text('FORUM Besprechung & Akustik', 'FORUM meeting & acoustics'),
  articles: [
    table(
      "FM-B200 'Boot'",
      'Konferenztisch Boot 2000 × 1000',
      'Boat meeting table 2000 × 1000',
      890,
      {
        parts: (v) => boatTable(2000, 1000, v),
        variants: [{ DEKOR: 'NB', GESTELL: 'SI' }],
      },
    ),
    table(
      "FM-B240 'Boot'",
      'Konferenztisch Boot 2400 × 1100',
      'Boat meeting table 2400 × 1100',
      1060,
      {
        parts: (v) => boatTable(2400, 1100, v),
      },
    ),
    table('FM-R110', 'Rundtisch Ø 1100', 'Round table Ø 1100', 540, {
      parts: (v) => roundTable(1100, 740, v),
      variants: [{ DEKOR: 'WS', GESTELL: 'WS' }],
    }),
    table('FM-H160', 'Stehtisch 1600 × 800', 'High table 1600 × 800', 720, { parts: highTable }),
    screen('FM-W160', 'Tischschirm 1600', 'Desk screen 1600', 215, {
      parts: (v) => deskScreen(1600, v),
      variants: [{ FILZ: 'BLAU' }, { FILZ: 'OCKER' }],
    }),
    screen('FM-W120', 'Tischschirm 1200', 'Desk screen 1200', 180, {
      parts: (v) => deskScreen(1200, v),
    }),
    screen('FM-A120/160', 'Akustikstellwand 1200 × 1600', 'Acoustic screen 1200 × 1600', 398, {
      parts: standing,
      variants: [{ FILZ: 'BLAU' }],
    }),
    screen('FM-P3', 'Paravent, dreiteilig', 'Folding screen, three panels', 745, {
      parts: folding,
    }),
    screen('FM-G150+', 'Glastafel 1500 × 1000', 'Glass board 1500 × 1000', 310, {
      parts: glassBoard,
      properties: [],
    }),
  ],
};
