/// <reference lib="dom" />
/**
 * The 3D view of the planning page in a real browser: what a person does with a model of the sample range, and what its
 * graphics hold.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { convert } from '../../src/index.ts';
import type { PlanningView } from '../../src/web/planning/state/interfaces.ts';
import { closePages, openWatched } from '../helpers/browser.ts';
import { boundsOf, drawnVertices } from '../helpers/drawn-vertices.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { violations } from '../helpers/planning-page.ts';
import { servePlanningView } from '../helpers/planning-view-page.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const ARTICLES = {
  desk: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' },
  drawers: { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-R3' },
  hinged: { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-F2' },
  higher: { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-F3' },
  sliding: { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-S160' },
  lamp: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-TISCH 45' },
  glass: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-GLOBUS' },
} as const;
const SIZE = { width: 320, height: 240 };
type Name = keyof typeof ARTICLES;
/** Those of the short form: without movable parts, and with some. */
const SHORT: readonly string[] = ['desk', 'drawers'] satisfies Name[];

/** What the test page offers. */
declare const view: PlanningView;
declare function show(name: Name): Promise<void>;
declare function open(): void;
declare const held: Record<string, number>;
declare const drawn: number;
declare const decoded: ReadonlySet<ImageBitmap>;

describe.runIf(HAS_BROWSER)('the 3D view of the planning page', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof servePlanningView>>;
  let page: Page;
  let trouble: string[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const [name, article] of Object.entries(ARTICLES)) {
      if (!IS_LONG && !SHORT.includes(name)) continue;
      const output = join(folder, `${name}.glb`);
      await convert({ service: { emulator: true }, article, output });
    }
    server = await servePlanningView((name) => readFile(join(folder, `${name}.glb`)));
    // Graphics are drawn by the processor: each pixel costs time.
    const options = { viewport: SIZE, deviceScaleFactor: 0.25, reducedMotion: 'reduce' } as const;
    ({ page, trouble } = await openWatched(server.address, options));
  });
  afterAll(async () => {
    await closePages();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await page.setViewportSize(SIZE);
    // The model stays: what is drawn in its place has most of its programs.
    await page.evaluate(() => {
      view.resetParts();
      view.showDimensions(false);
      view.fit();
      document.body.style.height = '';
      scrollTo(0, 0);
      (
        document.querySelector('#stage > *')?.shadowRoot?.activeElement as HTMLElement | null
      )?.blur();
    });
    await page.mouse.move(1, 1);
    await page.locator('.part-name').waitFor({ state: 'hidden' });
  });
  afterEach(() => {
    expect(trouble.filter((message) => !/Context (?:Lost|Restored)/.test(message))).toEqual([]);
  });

  const canvas = () => page.getByRole('application', { name: '3D view' });
  const part = (name: string) => page.getByRole('slider', { name });
  let shown: Name | undefined;
  /** A model that is there already is not shown again: each time takes a fifth of a second of the processor. */
  const showModel = async (name: Name) => {
    if (name !== shown) await page.evaluate((next) => show(next), name);
    shown = name;
  };
  const clear = async () => {
    await page.evaluate(() => view.clear());
    shown = undefined;
  };
  /** What is said of parts from now on: whether any is moved. */
  const partsSaid = () =>
    page.evaluateHandle(() => {
      const all: boolean[] = [];
      view.watchParts((isMoved) => all.push(isMoved));
      return all;
    });
  const repainted = () =>
    page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  /** What the canvas shows, without what lies over it, once it stays. */
  const look = () =>
    canvas().evaluate(async (one: HTMLCanvasElement) => {
      const graphics = one.getContext('webgl2')!;
      const { RGBA, UNSIGNED_BYTE } = graphics;
      const pixels = new Uint8Array(4 * one.width * one.height);
      for (let before = ''; ; ) {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        graphics.readPixels(0, 0, one.width, one.height, RGBA, UNSIGNED_BYTE, pixels);
        const now = new Uint8Array(await crypto.subtle.digest('SHA-256', pixels)).join(' ');
        if (now === before) return now;
        before = now;
      }
    });

  /** The middle of a part on the screen. */
  const middle = async (name: string) => {
    // It follows its part with the next picture.
    await repainted();
    const { x, y, width, height } = (await part(name).boundingBox())!;
    return [x + width / 2, y + height / 2] as const;
  };
  const amountOf = (name: string) => part(name).getAttribute('aria-valuetext');
  const drag = async (x: number, y: number, right: number, down: number) => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + right, y + down, { steps: 3 });
    await page.mouse.up();
  };
  const pictureOf = async (width: number, height: number) => {
    const [type, bytes] = await page.evaluate(
      async ([width, height]) => {
        const picture = await view.picture(width, height);
        return [picture.type, [...new Uint8Array(await picture.arrayBuffer())]] as const;
      },
      [width, height] as const,
    );
    expect(type).toBe('image/png');
    return sharp(Uint8Array.from(bytes));
  };
  const focused = () =>
    canvas().evaluate((one) =>
      (one.getRootNode() as ShadowRoot).activeElement?.getAttribute('aria-label'),
    );

  it('is loaded within its share of the page: 230 kB', async () => {
    const program = await readFile(new URL('../../dist/planning/view.js', import.meta.url));
    expect(gzipSync(program).length).toBeLessThan(230_000);
  });

  it('shows a model, which keys turn, bring nearer and frame', async () => {
    await showModel('desk');
    await canvas().focus();
    const framed = await look();
    for (const key of ['ArrowRight', 'ArrowUp', '+']) {
      const before = await look();
      await page.keyboard.press(key);
      await expect.poll(look).not.toBe(before);
    }
    await page.keyboard.press('0');
    await expect.poll(look).toBe(framed);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
  });

  it('turns with the pointer, and draws nothing while nothing changes', async () => {
    await showModel('desk');
    const before = await look();
    await drag(12, 12, 98, 38);
    await expect.poll(look).not.toBe(before);
    const [first, last] = await page.evaluate(async () => {
      const frames = async (count: number) => {
        for (let i = 0; i < count; i++) await new Promise((done) => requestAnimationFrame(done));
        return drawn;
      };
      return [await frames(3), await frames(10)];
    });
    expect(last).toBe(first);
    expect(first).toBeGreaterThan(0);
  });

  it('writes width, height and depth at the edges, and marks a missing part without measuring the mark', async () => {
    await showModel('desk');
    await page.evaluate(() => view.showDimensions(true));
    const { min, max } = boundsOf(await drawnVertices(await readFile(join(folder, 'desk.glb'))));
    const sizes = max.map(
      (most, axis) => `${(Math.round((most - min[axis]!) * 1e4) / 10).toLocaleString('en')} mm`,
    );
    expect(sizes[0]).toBe('1,600 mm');
    const labels = page.locator('.length');
    expect(await labels.allTextContents()).toEqual(sizes);
    for (const label of await labels.all()) expect(await label.isVisible()).toBe(true);
    const before = await look();
    await page.evaluate(async () => {
      const glb = await (await fetch('model/desk')).arrayBuffer();
      await view.show(new Uint8Array(glb), { holesMetres: [[0, 1.2, 0]] });
    });
    await expect.poll(look).not.toBe(before);
    expect(await labels.allTextContents()).toEqual(sizes);
    await page.evaluate(() => show('desk'));
    await expect.poll(look).toBe(before);
    const place = await labels.first().boundingBox();
    await canvas().press('ArrowRight');
    await expect.poll(() => labels.first().boundingBox()).not.toEqual(place);
    await page.evaluate(() => view.showDimensions(false));
    await expect.poll(() => labels.first().isVisible()).toBe(false);
  });

  it('keeps the camera for the next configuration, follows its element, and frames after nothing was shown', async () => {
    await showModel('desk');
    const framed = await look();
    await canvas().press('ArrowRight');
    const turned = await look();
    expect(turned).not.toBe(framed);
    await page.evaluate(() => show('desk'));
    await expect.poll(look).toBe(turned);
    await canvas().press('0');
    await page.setViewportSize({ width: 180, height: 320 });
    const ratio = () => canvas().evaluate((one: HTMLCanvasElement) => one.width / one.height);
    await expect.poll(ratio).toBe(180 / 320);
    const narrow = await look();
    await canvas().press('ArrowRight');
    await clear();
    await showModel('desk');
    await expect.poll(look).toBe(narrow);
  });

  it.runIf(IS_LONG)('never looks from below the floor', async () => {
    await showModel('desk');
    await canvas().focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
    const level = await look();
    await page.keyboard.press('ArrowDown');
    await expect.poll(look).toBe(level);
    await drag(12, 12, 0, -212);
    await expect.poll(look).toBe(level);
  });

  it('takes a picture of any size on white', async () => {
    await showModel('desk');
    const picture = (await pictureOf(120, 45)).removeAlpha().raw();
    const { data, info } = await picture.toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([120, 45]);
    expect([...data.subarray(0, 3)]).toEqual([255, 255, 255]);
    expect(data.some((value) => value < 60)).toBe(true);
  });

  it.runIf(IS_LONG)(
    'takes pictures in which the model is as large as on the stage, whatever their shape',
    async () => {
      await showModel('desk');
      const shareIn = async (width: number, height: number) => {
        const picture = await pictureOf(width, height);
        const trimmed = picture.trim({ background: '#fff', threshold: 60 });
        const { info } = await trimmed.toBuffer({ resolveWithObject: true });
        return Math.max(info.width / width, info.height / height);
      };
      const onStage = await shareIn(SIZE.width, SIZE.height);
      expect(onStage).toBeGreaterThan(0.7);
      for (const [width, height] of [
        [400, 300],
        [600, 200],
        [200, 400],
      ] as const)
        expect(await shareIn(width, height), `${width} × ${height}`).toBeCloseTo(onStage, 1);
      await page.setViewportSize({ width: 180, height: 320 });
      await look();
      expect(await shareIn(400, 300)).toBeCloseTo(onStage, 1);
    },
  );

  it('draws again when the graphics were lost and came back', async () => {
    await showModel('desk');
    const before = await look();
    await canvas().evaluate(async (one: HTMLCanvasElement) => {
      const extension = one.getContext('webgl2')!.getExtension('WEBGL_lose_context')!;
      const event = (name: string) => new Promise((done) => one.addEventListener(name, done));
      const lost = event('webglcontextlost');
      extension.loseContext();
      await lost;
      // It may only be restored when all have heard of the loss.
      await new Promise(requestAnimationFrame);
      const restored = event('webglcontextrestored');
      extension.restoreContext();
      await restored;
    });
    await expect.poll(look).toBe(before);
  });

  it('says what is wrong with a file that is no model, and keeps the one before', async () => {
    await showModel('desk');
    const before = await look();
    const said = await page.evaluate(() =>
      view.show(new Uint8Array([1, 2, 3])).catch((error: Error) => error.message),
    );
    expect(said).toMatch(/^3D view: expected a GLB file, received .+/);
    await expect.poll(look).toBe(before);
  });

  it('closes the images of models that another one overtakes, or that are not shown any more', async () => {
    const count = () =>
      page.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        return decoded.size;
      });
    await showModel('desk');
    const ofDesk = await count();
    expect(ofDesk).toBeGreaterThan(0);
    const before = await look();
    const overtaken = (names: Name[], isCleared: boolean) =>
      page.evaluate(
        async ([paths, isCleared]) => {
          const answers = await Promise.all(paths.map((path) => fetch(`model/${path}`)));
          const files = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
          const shows = files.map((file) => view.show(new Uint8Array(file)));
          if (isCleared) view.clear();
          await Promise.all(shows);
        },
        [names, isCleared] as const,
      );
    await overtaken(['drawers', 'drawers', 'desk'], false);
    expect(await count()).toBe(ofDesk);
    await expect.poll(look).toBe(before);
    await overtaken(['drawers'], true);
    shown = undefined;
    expect(await count()).toBe(0);
  });

  it('draws a part out with the pointer, and a double click puts it back', async () => {
    await showModel('drawers');
    const before = await look();
    const handle = (await part('SCHUB 2').boundingBox())!;
    const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
    await page.mouse.move(x, y);
    await page.locator('.part-name', { hasText: 'SCHUB 2' }).waitFor();
    await page.mouse.down();
    await page.mouse.move(x - 40, y + 20, { steps: 5 });
    await page.mouse.up();
    const moved = Number(await part('SCHUB 2').getAttribute('aria-valuenow'));
    expect(moved).toBeGreaterThan(50);
    expect(await part('SCHUB 2').getAttribute('aria-valuetext')).toBe(`${moved} mm`);
    expect(await part('SCHUB 1').getAttribute('aria-valuenow')).toBe('0');
    await expect.poll(look).not.toBe(before);
    await page.mouse.dblclick(x - 40, y + 20);
    await expect.poll(() => part('SCHUB 2').getAttribute('aria-valuenow')).toBe('0');
    // Once it is closed, another drawer lies there: that one has not been pressed.
    expect(await focused()).toBe('SCHUB 2');
    // Neither the pointer nor the focus marks it any more.
    await page.mouse.move(1, 1);
    await part('SCHUB 2').evaluate((one) => one.blur());
    await expect.poll(look).toBe(before);
  });

  it('has one stop of the keyboard for all parts, among which keys choose; a screen reader has names and roles', async () => {
    // The stop is the part that had the focus last.
    await clear();
    await showModel('drawers');
    await canvas().focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('SCHUB 1');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('SCHUB 2');
    await expect.poll(() => page.locator('.part-name').textContent()).toContain('2/3');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('SCHUB 3');
    await page.keyboard.press('ArrowUp');
    // Then the choice of its motion, then what follows the view.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    await canvas().focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('SCHUB 2');
    await page.getByRole('button', { name: 'Turn' }).waitFor();
    await page.evaluate(() => view.showDimensions(true));
    expect(await violations(page)).toEqual([]);
  });

  it('opens what is clicked, closes it by another click, and says whether anything is moved', async () => {
    await showModel('drawers');
    const before = await look();
    const said = await partsSaid();
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.mouse.click(...(await middle('SCHUB 1')));
    expect(await amountOf('SCHUB 1')).toMatch(/^[45]\d\d mm$/);
    // It is on its way: when it is there, nothing is drawn.
    const drawnIn = () =>
      page.evaluate(async () => {
        const before = drawn;
        for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
        return drawn - before;
      });
    await expect.poll(drawnIn).toBe(0);
    await part('SCHUB 1').press('Enter');
    expect(await amountOf('SCHUB 1')).toBe('0 mm');
    await expect.poll(() => said.jsonValue()).toEqual([true, false]);
    await part('SCHUB 1').evaluate((one) => one.blur());
    await page.mouse.move(1, 1);
    await expect.poll(look).toBe(before);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  it('marks the part that the pointer is over when it draws, not one that it only crossed, or has left', async () => {
    await showModel('drawers');
    const marked = () => page.locator('.part-name').isVisible();
    /** The pointer, all before one picture. */
    const point = async (...steps: (readonly [type: string, x: number, y: number])[]) => {
      await canvas().evaluate((one, steps) => {
        for (const [type, clientX, clientY] of steps)
          one.dispatchEvent(new PointerEvent(type, { clientX, clientY, composed: true }));
      }, steps);
      await repainted();
    };
    const [x, y] = await middle('SCHUB 2');
    await point(['pointermove', x, y]);
    expect(await marked()).toBe(true);
    await point(['pointermove', x, y], ['pointermove', 1, 1]);
    expect(await marked()).toBe(false);
    await point(['pointermove', x, y], ['pointerout', x, y]);
    expect(await marked()).toBe(false);
  });

  /** A finger on the page. */
  const finger = async () => {
    const session = await page.context().newCDPSession(page);
    const touch = (type: string, ...touchPoints: { x: number; y: number }[]) =>
      session.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints });
    return {
      async swipe(x: number, y: number, right: number, down: number) {
        await touch('touchStart', { x, y });
        for (const share of [0.3, 0.6, 1])
          await touch('touchMove', { x: x + right * share, y: y + down * share });
        await touch('touchEnd');
      },
      async tap(x: number, y: number) {
        await touch('touchStart', { x, y });
        await touch('touchEnd');
      },
    };
  };
  const MOVED = /^(?!0 )[\d,]+ mm$/;
  const TURNED = /^(?!0°)\d+°$/;

  it.runIf(IS_LONG)(
    'leaves a swipe up or down to the page that can scroll, but for one that moves a part',
    async () => {
      await showModel('drawers');
      const { swipe } = await finger();
      const scrolled = () => page.evaluate(() => scrollY);
      await page.evaluate(() => {
        document.body.style.height = '300vh';
      });
      await part('SCHUB 2').focus();
      await swipe(...(await middle('SCHUB 2')), -10, 40);
      expect(await amountOf('SCHUB 2')).toMatch(MOVED);
      const before = await look();
      await swipe(20, 200, 50, -6);
      const turned = await look();
      expect(turned === before).toBe(false);
      expect(await scrolled()).toBe(0);
      await swipe(20, 200, 4, -90);
      await expect.poll(scrolled).toBeGreaterThan(40);
      await expect.poll(look).toBe(turned);
      // A door goes to a side.
      await showModel('hinged');
      await part('TÜR LINKS').press('Home');
      await page.evaluate(() => scrollTo(0, 0));
      await swipe(...(await middle('TÜR LINKS')), 2, -90);
      await expect.poll(scrolled).toBeGreaterThan(40);
      expect(await amountOf('TÜR LINKS')).toBe('0°');
    },
  );

  // How far doors turn is in test/unit/web/planning/parts/part-shape.test.ts, too.
  it.each([
    ['drawers', 'SCHUB 1', '0 mm', '50 mm', /^[45]\d\d mm$/],
    ...(IS_LONG ? [['hinged', 'TÜR LINKS', '0°', '10°', /^110°$/] as const] : []),
  ] as const)(
    'opens and closes a part of %s with keys, between its stops, and resets it',
    async (model, name, closed, aStep, opened) => {
      await showModel(model);
      const before = await look();
      await part(name).focus();
      expect(await amountOf(name)).toBe(closed);
      await page.keyboard.press('ArrowLeft');
      expect(await amountOf(name)).toBe(closed);
      await page.keyboard.press('ArrowRight');
      expect(await amountOf(name)).toBe(aStep);
      await page.keyboard.press('End');
      const most = await amountOf(name);
      expect(most).toMatch(opened);
      await page.keyboard.press('ArrowRight');
      expect(await amountOf(name)).toBe(most);
      const whenOpened = await look();
      expect(whenOpened).not.toBe(before);
      await page.keyboard.press('Enter');
      expect(await amountOf(name)).toBe(closed);
      await page.keyboard.press('Enter');
      await expect.poll(look).toBe(whenOpened);
      await page.keyboard.press('Delete');
      expect(await amountOf(name)).toBe(closed);
      await page.keyboard.press('ArrowRight');
      await page.evaluate(() => view.resetParts());
      expect(await amountOf(name)).toBe(closed);
      await part(name).evaluate((one) => one.blur());
      await expect.poll(look).toBe(before);
    },
  );

  it.runIf(IS_LONG)(
    'opens a part by a tap, then moves it with a finger, which turns the view before',
    async () => {
      await showModel('hinged');
      const { swipe, tap } = await finger();
      const before = await look();
      await swipe(...(await middle('TÜR LINKS')), -30, 2);
      await expect.poll(look).not.toBe(before);
      expect(await amountOf('TÜR LINKS')).toBe('0°');
      await tap(...(await middle('TÜR LINKS')));
      await expect.poll(() => amountOf('TÜR LINKS')).toBe('110°');
      await part('TÜR LINKS').press('Enter');
      await swipe(...(await middle('TÜR LINKS')), -30, 6);
      expect(await amountOf('TÜR LINKS')).toMatch(/^(?!0°|110°)\d+°$/);
      await tap(...(await middle('TÜR LINKS')));
      await expect.poll(() => amountOf('TÜR LINKS')).toBe('0°');
      await part('TÜR LINKS').press('ArrowRight');
      const [x, y] = await middle('TÜR LINKS');
      await tap(x, y);
      await tap(x, y);
      await expect.poll(() => amountOf('TÜR LINKS')).toBe('0°');
    },
  );

  it.runIf(IS_LONG)(
    'does what a person chooses, by finger and by keys, and puts the part back first',
    async () => {
      const { swipe, tap } = await finger();
      await showModel('hinged');
      await tap(...(await middle('TÜR LINKS')));
      const slide = page.getByRole('button', { name: 'Slide' });
      await expect.poll(() => slide.getAttribute('aria-pressed')).toBe('false');
      // The label follows its part with the next picture.
      await repainted();
      const { x: left, y: top, width, height } = (await slide.boundingBox())!;
      await tap(left + width / 2, top + height / 2);
      await expect.poll(() => slide.getAttribute('aria-pressed')).toBe('true');
      expect(await amountOf('TÜR LINKS')).toBe('0 mm');
      await swipe(...(await middle('TÜR LINKS')), -30, 0);
      expect(await amountOf('TÜR LINKS')).toMatch(/^-?(?!0 )[\d,]+ mm$/);
      await part('TÜR RECHTS').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expect.poll(() => slide.getAttribute('aria-pressed')).toBe('true');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('ArrowRight');
      expect(await amountOf('TÜR RECHTS')).toMatch(/^-?(?!0 )[\d,]+ mm$/);
      await page.keyboard.press('Delete');
      await page.keyboard.press('Shift+ArrowRight');
      expect(await amountOf('TÜR RECHTS')).toMatch(TURNED);
      await tap(6, 6);
      await expect.poll(() => slide.isVisible()).toBe(false);
      // What was chosen goes with the model.
      await clear();
    },
  );

  // What slides and turns, and how far, is in test/unit/web/planning/parts/part-shape.test.ts, too.
  it.runIf(IS_LONG)(
    'slides doors that stand one before the other; turns what is jointed',
    async () => {
      await showModel('sliding');
      const [x, y] = await middle('TÜR RECHTS');
      await drag(x, y, -50, -6);
      expect(await amountOf('TÜR RECHTS')).toMatch(MOVED);
      expect((await middle('TÜR RECHTS'))[1]).toBeLessThan(y);
      await part('TÜR RECHTS').press('End');
      // Until it stands before the other.
      expect(await amountOf('TÜR RECHTS')).toBe('760 mm');
      await showModel('lamp');
      for (const name of ['ARM UNTEN', 'ARM OBEN', 'KOPF']) expect(await amountOf(name)).toBe('0°');
      await drag(...(await middle('ARM OBEN')), 0, 30);
      expect(await amountOf('ARM OBEN')).toMatch(/^-?[1-9]\d*°$/);
    },
  );

  it.runIf(IS_LONG)('opens doors and drawers that are looked at from the front', async () => {
    const turnToFront = async () => {
      await canvas().focus();
      for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft');
    };
    await showModel('drawers');
    await turnToFront();
    await drag(...(await middle('SCHUB 2')), 0, 30);
    expect(await amountOf('SCHUB 2')).toMatch(MOVED);
    await clear();
    await showModel('hinged');
    await turnToFront();
    // It is hinged at the left, and comes to the viewer: it cannot go into the cabinet.
    await drag(...(await middle('TÜR LINKS')), 30, 0);
    expect(await amountOf('TÜR LINKS')).toBe('0°');
    await drag(...(await middle('TÜR LINKS')), -30, 0);
    expect(await amountOf('TÜR LINKS')).toMatch(TURNED);
  });

  it.runIf(IS_LONG)(
    'leaves parts where they are in the next configuration that has them',
    async () => {
      await showModel('hinged');
      await part('TÜR LINKS').focus();
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
      const moved = (await amountOf('TÜR LINKS'))!;
      expect(moved).toMatch(TURNED);
      await showModel('higher');
      const opened = await look();
      expect(await amountOf('TÜR LINKS')).toBe(moved);
      expect(await amountOf('TÜR RECHTS')).toBe('0°');
      await page.evaluate(() => view.resetParts());
      await expect.poll(look).not.toBe(opened);
      await part('TÜR LINKS').press('ArrowRight');
      await clear();
      await showModel('hinged');
      expect(await amountOf('TÜR LINKS')).toBe('0°');
    },
  );

  it.runIf(IS_LONG)(
    'holds after many models what it held after the first ones, and nothing when it is closed',
    async () => {
      const models: Name[] = ['desk', 'drawers', 'hinged', 'glass'];
      const counted = await page.evaluate(
        async ([names, count]) => {
          const counts: (typeof held)[] = [];
          for (let i = 0; i < count; i++) {
            await show(names[i % names.length]!);
            await new Promise((done) => requestAnimationFrame(done));
            counts.push({ ...held });
          }
          return [counts[names.length - 1], counts[count - 1]];
        },
        [models, 20] as const,
      );
      expect(counted[1]).toEqual(counted[0]);
      const graphics = await canvas().evaluateHandle((one: HTMLCanvasElement) =>
        one.getContext('webgl2'),
      );
      await page.evaluate(() => view.dispose());
      expect(await graphics.evaluate((gl) => gl?.isContextLost())).toBe(true);
      const {
        Buffer: buffers,
        VertexArray: arrays,
        Program: programs,
      } = await page.evaluate(() => held);
      expect({ buffers, arrays, programs }).toEqual({ buffers: 0, arrays: 0, programs: 0 });
      expect(await page.locator('#stage *').count()).toBe(0);
      await page.evaluate(() => open());
      shown = undefined;
      await showModel('desk');
      expect(await canvas().count()).toBe(1);
    },
  );
});
