import { mkdir, readdir, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openGallery, readGallery } from '../../../../src/deliver/gallery/publish-gallery.ts';
import { publishedIn } from '../../../../src/run/output/published.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';
import { writeOutput } from '../../../helpers/gallery-output.ts';
import { textOf } from '../../../helpers/object-stores.ts';
import { samples } from '../../../helpers/samples.ts';

const GLB = new TextEncoder().encode('glb');
const LOSS = { where: 'A::B::RED', field: 'refl', value: 0.6, done: 'dropped' };
const at = folderPerTest();

describe('the data of a gallery', () => {
  it('has texts and price of the catalogue, figures of the manifest, and the master before what was delivered', async () => {
    const delivered = [
      { delivery: 'pictures', name: 'hero.jpg', bytes: GLB },
      { delivery: 'ar-ios', name: 'model.usdz', bytes: GLB },
    ];
    await writeOutput(at(), [{ glb: GLB, delivered, entry: { shorttext: 'Big desk' } }]);
    const [item] = (await readGallery(at(), 'office')).items;
    expect(item).toMatchObject({
      ...{ number: 'D0', configuration: 'D0-F', name: 'Big desk', price: 100, triangles: 12 },
      sizeMillimetres: { width: 1600, depth: 800, height: 740 },
    });
    expect(item!.files.map(({ delivery, bytes }) => [delivery, bytes])).toEqual([
      ['master', 3],
      ['pictures', 3],
      ['ar-ios', 3],
    ]);
  });

  it('has each loss once, and none that is expected', async () => {
    const losses = [LOSS, { ...LOSS, field: 'amb', expected: true as const }, LOSS];
    await writeOutput(at(), [
      { glb: GLB, line: { losses } },
      { glb: GLB, line: { losses: [LOSS] } },
    ]);
    const data = await readGallery(at(), 'office');
    expect(data.losses).toEqual([['A::B::RED', 'refl', '0.6', 'dropped']]);
    expect(data.items.map((item) => item.losses)).toEqual([[0], [0]]);
  });

  it('has the last good GLB of a configuration that fails, with the reason; none of one without a GLB', async () => {
    const lastGood = { glb: 'articles/a/old.glb', sha256: '0'.repeat(64), bytes: 7 };
    const error = { code: 'BLOCK_INVALID', message: 'no' };
    const none = { glb: undefined, sha256: undefined } as object;
    await writeOutput(at(), [
      { glb: GLB, line: { ...none, status: 'failed', error, lastGood } },
      { glb: GLB, line: { ...none, status: 'failed', error } },
    ]);
    const { items } = await readGallery(at(), 'office');
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ error: 'BLOCK_INVALID: no', files: [{ bytes: 7 }] });
  });
});

describe('a gallery that is served', () => {
  it('reads the page and what it shows, and no other file of the folder', async () => {
    await writeOutput(at(), [{ glb: GLB }]);
    await writeFile(at('secret.glb'), 'secret');
    const { read, count } = await openGallery(publishedIn(at(), Date.now), 'office');
    expect(count).toBe(1);
    expect(textOf(await read('gallery/'))).toContain('Content-Security-Policy');
    expect(textOf(await read('gallery/articles.js'))).toContain('"title":"office"');
    expect(textOf(await read('articles/ACME/DESK/d0/0000000000000000.glb'))).toBe('glb');
    for (const path of ['secret.glb', 'manifest.jsonl', 'gallery/../secret.glb', '', '/'])
      expect(await read(path)).toBeUndefined();
    expect((await readdir(at())).includes('gallery')).toBe(false);
  });

  it('leads nowhere out of the folder, whatever the lists say', async () => {
    const out = at('out');
    await mkdir(out);
    await writeFile(at('secret'), 'secret');
    const part = fc.constantFrom('..', '.', '', 'a', '.cache', '..\\', 'C:', 'secret', '/');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const path = parts.join('/');
        await writeOutput(out, [
          { glb: GLB, delivered: [{ delivery: 'x', name: 'y', bytes: GLB, path }] },
        ]);
        const { items } = await readGallery(out, 'office');
        for (const { path } of items.flatMap(({ files }) => files))
          expect(path).toMatch(/^(?:[^./\\:][^/\\:]*\/)+[^./\\:][^/\\:]*$/);
        const { read } = await openGallery(publishedIn(out, Date.now));
        expect(await read('../secret')).toBeUndefined();
        expect(textOf(await read(path))).not.toBe('secret');
      }),
      { numRuns: samples(60) },
    );
  });

  it('needs a manifest', async () => {
    await expect(openGallery(publishedIn(at('none'), Date.now))).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});
