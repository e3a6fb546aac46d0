/** Npm packages: those of `node_modules`, at the address that snippets name, so that a page under test needs no network. */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Page } from 'playwright-core';
import { PACKAGES } from '../../src/deliver/embed/decoders.ts';

const TYPES: Readonly<Record<string, string>> = { '.wasm': 'application/wasm' };

/** The later version that is here has this file under another name. */
const RENAMED: Readonly<Record<string, string>> = {
  'meshoptimizer/meshopt_decoder.js': 'meshoptimizer/meshopt_decoder.cjs',
};

/** Answers what a page asks of {@link PACKAGES}. */
export async function servePackages(page: Page): Promise<void> {
  await page.route(`${PACKAGES}**`, async (route) => {
    const named = route.request().url().slice(PACKAGES.length);
    const file = named.replace(/^(@?[^@]+)@[^/]+/, '$1');
    const place = new URL(`../../node_modules/${RENAMED[file] ?? file}`, import.meta.url);
    const contentType = TYPES[extname(file)] ?? 'text/javascript';
    const headers = { 'access-control-allow-origin': '*' };
    await route.fulfill({ body: await readFile(place), contentType, headers });
  });
}
