/** How much drawings differ from a picture, in the places in which the drawings differ from each other. */

import { DRAWN_PIXELS, type Drawing } from '../readings/raster.ts';
import type { Framed } from './photograph.ts';

const COUNT = DRAWN_PIXELS ** 2;
/** What is finer is not the same in two lights, pixels. */
const BLUR = 1;
/** The pattern of a surface is what differs from its mean so far around, pixels. */
const SURROUNDINGS = 8;
/** Patterns are smaller than these, pixels. */
const PATTERNS = [8, 16];
/** Drawings that differ less in a pixel are equal there, as a distance in sRGB of 8 bits. */
const LEAST_DIFFERENCE = 14;
/** With such a difference a pixel counts fully. */
const FULL_DIFFERENCE = 100;
/** What a pixel at least differs where one drawing shows the article, and the other does not. */
const OF_OUTLINE = 60;
/** Less of an article says nothing, as a share of what is drawn. */
const LEAST_SHARE = 0.003;
/** A pixel differs at most so much in each respect, so that a highlight is not all. */
const MOST = 0.6;
/** How much an outline counts beside colours. */
const OUTLINE_PART = 0.3;
/** Keeps what is nearly black from being a pattern, in sRGB of 8 bits. */
const DARK = 8;

/** A picture, and what it is on average around each pixel. */
interface Look {
  colors: Float32Array;
  means: Float32Array;
  covered: ArrayLike<number>;
}

/** How much a drawing differs from a picture; 0 is not at all. */
export interface Distance {
  own: number;
  /** The same without the patterns of the drawing, if that is less: a picture without patterns is against none. */
  least: number;
}

/**
 * Compares drawings with a picture in the frame of the drawings: outlines, colours in the same brightness as a whole,
 * colours without brightness, and patterns.
 *
 * @returns The distance of each drawing; undefined if the drawings look alike.
 */
export function distancesOf(
  drawings: readonly Drawing[],
  framed: Framed,
  background: readonly number[],
): Distance[] | undefined {
  const looks = drawings.map((drawing) => {
    const before = onBackground(drawing, background);
    return lookOf(before, drawing.covered);
  });
  const weights = weightsOf(looks);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const drawn = weights.filter((_, at) => looks.some((look) => look.covered[at])).length;
  if (whole <= LEAST_SHARE * drawn) return undefined;
  const picture = lookOf(framed.colors(), framed.covered);
  const distanceOf = (look: Look) => {
    const gain = gainOf(picture, look);
    let sum = 0;
    for (let at = 0; at < COUNT; at++)
      if (weights[at]! > 0) sum += weights[at]! * pixelDistance(picture, look, gain, at);
    return sum / whole;
  };
  return looks.map((look) => {
    const own = distanceOf(look);
    const flat = PATTERNS.map((size) => distanceOf(withoutPatterns(look, size)));
    return { own, least: Math.min(own, ...flat) };
  });
}

function lookOf(colors: Float32Array, covered: ArrayLike<number>): Look {
  return {
    colors: blurred(colors, 3, BLUR),
    means: meansOf(colors, covered, SURROUNDINGS),
    covered,
  };
}

function withoutPatterns({ colors, covered }: Look, size: number): Look {
  const means = meansOf(colors, covered, size);
  const flat = colors.map((value, k) => (covered[Math.floor(k / 3)] ? means[k]! : value));
  return lookOf(flat, covered);
}

function onBackground({ colors, covered }: Drawing, background: readonly number[]): Float32Array {
  return colors.map((value, at) => (covered[Math.floor(at / 3)] ? value : background[at % 3]!));
}

/** How much a pixel counts: as much as the two drawings differ that differ most in it. */
function weightsOf(looks: readonly Look[]): Float32Array {
  return new Float32Array(COUNT).map((_, at) => {
    let most = 0;
    for (const [index, a] of looks.entries()) {
      for (const b of looks.slice(0, index)) {
        let squared = 0;
        for (let k = 3 * at; k < 3 * at + 3; k++) squared += (a.colors[k]! - b.colors[k]!) ** 2;
        const ofOutline = a.covered[at] === b.covered[at] ? 0 : OF_OUTLINE;
        most = Math.max(most, Math.sqrt(squared) + ofOutline);
      }
    }
    return most < LEAST_DIFFERENCE ? 0 : Math.min(1, most / FULL_DIFFERENCE);
  });
}

/** How much brighter a picture is than a drawing. */
function gainOf(picture: Look, drawn: Look): number {
  let [own, other] = [0, 0];
  for (let k = 0; k < 3 * COUNT; k++) {
    const at = Math.floor(k / 3);
    if (picture.covered[at]! < 0.5 || !drawn.covered[at]) continue;
    own += picture.colors[k]!;
    other += drawn.colors[k]!;
  }
  return own / (other || 1);
}

function pixelDistance(picture: Look, drawn: Look, gain: number, at: number): number {
  const isDrawn = drawn.covered[at]!;
  const outline = Math.abs(isDrawn - picture.covered[at]!);
  const both = isDrawn * picture.covered[at]!;
  const sumOf = ({ means }: Look) => means[3 * at]! + means[3 * at + 1]! + means[3 * at + 2]! + 1;
  const [sum, drawnSum] = [sumOf(picture), sumOf(drawn)];
  let [color, hue, pattern] = [0, 0, 0];
  for (let k = 3 * at; k < 3 * at + 3; k++) {
    const [own, other] = [picture.colors[k]!, drawn.colors[k]!];
    const [mean, otherMean] = [picture.means[k]!, drawn.means[k]!];
    const shown = isDrawn ? Math.min(255, gain * other) : other;
    color += Math.abs(own - shown) / 765;
    hue += Math.abs(mean / sum - otherMean / drawnSum);
    pattern += Math.abs(own / (mean + DARK) - other / (otherMean + DARK)) / 3;
  }
  const ofSurface = both * (Math.min(MOST, hue) + Math.min(MOST, pattern));
  return OUTLINE_PART * outline + Math.min(MOST, color) + ofSurface;
}

/** The means of what is covered around each pixel. */
function meansOf(colors: Float32Array, covered: ArrayLike<number>, radius: number): Float32Array {
  const own = colors.map((value, k) => value * covered[Math.floor(k / 3)]!);
  const sums = blurred(own, 3, radius);
  const shares = blurred(Float32Array.from(covered), 1, radius);
  return sums.map((sum, k) => {
    const share = shares[Math.floor(k / 3)]!;
    return share > 0.001 ? sum / share : 0;
  });
}

/** Each pixel as the mean of a square around it. */
function blurred(values: Float32Array, channels: number, radius: number): Float32Array {
  const along = (from: Float32Array, step: number, line: number) => {
    const to = new Float32Array(from.length);
    for (let first = 0; first < DRAWN_PIXELS * channels; first++) {
      const start = Math.floor(first / channels) * line * channels + (first % channels);
      const at = (i: number) =>
        start + channels * step * Math.max(0, Math.min(DRAWN_PIXELS - 1, i));
      let sum = 0;
      for (let i = -radius; i <= radius; i++) sum += from[at(i)]!;
      for (let i = 0; i < DRAWN_PIXELS; i++) {
        to[at(i)] = sum / (2 * radius + 1);
        sum += from[at(i + radius + 1)]! - from[at(i - radius)]!;
      }
    }
    return to;
  };
  return along(along(values, 1, DRAWN_PIXELS), DRAWN_PIXELS, 1);
}
