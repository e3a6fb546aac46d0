import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { galleryDataFile, galleryDetailsFile } from '../../../../src/deliver/gallery/gallery.ts';
import {
  galleryFiles,
  openGallery,
  scriptOf as scriptName,
} from '../../../../src/deliver/gallery/publish-gallery.ts';
import { readGallery } from '../../../../src/deliver/gallery/read-gallery.ts';
import { publishedIn } from '../../../../src/run/output/published.ts';
import { sha256Hex } from '../../../../src/support/files.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';
import { writeOutput } from '../../../helpers/gallery-output.ts';
import { textOf } from '../../../helpers/object-stores.ts';
import { samples } from '../../../helpers/samples.ts';

const GLB = new TextEncoder().encode('glb');
const LOSS = { where: 'A::B::RED', field: 'refl', value: 0.6, done: 'dropped' };
const at = folderPerTest();
const FILES = { read: () => Promise.resolve(undefined) };
/** All configurations with their details. */
const detailsOf = async (folder: string) => {
  const { parts } = await readGallery(folder, 'office', FILES);
  return parts.flatMap(({ configurations }) => configurations);
};

describe('the data of a gallery', () => {
  it('has texts and price of the catalogue, figures of the manifest, and the master before what was delivered', async () => {
    const delivered = [
      { delivery: 'pictures', name: 'hero.jpg', bytes: GLB },
      { delivery: 'ar-ios', name: 'model.usdz', bytes: GLB },
    ];
    await writeOutput(at(), [{ glb: GLB, delivered, entry: { shorttext: 'Big desk' } }]);
    const [item] = await detailsOf(at());
    expect(item).toMatchObject({
      ...{ number: 'D0-F', name: 'Big desk', price: 100, triangles: 12 },
      size: [1600, 800, 740],
    });
    expect(item!.files.map(({ delivery, bytes }) => [delivery, bytes])).toEqual([
      ['master', 3],
      ['pictures', 3],
      ['ar-ios', 3],
    ]);
  });

  it('has sizes as they were ordered, and without such a property those of the model', async () => {
    const depth = { class: 'SIZE', name: 'TIEFE', text: 'Depth in mm', value: '800' };
    const sizeMillimetres = { width: 1600, depth: 802.4, height: 740 };
    const entry = { sizeMillimetres, properties: [{ ...depth, valueText: '800' }] };
    await writeOutput(at(), [{ glb: GLB, entry }]);
    const { data } = await readGallery(at(), 'office', FILES);
    const listed = data.articles.flatMap(({ configurations }) => configurations);
    for (const { size } of [...listed, ...(await detailsOf(at()))])
      expect(size).toEqual([1600, 800, 740]);
  });

  it('has each loss once, and none that is expected', async () => {
    const losses = [LOSS, { ...LOSS, field: 'amb', expected: true as const }, LOSS];
    await writeOutput(at(), [
      { glb: GLB, line: { losses } },
      { glb: GLB, line: { losses: [LOSS] } },
    ]);
    const { parts } = await readGallery(at(), 'office', FILES);
    expect(parts.map(({ losses }) => losses)).toEqual([[['A::B::RED', 'refl', '0.6', 'dropped']]]);
    expect((await detailsOf(at())).map((item) => item.losses)).toEqual([[0], [0]]);
  });

  it('has the last good GLB of a configuration that fails, with the reason; none of one without a GLB', async () => {
    const lastGood = { glb: 'articles/a/old.glb', sha256: '0'.repeat(64), bytes: 7 };
    const error = { code: 'BLOCK_INVALID', message: 'no' };
    const none = { glb: undefined, sha256: undefined } as object;
    await writeOutput(at(), [
      { glb: GLB, line: { ...none, status: 'failed', error, lastGood } },
      { glb: GLB, line: { ...none, status: 'failed', error } },
    ]);
    const items = await detailsOf(at());
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ error: 'BLOCK_INVALID: no', files: [{ bytes: 7 }] });
  });
});

