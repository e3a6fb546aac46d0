/**
 * What no option can put right: the sources state metres and Y up (D-101), sRGB (D-502), roughness (D-506) and
 * transparency (D-510) with certainty, so that data of another meaning is a finding.
 */

import type { ServiceMaterial } from '../../convert/model/graphics.ts';
import type { Scene } from '../../convert/model/scene.ts';
import type { StatedSize } from '../../convert/wire/stated-size.ts';
import type { Bounds } from '../../model/asset.ts';
import type { SurveyedArticle } from '../articles/surveyed-article.ts';
import type { Certainty } from '../readings/decide.ts';
import { type ImageFacts, meanOf } from './materials.ts';
import { plausibleSize } from './plausible-size.ts';

/** Something in the data that no option can put right. */
interface Finding {
  /** Such as `unit`. */
  about: string;
  sentence: string;
  certainty: Certainty;
  articles: number;
}

/** An article with what is compared of it. */
interface Facts {
  size: readonly number[];
  bounds: Bounds;
  stated: StatedSize;
  materials: readonly ServiceMaterial[];
}

/** Finds data of another meaning. @param sceneOf - The scene of an article as it is read. */
export async function findingsOf(
  articles: readonly SurveyedArticle[],
  images: ImageFacts,
  sceneOf: (article: SurveyedArticle) => Promise<Scene>,
): Promise<Finding[]> {
  const facts: Facts[] = [];
  const colors: ColorFacts[] = [];
  for (const article of articles) {
    const { boundsMetres: bounds } = await sceneOf(article);
    const size = bounds.max.map((end, axis) => end - bounds.min[axis]!);
    const materials = [...new Set(article.drawn.flatMap(({ material }) => material ?? []))];
    facts.push({ size, bounds, stated: plausibleSize(article.snapshot.article), materials });
    for (const { dif, pic } of materials) {
      const pixels = pic && dif ? await images.pixels(article, pic) : undefined;
      if (dif && pixels) colors.push({ article: article.label, dif, mean: meanOf(pixels) });
    }
  }
  if (facts.length === 0) return [];
  const found = [unit(facts), upAxis(facts), gloss(facts), opacity(facts), colorSpace(colors)];
  return found.filter((finding) => finding !== undefined);
}

/** So many articles make a finding certain. */
const MANY = 3;

function finding(about: string, sentence: string, articles: number, isSure = true): Finding {
  return { about, sentence, certainty: isSure && articles >= MANY ? 'high' : 'medium', articles };
}

const UNITS = [
  { name: 'metres', metres: 1 },
  { name: 'centimetres', metres: 0.01 },
  { name: 'millimetres', metres: 0.001 },
] as const;
/** The largest side of most furniture. */
const FURNITURE_METRES = { least: 0.15, most: 8 };

function unit(facts: readonly Facts[]): Finding | undefined {
  const sizes = facts.map(({ size }) => Math.max(...size)).sort((a, b) => a - b);
  const middle = sizes[sizes.length >> 1]!;
  const { least, most } = FURNITURE_METRES;
  const [first] = UNITS.filter(({ metres }) => middle * metres >= least && middle * metres <= most);
  if (first === undefined || first.metres === 1) return undefined;
  const size = middle.toPrecision(3);
  const sentence = `Half of the articles are ${size} m large or larger: lengths seem to be in ${first.name}, and are read as metres.`;
  return finding('unit', sentence, facts.length);
}

const ON_FLOOR_METRES = 0.005;
const SAME_METRES = 0.02;
/** Of the articles, so many stand on Z = 0, and so many fewer on Y = 0. */
const FOR_Z = 0.4;
const FEWER = 0.5;

