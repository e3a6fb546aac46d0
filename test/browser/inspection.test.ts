/// <reference lib="dom" />
/**
 * The page of `inspect --html` in a real browser, from a disk: what it shows of a model whose names are hostile.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Document, NodeIO } from '@gltf-transform/core';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { closePages, openWatched } from '../helpers/browser.ts';
import { command } from '../helpers/command.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { violations } from '../helpers/planning-page.ts';
import { HOSTILE } from '../helpers/reports.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** A square of 1 m for each hostile name, which its node, mesh, material and texture have. */
async function hostileModel(): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const create = { width: 64, height: 64, channels: 3, background: '#c02020' } as const;
  const scene = document.createScene();
  const image = await sharp({ create }).png().toBuffer();
  for (const [at, name] of HOSTILE.entries()) {
    const own = Buffer.concat([image, Buffer.from([at])]);
    const texture = document.createTexture(name).setImage(own).setMimeType('image/png');
    const list = (type: 'VEC2' | 'VEC3', values: number[]) =>
      document.createAccessor().setType(type).setArray(new Float32Array(values)).setBuffer(buffer);
    const primitive = document
      .createPrimitive()
      .setAttribute('POSITION', list('VEC3', [at, 0, 0, at + 1, 0, 0, at + 1, 1, 0]))
      .setAttribute('TEXCOORD_0', list('VEC2', [0, 0, 1, 0, 1, 1]))
      .setMaterial(document.createMaterial(name).setBaseColorTexture(texture));
    const mesh = document.createMesh(name).addPrimitive(primitive);
    scene.addChild(document.createNode(name).setMesh(mesh));
  }
  return new NodeIO().writeBinary(document);
}

describe.runIf(HAS_BROWSER)('the page of a model', () => {
  let folder: string;
  let page: Page;
  let trouble: string[];
  let asked: string[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const model = join(folder, 'model.glb');
    await writeFile(model, await hostileModel());
    const { exit, stdout } = await command(['inspect', model, '--html']);
    const file = join(folder, 'model-inspection.html');
    expect([exit, stdout]).toEqual([0, expect.stringContaining(`${file}: `)]);
    const viewport = { width: 1000, height: 700 };
    ({ page, trouble, asked } = await openWatched(pathToFileURL(file).href, { viewport }));
    await page.locator('#loading').waitFor({ state: 'detached' });
  });
  afterAll(closePages);
  afterEach(() => {
    expect(trouble).toEqual([]);
    const file = pathToFileURL(join(folder, 'model-inspection.html')).href;
    expect(asked.filter((url) => !/^(?:data|blob):/.test(url) && url !== file)).toEqual([]);
  });

  const rowsOf = (id: string) => page.locator(`#${id} tbody tr`);

  test('names of the model are text', async () => {
    for (const id of ['parts', 'materials', 'textures', 'density'])
      await page.locator(`#${id}`).getByText(HOSTILE[0], { exact: true }).first().waitFor();
    expect(
      await page
        .locator('main')
        .evaluate((main) => main.querySelectorAll('script, [onload]').length),
    ).toBe(0);
    expect(await rowsOf('parts').count()).toBe(HOSTILE.length);
  });

  test('it has what a person asks of a file', async () => {
    expect(await page.locator('header p').textContent()).toMatch(
      /^[\d.]+ kB · 10 triangles · 10,000 × 0.0 × 1,000 mm/,
    );
    const cells = (row: string) => rowsOf('profiles').filter({ hasText: row }).locator('td');
    expect(await cells('shopify').first().textContent()).toBe('fits');
    expect((await cells('web').allTextContents()).join()).toMatch(/kB → .*EXT_meshopt_compression/);
    expect((await cells('amazon').allTextContents()).join()).toContain('cannot be made');
    const density = await rowsOf('density').first().locator('td').allTextContents();
    expect(density).toEqual(['base colour', '64', '64', '64', '1']);
    await page.locator('#validator').getByText('No message.').waitFor();
  });

  test('the button of a part shows it alone, and again everything', async () => {
    const button = page.locator('#parts button').nth(4);
    await button.click();
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    expect(await page.locator('#shown').isHidden()).toBe(true);
  });

  test('it can be read by everybody, in both schemes, and fits a phone', async () => {
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    // A phone has the same colours.
    if (IS_LONG) expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await violations(page)).toEqual([]);
  });

  test('colours that the page uses are defined', async () => {
    const text = await readFile(join(folder, 'model-inspection.html'), 'utf8');
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text)!;
    const used = new Set(Array.from(style.matchAll(/var\((--[\w-]+)\)/g), ([, name]) => name));
    expect([...used].filter((name) => !style.includes(`${name}:`))).toEqual([]);
  });
});
