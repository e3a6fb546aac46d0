/** The browser of a run: one renderer, which starts with the first picture. */
import { availableParallelism, totalmem } from 'node:os';
import type { Run } from '../../run/open/open-run.ts';
import { ConverterError } from '../../support/errors.ts';
import { BROWSER_VARIABLE, findBrowser, NONE, whyNoBrowser } from './browser.ts';
import { type Renderer, rendererFor } from './renderer.ts';

/** Whether a run may do without a browser: by {@link NONE}, or as the demo. @see D-992 */
export function isBrowserOptional({ environment, options }: Run): boolean {
  return options.browserOptional === true || environment.env[BROWSER_VARIABLE] === NONE;
}

/** Replaces the renderer of a run without a browser. */
export function withoutBrowser({ environment: { env } }: Run): Renderer {
  const { why, help } = whyNoBrowser(env);
  const error = new ConverterError('BROWSER_MISSING', `${why}: ${help}`, { help });
  return { takePictures: () => Promise.reject(error), close: async () => {} };
}

/** One renderer per run, so that a browser that does not start is tried once. */
const renderers = new WeakMap<Run, Renderer>();

/** Memory of a browser, MiB: with the largest model of the sample range it had 604 at 2,048 pixels a side. */
const BROWSER_MB = 640;

/** How many browsers draw at the same time: each keeps nearly two processors busy, and has memory of its own. */
export function browserCount(processors: number, memoryMb?: number): number {
  return Math.max(1, Math.min(Math.floor(processors / 2), browsersIn(memoryMb)));
}

/** How many browsers a memory has room for: one at least. @param memoryMb - @defaultValue half of the machine's */
export function browsersIn(memoryMb = defaultMemoryMb()): number {
  return Math.max(1, Math.floor(memoryMb / BROWSER_MB));
}

/** Half of the memory that this process may use, MiB; a container may have less than its machine. */
function defaultMemoryMb(): number {
  const limit = process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), limit) / 2 ** 21;
}

/** Closes the renderer of a run, if it has one. */
export async function closeRenderer(run: Run): Promise<void> {
  await renderers.get(run)?.close();
}

/** Returns the renderer of a run; undefined without a browser. */
export async function rendererOf(run: Run): Promise<Renderer | undefined> {
  const { environment, options } = run;
  const browser = await findBrowser(environment.env, options.pipeline.cacheDir);
  if (browser === undefined) return undefined;
  const warn = (text: string) => environment.log.warn(text);
  const pages = browserCount(availableParallelism(), options.memory);
  const settings = { browser, pages, givesUp: true, now: environment.now, warn };
  const renderer = renderers.get(run) ?? rendererFor(settings);
  renderers.set(run, renderer);
  return renderer;
}
