/** What of a difference between two scenes can be seen: the share of an article's pixels, and the place. */

import type { Scene } from '../../convert/model/scene.ts';
import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import { CAMERAS, type PlacedCamera, placeCamera } from '../../deliver/pictures/camera.ts';
import { type Effect, LEAST_PIXELS, type Mark, VIEWS } from './decide.ts';
import { patternShare } from './pattern.ts';
import { DRAWN_PIXELS, type Drawing, sceneDrawer } from './raster.ts';
import type { ReadingOption } from './readings.ts';
import { coordinate, partsOf } from './scene-parts.ts';
import type { SmallImages } from './small-images.ts';

/** A smaller difference of a colour, as a distance in sRGB of 8 bits, is not seen. */
const LEAST_DISTANCE = 14;
/** The share of the picture that stays free on each side. */
const MARGIN = 0.06;

/** A drawing has no relief: whether that can be seen is not measured. */
const UNDRAWN: ReadonlySet<ReadingOption> = new Set<ReadingOption>(['normalMap']);

/** Means of squares of pixels, and means of these. */
interface Blur {
  /** Pixels on each side of the middle. */
  radius: number;
  times: number;
}

/** What is finer than a few pixels is not seen from a distance. */
const FINE: Blur = { radius: 1, times: 1 };
/**
 * Grain and weave that are moved or upside down look right, too: a person sees only what has a top and a bottom, such
 * as a print. This leaves no pattern that is finer than an eighth of the drawing, such as large checks, and the figure
 * of a sheet of veneer.
 */
const COARSE: Blur = { radius: 8, times: 3 };
/** On a smaller share of an article's area, another size or direction of a pattern is not seen. */
const LEAST_PATTERN = 0.005;

interface VisibleDifference {
  /** Pixels that differ, of those of the article, in the view in which it is most. */
  pixelShare: number;
  mark: Mark | undefined;
}

type SceneOf = (article: string, values: Partial<ConvertOptions>) => Promise<Scene>;

/** A scene, and drawings of it from each side. */
interface Look {
  scene: Scene;
  drawings: readonly Drawing[];
}

/** Draws articles in their readings, and compares them. */
export class Looks {
  readonly #images: SmallImages;
  readonly #sceneOf: SceneOf;
  readonly #present = new Map<string, Promise<PresentLook>>();

  /** @param sceneOf - The scene of an article, with other values than the present ones. */
  constructor(images: SmallImages, sceneOf: SceneOf) {
    this.#images = images;
    this.#sceneOf = sceneOf;
  }

  /** Measures what can be seen of the effects of an option; of those that look alike, only the first one is kept. */
  async measured(option: ReadingOption, effects: readonly Effect[]): Promise<Effect[]> {
    if (UNDRAWN.has(option)) return [...effects];
    const shown: (Effect & { looks: ReadonlyMap<string, Look> })[] = [];
    const labels = [...new Set(effects.flatMap(({ examples }) => examples))];
    for (const effect of effects) {
      const looks = new Map<string, Look>();
      const seen: (VisibleDifference & { label: string })[] = [];
      for (const label of labels) {
        const { cameras, ...present } = await this.#lookAtPresent(label);
        const scene = await this.#sceneOf(label, { [option]: effect.value });
        const look = { scene, drawings: await this.#draw(scene, cameras) };
        looks.set(label, look);
        seen.push({ label, ...visibleDifference(present, look) });
      }
      const same = shown.find((other) => isAlike(other.looks, looks));
      if (same !== undefined) same.alike = [...(same.alike ?? []), effect.value];
      else shown.push({ ...effect, ...whereSeen(seen), looks });
    }
    return shown.map(({ looks: _, ...effect }) => effect);
  }

  #lookAtPresent(label: string): Promise<PresentLook> {
    const draw = async () => {
      const scene = await this.#sceneOf(label, {});
      const cameras = camerasOf(scene);
      return { scene, cameras, drawings: await this.#draw(scene, cameras) };
    };
    const known = this.#present.get(label) ?? draw();
    this.#present.set(label, known);
    return known;
  }

  async #draw(scene: Scene, cameras: readonly PlacedCamera[]): Promise<Drawing[]> {
    const images = await this.#images.of(scene);
    return cameras.map(sceneDrawer(scene, (image) => images[image]));
  }
}

interface PresentLook extends Look {
  cameras: readonly PlacedCamera[];
}

