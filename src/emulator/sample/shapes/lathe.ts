/** Turns a profile about the y axis: castors, glides, columns, lamp shades, trays. */
import { cos, sin } from '../../../support/elementary.ts';
import { type Flat, lengthsAlong, roundCorners } from './outline.ts';
import { addGrid, emptySurface, outward, type Shape } from './surface.ts';

interface LatheOptions {
  segments?: number;
  /** Radius of the profile's corners, metres. */
  round?: number;
  roundSteps?: number;
  /** Whether the profile is a ring of its own that does not touch the axis. */
  ring?: boolean;
  /** Whether the profile is a sheet, so that the surface stays open. */
  open?: boolean;
}

/**
 * Turns a profile of (radius, y) points about the y axis.
 *
 * A profile that does not touch the axis and is no ring is joined to the axis at its ends.
 */
export function lathe(profile: readonly Flat[], options: LatheOptions = {}): Shape {
  const { segments = 32, round = 0, roundSteps = 4, ring = false, open = false } = options;
  const points = open || ring ? [...profile] : closedToAxis(profile);
  const rounded = round > 0 ? roundCorners(points, round, roundSteps, ring) : points;
  const line = ring ? [...rounded, rounded[0]!] : rounded;
  const widest = Math.max(...line.map(([r]) => r));
  const along = lengthsAlong(line);
  const surface = emptySurface(!open, true);
  addGrid(surface, segments, line.length - 1, (i, j) => {
    const angle = (2 * Math.PI * (i % segments)) / segments;
    const [r, y] = line[j]!;
    return {
      point: [r * cos(angle), y, -r * sin(angle)],
      uv: [(2 * Math.PI * widest * i) / segments, along[j]!],
    };
  });
  return [outward(surface)];
}

/** A cylinder about the y axis from one height to another. */
export function cylinder(radius: number, from: number, to: number, segments: number): Shape {
  const profile: Flat[] = [from, to].map((y) => [radius, y]);
  return lathe(profile, { segments });
}

function closedToAxis(profile: readonly Flat[]): Flat[] {
  const [first, last] = [profile[0]!, profile.at(-1)!];
  return [
    ...(first[0] > 0 ? [[0, first[1]] as const] : []),
    ...profile,
    ...(last[0] > 0 ? [[0, last[1]] as const] : []),
  ];
}
