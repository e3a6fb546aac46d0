/** Swatches of a pipeline: pictures of finishes that articles share. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserProcesses, startedSince } from '../helpers/browser-processes.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { deliveryLines, filesBelow } from '../helpers/output-folder.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Two desks of a series with the same oak. */
const DESKS = ['LN-M', 'LN-D160/80'].map((number) => ({
  article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: number },
}));

describe.runIf(HAS_BROWSER)('swatches of a pipeline', () => {
  let folder: string;
  let out: string;
  let pipeline: string;
  let before: ReturnType<typeof browserProcesses>;
  const write = (swatches: object, articles: object[] = DESKS) => {
    const service = { emulator: true };
    return writePipeline(folder, { service, articles, deliver: { swatches, gallery: true } });
  };
  beforeAll(async () => {
    folder = await temporaryFolder();
    out = join(folder, 'out');
    pipeline = await write({ width: 48, format: 'webp' });
    before = browserProcesses();
    const { exit, stdout } = await command(['run', pipeline]);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('swatches: 2 made')]);
    expect(stdout).not.toMatch(/swatches: .* of the GLBs/);
  });

  it('are drawn by a browser that ends with the run', async () => {
    await expect.poll(() => startedSince(before)).toEqual([]);
  });

  const lists = async () => {
    const lines = await deliveryLines(out);
    return Promise.all(
      lines.map(async ({ files: [list] }) => {
        const text = await readFile(join(out, list!.path), 'utf8');
        return JSON.parse(text) as { name: string; picture: string }[];
      }),
    );
  };

  it('list the materials of each article by name, with pictures that exist', async () => {
    const [first, second] = await lists();
    for (const list of [first!, second!]) {
      const names = list.map(({ name }) => name);
      expect(names.length).toBeGreaterThan(1);
      expect(names).toEqual(names.toSorted());
      for (const { picture } of list) {
        const { width, height, format } = await sharp(join(out, picture)).metadata();
        expect([width, height, format]).toEqual([48, 48, 'webp']);
      }
    }
    const oak = (list = first!) => list.find(({ name }) => name === 'FJEL::BASIS::EICHE')?.picture;
    expect(oak()).toBeDefined();
    expect(oak(second)).toBe(oak());
  });

  it('are each one file, beside which there are only the lists', async () => {
    const pictures = new Set((await lists()).flat().map(({ picture }) => picture));
    const files = await filesBelow(join(out, 'swatches'));
    const shared = files.filter((path) => path.includes('files/'));
    expect(shared).toHaveLength(pictures.size);
    expect(files.length - shared.length).toBe(2);
    expect(files.filter((path) => path.endsWith('/materials.json'))).toHaveLength(2);
  });

  it('come back from the cache without a browser, and are checked by verify', async () => {
    const files = await filesBelow(join(out, 'swatches'));
    await rm(join(out, 'swatches'), { recursive: true });
    expect(await command(['verify', pipeline])).toMatchObject({ exit: 1 });
    const env = { BTG2GLTF_BROWSER: 'none' };
    const again = await command(['deliver', pipeline], { env });
    expect([again.exit, again.stdout]).toEqual([0, expect.stringContaining('swatches: 2 made')]);
    expect(await filesBelow(join(out, 'swatches'))).toEqual(files);
    expect(await command(['verify', pipeline])).toMatchObject({ exit: 0 });
  });

  it('lose the pictures to which no list refers any more', async () => {
    await write({ width: 48, format: 'webp' }, DESKS.slice(0, 1));
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    const pictures = new Set((await lists()).flat().map(({ picture }) => picture));
    const files = await filesBelow(join(out, 'swatches'));
    expect(files.filter((path) => path.includes('files/'))).toHaveLength(pictures.size);
  });

  it('have shapes and sides within limits', async () => {
    for (const wrong of [{ shape: 'cube' }, { width: 0 }, { width: 4097 }, { background: 'red' }]) {
      const refused = await command(['run', await write(wrong), '--dry-run']);
      expect(refused.exit).toBe(2);
    }
  });
});
