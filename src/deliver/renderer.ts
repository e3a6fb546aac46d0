/** Takes pictures of GLBs in a browser, which it keeps warm and starts again where it dies. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { readBytes } from '../support/files.ts';
import { type FoundBrowser, startBrowser } from './browser.ts';
import type { PicturePage, PictureSize, Shot } from './shot.ts';

/** The program of the page, and the light of the studio; beside the sources and in the package. */
const PAGE_PROGRAM = fileURLToPath(new URL('../../dist/deliver/picture-page.js', import.meta.url));
const STUDIO = fileURLToPath(new URL('../../src/deliver/studio-map.bin', import.meta.url));

/** The pixels of a picture: RGBA, 8 bits, from the topmost row to the lowest. */
export interface Picture extends PictureSize {
  pixels: Uint8Array;
}

/** How a renderer works. */
interface RendererOptions {
  browser: FoundBrowser;
  /** Models drawn at the same time. @defaultValue as many as half of the processors */
  pages?: number;
  /** For one model with all its pictures, milliseconds. @defaultValue 120000 */
  timeoutMs?: number;
}

/** A renderer, open. */
export type Renderer = ReturnType<typeof openRenderer>;

/**
 * Opens a renderer; the browser starts with the first picture, also after `close`.
 *
 * @returns `takePictures` returns the pictures of a GLB in the order of the shots; it throws {@link ConverterError}
 * `PICTURE_FAILED` where the model cannot be drawn, which leaves the renderer as it was, and `BROWSER_MISSING` where no
 * browser starts.
 * @example
 * ```ts
 * const renderer = openRenderer({ browser: findBrowser(undefined, undefined)! });
 * const [picture] = await renderer.takePictures(glb, [shotOf('hero', 1024, 768)]);
 * await renderer.close();
 * ```
 */
export function openRenderer({ browser, pages, timeoutMs = 120_000 }: RendererOptions) {
  const most = pages ?? Math.max(1, Math.floor(availableParallelism() / 2));
  let exchange: ReturnType<typeof openExchange> | undefined;
  let started: Promise<Browser> | undefined;
  const idle: Page[] = [];
  const waiting: ((page: Page | undefined) => void)[] = [];
  let open = 0;

  const start = () => {
    started ??= startBrowser(browser).then((running) => {
      running.on('disconnected', () => {
        started = undefined;
      });
      return running;
    });
    started.catch(() => {
      started = undefined;
    });
    return started;
  };
  const opened = () => {
    exchange ??= openExchange();
    return exchange;
  };
  const openPage = async (): Promise<Page> => {
    const page = await (await start()).newPage();
    await page.goto((await opened()).origin);
    await page.waitForFunction('globalThis.page');
    return page;
  };
  const take = async (): Promise<Page> => {
    const page = idle.pop();
    if (page?.isClosed() === false) return page;
    if (page !== undefined || open < most) {
      if (page === undefined) open++;
      return openPage();
    }
    const given = await new Promise<Page | undefined>((resolve) => waiting.push(resolve));
    return given ?? openPage();
  };
  const giveBack = (page: Page | undefined) => {
    const next = waiting.shift();
    if (next) next(page);
    else if (page) idle.push(page);
    else open--;
  };

  const attempt = async (glb: Uint8Array, shots: readonly Shot[]): Promise<Picture[]> => {
    let page: Page | undefined;
    let isHealthy = false;
    try {
      page = await take();
      const pictures = await during(page, await opened(), glb, shots, timeoutMs);
      isHealthy = true;
      return pictures;
    } catch (error) {
      isHealthy = isConverterError(error) && error.code === 'PICTURE_FAILED';
      throw error;
    } finally {
      if (!isHealthy) await page?.close().catch(() => {});
      giveBack(isHealthy ? page : undefined);
    }
  };

  return {
    async takePictures(glb: Uint8Array, shots: readonly Shot[]): Promise<Picture[]> {
      try {
        return await attempt(glb, shots);
      } catch (error) {
        if (isConverterError(error)) throw error;
        // The browser may have died of something else: memory, or an operator.
        return await attempt(glb, shots).catch((again: unknown) => {
          throw isConverterError(again) ? again : failed(again);
        });
      }
    },
    async close(): Promise<void> {
      const running = await started?.catch(() => undefined);
      await running?.close().catch(() => {});
      await (await exchange)?.close();
      exchange = undefined;
    },
  };
}

