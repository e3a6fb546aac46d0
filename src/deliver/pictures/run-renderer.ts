/** The browser of a run: one renderer, which starts with the first picture. */
import type { Run } from '../../run/open/open-run.ts';
import { ConverterError } from '../../support/errors.ts';
import type { Maker } from '../making/maker.ts';
import { BROWSER_VARIABLE, findBrowser, installHelp, NONE } from './browser.ts';
import type { PictureOptions } from './picture-options.ts';
import { createPictureMaker } from './pictures.ts';
import { BrowserRenderer, type Renderer } from './renderer.ts';

/** Why there are no pictures, and what to do. */
export const NO_BROWSER = `there is no browser: ${installHelp()}`;

/** Whether a run may do without a browser: by {@link NONE}, or as the demo. @see D-992 */
export function isBrowserOptional({ environment, options }: Run): boolean {
  return options.browserOptional === true || environment.env[BROWSER_VARIABLE] === NONE;
}

/** Whether a run has a browser, which may not start. */
export const hasBrowser = async (run: Run) => (await browserOf(run)) !== undefined;

const browserOf = ({ environment, options }: Run) =>
  findBrowser(undefined, environment.env[BROWSER_VARIABLE], options.pipeline.cacheDir);

/** Opens the maker of pictures: without a browser it throws `BROWSER_MISSING` for each. */
export async function openPictureMaker(wanted: PictureOptions, run: Run): Promise<Maker> {
  return createPictureMaker((await rendererOf(run)) ?? WITHOUT_BROWSER, wanted);
}

const WITHOUT_BROWSER: Renderer = {
  takePictures: () => Promise.reject(new ConverterError('BROWSER_MISSING', NO_BROWSER)),
  close: async () => {},
};

/** Of each run one, so that a browser that does not start is tried once. */
const renderers = new WeakMap<Run, Renderer>();

/** Returns the renderer of a run; undefined without a browser. */
export async function rendererOf(run: Run): Promise<Renderer | undefined> {
  const browser = await browserOf(run);
  if (browser === undefined) return undefined;
  const warn = (text: string) => run.environment.log.warn(text);
  const renderer = renderers.get(run) ?? new BrowserRenderer({ browser, givesUp: true, warn });
  renderers.set(run, renderer);
  return renderer;
}
