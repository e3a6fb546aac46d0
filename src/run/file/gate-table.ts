/** The gates, one row each: what they compare between two runs, in which words, and their default thresholds. */
import { z } from 'zod';
import type { AssetFigures, Bounds } from '../../model/asset.ts';
import { shareSchema } from './percentage.ts';

/** Shares from 0 (equal) to 1, of the part of the picture that the article takes. */
export interface PictureDifference {
  /** Root mean square of the differences of red, green and blue (RMSE): another finish, a texture that is lost. */
  tone: number;
  /** Pixels that differ visibly, those of smoothed edges left out: another shape, a part that is lost. */
  edges: number;
}

/** When a gate warns or refuses. Shares are from 0 to 1. */
export interface GateThresholds {
  /** Share of the larger of both figures, or of the picture, by which a configuration has to differ in order to count. */
  change?: number | undefined;
  /** Share of a range from which the gate warns. @defaultValue never */
  warn?: number | undefined;
  /** Share of a range from which it refuses. @defaultValue never */
  refuse?: number | undefined;
  /** Number of configurations from which it acts. */
  atLeast: number;
}

type Figures = Partial<AssetFigures>;

interface GateRow {
  label: string;
  doc: string;
  /** What counts, in words: `512 configurations …`. */
  changed: string;
  defaults: GateThresholds;
  /** Undefined if there is nothing to compare with. */
  comparison?: {
    /** The figure as one number; undefined if it is not known. */
    figure(of: Figures): number | undefined;
    /** How much it differs: from 0 (equal) to 1 (gone, or new). */
    change(before: Figures, now: Figures): number;
    format(of: Figures): string;
  };
  /** For what is compared in pictures of the old and the new GLB. */
  picture?: {
    change(difference: PictureDifference): number;
    /** What differs by its change, in words. */
    differs: string;
  };
}

/**
 * An ordinary update changes a series or two: a tenth of a range is worth a warning. Two fifths do not change
 * their size in one run by intention. Bytes and the number of materials follow many harmless changes, so
 * they only warn.
 */
const WARN_AND_REFUSE = { warn: 0.1, refuse: 0.4, atLeast: 10 };
const WARN_ONLY = { warn: 0.4, atLeast: 10 };

/**
 * Measured: most finishes of an article of the sample range differ by 0.1 to 0.7 in tone and by 0.2 to 0.8 in edges, oak
 * and beech by 0.02 in tone.
 */
const PICTURE_CHANGES: PictureDifference = { tone: 0.1, edges: 0.25 };

/** All gates, in the order in which they are reported. */
export const GATE_TABLE = {
  articlesGone: {
    label: 'Articles gone',
    doc: 'configurations that are no longer selected',
    changed: 'are gone',
    defaults: WARN_AND_REFUSE,
  },
  triangles: countRow('triangles', 'Triangles', 'drawn triangles', {
    change: 0.5,
    ...WARN_AND_REFUSE,
  }),
  bounds: {
    label: 'Dimensions',
    doc: 'size and position of the bounding box',
    changed: 'have another size or position',
    defaults: { change: 0.25, ...WARN_AND_REFUSE },
    comparison: {
      figure: ({ boundsMetres }) => boundsMetres && diagonal(boundsMetres),
      change: (before, now) => boundsChange(before.boundsMetres!, now.boundsMetres!),
      format: ({ boundsMetres }) =>
        `${sizes(boundsMetres!)
          .map((size) => size.toFixed(2))
          .join(' × ')} m`,
    },
  },
  materials: countRow('materials', 'Materials', 'number of materials', {
    change: 0.5,
    ...WARN_ONLY,
  }),
  bytes: {
    ...countRow('bytes', 'File size', 'size of the GLB', { change: 0.5, ...WARN_ONLY }),
    changed: 'have files of another size',
  },
  textures: countRow('textures', 'Textures', 'number of textures', {
    change: 0.75,
    ...WARN_AND_REFUSE,
  }),
  pictureTone: {
    label: 'Tone of pictures',
    doc: 'colours and light of the picture (RMSE), where deliver: pictures: takes pictures',
    changed: 'look different in tone',
    defaults: { change: PICTURE_CHANGES.tone, ...WARN_AND_REFUSE },
    picture: { change: ({ tone }) => tone, differs: 'the tone of its picture differs by' },
  },
  pictureEdges: {
    label: 'Edges of pictures',
    doc: 'pixels of the picture that differ visibly (pixelmatch), where deliver: pictures: takes pictures',
    changed: 'look different in shape or finish',
    defaults: { change: PICTURE_CHANGES.edges, ...WARN_ONLY },
    picture: { change: ({ edges }) => edges, differs: 'its picture differs visibly over' },
  },
} as const satisfies Record<string, GateRow>;

