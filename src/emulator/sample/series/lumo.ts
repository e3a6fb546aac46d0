/**
 * LUMO by Aulinde: floor, table, desk and pendant lamps; the origin is on the axis.
 */
import type { Part, PropertyDefinition, SeriesDefinition, Values } from '../definition.ts';
import type { Point } from '../shapes/surface.ts';
import { imp, movable, partsOn, solid, top } from '../tree.ts';
import { home, layer, plan, shared, threeLegs, WOOD } from './aulinde-common.ts';
import { articlesOf, choice, choices, materialOf, text } from './properties.ts';

const PROGRAM = 'LUMO';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);
/** The part of a pendant that touches the ceiling. */
const onCeiling = partsOn(layer(PROGRAM, 'D3_CEILING'));

const METAL = choices('METALL', 'OBERFLÄCHE', text('Metall', 'Metal'), [
  choice('Schwarz', 'SW', 'schwarz matt', 'Matt black', { mat: home('SCHWARZ MATT') }),
  choice('Messing', 'MS', 'Messing gebürstet', 'Brushed brass', {
    surcharge: 60,
    mat: home('MESSING'),
  }),
  choice('Weiß', 'WE', 'weiß', 'White', { mat: home('WEISS LACK') }),
]);

/** Any bulb that does not get too hot for the shade. */
const BULB: PropertyDefinition = {
  name: 'WATT',
  group: 'AUSSTATTUNG',
  text: text('Leuchtmittel in W', 'Bulb in W'),
  form: { digits: 2, decdigits: 0 },
  ranges: () => [{ to: 40 }],
  initial: '8',
};

const metal = (values: Values): string => materialOf(METAL, values);

/** A cloth shade with its wire rings, carrier and bulb; its lower edge at y. */
function shade(y: number, lower: number, upper: number, h: number, values: Values): Part {
  return top({ at: [0, y, 0], lay: D3 }, [
    imp(shared('SCHIRM', lower, upper, h), { mat: home('SCHIRM') }),
    imp(shared('SCHIRMRING', lower), { mat: home('SCHIRM') }),
    imp(shared('SCHIRMRING', upper), { at: [0, h / 1000, 0], mat: home('SCHIRM') }),
    imp(shared('STANGE', upper - 4, 4), {
      at: [-upper / 2000 + 0.002, h / 1000 - 0.02, 0],
      mat: metal(values),
    }),
    imp(shared('GLÜHLAMPE', 60), {
      at: [0, h / 2000 + 0.01, 0],
      rot: [180, 0, 0],
      mat: home('LEUCHTMITTEL'),
    }),
  ]);
}

function floorLamp(values: Values): Part[] {
  return [
    visible(shared('LAMPENFUSS', 300), metal(values)),
    visible(shared('RUNDROHR', 20, 1360), metal(values), [0, 0.04, 0]),
    shade(1.26, 460, 380, 300, values),
    visible(shared('RUNDROHR', 32, 24), metal(values), [0, 1.39, 0]),
    ...plan(PROGRAM, 0.46, 0.46, [-0.23, 0, -0.23]),
  ];
}

function tripod(values: Values): Part[] {
  return [
    ...threeLegs(shared('KONUSBEIN', 1240, 22, 30), 0.27, 11, D3, values),
    visible(shared('RUNDROHR', 90, 40), metal(values), [0, 1.19, 0]),
    visible(shared('RUNDROHR', 16, 180), metal(values), [0, 1.22, 0]),
    shade(1.28, 480, 480, 280, values),
    ...plan(PROGRAM, 0.58, 0.58, [-0.29, 0, -0.29]),
  ];
}

/** A spun dome with its socket and bulb; the dome's lower edge at y = 0 of the group. */
function dome(diameter: number, h: number, mat: string): Part[] {
  return [
    imp(shared('KUPPEL', diameter, h), { mat }),
    imp(shared('RUNDROHR', 36, 50), { at: [0, h / 1000 - 0.01, 0], mat }),
    imp(shared('GLÜHLAMPE', 56), { at: [0, h / 1000 - 0.01, 0], mat: home('LEUCHTMITTEL') }),
  ];
}

/** A bowed floor lamp that reaches over a sofa. */
function arcLamp(values: Values): Part[] {
  return [
    visible(shared('LAMPENFUSS', 380), home('TERRAZZO')),
    visible(shared('BOGEN', 1950, 1250), metal(values), [0, 0.03, 0]),
    top({ at: [1.264, 1.14, 0], rot: [0, 0, -4], lay: D3 }, dome(380, 190, metal(values))),
    ...plan(PROGRAM, 1.65, 0.4, [-0.2, 0, -0.2]),
  ];
}

/** A desk lamp of two arms and a head, each under the joint before it. */
function deskLamp(values: Values): Part[] {
  const joint = (tag: string, children: Part[], at: Point, rot: Point): Part =>
    movable({ at, rot, lay: layer(PROGRAM, `D3_${tag}`) }, children);
  const ball = solid('sphere', { radius: 0.014 }, { mat: metal(values) });
  const head = joint(
    'KOPF',
    [ball, top({ at: [0, -0.1, 0], rot: [0, 0, 0] }, dome(150, 90, metal(values)))],
    [0, 0.36, 0],
    [22, 0, 74],
  );
  const upper = joint(
    'ARM OBEN',
    [ball, imp(shared('RUNDROHR', 12, 360), { mat: metal(values) }), head],
    [0, 0.38, 0],
    [0, 8, -98],
  );
  const lower = joint(
    'ARM UNTEN',
    [ball, imp(shared('RUNDROHR', 12, 380), { mat: metal(values) }), upper],
    [0, 0.06, 0],
    [4, 0, 24],
  );
  return [
    visible(shared('LAMPENFUSS', 190), metal(values)),
    lower,
    ...plan(PROGRAM, 0.5, 0.2, [-0.1, 0, -0.1]),
  ];
}

