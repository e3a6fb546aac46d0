/** Files of target profiles look like their masters. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../src/deliver/browser.ts';
import { takePictures } from '../../src/deliver/picture.ts';
import { PICTURE_DEFAULTS } from '../../src/deliver/picture-options.ts';
import { createProfileMaker } from '../../src/deliver/profile-maker.ts';
import { openRenderer, type Renderer } from '../../src/deliver/renderer.ts';
import { HAS_BROWSER } from '../helpers/browser.ts';
import { command, temporaryFolder } from '../helpers/command.ts';

const SIZE = 512;

/** Profiles that change what is drawn: smaller normal maps and WebP; moved and mirrored vertices. */
const CASES = [
  ['web', 'FJEL', 'DEPOT', 'DP-F2'],
  ['ar-android', 'BRNK', 'AKTA', 'AK110 N'],
] as const;

/** Mean structural similarity of two grey pictures, in windows of 8 × 8 (Wang et al. 2004). */
function similarity(a: Uint8Array, b: Uint8Array): number {
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
  let sum = 0;
  let windows = 0;
  for (let top = 0; top + 8 <= SIZE; top += 4) {
    for (let left = 0; left + 8 <= SIZE; left += 4) {
      let [sa, sb, saa, sbb, sab] = [0, 0, 0, 0, 0];
      for (let i = 0; i < 64; i++) {
        const at = (top + (i >> 3)) * SIZE + left + (i & 7);
        const [x, y] = [a[at]!, b[at]!];
        sa += x;
        sb += y;
        saa += x * x;
        sbb += y * y;
        sab += x * y;
      }
      const [ma, mb] = [sa / 64, sb / 64];
      const [va, vb, cov] = [saa / 64 - ma * ma, sbb / 64 - mb * mb, sab / 64 - ma * mb];
      sum += ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
      windows++;
    }
  }
  return sum / windows;
}

describe.runIf(HAS_BROWSER)('the picture of each profile', () => {
  let folder: string;
  let renderer: Renderer;
  beforeAll(async () => {
    folder = await temporaryFolder();
    renderer = openRenderer({
      browser: (await findBrowser(undefined, process.env.BTG2GLTF_BROWSER))!,
    });
  });
  afterAll(async () => {
    await renderer?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const greyOf = async (glb: Uint8Array) => {
    const options = { ...PICTURE_DEFAULTS, cameras: ['hero'] as const, width: SIZE, height: SIZE };
    const [picture] = await takePictures(renderer, glb, { ...options, format: 'png' });
    return new Uint8Array(await sharp(picture!.bytes).greyscale().raw().toBuffer());
  };

  it.each(CASES)('%s of %s %s %s is that of the master', async (name, ...numbers) => {
    const [manufacturer, program, number] = numbers;
    const file = join(folder, `${name}.glb`);
    const article = ['--manufacturer', manufacturer, '--program', program];
    const words = [...article, '--basearticlenumber', number, '--output', file];
    await command(['convert', '--emulator', ...words]);
    const master = new Uint8Array(await readFile(file));
    const [made] = await createProfileMaker(name).make(master, ['model.glb']);
    const alike = similarity(await greyOf(master), await greyOf(made!.bytes));
    expect(alike).toBeGreaterThanOrEqual(0.97);
  });
});
