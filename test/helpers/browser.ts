/** Browser: the browser of the tests, and a page in it that is watched. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { pictureBrowser } from './picture-browser.ts';

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

/** Launches a browser, not as for pictures: its graphics are not those of the processor. */
export async function launchBrowser(): Promise<Browser> {
  const { path } = await pictureBrowser();
  return chromium.launch({ executablePath: path!, args: QUIET });
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
