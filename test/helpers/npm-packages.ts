/** Npm packages: those of `node_modules`, at the address that snippets name, so that a page under test needs no network. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import type { Page } from 'playwright-core';
import { PACKAGES } from '../../src/deliver/embed/decoders.ts';
import { listening } from './listening.ts';

const TYPES: Readonly<Record<string, string>> = { '.wasm': 'application/wasm' };

/** The later version that is here has this file under another name. */
const RENAMED: Readonly<Record<string, string>> = {
  'meshoptimizer/meshopt_decoder.js': 'meshoptimizer/meshopt_decoder.cjs',
};

/** Answers what a page asks of {@link PACKAGES}. */
export async function servePackages(page: Page): Promise<void> {
  await page.route(`${PACKAGES}**`, async (route) => {
    const { body, contentType } = await packageFile(route.request().url().slice(PACKAGES.length));
    await route.fulfill({ body, contentType, headers: ANY_PAGE });
  });
}

/** Serves the packages on this machine, for browsers whose requests cannot be answered by the test. */
export async function openPackageServer(): Promise<{ address: string; close(): Promise<void> }> {
  const server = createServer(async ({ url }, response) => {
    const file = await packageFile(decodeURIComponent(url!.slice(1))).catch(() => undefined);
    response.writeHead(file ? 200 : 404, { ...ANY_PAGE, 'content-type': file?.contentType ?? '' });
    response.end(file?.body);
  });
  const { origin, close } = await listening(server);
  return { address: `${origin}/`, close };
}

const ANY_PAGE = { 'access-control-allow-origin': '*' };

/** @param named - Such as `three@0.187.0/build/three.module.js`. */
async function packageFile(named: string) {
  const file = named.replace(/^(@?[^@]+)@[^/]+/, '$1');
  const place = new URL(`../../node_modules/${RENAMED[file] ?? file}`, import.meta.url);
  return { body: await readFile(place), contentType: TYPES[extname(file)] ?? 'text/javascript' };
}
