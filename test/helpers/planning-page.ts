/** Planning page: the emulator with the page that it serves, and pages of a browser that are watched. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { openPlanningSite } from '../../src/web/servers/planning-site.ts';
import { openPage, type WatchedPage, watch } from './browser.ts';
import { closedGate } from './until.ts';

export const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
export const WORKPLACE = { ...DESK, basearticlenumber: 'LN-PLATZ 1' };

const DESKTOP = { width: 1280, height: 800 };

/** The emulator with the page. */
export interface PlanningServer {
  emulator: Emulator;
  /** The address of a page with a token of its own. */
  address(parameters: Readonly<Record<string, string>>): string;
  open(
    parameters: Readonly<Record<string, string>>,
    options?: BrowserContextOptions & {
      /** Prepares the page before it loads anything, such as {@link withoutView}. */
      prepare?: (page: Page) => Promise<unknown>;
    },
  ): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** Its files are compressed once for all servers. */
const SITE = openPlanningSite();
/** A program of the view that finds no graphics. */
const NO_VIEW = 'export function openView() { throw new Error("there are no graphics"); }';
const WITHOUT_GRAPHICS = 'graphics=none';

/** Starts it with the sample range, or with one that differs from it. */
export async function startPlanning(
  change: (range: EmulatedRange) => Partial<EmulatedRange> = () => ({}),
  site = SITE,
): Promise<PlanningServer> {
  const range = createSampleRange();
  const emulator = await startEmulator({
    range: { ...range, ...change(range) },
    planningSite: async (request) =>
      request.name === 'view.js' && request.headers.cookie === WITHOUT_GRAPHICS
        ? { status: 200, headers: { 'content-type': 'text/javascript' }, body: NO_VIEW }
        : site(request),
  });
  const address: PlanningServer['address'] = (parameters) => {
    const query = new URLSearchParams({ token: emulator.issueToken(), lang: 'en', ...parameters });
    return `${emulator.frontendUrl}/planning?${query}`;
  };
  return {
    emulator,
    address,
    async open(parameters, { prepare, ...options } = {}) {
      const opened = watch(await openPage({ viewport: DESKTOP, ...options }));
      await prepare?.(opened.page);
      await opened.page.goto(address(parameters));
      return opened;
    },
    close: () => emulator.close(),
  };
}

/** The page is that of a device without 3D graphics: what a test has no use for takes most of the time. */
export function withoutView(page: Page): Promise<unknown> {
  return page.route('**/view.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: NO_VIEW }),
  );
}

/**
 * As {@link withoutView}, of a page of {@link startPlanning}. Its server gives the other program: a browser whose
 * requests pass through a test keeps no file, and needs a fifth more for a page.
 */
export function withoutGraphics(page: Page): Promise<unknown> {
  const [name, value] = WITHOUT_GRAPHICS.split('=') as [string, string];
  return page.context().addCookies([{ name, value, domain: '127.0.0.1', path: '/' }]);
}

/** Holds all requests of a kind until they are released; one that was cancelled meanwhile is gone. */
export async function hold(page: Page, url: RegExp) {
  const [gate, arrived] = [closedGate(), closedGate()];
  const wait = async (route: Route) => {
    arrived.open();
    await gate.opened;
    await route.fallback().catch(() => undefined);
  };
  await page.route(url, wait);
  return {
    arrived: arrived.opened,
    async release() {
      gate.open();
      await page.unroute(url, wait);
    },
  };
}

/** Waits for the model to be there. */
export async function modelOf(page: Page): Promise<string> {
  return page.locator('.facts p').first().innerText();
}

/** The value of a radio group or field that is chosen. */
export async function choose(page: Page, property: string, value: string): Promise<void> {
  await page
    .getByRole('group', { name: property })
    .getByRole('radio', { name: value, exact: true })
    .check();
}

/** The rules of axe-core that depend on colours. */
const OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/**
 * Violations that axe-core finds, minor ones too, as `rule: first element`.
 *
 * @param rules - `colour`: of a page that was looked at in another colour scheme, where all other rules find the same.
 */
export async function violations(page: Page, rules?: 'colour'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    const require = createRequire(import.meta.url);
    await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  }
  // Of what keeps to a rule only the first element is described.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: OF_COLOUR }) };
  return page.evaluate(async (options) => {
    type Violation = { id: string; nodes: { html: string }[] };
    type Axe = { run(options: object): Promise<{ violations: Violation[] }> };
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }, options);
}
