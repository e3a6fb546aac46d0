/// <reference lib="dom" />
/**
 * The gallery in a real browser: what a person can do with it, and that it keeps to itself.
 */
import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRMaterialsVariants } from '@gltf-transform/extensions';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  EMBEDDED_STUDIO,
  embeddedModel,
  embeddedStudio,
  galleryDataFile,
  galleryDetailsFile,
  galleryPageFiles,
} from '../../src/deliver/gallery/gallery.ts';
import { detailsFile } from '../../src/deliver/gallery/gallery-data.ts';
import { openGallery, scriptOf } from '../../src/deliver/gallery/publish-gallery.ts';
import { readGallery } from '../../src/deliver/gallery/read-gallery.ts';
import { publishedIn } from '../../src/run/output/published.ts';
import { replaceFile } from '../../src/support/files.ts';
import { openGalleryServer } from '../../src/web/servers/gallery-server.ts';
import { closePages, openPage, openWatched, watch } from '../helpers/browser.ts';
import { type ShownArticle, writeOutput } from '../helpers/gallery-output.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { violations } from '../helpers/planning-page.ts';
import { HOSTILE } from '../helpers/reports.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Graphics are drawn by the processor: each pixel costs time. */
const DESKTOP = { width: 640, height: 400 };
const PHONE = { width: 390, height: 844 };
const ARTICLES = 300;
/** What the page says where nothing is searched for. */
const ALL = `${ARTICLES + HOSTILE.length + 1} articles, ${ARTICLES + HOSTILE.length + 2} configurations`;
/** The article with two finishes in one file. */
const PEDESTAL = 'Pedestal';

/** A red triangle as high as wide, which a finish makes blue. */
async function redOrBlue(): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const variants = document.createExtension(KHRMaterialsVariants);
  const points = new Float32Array([-0.5, 0, 0, 0.5, 0, 0, 0, 1, 0]);
  const position = document.createAccessor().setType('VEC3').setArray(points).setBuffer(buffer);
  const [red, blue] = [[1, 0, 0, 1] as const, [0, 0, 1, 1] as const].map((color) =>
    document
      .createMaterial()
      .setBaseColorFactor([...color])
      .setDoubleSided(true)
      .setRoughnessFactor(1)
      .setMetallicFactor(0),
  );
  const mappings = variants.createMappingList();
  for (const [name, material] of [
    ['Red', red!],
    ['Blue', blue!],
  ] as const) {
    const variant = variants.createVariant(name);
    mappings.addMapping(variants.createMapping().setMaterial(material).addVariant(variant));
  }
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', position)
    .setMaterial(red!)
    .setExtension('KHR_materials_variants', mappings);
  const mesh = document.createMesh().addPrimitive(primitive);
  document.createScene().addChild(document.createNode().setMesh(mesh));
  return new NodeIO().registerExtensions([KHRMaterialsVariants]).writeBinary(document);
}