function isAlike(some: ReadonlyMap<string, Look>, others: ReadonlyMap<string, Look>): boolean {
  return [...some].every(
    ([label, look]) => visibleDifference(look, others.get(label)!).pixelShare < LEAST_PIXELS,
  );
}

/** The largest difference, and the articles in which it is seen, the clearest first. */
function whereSeen(differences: readonly (VisibleDifference & { label: string })[]) {
  const ordered = differences.toSorted((a, b) => b.pixelShare - a.pixelShare);
  const { pixelShare, mark } = ordered[0]!;
  const seen = ordered.filter((one) => one.pixelShare >= LEAST_PIXELS);
  return { pixelShare, mark, ...(seen.length > 0 && { examples: seen.map(({ label }) => label) }) };
}

/** The cameras that show a whole scene. */
function camerasOf(scene: Scene): PlacedCamera[] {
  const points = pointsOf(scene);
  return VIEWS.map((view) => placeCamera(points, CAMERAS[view], 1, MARGIN));
}

function pointsOf(scene: Scene): Float32Array {
  const points: number[] = [];
  for (const { placement, primitives } of partsOf(scene)) {
    for (const { geometry } of primitives) {
      const { positions } = geometry;
      for (let i = 0; i < positions.length; i += 3)
        for (let axis = 0; axis < 3; axis++)
          points.push(
            coordinate(placement, axis, positions[i]!, positions[i + 1]!, positions[i + 2]!),
          );
    }
  }
  return Float32Array.from(points);
}

/** Compares drawings of the same cameras. */
function visibleDifference(look: Look, other: Look): VisibleDifference {
  const blur = patternShare(look.scene, other.scene) < LEAST_PATTERN ? COARSE : FINE;
  let best: VisibleDifference = { pixelShare: 0, mark: undefined };
  for (const [at, drawing] of look.drawings.entries()) {
    const found = difference(drawing, other.drawings[at]!, blur);
    if (found.pixelShare <= best.pixelShare) continue;
    best = { pixelShare: found.pixelShare, mark: { view: VIEWS[at]!, ...found.box } };
  }
  return best;
}

function difference(a: Drawing, b: Drawing, blur: Blur) {
  const [first, second] = [blurred(a.colors, blur), blurred(b.colors, blur)];
  let [count, whole] = [0, 0];
  let [left, right, top, bottom] = [DRAWN_PIXELS, -1, DRAWN_PIXELS, -1];
  for (let at = 0; at < DRAWN_PIXELS ** 2; at++) {
    if (a.covered[at] || b.covered[at]) whole++;
    let squared = 0;
    for (let k = 3 * at; k < 3 * at + 3; k++) squared += (first[k]! - second[k]!) ** 2;
    if (squared < LEAST_DISTANCE ** 2) continue;
    count++;
    const [x, y] = [at % DRAWN_PIXELS, Math.floor(at / DRAWN_PIXELS)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  const box = {
    x: left / DRAWN_PIXELS,
    y: top / DRAWN_PIXELS,
    width: (right - left + 1) / DRAWN_PIXELS,
    height: (bottom - top + 1) / DRAWN_PIXELS,
  };
  // The blur spreads a difference beyond the article.
  return { pixelShare: whole === 0 ? 0 : Math.min(1, count / whole), box };
}

function blurred(colors: Float32Array, { radius, times }: Blur): Float32Array {
  let out = colors;
  for (let i = 0; i < times; i++)
    out = means(means(out, radius, 1, DRAWN_PIXELS), radius, DRAWN_PIXELS, 1);
  return out;
}

/** Means along rows or columns. @param step - From a pixel to the next one of its line. @param lineStep - To the next line. */
function means(colors: Float32Array, radius: number, step: number, lineStep: number) {
  const out = new Float32Array(colors.length);
  const last = DRAWN_PIXELS - 1;
  for (let line = 0; line < DRAWN_PIXELS; line++)
    for (let k = 0; k < 3; k++) {
      const start = 3 * line * lineStep + k;
      const value = (at: number) => colors[start + 3 * step * Math.min(last, Math.max(0, at))]!;
      let sum = 0;
      for (let at = -radius; at <= radius; at++) sum += value(at);
      for (let at = 0; at <= last; at++) {
        out[start + 3 * step * at] = sum / (2 * radius + 1);
        sum += value(at + radius + 1) - value(at - radius);
      }
    }
  return out;
}