function upAxis(facts: readonly Facts[]): Finding | undefined {
  const isNear = (a: number, b: number) => Math.abs(a - b) <= SAME_METRES;
  const count = (is: (one: Facts) => boolean) => facts.filter(is).length;
  const onFloor = (axis: 1 | 2) => (one: Facts) =>
    Math.abs(one.bounds.min[axis]) <= ON_FLOOR_METRES;
  const stated = facts.filter(({ stated: lists }) => lists.some((list) => list.length > 0));
  const fitting = (order: readonly number[]) =>
    stated.filter((one) =>
      one.stated.every(
        (list, at) => list.length === 0 || list.some((way) => isNear(way, one.size[order[at]!]!)),
      ),
    ).length;
  const [onY, onZ] = [count(onFloor(1)), count(onFloor(2))];
  const [asY, asZ] = [fitting([0, 1, 2]), fitting([0, 2, 1])];
  const isZFloor = onZ >= FOR_Z * facts.length && onY <= FEWER * onZ;
  const isStated = stated.length === 0 ? isZFloor : asZ > asY;
  if (!(isZFloor && isStated)) return undefined;
  const sentence = `${onZ} of ${facts.length} articles stand on a floor at Z = 0, and ${onY} at Y = 0: Z seems to point up, and Y is read as up.`;
  return finding('up axis', sentence, onZ);
}

/** Names in German, English, French and Dutch. */
const SHINY =
  /chrom|gloss|gl[aä]nz|poliert|polished|poli\b|mirror|spiegel|(?<!fiber)glas|verre|brillant|hoogglans/i;
const DULL =
  /matt|mat\b|mate\b|(?<!kunst)stoff|fabric|textil|tissu|filz|felt|feutre|gummi|rubber|woll|wool|laine|teppich|carpet|kabel/i;
/** How much rougher shiny materials are than dull ones, at least. */
const ROUGHER = 0.15;

function gloss(facts: readonly Facts[]): Finding | undefined {
  const roughnesses = (name: RegExp) => {
    const values = new Map<string, number>();
    for (const { mname, roughness } of facts.flatMap(({ materials }) => materials))
      if (roughness !== undefined && name.test(mname)) values.set(mname, roughness);
    return [...values.values()];
  };
  const [shiny, dull] = [roughnesses(SHINY), roughnesses(DULL)];
  if (shiny.length === 0 || dull.length === 0) return undefined;
  const [shine, dullness] = [shiny, dull].map(
    (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  ) as [number, number];
  if (shine < dullness + ROUGHER) return undefined;
  const sentence = `Materials with names such as chrome have a roughness of ${shine.toFixed(2)}, those such as fabric ${dullness.toFixed(2)}: the values seem to be gloss.`;
  return finding('gloss', sentence, Math.min(shiny.length, dull.length));
}

/** A material that is more transparent lets most light through. */
const CLEAR = 0.5;

function opacity(facts: readonly Facts[]): Finding | undefined {
  const clear = facts.filter(({ materials }) => {
    const transparent = materials.filter(({ tra = 0 }) => tra > CLEAR);
    return materials.length > 0 && transparent.length > materials.length / 2;
  });
  if (clear.length <= facts.length / 2) return undefined;
  const sentence = `Most materials of ${clear.length} of ${facts.length} articles are transparent: tra seems to be opacity.`;
  return finding('opacity', sentence, clear.length);
}

interface ColorFacts {
  article: string;
  dif: readonly number[];
  /** Of its image, sRGB. */
  mean: readonly number[];
}

/** Colours nearer than this are the same; how much nearer one of two must be. */
const SAME_COLOR = 0.1;
const NEARER = 0.05;

function colorSpace(colors: readonly ColorFacts[]): Finding | undefined {
  const distance = (a: readonly number[], b: readonly number[]) =>
    Math.hypot(...a.map((part, at) => part - b[at]!)) / Math.sqrt(3);
  const judged = colors.flatMap(({ article, dif, mean }) => {
    const [same, linear] = [
      distance(dif, mean),
      distance(
        dif,
        mean.map((part) => part ** 2.2),
      ),
    ];
    if (Math.min(same, linear) > SAME_COLOR || Math.abs(same - linear) < NEARER) return [];
    return [{ article, isLinear: linear < same }];
  });
  const linear = judged.filter(({ isLinear }) => isLinear);
  if (linear.length < 2 || linear.length < 0.8 * judged.length) return undefined;
  const articles = new Set(linear.map(({ article }) => article)).size;
  const sentence = `${linear.length} of ${judged.length} colours equal the mean of their image in linear light: they seem to be linear, and are read as sRGB.`;
  return finding('colour space', sentence, articles);
}
