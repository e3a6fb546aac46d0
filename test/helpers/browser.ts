/**
 * Browser: a headless Chromium for tests: the machine's own where there is one, else the one that npm
 * brings along; and a page in it that is watched.
 */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type FoundBrowser, findBrowser, startBrowser } from '../../src/deliver/browser.ts';
import { openRenderer, type Renderer } from '../../src/deliver/renderer.ts';
import { GIVE_UP_MS } from './until.ts';

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

let shared: Promise<Browser> | undefined;
let renderer: Promise<Renderer> | undefined;

/** The browser that all tests of this process share; it ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= pictureBrowser().then(startBrowser);
  return shared;
}

/** Takes pictures in a browser of its own, which all tests of this process share; it ends with the process. */
export function sharedRenderer(): Promise<Renderer> {
  renderer ??= pictureBrowser().then((browser) =>
    openRenderer({ browser, pages: 1, timeoutMs: GIVE_UP_MS }),
  );
  return renderer;
}

/** A new page of the shared browser, in a context of its own. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await sharedBrowser()).newPage(options);
  page.setDefaultTimeout(GIVE_UP_MS);
  return page;
}

/** Closes all pages of the shared browser. */
export async function closePages(): Promise<void> {
  for (const context of (await shared)?.contexts() ?? []) await context.close();
}

/** A page, what went wrong in it, and the addresses of all that it asked for. */
interface WatchedPage {
  page: Page;
  /** Messages on the console, uncaught errors and dialogs: a page that works has none. */
  trouble: string[];
  asked: string[];
}

/** Watches a page from its first request on. */
export function watch(page: Page): WatchedPage {
  const trouble: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => asked.push(request.url()));
  return { page, trouble, asked };
}

/** Opens an address in a new page. */
export async function openWatched(
  address: string,
  options?: Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion'>,
): Promise<WatchedPage> {
  const watched = watch(await openPage(options));
  await watched.page.goto(address);
  return watched;
}
