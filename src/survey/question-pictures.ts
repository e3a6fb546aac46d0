/** Pictures of questions: articles in each reading that is asked about, and the place where they differ. */

import type { Scene } from '../convert/model/scene.ts';
import { writeGlb } from '../convert/write/glb.ts';
import { imageSizeOf } from '../deliver/pictures/image-size.ts';
import { type ComparedView, type Pictures, withPictures } from '../deliver/pictures/render.ts';
import type { Bounds } from '../model/asset.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { SurveyedArticle } from './articles/surveyed-article.ts';
import {
  anyDifferent,
  type DifferentPixels,
  differentPixels,
  markedPlace,
  type Pixels,
  type Place,
  shareWithin,
  WIDEST,
} from './pictures/marked-place.ts';
import { LEAST_PIXELS } from './readings/decide.ts';
import type { ReadingOption, ReadingValue } from './readings/readings.ts';
import { boundsOfPart, partsOf } from './readings/scene-parts.ts';
import type { OptionRecord } from './record.ts';
import type { Survey } from './survey.ts';

/** An image in a format that browsers show. */
export interface ShownImage {
  mimeType: 'image/webp' | 'image/jpeg' | 'image/png';
  bytes: Uint8Array;
}

/** What an article looks like in one reading, or in several that look the same. */
export interface ReadingPicture {
  values: readonly ReadingValue[];
  whole: ShownImage;
  /** The marked place, as large as the whole picture. */
  detail: ShownImage;
}

/** Pictures of an article: one of each reading, all with the same camera. */
export interface ArticlePictures {
  article: string;
  mark: Place;
  /** The present reading is in the first one. */
  readings: readonly ReadingPicture[];
  /** The service's own picture of the article. */
  own?: ShownImage;
}

/** Pictures of the questions of a survey. */
export interface SurveyPictures {
  questions: ReadonlyMap<ReadingOption, readonly ArticlePictures[]>;
  /** Why there are none, and what to do. */
  missing?: string;
}

interface PictureSettings {
  cacheDir: string;
  /** The value of the option `--browser`. */
  browser?: string | undefined;
  /** Receives a sentence if the browser has no sandbox. */
  warn(text: string): void;
}

const SIZE = { width: 640, height: 480 };
/** Most pictures of all questions; the first article of each question has its pictures in any case. */
const MOST_PICTURES = 72;
/** While one article is drawn, the next one is converted, and the last one compared. */
const AT_ONCE = 2;
/** In a picture with a larger share of different pixels, no other camera is tried. */
const ENOUGH = 0.004;
/** With a smaller one, two readings look the same. */
const LEAST = 0.0002;
/** A moved part is shown up to this share of the article's size beyond it. */
const BEYOND = 0.2;

/** The first that shows enough is taken: from the front, from behind, and from below. */
const CAMERAS = [
  { azimuthDegrees: 32, elevationDegrees: 16 },
  { azimuthDegrees: 212, elevationDegrees: 16 },
  { azimuthDegrees: 32, elevationDegrees: -25 },
] as const;

type Camera = Pick<ComparedView, 'azimuthDegrees' | 'elevationDegrees'>;

/**
 * Takes pictures of the questions of a survey: of the articles in which a reading matters most, those of all questions
 * before the second article of one.
 *
 * @returns Pictures by option. Without a browser there are none, and a sentence says how to get them.
 * @throws The reason of the signal.
 */
export async function takeQuestionPictures(
  survey: Survey,
  environment: Pick<RunEnvironment, 'env' | 'signal' | 'progress'>,
  { cacheDir, browser, warn }: PictureSettings,
): Promise<SurveyPictures> {
  const tasks = tasksOf(survey);
  if (tasks.length === 0) return { questions: new Map() };
  try {
    return await withPictures(environment, cacheDir, browser, warn, async (pictures) => {
      const taken = await takeAll(survey, tasks, pictures, environment);
      const questions = new Map<ReadingOption, ArticlePictures[]>();
      for (const [at, { option }] of tasks.entries()) {
        const own = taken[at];
        if (own !== undefined)
          questions.set(option.option, [...(questions.get(option.option) ?? []), own]);
      }
      return { questions };
    });
  } catch (thrown) {
    const { code, message, help } = asConverterError(thrown);
    if (environment.signal.aborted || code !== 'BROWSER_MISSING') throw thrown;
    return { questions: new Map(), missing: `${message}: ${help}` };
  }
}

