/// <reference lib="dom" />
/** Browser: the browser of the tests, and a page in it that is watched. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { loadPlaywright } from '../../src/deliver/pictures/browser.ts';
import {
  BrowserRenderer,
  type Renderer,
  shareRenderer,
} from '../../src/deliver/pictures/renderer.ts';
import { HAS_BROWSER, pictureBrowser } from './picture-browser.ts';
import { temporaryFolder } from './temporary.ts';
import { GIVE_UP_MS } from './until.ts';

/** A page under test is the only thing that may ask for anything. */
const QUIET = [
  ...['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** 3D views have the graphics of the processor; all else of a page is drawn without graphics, for a third of the time. */
const GRAPHICS = [
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--disable-gpu-compositing',
];

async function launch(args: readonly string[]): Promise<Browser> {
  const { path } = await pictureBrowser();
  const folder = await temporaryFolder();
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
  const options = { executablePath: path!, args: [...QUIET, ...args], env };
  return loadPlaywright().chromium.launch({ ...options, timeout: GIVE_UP_MS });
}

let shared: Promise<Browser> | undefined;
let renderer: Promise<Renderer> | undefined;

/** The browser that all tests of this process share; it ends with the process. */
function sharedBrowser(): Promise<Browser> {
  shared ??= launch(GRAPHICS);
  return shared;
}

/** Takes pictures in a browser of its own, which all tests of this process share; it ends with the process. */
export function sharedRenderer(): Promise<Renderer> {
  renderer ??= pictureBrowser().then(
    (browser) => new BrowserRenderer({ browser, pages: 1, timeoutMs: GIVE_UP_MS, now: Date.now }),
  );
  return renderer;
}

/** Lets the commands of all tests of a file take their pictures with {@link sharedRenderer}: its browser starts once. */
export function shareBrowser(): void {
  let end: (() => void) | undefined;
  beforeAll(async () => {
    if (HAS_BROWSER) end = shareRenderer(await pictureBrowser(), await sharedRenderer());
  });
  afterAll(() => end?.());
}

/**
 * A new page of the shared browser, in a context of its own. It is laid out as on any screen, and drawn with a quarter of
 * the pixels: the processor draws them.
 */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await sharedBrowser()).newPage({ deviceScaleFactor: 0.5, ...options });
  // Sooner than the test, so that a failure names what it waited for.
  page.setDefaultTimeout(GIVE_UP_MS / 2);
  return page;
}

/** Closes all pages of the shared browser. */
export async function closePages(): Promise<void> {
  for (const context of (await shared)?.contexts() ?? []) await context.close();
}

/** A page, what went wrong in it, and the addresses of all that it asked for. */
export interface WatchedPage {
  page: Page;
  /** Messages on the console, uncaught errors and dialogs: a page that works has none. */
  trouble: string[];
  asked: string[];
}

/** What the graphics of a processor say of their speed, and model-viewer of a page that is drawn slowly. */
const OF_SPEED = /GL Driver Message|^rAF timed out/;

/** Watches a page from its first request on. */
export function watch(page: Page): WatchedPage {
  const trouble: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => {
    if (!OF_SPEED.test(message.text())) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => asked.push(request.url()));
  return { page, trouble, asked };
}

/** Lets a page load models and draw none of them, which takes most of the time, for tests that look at no pixel. */
export async function withoutDrawing(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { prototype } = WebGL2RenderingContext;
    for (const draw of ['drawArrays', 'drawElements', 'drawElementsInstanced'] as const)
      prototype[draw] = () => {};
  });
}

/** Opens an address in a new page. */
export async function openWatched(
  address: string,
  options?: Pick<
    BrowserContextOptions,
    'viewport' | 'deviceScaleFactor' | 'colorScheme' | 'reducedMotion'
  >,
): Promise<WatchedPage> {
  const watched = watch(await openPage(options));
  await watched.page.goto(address);
  return watched;
}
