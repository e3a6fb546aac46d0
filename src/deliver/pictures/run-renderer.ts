/** The browser of a run: one renderer, which starts with the first picture. */
import type { Run } from '../../run/open/open-run.ts';
import { ConverterError } from '../../support/errors.ts';
import { BROWSER_VARIABLE, findBrowser, installHelp, NONE } from './browser.ts';
import { BrowserRenderer, type Renderer } from './renderer.ts';

/** Why there are no pictures, and what to do. */
export const NO_BROWSER = `there is no browser: ${installHelp()}`;

/** Whether a run may do without a browser: by {@link NONE}, or as the demo. @see D-992 */
export function isBrowserOptional({ environment, options }: Run): boolean {
  return options.browserOptional === true || environment.env[BROWSER_VARIABLE] === NONE;
}

/** Replaces a renderer if there is no browser. */
export const WITHOUT_BROWSER: Renderer = {
  takePictures: () => Promise.reject(new ConverterError('BROWSER_MISSING', NO_BROWSER)),
  close: async () => {},
};

/** One renderer per run, so that a browser that does not start is tried once. */
const renderers = new WeakMap<Run, Renderer>();

/** Returns the renderer of a run; undefined without a browser. */
export async function rendererOf(run: Run): Promise<Renderer | undefined> {
  const { environment, options } = run;
  const browser = await findBrowser(environment.env, options.pipeline.cacheDir);
  if (browser === undefined) return undefined;
  const warn = (text: string) => environment.log.warn(text);
  const renderer = renderers.get(run) ?? new BrowserRenderer({ browser, givesUp: true, warn });
  renderers.set(run, renderer);
  return renderer;
}