/** One article in all readings of one option. */
interface Task {
  option: OptionRecord;
  values: readonly ReadingValue[];
  article: SurveyedArticle;
}

/** What is drawn: the articles in turn, the question with the largest effect first, as far as the budget reaches. */
function tasksOf({ record, articles }: Survey): Task[] {
  const byLabel = new Map(articles.map((article) => [article.label, article]));
  const effectOf = ({ alternatives, articles: count }: OptionRecord) =>
    count * Math.max(...alternatives.map(({ areaShare }) => areaShare));
  const questions = record.options
    .filter(({ state, alternatives }) => state === 'question' && alternatives.length > 0)
    .sort((a, b) => effectOf(b) - effectOf(a))
    .map((option) => {
      const values = [option.present, ...option.alternatives.map(({ value }) => value)];
      return { option, values, examples: examplesOf(option) };
    });
  const most = Math.max(0, ...questions.map(({ examples }) => examples.length));
  const ordered = Array.from({ length: most }, (_, turn) =>
    questions.flatMap(({ option, values, examples }): Task[] => {
      const article = byLabel.get(examples[turn] ?? '');
      return article === undefined ? [] : [{ option, values, article }];
    }),
  ).flat();
  const firsts = new Set(questions.map(({ option }) => ordered.find((t) => t.option === option)));
  let pictures = 0;
  return ordered.filter((task) => {
    pictures += 2 * task.values.length;
    return pictures <= MOST_PICTURES || firsts.has(task);
  });
}

/** The articles in which the readings of an option matter most: each reading's first one before a second one. */
function examplesOf({ alternatives }: OptionRecord): string[] {
  const lists = alternatives
    .toSorted((a, b) => b.areaShare * b.articles - a.areaShare * a.articles)
    .map(({ examples }) => examples);
  const longest = Math.max(...lists.map(({ length }) => length));
  const inTurns = Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => list[at] ?? []),
  );
  return [...new Set(inTurns.flat())].slice(0, 3);
}

async function takeAll(
  survey: Survey,
  tasks: readonly Task[],
  pictures: Pictures,
  { signal, progress }: Pick<RunEnvironment, 'signal' | 'progress'>,
): Promise<(ArticlePictures | undefined)[]> {
  const taken = tasks.map((): ArticlePictures | undefined => undefined);
  const state = { making: 'pictures', total: tasks.length, done: 0, failed: 0 };
  const show = () => progress?.({ ...state });
  show();
  await inParallel([...tasks.entries()], AT_ONCE, async ([at, task]) => {
    signal.throwIfAborted();
    try {
      taken[at] = await articlePictures(survey, task, pictures);
    } catch (thrown) {
      const { code } = asConverterError(thrown);
      if (signal.aborted || endsRun(code) || code === 'INTERNAL' || code === 'BROWSER_MISSING')
        throw thrown;
      state.failed++;
    }
    state.done++;
    show();
  });
  return taken;
}

/** Takes the pictures of an article; undefined if its readings look the same from all sides, or nearly so. */
async function articlePictures(
  survey: Survey,
  { option: { option, alternatives }, values, article }: Task,
  pictures: Pictures,
): Promise<ArticlePictures | undefined> {
  const scenes: Scene[] = [];
  for (const value of values) scenes.push(await survey.sceneOf(article, { [option]: value }));
  const framed = framedBox(scenes);
  const glbs = scenes.map(writeGlb);
  const draw = (glb: Uint8Array, camera: Camera, part?: Place) =>
    pictures.draw(glb, { ...SIZE, ...camera, framed, ...(part !== undefined && { part }) });
  const seen = await bestView(glbs, draw);
  const groups = groupsOf(seen.drawn);
  const [present, ...others] = groups;
  if (present === undefined || others.length === 0) return undefined;
  const first = seen.drawn[present[0]!]!;
  const different = others.map(([at]) => differentPixels(first, seen.drawn[at!]!));
  const isMoved = alternatives.some(({ aspects }) =>
    aspects.some((aspect) => aspect === 'position' || aspect === 'parts'),
  );
  const mark = markedPlace(anyDifferent(different), isMoved ? WIDEST.moved : WIDEST.drawn);
  if (mark === undefined) return undefined;
  const least = Math.min(...different.map((one) => shareWithin(one, mark)));
  if (least < LEAST_PIXELS) return undefined;
  const readings: ReadingPicture[] = [];
  for (const group of groups) {
    const at = group[0]!;
    readings.push({
      values: group.map((one) => values[one]!),
      whole: await encoded(seen.drawn[at]!),
      detail: await encoded(await draw(glbs[at]!, seen.camera, mark)),
    });
  }
  const own = await ownPicture(await survey.pictureOf(article.label));
  return { article: article.label, mark, readings, ...(own && { own }) };
}

