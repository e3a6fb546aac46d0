/**
 * AKTA by Brenkhoff: swivel chairs and stools; the origin is on the floor below the seat's middle.
 */
import { blockName } from '../blocks/blocks.ts';
import type { Part, SeriesDefinition, Values } from '../definition.ts';
import { imp, partsOn, solid, top } from '../tree.ts';
import { bodySymbol, brnk, cloth, layer, UPHOLSTERY } from './brenkhoff-common.ts';
import { articlesOf, choice, choices, materialOf, text } from './properties.ts';

const PROGRAM = 'AKTA';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);
const own = (family: string, ...measures: number[]): string =>
  blockName('BRNK::AKTA', family, ...measures);

const BASE = choices('FUSSKREUZ', 'AUSSTATTUNG', text('Fußkreuz', 'Base'), [
  choice('SW', 'SW', 'Kunststoff schwarz', 'Plastic, black', { mat: brnk('SCHWARZ') }),
  choice('ALU', 'AP', 'Aluminium poliert', 'Polished aluminium', {
    surcharge: 78,
    mat: brnk('ALU_POLIERT'),
  }),
]);

const ROLLERS = choices('ROLLEN', 'AUSSTATTUNG', text('Rollen', 'Castors'), [
  choice('H', 'H', 'für harte Böden', 'for hard floors'),
  choice('W', 'W', 'für weiche Böden', 'for soft floors'),
]);

const ARMS = choices('ARMLEHNEN', 'AUSSTATTUNG', text('Armlehnen', 'Armrests'), [
  choice('MIT', 'A', 'höhenverstellbar', 'height adjustable', { surcharge: 95 }),
  choice('OHNE', 'O', 'ohne', 'none'),
]);

const base = (values: Values): string => materialOf(BASE, values);

/** Five arms that share one block, with castors or glides, and the column. */
function star(reach: number, seat: number, values: Values, rolling = true): Part[] {
  const arm = own('STERNARM', reach);
  const turns = [18, 90, 162, 234, 306];
  const at = [reach / 1000 - 0.018, 0, 0] as const;
  const foot = (i: number): Part =>
    rolling
      ? imp(own('ROLLE', 30), { at, rot: [0, 40 + i * 97, 0], mat: brnk('SCHWARZ') })
      : imp(own('GLEITER', 46), { at, scale: [1, 1.6, 1], mat: brnk('GUMMI') });
  return [
    ...turns.map((turn, i) =>
      top({ rot: [0, turn, 0], mat: base(values), lay: D3 }, [imp(arm), foot(i)]),
    ),
    visible(own('SÄULE', seat), base(values)),
  ];
}

/** Both armrests: the left one is the right one mirrored. */
function armrests(seat: number): Part[] {
  const right = [
    imp(own('ARMTRÄGER', 230), { mat: brnk('SCHWARZ') }),
    imp(own('ARMAUFLAGE'), { at: [0.282, 0.23 - 0.018, 0], mat: brnk('GUMMI') }),
  ];
  const left = right.map((part) => ({
    ...part,
    scale: [-1, 1, 1] as const,
    ...(part.offs && { offs: [-part.offs[0], part.offs[1], part.offs[2]] as const }),
  }));
  return [top({ at: [0, seat / 1000, 0], lay: D3 }, [...right, ...left])];
}

function seat(height: number, values: Values): Part {
  return top({ at: [0, height / 1000, 0], lay: D3 }, [
    imp(own('SITZPOLSTER', 500, 480, 70), { at: [0, 0.02, 0.01], mat: cloth(values) }),
    imp(own('SITZSCHALE', 490, 470), { at: [0, -0.002, 0.01], mat: brnk('SCHWARZ') }),
    imp(own('MECHANIK'), { at: [0, -0.018, 0], mat: brnk('SCHWARZ') }),
  ]);
}

interface Back {
  height: number;
  mesh: boolean;
  head?: boolean;
}

