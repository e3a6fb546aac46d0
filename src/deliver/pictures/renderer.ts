/** Takes pictures of GLBs in browsers, which stay open, and are started again if they crash. */
import { availableParallelism } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import QOI from 'qoijs';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { groupBy } from '../../support/group-by.ts';
import type { Spend } from '../making/maker.ts';
import { endBrowser, type FoundBrowser, startBrowser } from './browser.ts';
import { type ModelExchange, openModelExchange } from './model-exchange.ts';
import { pictureBreach } from './picture-budget.ts';
import { BROWSER_ERROR, type PicturePage, type PictureSize, type Shot } from './shot.ts';

/** The pixels of a picture: RGBA, 8 bits, from the topmost row to the lowest. */
export interface Picture extends PictureSize {
  pixels: Uint8Array;
  /** The scale of a picture to scale: smaller than requested if the model is too large. */
  pixelsPerMetre?: number | undefined;
}

interface RendererOptions {
  browser: FoundBrowser;
  /** Models drawn at the same time. @defaultValue as many as half of the processors */
  pages?: number;
  /** Time limit of one model with all its pictures, milliseconds. @defaultValue 120000 */
  timeoutMs?: number;
  /** Whether a browser that did not start is never started again, as in a run, which ends. @defaultValue false */
  givesUp?: boolean;
  /** Clock, milliseconds, for `spend`; without it, no time is measured. */
  now?: () => number;
  /** Receives a sentence, once, if the browsers have no sandbox. */
  warn?: (text: string) => void;
}

export interface Renderer {
  /**
   * Returns the pictures of a GLB in the order of the shots.
   *
   * @param spend - Receives the time that a browser worked for them, even if it failed.
   * @throws {@link ConverterError} `PICTURE_FAILED` if the model cannot be drawn in time, which leaves the renderer
   *   usable; `BROWSER_MISSING` if no browser starts.
   */
  takePictures(glb: Uint8Array, shots: readonly Shot[], spend?: Spend): Promise<Picture[]>;
  /** Closes the browsers; later pictures start them again. */
  close(): Promise<void>;
}

/** Attempts for a model if the browser crashes or does not start: for lack of memory, or ended by an operator. */
const ATTEMPTS = 3;

/**
 * A renderer whose browsers start with the first pictures. The time for a model begins when a browser is free.
 *
 * Models that are drawn at the same time have separate browsers: pages of one browser share a process for graphics, and
 * a page that hangs there would block the others.
 *
 * @example
 * ```ts
 * const renderer = new BrowserRenderer({ browser: (await findBrowser(process.env, cacheDir))! });
 * const [picture] = await renderer.takePictures(glb, [shotOf('hero', 1024, 768)]);
 * await renderer.close();
 * ```
 */
export class BrowserRenderer implements Renderer {
  readonly #options: RendererOptions;
  readonly #timeoutMs: number;
  readonly #places: readonly Place[];
  readonly #idle: Place[];
  /** The models that wait for a browser, by their addresses. */
  readonly #waiting: { model: string; begin: (place: Place) => void }[] = [];
  readonly #ending = new Set<Promise<void>>();
  #exchange: Promise<ModelExchange> | undefined;
  #closings = 0;
  #missing: ConverterError | undefined;
  #hasWarned = false;

  constructor(options: RendererOptions) {
    const count = options.pages ?? Math.max(1, Math.floor(availableParallelism() / 2));
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 120_000;
    this.#places = Array.from({ length: count }, (): Place => ({ studio: undefined }));
    this.#idle = [...this.#places];
  }

  async takePictures(glb: Uint8Array, shots: readonly Shot[], spend?: Spend): Promise<Picture[]> {
    const taken = await this.#take(glb, shots, spend);
    // Meanwhile the browser draws the next model.
    return taken.map(decoded);
  }

