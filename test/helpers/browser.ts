/**
 * Browser: a headless Chromium for tests: the machine's own where there is one, else the one that npm
 * brings along; and a page in it that is watched.
 */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type FoundBrowser, findBrowser } from '../../src/deliver/browser.ts';

const OWN = '/usr/bin/chromium';

/** A page under test is the only thing that may ask for anything. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether a browser can be had: npm brings one for Linux only. */
export const HAS_BROWSER = process.platform === 'linux' || existsSync(OWN);

/** Launches a browser; `BTG2GLTF_TEST_BROWSER=npm` takes the one of npm in any case. */
export async function launchBrowser(): Promise<Browser> {
  if (existsSync(OWN) && process.env.BTG2GLTF_TEST_BROWSER !== 'npm')
    return chromium.launch({ executablePath: OWN, args: QUIET });
  // It unpacks the libraries that a bare machine lacks (libnss3 and its like) only where it takes the
  // machine for the one that it was made for.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs20.x';
  const { default: packed } = await import('@sparticuz/chromium');
  // Not with its own arguments: they loosen what a page may do.
  return chromium.launch({ executablePath: await packed.executablePath(), args: QUIET });
}

/** The browser that the program uses for pictures here, if {@link HAS_BROWSER}. */
export async function pictureBrowser(): Promise<FoundBrowser> {
  return (await findBrowser(undefined, process.env.BTG2GLTF_BROWSER))!;
}

/** A page, what went wrong in it, and the addresses of all that it asked for. */
interface WatchedPage {
  page: Page;
  /** Messages on the console, uncaught errors and dialogs: a page that works has none. */
  trouble: string[];
  asked: string[];
}

/** Opens an address in a new page, which is watched from its first request on. */
export async function openWatched(
  browser: Browser,
  address: string,
  {
    script,
    ...options
  }: Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion'> & {
    /** Runs in the page before its own programs. */
    script?: () => void;
  },
): Promise<WatchedPage> {
  const page = await browser.newPage(options);
  if (script !== undefined) await page.addInitScript(script);
  const trouble: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(address);
  return { page, trouble, asked };
}