function failed(cause: unknown): ConverterError {
  const [reason] = String((cause as Error).message ?? cause).split('\n');
  return new ConverterError('PICTURE_FAILED', `the model cannot be drawn: ${reason}`, { cause });
}

async function during(
  page: Page,
  exchange: Awaited<ReturnType<typeof openExchange>>,
  glb: Uint8Array,
  shots: readonly Shot[],
  timeoutMs: number,
): Promise<Picture[]> {
  const model = exchange.offer(glb);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const reason = `it took longer than ${timeoutMs / 1000} s`;
    timer = setTimeout(() => reject(new Error(reason)), timeoutMs);
  });
  // A page whose process died answers nothing.
  const died = new Promise<never>((_, reject) => {
    page.once('crash', () => reject(new Error('the browser has crashed')));
    page.once('close', () => reject(new Error('the browser has ended')));
  });
  const task = takeAll(page, model.address, shots);
  try {
    return await Promise.race([task, late, died]);
  } finally {
    clearTimeout(timer);
    for (const promise of [task, died, late]) promise.catch(() => {});
    model.end();
  }
}

async function takeAll(page: Page, model: string, shots: readonly Shot[]): Promise<Picture[]> {
  await inPage(page, 'load', model);
  const pictures: Picture[] = [];
  for (const shot of shots) {
    const { width, height, pixels } = await inPage(page, 'take', shot);
    pictures.push({ width, height, pixels: upright(Buffer.from(pixels, 'base64'), width) });
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
    async ([called, given]) => {
      const { page } = globalThis as unknown as {
        page: Record<string, (value: unknown) => Promise<unknown>>;
      };
      try {
        return { result: await page[called]!(given) };
      } catch (error) {
        return { reason: String((error as Error).message ?? error) };
      }
    },
    [name as string, argument as unknown] as const,
  );
  if (reason !== undefined) throw failed(new Error(reason));
  return result as Awaited<ReturnType<PicturePage[Name]>>;
}

/** A server on this machine, from which the page gets its program and the models. */
async function openExchange() {
  const secret = randomBytes(16).toString('hex');
  const bodies = new Map<string, () => Promise<Uint8Array> | Uint8Array>([
    ['picture-page.js', () => readBytes(PAGE_PROGRAM)],
    ['studio', async () => inflateSync(await readBytes(STUDIO))],
  ]);
  let number = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [, given, name = ''] = (request.url ?? '').split('/');
    const end = (status: number, type = 'text/plain', body: Uint8Array | string = '') =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    if (given !== secret) return end(404);
    if (name === '') {
      const page = '<!doctype html><title>Pictures</title><script src="picture-page.js"></script>';
      return end(200, 'text/html', page);
    }
    const body = await bodies.get(name)?.();
    if (body === undefined) return end(404);
    return end(200, name.endsWith('.js') ? 'text/javascript' : 'application/octet-stream', body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}/${secret}/`,
    /** An address for a model. */
    offer(glb: Uint8Array) {
      const address = String(number++);
      bodies.set(address, () => glb);
      return { address, end: () => void bodies.delete(address) };
    },
    close: () =>
      new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}

/** Rows in the opposite order. */
function upright(pixels: Uint8Array, width: number): Uint8Array {
  const row = 4 * width;
  const turned = new Uint8Array(pixels.length);
  for (let at = 0; at < pixels.length; at += row) {
    turned.set(pixels.subarray(at, at + row), pixels.length - row - at);
  }
  return turned;
}