function tableLamp(values: Values): Part[] {
  return [
    visible(shared('VASENFUSS', 240, 330), home('KERAMIK')),
    visible(shared('RUNDROHR', 16, 150), metal(values), [0, 0.33, 0]),
    shade(0.4, 380, 280, 240, values),
    ...plan(PROGRAM, 0.38, 0.38, [-0.19, 0, -0.19]),
  ];
}

/** A pendant dome on its cable; the origin is the middle of the light's lower edge. */
function pendant(diameter: number, values: Values): Part[] {
  const h = diameter * 0.55;
  return [
    top({ lay: D3 }, dome(diameter, h, metal(values))),
    visible(solid('cyl', [1.2 - h / 1000, 0.0025]), home('KABEL'), [0, h / 1000 + 0.035, 0]),
    onCeiling(shared('RUNDROHR', 110, 24), metal(values), [0, 1.215, 0]),
    ...plan(PROGRAM, diameter / 1000, diameter / 1000, [-diameter / 2000, 0, -diameter / 2000]),
  ];
}

function globe(values: Values): Part[] {
  return [
    visible(solid('sphere', '0.15'), home('RAUCHGLAS'), [0, 0.15, 0]),
    visible(solid('sphere', { Radius: 0.06 }), home('OPALGLAS'), [0, 0.15, 0]),
    visible(shared('RUNDROHR', 60, 70), metal(values), [0, 0.275, 0]),
    visible(solid('cyl', [0.85, 0.0025]), home('KABEL'), [0, 0.345, 0]),
    onCeiling(shared('RUNDROHR', 110, 24), metal(values), [0, 1.19, 0]),
    ...plan(PROGRAM, 0.3, 0.3, [-0.15, 0, -0.15]),
  ];
}

/** A long pendant over a table: a profile with a glowing strip, hung on two wires. */
function linear(values: Values): Part[] {
  return [
    visible(shared('KASTEN', 1400, 50, 60, 8), metal(values), [-0.7, 0, -0.03]),
    visible(solid('block', '1.36;0.006;0.04'), home('OPALGLAS'), [-0.68, -0.004, -0.02]),
    ...[-0.5, 0.5].map((x) =>
      visible(solid('cyl', { LEN: 1.1, RAD: 0.001 }), home('KABEL'), [x, 0.05, 0]),
    ),
    onCeiling(shared('KASTEN', 1100, 26, 60, 8), metal(values), [-0.55, 1.15, -0.03]),
    imp(shared('SYMBOL', 1400, 60), {
      at: [-0.7, 0, -0.03],
      mat: home('SYMBOL'),
      lay: layer(PROGRAM, 'ARTICLE_INFO'),
    }),
    ...plan(PROGRAM, 1.4, 0.06, [-0.7, 0, -0.03]),
  ];
}

const lamp = articlesOf('AULI', PROGRAM, {
  long: [text('Leuchtmittel enthalten, dimmbar', 'Bulb included, dimmable')],
  properties: [METAL],
});

const [FLOOR, TABLE, PENDANT] = [
  text('Stehleuchten', 'Floor lamps'),
  text('Tischleuchten', 'Table lamps'),
  text('Pendelleuchten', 'Pendant lamps'),
];

/** The series, in folders by kind. */
export const LUMO: SeriesDefinition = {
  program: PROGRAM,
  text: text('LUMO Leuchten', 'LUMO lamps'),
  articles: [
    lamp('LM-STAND 155', 'Stehleuchte mit Stoffschirm', 'Floor lamp with cloth shade', 290, {
      kind: FLOOR,
      parts: floorLamp,
      variants: [{ METALL: 'Messing' }],
    }),
    lamp('LM-DREIBEIN', 'Stehleuchte, Dreibein', 'Tripod floor lamp', 340, {
      properties: [METAL, WOOD, BULB],
      kind: FLOOR,
      parts: tripod,
    }),
    lamp("LM-L'ARC", 'Bogenleuchte', 'Arc lamp', 690, { kind: FLOOR, parts: arcLamp }),
    lamp('LM-TISCH 45', 'Schreibtischleuchte', 'Desk lamp', 180, {
      kind: TABLE,
      parts: deskLamp,
      variants: [{ METALL: 'Weiß' }],
    }),
    lamp('LM-VASE', 'Tischleuchte Keramik', 'Table lamp, ceramic', 165, {
      kind: TABLE,
      parts: tableLamp,
    }),
    lamp('LM-DOM 16"', 'Pendelleuchte Kuppel, 16 Zoll', 'Pendant dome, 16 inch', 240, {
      kind: PENDANT,
      parts: (v) => pendant(406, v),
      variants: [{ METALL: 'Messing' }],
    }),
    lamp('LM-GLOBUS', 'Pendelleuchte Rauchglas', 'Pendant globe, smoked glass', 320, {
      kind: PENDANT,
      parts: globe,
      variants: [{ METALL: 'Messing' }],
    }),
    lamp('LM-LINIE: 140', 'Pendelleuchte linear', 'Linear pendant', 0, {
      kind: PENDANT,
      parts: linear,
    }),
  ],
};
