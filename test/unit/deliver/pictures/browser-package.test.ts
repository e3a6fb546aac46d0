/// <reference lib="dom" />
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BROWSER_VARIABLE,
  endBrowser,
  findBrowser,
  startBrowser,
} from '../../../../src/deliver/pictures/browser.ts';
import {
  BROWSER_PACKAGE,
  unpackBrowser,
} from '../../../../src/deliver/pictures/browser-package.ts';
import { hasEnded } from '../../../../src/support/file-operations.ts';
import { startChild } from '../../../helpers/child.ts';
import { plainGlb } from '../../../helpers/plain-glb.ts';
import { descendantsOf } from '../../../helpers/process-memory.ts';
import { IS_LONG } from '../../../helpers/samples.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';
import { until } from '../../../helpers/until.ts';

describe.runIf(process.platform === 'linux')('the browser of the npm package', () => {
  let home: string;
  let cacheDir: string;
  let program: string;

  /** The only unpacked browser. */
  const folder = async () => {
    const [name, ...others] = await readdir(join(cacheDir, 'browser'));
    expect(others).toEqual([]);
    return join(cacheDir, 'browser', name!);
  };
  /** What a process does that has not looked at the folder yet: the name is another one. */
  let looks = 0;
  const unpackAgain = () => unpackBrowser(cacheDir + '/.'.repeat(++looks));

  beforeAll(async () => {
    home = await temporaryFolder();
    cacheDir = join(home, 'btg2gltf');
    await writeFile(join(home, 'a.glb'), plainGlb({ triangles: 2 }));
    const env = { XDG_CACHE_HOME: home, BTG2GLTF_BROWSER: BROWSER_PACKAGE };
    const killed = startChild(['render', join(home, 'a.glb')], env);
    await until(async () => {
      const [own] = await readdir(join(cacheDir, 'browser'));
      return (await stat(join(cacheDir, 'browser', own!, 'packed', 'chromium'))).size > 1_000_000;
    });
    const started = descendantsOf(killed.pid);
    killed.kill('SIGKILL');
    await killed.ended;
    // What it has started writes for a moment longer.
    await until(() => started.every(hasEnded));
    expect(await readdir(join(cacheDir, 'browser'))).toEqual([expect.stringMatching(/^\./)]);
    program = normalize(await unpackAgain());
  });
  afterAll(() => rm(home, { recursive: true }));

  it('is unpacked once, although a process was killed as it did that', async () => {
    expect(program).toBe(join(await folder(), 'start'));
    expect((await stat(await folder())).mode & 0o777).toBe(0o700);
    const { uid } = await stat(home);
    expect((await stat(join(await folder(), 'chromium'))).uid).toBe(uid);
  });

  it('starts with its own libraries and fonts, which no other program has', async () => {
    const before = { ...process.env };
    const browser = await startBrowser((await findBrowser({}, cacheDir, program))!);
    const page = await browser.newPage();
    await page.setContent('<span>text</span>');
    const width = await page.evaluate(() => document.querySelector('span')!.offsetWidth);
    expect(width).toBeGreaterThan(0);
    await endBrowser(browser);
    expect(process.env).toEqual(before);
  });

  // 210 MB each.
  it.runIf(IS_LONG)('is unpacked once where two processes begin at the same time', async () => {
    await rm(await folder(), { recursive: true });
    const both = await Promise.all([unpackAgain(), unpackAgain()]);
    expect(both.map((path) => normalize(path))).toEqual([program, program]);
    expect(await folder()).toBe(join(program, '..'));
  });

  it.runIf(IS_LONG)('is unpacked again where a file is damaged or missing', async () => {
    const path = join(await folder(), 'libvulkan.so.1');
    const whole = await readFile(path);
    const damages = [
      () => writeFile(path, Buffer.from(whole).fill(1, 5000, 5001)),
      () => rm(join(path, '../files.json')),
    ];
    for (const damage of damages) {
      await damage();
      await unpackAgain();
      expect((await readFile(path)).equals(whole)).toBe(true);
    }
    expect(await folder()).toBe(join(program, '..'));
  });

  it('is not started where others may write: the message names the folder', async () => {
    const path = await folder();
    await chmod(path, 0o777);
    await expect(unpackAgain()).rejects.toMatchObject({
      code: 'BROWSER_MISSING',
      message: expect.stringContaining(`${basename(path)}: expected a folder of this user alone`),
    });
  });

  it('is chosen by its name, although another browser may be installed', async () => {
    const found = await findBrowser({ [BROWSER_VARIABLE]: BROWSER_PACKAGE }, cacheDir);
    expect(found).toEqual({ path: undefined, from: BROWSER_PACKAGE, cacheDir });
  });
});