describe('an article of the gallery', () => {
  it('has all its configurations, the names of its series, and the finishes in which they differ', async () => {
    const line = { basearticlenumber: 'DESK' };
    const swatch = (digit: string) => `swatches/files/${digit.repeat(64)}.jpg`;
    const article = (finish: string) => {
      const materials = ['0', finish].map((digit) => ({ name: digit, picture: swatch(digit) }));
      const bytes = new TextEncoder().encode(JSON.stringify(materials));
      const delivered = [{ delivery: 'swatches', name: 'materials.json', bytes }];
      return { glb: GLB, line, delivered, entry: { manufacturername: 'Acme Ltd.' } };
    };
    await writeOutput(at(), [article('1'), article('2'), { glb: GLB }]);
    const { data } = await readGallery(at(), 'office', {
      read: (path) => readFile(at(path)),
    });
    expect(data.articles.map(({ configurations }) => configurations.length)).toEqual([2, 1]);
    expect(data.articles[0]).toMatchObject({
      ...{ manufacturerName: 'Acme Ltd.', programName: 'DESK', number: 'DESK' },
      swatches: [swatch('1'), swatch('2')],
    });
  });

  it('is in one of several files with details, of which another article changes only its own', async () => {
    const articles = Array.from({ length: 200 }, (_, i) => ({
      glb: GLB,
      line: { basearticlenumber: `D${i % 100}` },
    }));
    await writeOutput(at(), articles);
    const before = await readGallery(at(), 'office', FILES);
    expect(before.parts.length).toBe(4);
    for (const { part, configurations } of before.data.articles) {
      const ids = before.parts[part]!.configurations.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(configurations.map(({ id }) => id)));
    }
    await writeOutput(at(), articles.slice(0, 199));
    const after = await readGallery(at(), 'office', FILES);
    const same = after.parts.filter((part, i) => isDeepStrictEqual(part, before.parts[i]));
    expect(same).toHaveLength(3);
  });
});

describe('the files of a gallery', () => {
  const partsOf = async () => (await galleryFiles(at())).filter((file) => /details/.test(file));

  it('are as many files with details as its data says; at least one', async () => {
    const data = { title: 'office', hasContactSheet: false, texts: [], articles: [] };
    await mkdir(at('gallery'));
    await writeFile(at('gallery/articles.js'), galleryDataFile({ ...data, parts: 3 }));
    expect(await partsOf()).toEqual([0, 1, 2].map((part) => `gallery/details-${part}.js`));
    for (const damaged of ['', 'globalThis.galleryData = {', 'globalThis.galleryData = {};\n']) {
      await writeFile(at('gallery/articles.js'), damaged);
      expect(await partsOf()).toEqual(['gallery/details-0.js']);
    }
  });

  it('are also the models that its details embed, and their light', async () => {
    const finish = { glb: GLB, entry: { shorttext: '"script":"model-0123456789abcdef.js"' } };
    await writeOutput(at(), [finish, { glb: GLB }]);
    await mkdir(at('gallery'));
    const embeddedBy = async (scriptOf?: typeof scriptName) => {
      const { parts } = await readGallery(at(), 'office', { ...FILES, scriptOf });
      await writeFile(at('gallery/details-0.js'), galleryDetailsFile(0, parts[0]!));
      return (await galleryFiles(at())).filter((file) => /(?:model-.*|studio)\.js$/.test(file));
    };
    expect(await embeddedBy()).toEqual([]);
    const script = scriptName(sha256Hex(GLB));
    expect(await embeddedBy(scriptName)).toEqual([`gallery/${script}`, 'gallery/studio.js']);
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
    expect(textOf(await read('gallery/details-0.js'))).toContain('"number":"D0-F"');
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
        const items = await detailsOf(out);
        for (const { path } of items.flatMap(({ files }) => files))
          expect(path).toMatch(/^(?:[^./\\:][^/\\:]*\/)+[^./\\:][^/\\:]*$/);
        const { read } = await openGallery(publishedIn(out, Date.now));
        expect(await read('../secret')).toBeUndefined();
        expect(textOf(await read(path))).not.toBe('secret');
      }),
      { numRuns: samples(32) },
    );
  });

  it('needs a manifest', async () => {
    await expect(openGallery(publishedIn(at('none'), Date.now))).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});
