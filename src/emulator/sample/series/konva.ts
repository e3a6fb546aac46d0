/**
 * KONVA by Brenkhoff: visitor chairs, stools and a bench; the origin is below the seat's middle.
 */
import { cos, sin, tan } from '../../../support/elementary.ts';
import { blockName, heightOnFloor } from '../blocks/blocks.ts';
import type { Part, PropertyDefinition, SeriesDefinition, Values } from '../definition.ts';
import { imp, partsOn, solid, top } from '../tree.ts';
import { bodySymbol, brnk, cloth, layer, UPHOLSTERY } from './brenkhoff-common.ts';
import { articlesOf, choice, choices, materialOf, text } from './properties.ts';

const PROGRAM = 'KONVA';
const D3 = layer(PROGRAM, 'D3');
const visible = partsOn(D3);
const own = (family: string, ...measures: number[]): string =>
  blockName('BRNK::KONVA', family, ...measures);
const konva = (name: string): string => `BRNK::KONVA::${name}`;
const BEECH = konva('BUCHE_SCHALE');
const OAK = konva('EICHE_SCHALE');

const SHELL = choices('SCHALE', 'OBERFLÄCHE', text('Schale', 'Shell'), [
  choice('WEISS', 'W', 'Kunststoff weiß', 'Plastic, white', { mat: brnk('KUNSTSTOFF_WEISS') }),
  choice('PETROL', 'P', 'Kunststoff petrol', 'Plastic, petrol', { mat: brnk('KUNSTSTOFF_PETROL') }),
  choice('SENF', 'S', 'Kunststoff senf', 'Plastic, mustard', { mat: brnk('KUNSTSTOFF_SENF') }),
  choice('BUCHE', 'BU', 'Buche Formholz', 'Moulded beech', { surcharge: 46, mat: BEECH }),
  choice('EICHE', 'EI', 'Eiche Formholz', 'Moulded oak', { surcharge: 58, mat: OAK }),
]);

const STEEL = choices('GESTELL', 'OBERFLÄCHE', text('Gestell', 'Frame'), [
  choice('CHROM', 'C', 'verchromt', 'Chrome', { mat: brnk('CHROM') }),
  choice('SW', 'S', 'schwarz', 'Black', { mat: brnk('PULVER_SCHWARZ') }),
]);

const PAD = choices('POLSTER', 'BEZUG', text('Sitzpolster', 'Seat pad'), [
  choice('OHNE', '0', 'ohne', 'none'),
  choice('MIT', '1', 'mit', 'with', { surcharge: 38 }),
]);

const PAD_COVER: PropertyDefinition = {
  ...UPHOLSTERY,
  visible: (values) => values.POLSTER === 'MIT',
};

const steel = (values: Values): string => materialOf(STEEL, values);
const shellOf = (values: Values): string => materialOf(SHELL, values);

function shellChair(frame: string, values: Values, more: Part[] = []): Part[] {
  const pad = values.POLSTER === 'MIT' ? [visible(own('SCHALENPOLSTER', 460), cloth(values))] : [];
  return [
    visible(frame, steel(values)),
    top({ at: [0, 0.45, 0], lay: D3 }, [visible(own('SCHALE', 460), shellOf(values)), ...pad]),
    ...more,
    ...bodySymbol(PROGRAM, 0.54),
  ];
}

function cantilever(arms: boolean, values: Values): Part[] {
  const armPads = [0.255, -0.255].map((x) =>
    visible(own('KASTEN', 46, 20, 240, 9), brnk('SCHWARZ'), [x - 0.023, 0.655, -0.13], [-2, 0, 0]),
  );
  return [
    visible(own('FREISCHWINGER', 440, 450), steel(values)),
    ...(arms ? [visible(own('ARMBÜGEL', 440, 450), steel(values))] : []),
    visible(own('LEHNENBOGEN', 440, 430, 830), steel(values)),
    visible(own('SITZPOLSTER', 455, 450, 60), cloth(values), [0, 0.45, 0.02]),
    visible(own('RÜCKENPOLSTER', 410, 330), cloth(values), [0, 0.55, -0.232], [-3, 0, 0]),
    ...(arms ? armPads : []),
    ...bodySymbol(PROGRAM, 0.58),
  ];
}

function woodLegs(height: number, w: number, d: number, lean: number, mat: string): Part[] {
  const leg = own('KONUSBEIN', height, 34, 22);
  const corners = [
    [1, 1],
    [-1, 1],
    [-1, -1],
    [1, -1],
  ] as const;
  const splay = (height / 1000) * tan((lean * Math.PI) / 180);
  return corners.map(([x, z]) => {
    const rot = [-z * lean, 0, x * lean] as const;
    const at = [x * (w / 2 + splay), heightOnFloor(leg, rot), z * (d / 2 + splay)] as const;
    return visible(leg, mat, at, rot);
  });
}

function woodChair(values: Values): Part[] {
  const mat = values.SCHALE === 'EICHE' ? OAK : BEECH;
  const rails = [
    visible(own('PLATTE', 300, 40, 22), konva('BUCHE'), [-0.15, 0.375, 0.1]),
    visible(own('PLATTE', 300, 40, 22), konva('BUCHE'), [-0.15, 0.375, -0.122]),
    visible(own('PLATTE', 240, 30, 40), konva('BUCHE'), [-0.02, 0.398, 0.12], [0, 90, 0]),
  ];
  return [
    ...woodLegs(420, 0.28, 0.23, 7, mat),
    ...rails,
    top({ at: [0, 0.45, 0], lay: D3 }, [imp(own('SCHALE', 460), { mat: shellOf(values) })]),
    ...bodySymbol(PROGRAM, 0.54),
  ];
}