/** The service's own picture, encoded again: it may be of any kind and size. */
async function ownPicture(bytes: Uint8Array | undefined): Promise<ShownImage | undefined> {
  // Only what it certainly is: an image library reads many formats, some of which name other files.
  if (bytes === undefined || imageSizeOf(bytes) === undefined) return undefined;
  const { default: sharp } = await import('sharp');
  const shown = await sharp(bytes)
    .resize({ ...SIZE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 82, effort: 4 })
    .toBuffer()
    .catch(() => undefined);
  return shown && { mimeType: 'image/webp', bytes: new Uint8Array(shown) };
}

interface View {
  camera: Camera;
  /** A picture of each reading. */
  drawn: Pixels[];
  different: DifferentPixels;
}

/** The view in which the readings differ most; the first that is good enough. */
async function bestView(
  glbs: readonly Uint8Array[],
  draw: (glb: Uint8Array, camera: Camera) => Promise<Pixels>,
): Promise<View> {
  let best: View | undefined;
  for (const camera of CAMERAS) {
    const drawn: Pixels[] = [];
    for (const glb of glbs) drawn.push(await draw(glb, camera));
    const [first, ...others] = drawn;
    const different = anyDifferent(others.map((other) => differentPixels(first!, other)));
    if (best === undefined || different.share > best.different.share)
      best = { camera, drawn, different };
    if (best.different.share >= ENOUGH) break;
  }
  return best!;
}

/** Pictures that look the same, by their places; that of the present reading is in the first group. */
function groupsOf(drawn: readonly Pixels[]): number[][] {
  const groups: number[][] = [];
  for (const [at, picture] of drawn.entries()) {
    const same = groups.find(([first]) => differentPixels(drawn[first!]!, picture).share < LEAST);
    if (same === undefined) groups.push([at]);
    else same.push(at);
  }
  return groups;
}

/** The box that all pictures show: of the present reading, with parts that other readings move a little out of it. */
function framedBox(scenes: readonly Scene[]): Bounds {
  const boxes = scenes.map((scene) => boxOf(partsOf(scene).map(boundsOfPart)));
  const [present] = boxes as [Bounds];
  const all = boxOf(boxes);
  const most = BEYOND * Math.max(...present.max.map((end, axis) => end - present.min[axis]!));
  const axes = [0, 1, 2] as const;
  const [min, max] = [present.min.slice(), present.max.slice()] as [Bounds['min'], Bounds['max']];
  for (const axis of axes) {
    min[axis] = Math.max(all.min[axis], min[axis] - most);
    max[axis] = Math.min(all.max[axis], max[axis] + most);
  }
  return { min, max };
}

function boxOf(boxes: readonly Bounds[]): Bounds {
  const side = (pick: (...values: number[]) => number, end: 'min' | 'max') =>
    ([0, 1, 2] as const).map((axis) =>
      pick(...boxes.map((box) => box[end][axis])),
    ) as Bounds['min'];
  return { min: side(Math.min, 'min'), max: side(Math.max, 'max') };
}

async function encoded({ width, height, pixels }: Pixels): Promise<ShownImage> {
  const { default: sharp } = await import('sharp');
  const bytes = await sharp(pixels, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .webp({ quality: 82, effort: 4 })
    .toBuffer();
  return { mimeType: 'image/webp', bytes: new Uint8Array(bytes) };
}
