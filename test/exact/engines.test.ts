/**
 * Engines: the elementary functions have the same bits on every one, and so have the files. Other Node
 * versions come from npm, at run time and only with `BTG2GLTF_TEST_LONG=1`; without a registry they are skipped.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import * as elementary from '../../src/support/elementary.ts';
import { openPage } from '../helpers/browser.ts';
import { writePipeline } from '../helpers/command.ts';
import { installNode, newestMajors } from '../helpers/other-nodes.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { HAS_RECORDING, RECORDING, trueConfigurations } from './truth.ts';

const run = promisify(execFile);

const BUILT = fileURLToPath(new URL('../../dist/support/elementary.js', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const DEMO_LIST = fileURLToPath(
  new URL('../../pipelines/demo-configurations.csv', import.meta.url),
);

const VALUES = 10_000;
/** SHA-256 of what {@link bitsOf} returns, on every engine. */
const DIGEST = 'cdedf7e8d41b118b14be9de572db70c91d20002eaac2212e5980c8182d016928';
/** npm offers these for Linux only. */
const OTHER_NODES =
  IS_LONG && process.platform === 'linux' && process.arch === 'x64' ? await newestMajors() : [];

/** Every function at random values, as hex digits of the doubles. It runs in each engine: it uses nothing outside. */
function bitsOf(own: typeof elementary, count: number): string {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const out = new DataView(new ArrayBuffer(8));
  const hex: string[] = [];
  for (let i = 0; i < count; i++) {
    const [small, angle] = [2 * random() - 1, (random() - 0.5) * Number(`1e${i % 9}`)];
    const [base, exponent] = [random() * Number(`1e${i % 4}`), 6 * random() - 3];
    const values = [
      ...[own.sin(angle), own.cos(angle), own.tan(angle), own.acos(small), own.exp(20 * small)],
      ...[own.pow(base, exponent), own.pow(base, 2.4), own.square(angle)],
      own.hypot(small, angle, base),
    ];
    for (const value of values) {
      out.setFloat64(0, value);
      hex.push(out.getBigUint64(0).toString(16));
    }
  }
  return hex.join();
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

describe(`${VALUES} random values have the recorded bits`, () => {
  test(`on Node ${process.versions.node}`, () => {
    expect(sha256(bitsOf(elementary, VALUES))).toBe(DIGEST);
  });

  test.runIf(HAS_BROWSER)('in Chromium', async () => {
    const code = Buffer.from(await readFile(BUILT)).toString('base64');
    const page = await openPage();
    try {
      const bits = await page.evaluate<string>(
        `import('data:text/javascript;base64,${code}').then((own) => (${bitsOf})(own, ${VALUES}))`,
      );
      expect(sha256(bits)).toBe(DIGEST);
    } finally {
      await page.close();
    }
  });
});

describe.skipIf(OTHER_NODES.length === 0)('other versions of Node', () => {
  let folder: string;
  /** The program of each version, this one first. */
  const nodes = [process.execPath];
  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const major of OTHER_NODES) nodes.push(await installNode(folder, major));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('have the recorded bits', async () => {
    const script = `import * as own from ${JSON.stringify(BUILT)}; console.log((${bitsOf})(own, ${VALUES}))`;
    for (const node of nodes) {
      const words = ['--input-type=module', '--eval', script];
      const { stdout } = await run(node, words, { maxBuffer: 2 ** 26 });
      expect(sha256(stdout.trim())).toBe(DIGEST);
    }
  });

  test('write the same files of the sample range', async () => {
    await compareFiles({ emulator: true }, [{ catalogue: {} }, { list: DEMO_LIST }]);
  });

  test.runIf(HAS_RECORDING)('write the same files of real furniture', async () => {
    const keys = trueConfigurations().map(({ key }) => ({ article: key }));
    await compareFiles({ recording: RECORDING }, keys);
  });

  /** Runs the built program on each version; each has a cache of its own, and draws the textures itself. */
  async function compareFiles(service: object, articles: object[]): Promise<void> {
    const written: Record<string, string>[] = [];
    for (const node of nodes) {
      const home = await temporaryFolder();
      const pipeline = await writePipeline(home, { service, articles });
      await run(node, [PROGRAM, 'run', pipeline], { maxBuffer: 2 ** 26 });
      const lines = await readManifest(join(home, 'out'));
      written.push(Object.fromEntries(lines.map(({ glb, sha256 }) => [glb, sha256])));
      await rm(home, { recursive: true });
    }
    expect(Object.keys(written[0]!).length).toBeGreaterThan(0);
    for (const files of written) expect(files).toEqual(written[0]);
  }
});
