/** Takes pictures of GLBs in browsers, which it keeps warm and starts again where they die. */
import { availableParallelism } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import QOI from 'qoijs';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { endBrowser, type FoundBrowser, startBrowser } from './browser.ts';
import { type ModelExchange, openModelExchange } from './model-exchange.ts';
import { pictureBreach } from './picture-budget.ts';
import { BROWSER_ERROR, type PicturePage, type PictureSize, type Shot } from './shot.ts';

/** The pixels of a picture: RGBA, 8 bits, from the topmost row to the lowest. */
export interface Picture extends PictureSize {
  pixels: Uint8Array;
  /** Of a picture to scale: less than was asked for where the model is too large. */
  pixelsPerMetre?: number | undefined;
}

/** How a renderer works. */
interface RendererOptions {
  browser: FoundBrowser;
  /** Models drawn at the same time. @defaultValue as many as half of the processors */
  pages?: number;
  /** For one model with all its pictures, milliseconds. @defaultValue 120000 */
  timeoutMs?: number;
  /** Whether no browser is started any more after one that did not start, as in a run, which ends. @defaultValue false */
  givesUp?: boolean;
  /** Gets a sentence, once, where the browsers have no sandbox. */
  warn?: (text: string) => void;
}

/** A renderer, open. */
export type Renderer = ReturnType<typeof openRenderer>;

/** How often a model is tried where the browser dies meanwhile, or as it starts: of memory, or by an operator. */
const ATTEMPTS = 3;

/**
 * Opens a renderer; its browsers start with the first pictures, also after `close`.
 *
 * Each model that is drawn at the same time as others has a browser of its own: pages of one browser share a process
 * for graphics, and one that hangs there would hold up the others.
 *
 * @returns `takePictures` returns the pictures of a GLB in the order of the shots; it throws {@link ConverterError}
 * `PICTURE_FAILED` where the model cannot be drawn in time, which leaves the renderer usable, and `BROWSER_MISSING`
 * where no browser starts. The time begins when a browser is free.
 * @example
 * ```ts
 * const renderer = openRenderer({ browser: findBrowser(undefined, undefined)! });
 * const [picture] = await renderer.takePictures(glb, [shotOf('hero', 1024, 768)]);
 * await renderer.close();
 * ```
 */
export function openRenderer({
  browser,
  pages,
  timeoutMs = 120_000,
  givesUp = false,
  warn,
}: RendererOptions) {
  const count = pages ?? Math.max(1, Math.floor(availableParallelism() / 2));
  const places = Array.from({ length: count }, (): Place => ({ studio: undefined }));
  const idle = [...places];
  const waiting: ((place: Place) => void)[] = [];
  const ending = new Set<Promise<void>>();
  let exchange: Promise<ModelExchange> | undefined;
  let closings = 0;
  /** Why no browser starts. */
  let missing: ConverterError | undefined;
  let hasWarned = false;
  const warnOnce = (text: string) => {
    if (!hasWarned) warn?.(text);
    hasWarned = true;
  };

  const take = async (): Promise<Place> =>
    idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  const giveBack = (place: Place) => {
    const next = waiting.shift();
    if (next) next(place);
    else idle.push(place);
  };
  /** Not waited for: what hangs may take its time to end. */
  const end = (place: Place) => {
    const ended = place.studio?.end();
    place.studio = undefined;
    if (ended === undefined) return;
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };
  const attempt = async (place: Place, glb: Uint8Array, shots: readonly Shot[]) => {
    exchange ??= openModelExchange();
    const opened = await exchange;
    place.studio ??= openStudio(startBrowser(browser, warnOnce), opened.origin);
    const { page, died } = place.studio;
    const model = opened.offer(glb);
    try {
      return await Promise.race([takeAll(page, model.address, shots), died]);
    } finally {
      model.end();
    }
  };

  return {
    async takePictures(glb: Uint8Array, shots: readonly Shot[]): Promise<Picture[]> {
      const breach = pictureBreach(glb);
      if (breach !== undefined) throw failed(new Error(breach));
      const began = closings;
      const place = await take();
      const limit = openLimit(timeoutMs);
      try {
        for (let number = 1; ; number++) {
          if (missing !== undefined) throw missing;
          if (began !== closings) throw failed(new Error('the renderer was closed'));
          try {
            return await limit.within(attempt(place, glb, shots));
          } catch (error) {
            // It is the model's fault: the browser is as it was.
            if (isConverterError(error) && error.code === 'PICTURE_FAILED') throw error;
            end(place);
            const isLast = limit.isOver() || number === ATTEMPTS;
            if (!isLast) continue;
            if (!isConverterError(error)) throw failed(error);
            if (givesUp && error.code === 'BROWSER_MISSING') missing = error;
            throw error;
          }
        }
      } finally {
        limit.end();
        giveBack(place);
      }
    },
    async close(): Promise<void> {
      closings++;
      for (const place of places) end(place);
      await Promise.all(ending);
      const opened = exchange;
      exchange = undefined;
      await (await opened)?.close();
    },
  };
}

/** Where one model at a time is drawn. */
interface Place {
  studio: Studio | undefined;
}

/** A browser with the page that takes pictures. */
interface Studio {
  page: Promise<Page>;
  /** Rejected where the browser or its page dies: then nothing else answers. */
  died: Promise<never>;
  end(): Promise<void>;
}

function openStudio(started: Promise<Browser>, origin: string): Studio {
  const page = started.then(async (running) => {
    const opened = await running.newPage();
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

/** A limit of time over several attempts. */
function openLimit(timeoutMs: number) {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isOver = true;
      reject(new Error(`it took longer than ${timeoutMs / 1000} s`));
    }, timeoutMs);
  });
  late.catch(() => {});
  return {
    within: <T>(work: Promise<T>) => Promise.race([work, late]),
    isOver: () => isOver,
    end: () => clearTimeout(timer),
  };
}

function failed(cause: unknown): ConverterError {
  const [reason] = String((cause as Error).message ?? cause).split('\n');
  return new ConverterError('PICTURE_FAILED', `the model cannot be drawn: ${reason}`, { cause });
}

async function takeAll(
  opened: Promise<Page>,
  model: string,
  shots: readonly Shot[],
): Promise<Picture[]> {
  const page = await opened;
  await inPage(page, 'load', model);
  const pictures: Picture[] = [];
  for (const shot of shots) {
    const { qoi, pixelsPerMetre } = await inPage(page, 'take', shot);
    const file = Buffer.from(qoi, 'base64');
    const { width, height, data } = QOI.decode(file.buffer, file.byteOffset, file.length);
    pictures.push({ width, height, pixels: data, pixelsPerMetre });
  }
  return pictures;
}

/** Calls a function of the page. @throws {@link ConverterError} `PICTURE_FAILED` where that fails, not where the page does. */
async function inPage<Name extends keyof PicturePage>(
  page: Page,
  name: Name,
  argument: Parameters<PicturePage[Name]>[0],
): Promise<Awaited<ReturnType<PicturePage[Name]>>> {
  const { result, reason } = await page.evaluate(
    async ([called, given, ofBrowser]) => {
      const { page } = globalThis as unknown as {
        page: Record<string, (value: unknown) => Promise<unknown>>;
      };
      try {
        return { result: await page[called]!(given) };
      } catch (error) {
        if ((error as Error).name === ofBrowser) throw error;
        return { reason: String((error as Error).message ?? error) };
      }
    },
    [name as string, argument as unknown, BROWSER_ERROR] as const,
  );
  if (reason !== undefined) throw failed(new Error(reason));
  return result as Awaited<ReturnType<PicturePage[Name]>>;
}
