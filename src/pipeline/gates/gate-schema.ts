/**
 * Gate schema: what the `gates:` section of a pipeline file may say, one row a gate.
 *
 * A gate that is written says all of itself: what it leaves out is off. One that is not written has
 * the thresholds of this table.
 *
 * @see D-850.
 */
import { z } from 'zod';
import { shareSchema } from './share.ts';

/** When a gate speaks. */
export interface GateThresholds {
  /** How much of the larger of both figures one configuration has to differ by in order to count; 0 to 1. */
  change?: number | undefined;
  /** Share of a range from which the gate warns; never where it is missing. */
  warn?: number | undefined;
  /** Share of a range from which it refuses; never where it is missing. */
  refuse?: number | undefined;
  /** Configurations below which it is silent. */
  atLeast: number;
}

/**
 * Thresholds of a range that nobody has thought about yet.
 *
 * An ordinary update touches a series or two; a tenth of a range is worth a look. Two fifths have not
 * changed their size in a night because somebody meant it. Bytes and the number of materials follow
 * many harmless changes, so they only warn.
 */
export const GATE_DEFAULTS = {
  articlesGone: { warn: 0.1, refuse: 0.4, atLeast: 10 },
  triangles: { change: 0.5, warn: 0.1, refuse: 0.4, atLeast: 10 },
  bounds: { change: 0.25, warn: 0.1, refuse: 0.4, atLeast: 10 },
  materials: { change: 0.5, warn: 0.4, atLeast: 10 },
  bytes: { change: 0.5, warn: 0.4, atLeast: 10 },
  textures: { change: 0.75, warn: 0.1, refuse: 0.4, atLeast: 10 },
} as const satisfies Record<string, GateThresholds>;

/** A figure that is compared with that of the night before. */
export type Gate = keyof typeof GATE_DEFAULTS;

/** All gates, in the order in which they are told. */
export const GATES = Object.keys(GATE_DEFAULTS) as readonly Gate[];

const SHARES = {
  warn: shareSchema.optional().describe('share of the range from which it is told'),
  refuse: shareSchema.optional().describe('share of the range from which nothing is published'),
  atLeast: z.int().min(1).default(1).describe('configurations below which the gate is silent'),
};

function gate(name: Exclude<Gate, 'articlesGone'>, what: string) {
  const row = GATE_DEFAULTS[name];
  const change = shareSchema
    .default(row.change)
    .describe('share of the larger of both figures by which one configuration has to differ');
  return z
    .strictObject({ change, ...SHARES })
    .default({ ...row })
    .describe(what);
}

/** The `gates:` section. */
export const gatesSchema = z
  .strictObject({
    articlesGone: z
      .strictObject(SHARES)
      .default({ ...GATE_DEFAULTS.articlesGone })
      .describe('configurations that are no longer selected'),
    triangles: gate('triangles', 'drawn triangles'),
    bounds: gate('bounds', 'size and place of the bounding box'),
    materials: gate('materials', 'number of materials'),
    bytes: gate('bytes', 'size of the GLB'),
    textures: gate('textures', 'number of textures'),
  })
  .prefault({})
  .describe('what of a night is compared with the one before; --accept publishes all the same');

/** All gates of a pipeline. */
export type Gates = Readonly<Record<Gate, GateThresholds>>;
