/** Finds from where a picture was taken: from there, the outline of the article is that of the picture. */

import type { Scene } from '../../convert/model/scene.ts';
import { axesOf } from '../../deliver/pictures/camera.ts';
import type { Bounds } from '../../model/asset.ts';
import { type Drawing, sceneDrawer, type View } from '../readings/raster.ts';
import type { SmallImage } from '../readings/small-images.ts';
import type { Framed, Photograph } from './photograph.ts';

/** Where a camera stands that looks at the middle of an article. */
interface Viewpoint {
  azimuthDegrees: number;
  elevationDegrees: number;
  /** Distance from the middle, as a multiple of half the diagonal of the article. */
  distance: number;
}

/** A picture beside what is drawn from its viewpoint. */
export interface Matched {
  view: View;
  framed: Framed;
  /** The common area of both outlines, of that of either. */
  fit: number;
}

/** Where furniture is usually photographed from, on either side. */
const ELEVATIONS = [12, 28];
const AZIMUTHS = [20, 35, 55];
const DISTANCE = 4;
/** Steps by which a viewpoint is refined, one turn after the other. */
const STEPS: readonly (readonly [keyof Viewpoint, number])[][] = [8, 4, 2, 1].map((size) => [
  ['azimuthDegrees', size],
  ['elevationDegrees', size],
  ['distance', size / 8],
]);
/** The share of a drawing that stays free on each side, for parts of other readings. */
const MARGIN = 0.12;
/** A viewpoint on the other side counts, too, if its outline fits nearly as well. */
export const NEARLY = 0.03;

/** Outlines that have so much in common lead to the same viewpoint. */
const SAME = 0.99;

type Images = readonly (SmallImage | undefined)[];

/** Draws a scene. */
export function drawnFrom(scene: Scene, view: View, images: Images): Drawing {
  return sceneDrawer(scene, (image) => images[image])(view);
}

/** A scene whose outline is drawn from many places. */
interface Subject {
  bounds: Bounds;
  draw(view: View): Drawing;
}

/** The places from which a scene looks most like the picture, the best one first: one, or one on either side. */
export function viewpointsOf(scene: Scene, photograph: Photograph): Matched[] {
  const subject = { bounds: scene.boundsMetres, draw: sceneDrawer(scene, () => undefined) };
  const sides = [-1, 1].map((side) => {
    const candidates = AZIMUTHS.flatMap((azimuth) =>
      ELEVATIONS.map((elevationDegrees): Viewpoint => {
        return { azimuthDegrees: side * azimuth, elevationDegrees, distance: DISTANCE };
      }),
    );
    return bestOf(candidates, subject, photograph);
  });
  const refined = sides
    .filter((found) => found !== undefined)
    .map((found) => refine(found, subject, photograph))
    .sort((a, b) => b.fit - a.fit);
  return refined.filter(({ fit }) => fit >= refined[0]!.fit - NEARLY);
}

/** Whether two scenes have nearly the same outline. */
export function isSameOutline(some: Scene, other: Scene, view: View): boolean {
  const [first, second] = [some, other].map((scene) => drawnFrom(scene, view, []).covered);
  return overlap(first!, second!) >= SAME;
}

interface Found extends Matched {
  viewpoint: Viewpoint;
}

function refine(found: Found, subject: Subject, photograph: Photograph): Found {
  let best = found;
  for (const steps of STEPS) {
    for (const [name, step] of steps) {
      const { viewpoint } = best;
      const moved = (by: number): Viewpoint => ({
        ...viewpoint,
        [name]: name === 'distance' ? viewpoint.distance * 2 ** by : viewpoint[name] + by,
      });
      const better = bestOf([moved(step), moved(-step)], subject, photograph);
      if (better !== undefined && better.fit > best.fit) best = better;
    }
  }
  return best;
}

function bestOf(
  viewpoints: readonly Viewpoint[],
  { bounds, draw }: Subject,
  photograph: Photograph,
): Found | undefined {
  let best: Found | undefined;
  for (const viewpoint of viewpoints) {
    const view = viewFrom(viewpoint, bounds);
    const { covered } = draw(view);
    const framed = photograph.framed(covered);
    if (framed === undefined) continue;
    const fit = overlap(covered, framed.covered);
    if (best === undefined || fit > best.fit) best = { viewpoint, view, framed, fit };
  }
  return best;
}

function viewFrom({ distance, ...direction }: Viewpoint, { min, max }: Bounds): View {
  const middle = [0, 1, 2].map((axis) => (min[axis]! + max[axis]!) / 2);
  const half = [0, 1, 2].map((axis) => (max[axis]! - min[axis]!) / 2);
  const axes = axesOf(direction);
  const away = distance * Math.hypot(...half);
  let slope = 0;
  for (let corner = 0; corner < 8; corner++) {
    const along = (axis: readonly number[]) =>
      half.reduce((sum, own, at) => sum + ((corner >> at) & 1 ? own : -own) * axis[at]!, 0);
    const depth = away - along(axes.back);
    slope = Math.max(slope, Math.abs(along(axes.right)) / depth, Math.abs(along(axes.up)) / depth);
  }
  const place = (axis: 0 | 1 | 2) => middle[axis]! + away * axes.back[axis];
  return { ...axes, position: [place(0), place(1), place(2)], slope: slope / (1 - MARGIN) };
}

function overlap(some: ArrayLike<number>, others: ArrayLike<number>): number {
  let [common, all] = [0, 0];
  for (let at = 0; at < some.length; at++) {
    common += Math.min(some[at]!, others[at]!);
    all += Math.max(some[at]!, others[at]!);
  }
  return common / (all || 1);
}
