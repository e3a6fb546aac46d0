/**
 * Browser: a headless Chromium for tests: the machine's own where there is one, else the one that npm
 * brings along.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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