/** A back on its carrier, leaning by the chair's own angle. */
function back(seatHeight: number, { height, mesh, head = false }: Back, values: Values): Part[] {
  const y = seatHeight / 1000;
  const panel = mesh
    ? [
        imp(own('RÜCKENNETZ', 470, height), { mat: brnk('NETZ') }),
        imp(own('RÜCKENRAHMEN', 470, height), { mat: brnk('SCHWARZ') }),
      ]
    : [imp(own('RÜCKENPOLSTER', 470, height), { mat: cloth(values) })];
  const rest = imp(own('RÜCKENPOLSTER', 290, 170), {
    at: [0, height / 1000 + 0.02, -0.085],
    rot: [8, 0, 0],
    mat: cloth(values),
  });
  const post = imp(own('PROFIL', 40, 140, 12), {
    at: [-0.02, height / 1000 - 0.06, -0.125],
    rot: [6, 0, 0],
    mat: brnk('SCHWARZ'),
  });
  return [
    visible(own('LEHNENTRÄGER', 330), base(values), [0, y - 0.05, 0.02]),
    top({ at: [0, y + 0.07, -0.235], rot: [-4, 0, 0], lay: D3 }, [
      ...panel,
      ...(head ? [rest, post] : []),
    ]),
  ];
}

/** A swivel chair; seat height in millimetres. */
function swivel(
  height: number,
  form: Back,
  values: Values,
  options = { arms: true, rolling: true },
): Part[] {
  const withArms = options.arms && values.ARMLEHNEN !== 'OHNE';
  return [
    ...star(330, height - 30, values, options.rolling),
    seat(height, values),
    ...back(height, form, values),
    ...(withArms ? armrests(height - 30) : []),
    ...bodySymbol(PROGRAM, 0.66),
  ];
}

function counter(values: Values): Part[] {
  return [
    ...swivel(620, { height: 380, mesh: false }, values, { arms: false, rolling: false }),
    visible(own('FUSSRING', 420, 260), brnk('CHROM')),
  ];
}

function stool(values: Values): Part[] {
  return [
    ...star(280, 430, values),
    visible(own('RUNDPOLSTER', 360, 75), cloth(values), [0, 0.445, 0]),
    visible(solid('cyl', [0.014, 0.15]), brnk('SCHWARZ'), [0, 0.432, 0]),
    ...bodySymbol(PROGRAM, 0.56),
  ];
}

const chair = articlesOf('BRNK', PROGRAM, {
  long: [
    text(
      'Synchronmechanik, Sitzhöhe 400 bis 520 mm',
      'Synchronous mechanism, seat height 400 to 520 mm',
    ),
  ],
  properties: [UPHOLSTERY, BASE, ROLLERS, ARMS],
});

const WITHOUT_ARMS = [UPHOLSTERY, BASE, ROLLERS];

/** The series. */
export const AKTA: SeriesDefinition = {
  program: PROGRAM,
  text: text('AKTA Drehstühle', 'AKTA swivel chairs'),
  articles: [
    chair('AK110 N', 'Drehstuhl mit Netzrücken', 'Task chair with mesh back', 429, {
      parts: (v) => swivel(460, { height: 600, mesh: true }, v),
      variants: [
        { STOFF: 'GRAU', FUSSKREUZ: 'ALU' },
        { STOFF: 'ROST', ARMLEHNEN: 'OHNE' },
        // Castors for soft floors look like those for hard ones: the same graphics, another article.
        { ROLLEN: 'W' },
      ],
    }),
    chair('AK110 P', 'Drehstuhl mit Polsterrücken', 'Task chair with upholstered back', 449, {
      parts: (v) => swivel(460, { height: 560, mesh: false }, v),
      variants: [{ STOFF: 'LEDER SW', FUSSKREUZ: 'ALU', ROLLEN: 'W' }, { ROLLEN: 'W' }],
    }),
    chair(
      'AK150 N+',
      'Drehsessel mit Netzrücken und Kopfstütze',
      'High-back chair with headrest',
      598,
      {
        parts: (v) => swivel(465, { height: 640, mesh: true, head: true }, v),
      },
    ),
    chair('AK150 L', 'Chefsessel', 'Executive chair', 760, {
      parts: (v) => swivel(465, { height: 680, mesh: false, head: true }, v),
      variants: [{ STOFF: 'LEDER CO', FUSSKREUZ: 'ALU' }],
    }),
    chair('AK120 K', 'Konferenzdrehstuhl auf Gleitern', 'Conference swivel chair on glides', 398, {
      parts: (v) => swivel(455, { height: 440, mesh: false }, v, { arms: true, rolling: false }),
    }),
    chair('AK180', 'Counterstuhl mit Fußring', 'Counter chair with foot ring', 412, {
      properties: WITHOUT_ARMS,
      parts: counter,
    }),
    chair('AK10 ø36', 'Rollhocker', 'Stool on castors', 168, {
      properties: WITHOUT_ARMS,
      parts: stool,
      variants: [{ STOFF: 'ROST' }, { STOFF: 'ROST', ROLLEN: 'W' }],
    }),
  ],
};
