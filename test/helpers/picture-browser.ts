/** The browser of the tests: the one that the program would take here. */
import { fileURLToPath } from 'node:url';
import {
  BROWSER_VARIABLE,
  type FoundBrowser,
  findBrowser,
} from '../../src/deliver/pictures/browser.ts';
import { unpackBrowser } from '../../src/deliver/pictures/browser-package.ts';

/** The browser that npm brings stays there from run to run. */
const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));

/**
 * Once for all processes of a run of the tests: names the browser that the program would take here, which is unpacked
 * if npm brings it, for all tests and commands.
 */
export default async function setup(): Promise<void> {
  const found = await findBrowser(process.env, CACHE);
  if (found !== undefined)
    process.env[BROWSER_VARIABLE] = found.path ?? (await unpackBrowser(CACHE));
}

/** Whether a browser can be had: npm brings one for Linux only. */
export const HAS_BROWSER = (process.env[BROWSER_VARIABLE] ?? 'none') !== 'none';

/** Variables of commands: the browser of the tests, which no command has to unpack. */
export const BROWSER_ENVIRONMENT: Readonly<Record<string, string>> = HAS_BROWSER
  ? { [BROWSER_VARIABLE]: process.env[BROWSER_VARIABLE]! }
  : {};

/** The browser that the program uses for pictures here, if {@link HAS_BROWSER}. */
export async function pictureBrowser(): Promise<FoundBrowser> {
  return (await findBrowser(process.env, CACHE))!;
}
