/** Planning page: the emulator with the page that it serves, and pages of a browser that are watched. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { openPlanningSite } from '../../src/gateway/planning-site.ts';
import type { EmulatedRange } from '../../src/sample/range.ts';
import { createSampleRange } from '../../src/sample/sample-range.ts';
import { openWatched } from './browser.ts';

export const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
export const WORKPLACE = { ...DESK, basearticlenumber: 'LN-PLATZ 1' };

const DESKTOP = { width: 1280, height: 800 };

/** A page, and what went wrong in it. */
export interface OpenedPlanning {
  page: Page;
  trouble: string[];
  asked: string[];
}

/** The emulator with the page. */
export interface PlanningServer {
  emulator: Emulator;
  /** The address of a page with a token of its own. */
  address(parameters: Readonly<Record<string, string>>): string;
  open(
    browser: Browser,
    parameters: Readonly<Record<string, string>>,
    options?: Parameters<typeof openWatched>[2],
  ): Promise<OpenedPlanning>;
  close(): Promise<void>;
}

/** Starts it with the sample range, or with one that differs from it. */
export async function startPlanning(
  change: (range: EmulatedRange) => Partial<EmulatedRange> = () => ({}),
): Promise<PlanningServer> {
  const range = createSampleRange();
  const planningSite = openPlanningSite();
  const emulator = await startEmulator({ range: { ...range, ...change(range) }, planningSite });
  const address: PlanningServer['address'] = (parameters) => {
    const query = new URLSearchParams({ token: emulator.issueToken(), lang: 'en', ...parameters });
    return `${emulator.frontendUrl}/planning?${query}`;
  };
  return {
    emulator,
    address,
    async open(browser, parameters, options = { viewport: DESKTOP }) {
      const opened = await openWatched(browser, address(parameters), options);
      const { page, asked } = opened;
      return {
        page,
        asked,
        get trouble() {
          // The graphics of a processor speak of their own speed.
          return opened.trouble.filter((message) => !message.includes('GL Driver Message'));
        },
      };
    },
    close: () => emulator.close(),
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

/** Violations that axe-core finds, minor ones too, as `rule: first element`. */
export async function violations(page: Page): Promise<string[]> {
  const require = createRequire(import.meta.url);
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; nodes: { html: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

/**
 * A page of another origin with one frame; it keeps the messages that it receives.
 *
 * @param host - `127.0.0.1`: of the site of the frame. A browser may give a frame of another site no storage.
 */
export async function startParent(frame: (parentOrigin: string) => string, host = 'localhost') {
  const originOf = () => `http://${host}:${(server.address() as AddressInfo).port}`;
  const server = createServer((_, response) => {
    const source = frame(originOf()).replaceAll('&', '&amp;');
    response.setHeader('content-type', 'text/html').end(
      `<!doctype html><title>Shop</title><script>
      received = [];
      addEventListener('message', ({ data, origin }) => received.push({ ...data, origin }));
      </script><iframe title="Planning" src="${source}" width="1200" height="700"></iframe>`,
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: originOf(),
    close: () => new Promise((done) => server.close(done)),
  };
}