  async #take(glb: Uint8Array, shots: readonly Shot[], spend?: Spend): Promise<Taken[]> {
    const breach = pictureBreach(glb);
    if (breach !== undefined) throw failed(new Error(breach));
    const began = this.#closings;
    const exchange = await this.#openExchange();
    const model = exchange.offer(glb);
    const place = await this.#waitForPlace(model.address);
    const startedMs = this.#options.now?.();
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isOver = true;
        reject(new Error(`it took longer than ${this.#timeoutMs / 1000} s`));
      }, this.#timeoutMs);
    });
    late.catch(() => {});
    try {
      for (let number = 1; ; number++) {
        if (this.#missing !== undefined) throw this.#missing;
        if (began !== this.#closings) throw failed(new Error('the renderer was closed'));
        try {
          return await Promise.race([
            this.#attempt(place, exchange.origin, model.address, shots),
            late,
          ]);
        } catch (error) {
          // The failure was caused by the model: the browser is still usable.
          if (isConverterError(error) && error.code === 'PICTURE_FAILED') throw error;
          this.#end(place);
          if (!isOver && number < ATTEMPTS) continue;
          if (!isConverterError(error)) throw failed(error);
          if (this.#options.givesUp && error.code === 'BROWSER_MISSING') this.#missing = error;
          throw error;
        }
      }
    } finally {
      clearTimeout(timer);
      if (startedMs !== undefined) spend?.(this.#options.now!() - startedMs);
      model.end();
      this.#giveBack(place);
    }
  }

  async close(): Promise<void> {
    this.#closings++;
    for (const place of this.#places) this.#end(place);
    await Promise.all(this.#ending);
    const opened = this.#exchange;
    this.#exchange = undefined;
    await (await opened)?.close();
  }

  async #openExchange(): Promise<ModelExchange> {
    this.#exchange ??= openModelExchange();
    try {
      return await this.#exchange;
    } catch (error) {
      this.#exchange = undefined;
      throw failed(error);
    }
  }

  #attempt(place: Place, origin: string, model: string, shots: readonly Shot[]): Promise<Taken[]> {
    place.studio ??= openStudio(this.#start(), origin);
    const { page, died } = place.studio;
    const nextModel = () => this.#waiting[0]?.model;
    return Promise.race([takeAll(page, model, nextModel, shots), died]);
  }

  #start(): Promise<Browser> {
    const { browser, warn } = this.#options;
    return startBrowser(browser, (text) => {
      if (!this.#hasWarned) warn?.(text);
      this.#hasWarned = true;
    });
  }

  async #waitForPlace(model: string): Promise<Place> {
    const idle = this.#idle.pop();
    return idle ?? (await new Promise((begin) => this.#waiting.push({ model, begin })));
  }

  #giveBack(place: Place): void {
    const next = this.#waiting.shift();
    if (next) next.begin(place);
    else this.#idle.push(place);
  }

  /** Closes the browser of a place, without waiting: a browser that hangs may take its time. */
  #end(place: Place): void {
    const ended = place.studio?.end();
    place.studio = undefined;
    if (ended === undefined) return;
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }
}

/** Renderers that are shared, by the path of their browser. */
const shared = new Map<string | undefined, Renderer>();

/**
 * Lets all that take pictures with a browser in this process share a renderer: the browser starts once for many runs, and
 * stays open after each.
 *
 * @returns Ends this; it does not close the renderer.
 */
export function shareRenderer({ path }: FoundBrowser, renderer: Renderer): () => void {
  shared.set(path, renderer);
  return () => shared.delete(path);
}

/** Opens a renderer; where one is shared, with that one, which it does not close. @see {@link shareRenderer} */
export function rendererFor(options: RendererOptions): Renderer {
  const renderer = shared.get(options.browser.path);
  if (renderer === undefined) return new BrowserRenderer(options);
  return { takePictures: (...what) => renderer.takePictures(...what), close: async () => {} };
}

type Taken = Awaited<ReturnType<PicturePage['take']>>;

interface Place {
  studio: Studio | undefined;
}

interface Studio {
  page: Promise<Page>;
  /** Rejects if the browser or its page crashes: then nothing else answers. */
  died: Promise<never>;
  end(): Promise<void>;
}

function openStudio(started: Promise<Browser>, origin: string): Studio {
  const page = started.then(async (running) => {
    // That with which the browser starts: a new one would have a process of its own.
    const opened = running.contexts()[0]!.pages()[0]!;
    await opened.goto(origin);
    await opened.waitForFunction('globalThis.page');
    return opened;
  });
  const died = page.then(
    (opened) =>
      new Promise<never>((_, reject) => {
        opened.once('crash', () => reject(new Error('the browser has crashed')));
        opened.once('close', () => reject(new Error('the browser has ended')));
      }),
  );
  died.catch(() => {});
  return {
    page,
    died,
    async end() {
      const running = await started.catch(() => undefined);
      if (running !== undefined) await endBrowser(running);
    },
  };
}

function failed(cause: unknown): ConverterError {
  const [reason] = String((cause as Error).message ?? cause).split('\n');
  return new ConverterError('PICTURE_FAILED', `the model cannot be drawn: ${reason}`, { cause });
}

async function takeAll(
  opened: Promise<Page>,
  model: string,
  nextModel: () => string | undefined,
  shots: readonly Shot[],
): Promise<Taken[]> {
  const page = await opened;
  const taken: Taken[] = [];
  // Each picture is drawn with images of its own size, so that its pixels do not depend on the other pictures.
  for (const group of groupBy(shots.entries(), ([, { imagePixels }]) => imagePixels).values()) {
    for (const [at, shot] of group) {
      taken[at] = await takeIn(page, { shot, model, nextModel: nextModel() });
    }
  }
  return taken;
}

/** @throws {@link ConverterError} `PICTURE_FAILED` if the page has returned something else than a picture. */
function decoded({ qoi, pixelsPerMetre }: Taken): Picture {
  try {
    const file = Buffer.from(qoi, 'base64');
    const { width, height, data } = QOI.decode(file.buffer, file.byteOffset, file.length);
    return { width, height, pixels: data, pixelsPerMetre };
  } catch (error) {
    throw failed(error);
  }
}

/** @throws {@link ConverterError} `PICTURE_FAILED` if the page cannot draw the model, not if the page itself fails. */
async function takeIn(page: Page, request: Parameters<PicturePage['take']>[0]): Promise<Taken> {
  const taken = await page.evaluate(
    async ([given, ofBrowser]) => {
      const { page } = globalThis as unknown as { page: PicturePage };
      try {
        return await page.take(given);
      } catch (error) {
        if ((error as Error).name === ofBrowser) throw error;
        return { reason: String((error as Error).message ?? error) };
      }
    },
    [request, BROWSER_ERROR] as const,
  );
  if ('reason' in taken) throw failed(new Error(taken.reason));
  return taken;
}