function barStool(values: Values): Part[] {
  const rod = own('STANGE', 288, 14);
  const rest = [0, 90, 180, 270].map((turn) => {
    const [x, z] = [cos, sin].map((of) => of((turn * Math.PI) / 180) * 0.144) as [number, number];
    return visible(rod, brnk('CHROM_UMGEBUNG'), [z - x, 0.26, x + z], [0, turn, 0]);
  });
  return [
    ...woodLegs(700, 0.21, 0.21, 5, BEECH),
    visible(own('RUNDPLATTE', 340, 22), konva('BUCHE'), [0, 0.695, 0]),
    visible(own('RUNDPOLSTER', 350, 55), cloth(values), [0, 0.715, 0]),
    ...rest,
    ...bodySymbol(PROGRAM, 0.42),
  ];
}

/** A pouf: one cushion of revolution on a dark base. */
function pouf(values: Values): Part[] {
  return [
    visible(own('RUNDPOLSTER', 460, 400), cloth(values), [0, 0.025, 0]),
    visible(solid('cyl', '0.03 0.19'), brnk('SCHWARZ')),
    visible(solid('ellipsoid', [0.022, 0.008, 0.022]), cloth(values), [0, 0.425, 0]),
    ...bodySymbol(PROGRAM, 0.46),
  ];
}

/** A long bench on loop legs with a divided cushion. */
function bench(values: Values): Part[] {
  const leg = own('KUFE', 400, 380, 50);
  return [
    top({ mat: steel(values), lay: D3 }, [
      imp(leg, { at: [-0.62, 0, -0.19] }),
      imp(leg, { at: [0.62, 0, -0.19], scale: [-1, 1, 1] }),
      imp(own('PROFIL', 1240, 30, 40), { at: [-0.62, 0.36, -0.02] }),
    ]),
    visible(own('PLATTE', 1400, 18, 420), OAK, [-0.7, 0.4, -0.21]),
    ...[-0.69, 0.005].map((x) =>
      visible(own('KISSEN', 685, 60, 410), cloth(values), [x, 0.418, -0.205]),
    ),
    ...bodySymbol(PROGRAM, 1.4),
  ];
}

const seat = articlesOf('BRNK', PROGRAM, {
  long: [text('geprüft nach Dauerbelastung 110 kg', 'tested with a continuous load of 110 kg')],
  properties: [UPHOLSTERY],
});

const SHELL_CHAIR = [SHELL, STEEL, PAD, PAD_COVER];
const GLIDES = [
  [0.23, 0.235],
  [-0.23, 0.235],
  [0.22, -0.25],
  [-0.22, -0.25],
].map(([x, z]) => visible(own('GLEITER', 22), brnk('GUMMI'), [x!, 0, z!]));

/** The series. */
export const KONVA: SeriesDefinition = {
  program: PROGRAM,
  text: text('KONVA Besucherstühle', 'KONVA visitor chairs'),
  articles: [
    seat('KV20 F', 'Freischwinger', 'Cantilever chair', 268, {
      properties: [UPHOLSTERY, STEEL],
      parts: (v) => cantilever(false, v),
      variants: [{ STOFF: 'LEDER CO' }],
    }),
    seat('KV20 FA', 'Freischwinger mit Armlehnen', 'Cantilever armchair', 312, {
      properties: [UPHOLSTERY, STEEL],
      parts: (v) => cantilever(true, v),
    }),
    seat('KV40/4', 'Schalenstuhl, Vierfuß', 'Shell chair, four legs', 149, {
      properties: SHELL_CHAIR,
      parts: (v) => shellChair(own('VIERFUSS', 450), v, GLIDES),
      variants: [
        { SCHALE: 'PETROL', GESTELL: 'SW' },
        { SCHALE: 'BUCHE', POLSTER: 'MIT', STOFF: 'GRAU' },
        // Without a pad no cover is visible.
        { STOFF: 'GRAU' },
      ],
    }),
    seat('KV40/K', 'Schalenstuhl, Kufengestell', 'Shell chair, sled base', 158, {
      properties: SHELL_CHAIR,
      parts: (v) => shellChair(own('KUFENGESTELL', 450), v),
      variants: [{ SCHALE: 'SENF', GESTELL: 'SW' }],
    }),
    seat('KV40/H', 'Schalenstuhl, Holzgestell', 'Shell chair, wooden frame', 229, {
      properties: [SHELL],
      parts: woodChair,
      variants: [{ SCHALE: 'EICHE' }],
    }),
    seat('KV-HOCKER HÖHE 77', 'Barhocker, Holz', 'Bar stool, wood', 198, { parts: barStool }),
    seat('KV-POUF Ø46', 'Sitzpouf', 'Pouf', 142, { parts: pouf, variants: [{ STOFF: 'ROST' }] }),
    seat('KV-BANK 140', 'Polsterbank 1400', 'Upholstered bench 1400', 420, {
      properties: [UPHOLSTERY, STEEL],
      parts: bench,
    }),
  ],
};