/** A gate: a figure that is compared with that of the previous run. */
export type Gate = keyof typeof GATE_TABLE;

/** Thresholds of all gates. */
export type Gates = Readonly<Record<Gate, GateThresholds>>;

/** The rows of the table by gate. */
export const GATE_ROWS = Object.entries(GATE_TABLE) as [Gate, GateRow][];

const SHARES = {
  warn: shareSchema.optional().describe('share of the range from which it warns'),
  refuse: shareSchema.optional().describe('share of the range from which nothing is published'),
  atLeast: z.int().min(1).default(1).describe('configurations below which the gate does nothing'),
};
const CHANGE = 'share of the larger of both figures by which one configuration has to differ';
const PICTURE_CHANGE = 'share by which the picture of one configuration has to differ';

/** A configured gate replaces its defaults: what it leaves out is off. */
function gateSchema({ doc, defaults, picture }: GateRow) {
  const { change } = defaults;
  const shape =
    change === undefined
      ? SHARES
      : {
          change: shareSchema.default(change).describe(picture ? PICTURE_CHANGE : CHANGE),
          ...SHARES,
        };
  return z
    .strictObject(shape)
    .default({ ...defaults } as never)
    .describe(doc);
}

/** The `gates:` section. @see D-850. */
export const gatesSchema = z
  .strictObject(Object.fromEntries(GATE_ROWS.map(([gate, row]) => [gate, gateSchema(row)])))
  .prefault({})
  .describe(
    'what is compared with the previous run; --accept publishes the result regardless',
  ) as unknown as z.ZodType<Gates, Partial<Record<Gate, unknown>> | undefined>;

function countRow(
  name: 'triangles' | 'materials' | 'bytes' | 'textures',
  label: string,
  doc: string,
  defaults: GateThresholds & { change: number },
) {
  return {
    label,
    doc,
    changed: `have another number of ${name}`,
    defaults,
    comparison: {
      figure: (of: Figures) => of[name],
      change: (before: Figures, now: Figures) => countChange(before[name]!, now[name]!),
      format: (of: Figures) => `${of[name]!.toLocaleString('en-US')} ${name}`,
    },
  };
}

/** Returns how much a count differs, as a share of the larger one: half and double are both 0.5. */
function countChange(before: number, now: number): number {
  const larger = Math.max(before, now);
  return larger === 0 ? 0 : Math.abs(before - now) / larger;
}

/** Smaller differences are none, so that a flat part may differ in thickness. */
const NOTICEABLE_METRES = 0.001;

/** By its size along an axis, or the distance of the centres as a share of the larger diagonal, whichever is more. */
function boundsChange(before: Bounds, now: Bounds): number {
  const was = sizes(before);
  const bySize = sizes(now).map((size, axis) =>
    Math.abs(size - was[axis]!) < NOTICEABLE_METRES ? 0 : countChange(was[axis]!, size),
  );
  const centre = (box: Bounds) => box.min.map((low, axis) => (low + box.max[axis]!) / 2);
  const from = centre(before);
  const distance = Math.hypot(...centre(now).map((to, axis) => to - from[axis]!));
  const larger = Math.max(diagonal(before), diagonal(now));
  const byPosition = distance < NOTICEABLE_METRES ? 0 : Math.min(1, distance / larger);
  return Math.max(byPosition, ...bySize);
}

function sizes({ min, max }: Bounds): number[] {
  return max.map((high, axis) => high - min[axis]!);
}

function diagonal(bounds: Bounds): number {
  return Math.hypot(...sizes(bounds));
}