describe.runIf(HAS_BROWSER)('the gallery', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof openGalleryServer>>;
  let page: Page;
  let trouble: string[];
  let asked: string[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const glb = await redOrBlue();
    const picture = await sharp({
      create: { width: 64, height: 64, channels: 3, background: '#c02020' },
    })
      .jpeg()
      .toBuffer();
    const pictureOf = (name: string, facts: Record<string, string | boolean>) => {
      return { delivery: 'pictures', name, bytes: picture, facts };
    };
    const plain = Array.from({ length: ARTICLES }, (_, i): ShownArticle => {
      const manufacturer = i % 3 === 0 ? 'ACME' : 'FJEL';
      const program = `S${i % 5}`;
      const delivered =
        i === 0
          ? [
              pictureOf('hero-64.jpg', { camera: 'hero' }),
              pictureOf('hero-32.jpg', { camera: 'hero' }),
              pictureOf('hero.jpg', { camera: 'hero', isFormerAddress: true }),
              pictureOf('side-64.jpg', { camera: 'side' }),
              { delivery: 'ar-android', name: 'model.glb', bytes: glb },
              { delivery: 'ar-ios', name: 'model.usdz', bytes: glb },
            ]
          : [];
      const shorttext = i === 77 ? 'Büro chair' : `Desk ${i}`;
      const category = i === 77 ? 'Seating' : i < 10 ? 'Desks' : '';
      const entry = {
        shorttext,
        category,
        ...(i === 0 && { varianttext: 'Finish: Oak\nFrame: Black' }),
      };
      return { glb, delivered, entry, line: { manufacturer, program } };
    });
    const hostile = HOSTILE.map((text): ShownArticle => {
      const texts = { shorttext: text, longtext: text, varianttext: text, currency: text };
      const ids = { manufacturer: text, program: text, basearticlenumber: text };
      const losses = [{ where: text, field: text, value: text, done: text }];
      return { glb, entry: { ...texts, ...ids }, line: { ...ids, losses } };
    });
    const pedestals = ['Red', 'Blue'].map((finish): ShownArticle => {
      const path = 'variants/ACME/DESK/pedestal/pedestal.glb';
      const property = { class: 'LOOK', name: 'FINISH', text: 'Finish', visible: true };
      const delivered = [
        {
          delivery: 'variants',
          name: 'pedestal.glb',
          bytes: glb,
          path,
          facts: { variant: finish },
        },
      ];
      const entry = {
        ...{ shorttext: PEDESTAL, varianttext: `Finish: ${finish}` },
        properties: [{ ...property, value: finish.toLowerCase(), valueText: finish }],
      };
      const ids = { basearticlenumber: 'PD', finalarticlenumber: `PD-${finish}` };
      return { glb, delivered, entry: { ...entry, ...ids }, line: ids };
    });
    await writeOutput(folder, [...plain, ...hostile, ...pedestals]);
    await replaceFile(join(folder, 'variants/ACME/DESK/pedestal/pedestal.glb'), glb);
    server = await openGalleryServer(await openGallery(publishedIn(folder, Date.now), 'office'));
    ({ page, trouble, asked } = await openWatched(server.url));
  });
  afterAll(async () => {
    await closePages();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** All tests share one page. */
  beforeEach(async () => {
    await page.setViewportSize(DESKTOP);
    await page.evaluate(() => document.querySelector<HTMLDialogElement>('dialog[open]')?.close());
    await page.waitForFunction(() => !location.hash.includes('article='));
    if (await page.locator('#reset').isVisible()) await page.locator('#reset').click();
    await page.locator('#find').blur();
    await isFound(ALL);
  });
  afterEach(() => {
    expect(trouble).toEqual([]);
    const own = /^(?:data|blob):/;
    const { origin } = new URL(server.url);
    expect(asked.filter((url) => !own.test(url) && !url.startsWith(`${origin}/`))).toEqual([]);
  });

  const found = () => page.locator('#found').textContent();
  /** From its beginning: 11 of 308 are not 1 of 308. */
  const isFound = (text: string) =>
    page.locator('#found', { hasText: new RegExp(`^${text}`) }).waitFor();
  const select = (name: string) => page.getByLabel(name, { exact: true });

  test('makes the cards of a large range as they are needed', async () => {
    const first = await page.locator('.card').count();
    expect(first).toBeLessThan(200);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.locator('.card').nth(first).waitFor({ state: 'attached' });
  });

  test('finds articles by number and name, without case and accents, by the keyboard alone', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('BURO');
    await isFound('1 article, 1 configuration of 3');
    expect(await page.locator('.card b').allTextContents()).toEqual(['Büro chair']);
    await page.keyboard.press('Escape');
    await page.keyboard.type('d12-f desk');
    await isFound('1 article, 1 configuration of 3');
    expect(await page.locator('.card .number').textContent()).toMatch(/ D12$/);
    await page.locator('.card').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Desk 12' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('card');
    await page.keyboard.press('/');
    await page.keyboard.type('nothing of this name');
    await page.locator('#none').waitFor();
  });

  test('Back closes what was opened, and an address opens it with what was looked for', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('buro');
    await isFound('1 article, 1 configuration of 3');
    await page.locator('.card').click();
    const dialog = page.getByRole('dialog', { name: 'Büro chair' });
    await dialog.waitFor();
    const shared = page.url();
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.locator('#find').inputValue()).toBe('buro');
    await page.locator('#reset').click();
    await page.goto(shared);
    await dialog.waitFor();
    expect(await page.locator('#find').inputValue()).toBe('buro');
    await page.goto(`${server.url}#search=buro&article=ACME%2Fgone`);
    await page.getByText('no longer here').waitFor();
    await page.getByText('Skip to the articles').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('cards');
    expect(await page.locator('#find').inputValue()).toBe('buro');
    expect(await page.getByText('no longer here').isVisible()).toBe(true);
    await page.locator('#reset').click();
    expect(await page.getByText('no longer here').isVisible()).toBe(false);
  });

  test('forgives a typo, and says what it has looked for', async () => {
    await page.locator('#find').fill('deks');
    await page.getByText('Nothing has “deks”; this is “desk”').waitFor();
    await page.locator('#find').fill('chiar');
    await page.getByText('Nothing has “chiar”; this is “chair”').waitFor();
    expect(await page.locator('.card b').allTextContents()).toContain('Büro chair');
  });

  test('filters by manufacturer, then by its series', async () => {
    await select('Manufacturer').selectOption('FJEL');
    expect(await found()).toContain('200 configurations of 3');
    await select('Series').selectOption('S1');
    expect(await found()).toContain('40 configurations of 3');
    await select('Manufacturer').selectOption(HOSTILE[0]);
    expect(await found()).toContain('1 configuration of 3');
    await select('Manufacturer').selectOption({ index: 0 });
    expect(await found()).toBe(ALL);
  });

  test('filters by kind, as the folders of the catalogue have it, by the keyboard alone, and keeps it in the address', async () => {
    const kind = select('Kind');
    expect(await kind.locator('option').allTextContents()).toEqual([
      'All',
      'Desks (10)',
      'Seating (1)',
    ]);
    await kind.focus();
    await page.keyboard.type('Seat');
    await isFound('1 article, 1 configuration of 3');
    expect(await page.locator('.card b').allTextContents()).toEqual(['Büro chair']);
    expect(new URL(page.url()).hash).toBe('#kind=Seating');
    await page.goto(`${server.url}#kind=Desks&manufacturer=ACME`);
    await isFound('4 articles, 4 configurations of 3');
    expect(await kind.inputValue()).toBe('Desks');
  });

  test('shows pictures, sizes, price, every file, and a snippet with the files for phones', async () => {
    await page.locator('.card').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('D0-F').waitFor();
    expect(await dialog.locator('dd').allTextContents()).toEqual([
      'Desks',
      'D0-F',
      '1,600 × 800 × 740 mm',
      '12',
    ]);
    expect(await dialog.locator('.separated').textContent()).toBe('ACME S0 D0');
    await dialog.getByText('100.00 EUR').waitFor();
    await dialog.getByRole('button', { name: 'side' }).click();
    await dialog.getByRole('img', { name: 'Desk 0, Finish: Oak, Frame: Black, side' }).waitFor();
    const links = dialog.locator('.files a');
    expect(await links.allTextContents()).toEqual([
      'model.glb',
      'hero-64.jpg',
      'hero-32.jpg',
      'side-64.jpg',
      'model.glb',
      'model.usdz',
    ]);
    for (const link of await links.all()) {
      const address = new URL((await link.getAttribute('href'))!, server.url);
      expect((await fetch(address)).status).toBe(200);
    }
    const snippet = await dialog.locator('textarea').inputValue();
    expect(snippet).toMatch(/^<script type="module" src="\S+\/model-viewer\.min\.js"/);
    expect(snippet).toMatch(/<model-viewer src="http\S+\.glb"\n/);
    expect(snippet).toContain('ar-scale="fixed"');
    expect(snippet).toMatch(
      /poster="http\S+\/hero-64\.jpg"\n {2}alt="Desk 0, Finish: Oak, Frame: Black"/,
    );
    expect(snippet).toMatch(/ios-src="http\S+\/ar-ios\/\S+\/model\.usdz"/);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'Desk 1' }).waitFor();
  });

  test('shows texts as texts, whatever they contain', async () => {
    const dialog = page.getByRole('dialog');
    for (const i of HOSTILE.keys()) {
      const place = ARTICLES + i;
      const id = `ACME/DESK/d${place}/${String(place).padStart(16, '0')}`;
      await page.evaluate((to) => {
        location.hash = encodeURIComponent(to);
      }, id);
      await dialog.getByText(`D${place}-F`).waitFor();
      await dialog.locator('summary').click();
      const title = await dialog.locator('h2').textContent();
      if (i < 6) expect(title).toBe(HOSTILE[i]);
      expect(title).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    }
    await page.getByRole('button', { name: 'Close' }).click();
    const strange = await page.evaluate(() => ({
      scripts: document.scripts.length,
      strangers: document.querySelectorAll('iframe, object, embed, svg, style, [style]').length,
      handlers: [...document.querySelectorAll('*')]
        .flatMap((element) => [...element.attributes])
        .filter(({ name }) => name.startsWith('on')).length,
      links: [...document.querySelectorAll('a')]
        .map((link) => link.getAttribute('href')!)
        .filter((href) => !/^(?:#|\.\.\/\w|contact-sheet\.jpg$)/.test(href)),
    }));
    expect(strange.scripts).toBeLessThan(9);
    expect({ ...strange, scripts: 2 }).toEqual({
      scripts: 2,
      strangers: 0,
      handlers: 0,
      links: [],
    });
  });

  /** The colour in the middle of the 3D view. */
  const middle = async (of = page) => {
    const image = sharp(await of.locator('.stage canvas').screenshot());
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    const at =
      info.channels * (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2));
    return [...data.subarray(at, at + 3)] as [number, number, number];
  };

  test('draws the model, and turns it by keys', async () => {
    await page.locator('.card').nth(1).click();
    expect(asked.filter((url) => url.endsWith('viewer.js'))).toEqual([]);
    await page.getByRole('button', { name: '3D' }).click();
    const view = page.getByRole('application', { name: /^3D view of Desk 1\./ });
    await view.waitFor();
    const [r, g, b] = await middle();
    expect(r).toBeGreaterThan(2 * Math.max(g, b));
    await view.focus();
    // Its frame shows that the keyboard is used.
    await page.keyboard.press('Home');
    const before = await view.screenshot();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    expect((await view.screenshot()).equals(before)).toBe(false);
    await page.keyboard.press('Home');
    expect((await view.screenshot()).equals(before)).toBe(true);
  });

  test('draws another finish of the same file when another value is chosen', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type(PEDESTAL);
    await isFound('1 article, 2 configurations of 3');
    await page.locator('.card').click();
    await page.getByRole('button', { name: '3D' }).click();
    const dialog = page.getByRole('dialog', { name: PEDESTAL });
    const value = (name: string) => dialog.getByRole('button', { name, exact: true });
    await page.locator('.stage canvas').waitFor();
    expect(await value('Red').getAttribute('aria-pressed')).toBe('true');
    const before = asked.filter((url) => url.endsWith('.glb'));
    const [red, , noBlue] = await middle();
    expect(red).toBeGreaterThan(2 * noBlue);
    // Safari does not focus a button that is clicked.
    await value('Blue').evaluate((button) => (button as HTMLElement).click());
    await dialog.getByText('PD-Blue', { exact: true }).first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Blue');
    await expect
      .poll(async () => {
        const [r, , b] = await middle();
        return b > 2 * r;
      })
      .toBe(true);
    expect(asked.filter((url) => url.endsWith('.glb'))).toEqual(before);
  });

  test.each(['light', 'dark'] as const)('fits a phone, %s', async (scheme) => {
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: scheme });
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(await isWide()).toBe(false);
    await page.locator('.card').first().click();
    await page.getByRole('dialog').waitFor();
    expect(await isWide()).toBe(false);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [red] = background.match(/\d+/)!;
    expect(Number(red) > 128).toBe(scheme === 'light');
  });

  test('is made for fingers where there are some, and keeps the picture in sight on a phone', async () => {
    const options = { viewport: PHONE, hasTouch: true, isMobile: true };
    const { page, trouble } = watch(await openPage(options));
    /** What is smaller than a finger, and fields into which an iPhone zooms. */
    const small = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('a, button, input, select, summary')].flatMap((one) => {
          const isField = one.matches('input, select');
          const isTiny = isField && Number.parseFloat(getComputedStyle(one).fontSize) < 16;
          const { height } = one.getBoundingClientRect();
          return height > 1 && (height < 44 || isTiny) ? [one.outerHTML] : [];
        }),
      );
    await page.goto(server.url);
    await page.locator('#filter').tap();
    expect(await small()).toEqual([]);
    await page.locator('#find').fill(PEDESTAL);
    await page.getByText('1 article, 2 configurations').waitFor();
    await page.locator('.card').tap();
    const blue = page.getByRole('button', { name: 'Blue', exact: true });
    await blue.waitFor();
    expect(await small()).toEqual([]);
    await blue.evaluate((button) => button.focus());
    const picture = (await page.locator('.views-of').boundingBox())!;
    expect(picture.y).toBeGreaterThan(0);
    expect((await blue.boundingBox())!.y).toBeGreaterThanOrEqual(picture.y + picture.height);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  test('opens from a disk too, but for the 3D view, and says so; where models are embedded it draws them, also one that configurations share', async () => {
    const files = await galleryPageFiles();
    const { read } = await openGallery(publishedIn(folder, Date.now), 'office');
    for (let name: string | undefined = 'articles.js', part = 0; ; name = `details-${part++}.js`) {
      const bytes = await read(`gallery/${name}`);
      if (bytes === undefined) break;
      files.set(name, bytes);
    }
    for (const [name, bytes] of files) await replaceFile(join(folder, 'gallery', name), bytes);
    const address = pathToFileURL(join(folder, 'gallery', 'index.html')).href;
    const { page, trouble, asked } = await openWatched(address, { viewport: DESKTOP });
    await page.locator('.card').first().click();
    await page.locator('.stage img').evaluate((image: HTMLImageElement) => image.decode());
    await page.getByRole('button', { name: '3D' }).click();
    await page.getByText('run btg2gltf view').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();

    const { data, parts } = await readGallery(folder, 'office', {
      ...{ read: () => Promise.resolve(undefined), scriptOf },
    });
    const encoder = new TextEncoder();
    files.clear();
    const put = (name: string, text: string) => files.set(name, encoder.encode(text));
    put('articles.js', galleryDataFile(data));
    for (const [i, part] of parts.entries()) put(detailsFile(i), galleryDetailsFile(i, part));
    put(EMBEDDED_STUDIO, await embeddedStudio());
    const all = parts.flatMap(({ configurations }) => configurations);
    const scripts = new Set(all.map(({ embedded }) => embedded!.script));
    expect(scripts.size).toBe(1);
    for (const script of scripts) put(script, embeddedModel(script, await redOrBlue()));
    for (const [name, bytes] of files) await replaceFile(join(folder, 'gallery', name), bytes);
    await page.reload();
    for (const place of [1, 2]) {
      await page.locator('.card').nth(place).click();
      await page.getByRole('button', { name: '3D' }).click();
      await page.locator('.stage canvas').waitFor();
      const [r, g, b] = await middle(page);
      expect(r).toBeGreaterThan(2 * Math.max(g, b));
      await page.getByRole('button', { name: 'Close' }).click();
    }
    expect(trouble).toEqual([]);
    expect(asked.filter((url) => !/^(?:data|blob|file):/.test(url))).toEqual([]);
    await page.context().close();
  });

  test('saves the files of an article in an archive, each as it was published', async () => {
    await page.locator('.card').first().click();
    const dialog = page.getByRole('dialog', { name: 'Desk 0' });
    const save = dialog.getByRole('button', { name: /^These files as \.zip/ });
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    expect(download.suggestedFilename()).toBe('D0-F.zip');
    const entries = unzipSync(await readFile(await download.path()));
    const links = await dialog
      .locator('.files a')
      .evaluateAll((all) =>
        all.map((link) => (link as HTMLAnchorElement).getAttribute('href')!.replace('../', '')),
      );
    expect(Object.keys(entries)).toEqual(links);
    for (const [path, bytes] of Object.entries(entries))
      expect(Buffer.compare(bytes, await readFile(join(folder, path)))).toBe(0);
  });

  test('has no faults for assistive technology, on a phone and a desk, in light and dark', async () => {
    const { page, trouble } = watch(await openPage({ bypassCSP: true }));
    // Of many cards axe finds the same as of one.
    await page.goto(IS_LONG ? server.url : `${server.url}#search=d0-f`);
    await page.locator('.card').first().waitFor();
    for (const isDetail of [false, true]) {
      if (isDetail) {
        await page.locator('.card').first().click();
        await page.getByRole('dialog', { name: 'Desk 0' }).waitFor();
      }
      // The list on a phone in light, and an article on a desk in the dark: axe takes half a second for each.
      for (const [at, viewport] of [PHONE, { width: 1440, height: 900 }].entries()) {
        await page.setViewportSize(viewport);
        for (const [i, colorScheme] of (['light', 'dark'] as const).entries()) {
          if (!IS_LONG && (i !== at || at !== Number(isDetail))) continue;
          await page.emulateMedia({ colorScheme });
          expect(await violations(page)).toEqual([]);
        }
      }
    }
    expect(trouble).toEqual([]);
    await page.close();
  });

  test('answers to its own names only', async () => {
    const { port } = new URL(server.url);
    const status = await new Promise((done, fail) => {
      const headers = { host: 'evil.example' };
      request({ port, path: '/gallery/', headers }, ({ statusCode }) => done(statusCode))
        .on('error', fail)
        .end();
    });
    expect(status).toBe(421);
    for (const path of ['/manifest.jsonl', '/gallery/..%2fmanifest.jsonl', '/%2e%2e/x'])
      expect((await fetch(new URL(path, server.url))).status).toBe(404);
    expect((await fetch(new URL('/%ff', server.url))).status).toBe(400);
  });
});
