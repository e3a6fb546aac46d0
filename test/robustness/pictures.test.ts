/**
 * Pictures of models that are too much for a browser, and of browsers that die meanwhile.
 *
 * With `BTG2GLTF_TEST_LONG=1` one has 5 million triangles, a browser also hangs in its graphics, and one dies during the
 * delivery of more articles.
 */
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FoundBrowser } from '../../src/deliver/pictures/browser.ts';
import { takePictures } from '../../src/deliver/pictures/picture.ts';
import {
  PICTURE_DEFAULTS,
  type PictureOptions,
} from '../../src/deliver/pictures/picture-options.ts';
import { BrowserRenderer, type Renderer } from '../../src/deliver/pictures/renderer.ts';
import { inParallel } from '../../src/support/in-parallel.ts';
import {
  browserProcesses,
  killBrowserProcesses,
  startedSince,
} from '../helpers/browser-processes.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { chanceOf } from '../helpers/fuzz/chance.ts';
import { filesBelow } from '../helpers/output-folder.ts';
import { HAS_BROWSER, pictureBrowser } from '../helpers/picture-browser.ts';
import { plainGlb } from '../helpers/plain-glb.ts';
import { highestMib, processorSeconds } from '../helpers/process-memory.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { GIVE_UP_MS, until } from '../helpers/until.ts';

const OPTIONS: PictureOptions = { ...PICTURE_DEFAULTS, width: 128, height: 128, format: 'png' };
const PLAIN = plainGlb({ triangles: 200 });

/** Whether something of the model is on the picture. */
async function showsModel(file: Uint8Array): Promise<boolean> {
  const { channels } = await sharp(file).stats();
  return channels.slice(0, 3).every(({ stdev }) => stdev > 5);
}

describe.runIf(HAS_BROWSER)('a renderer', () => {
  let browser: FoundBrowser;
  let renderer: Renderer;
  /** Processes of other browsers. */
  let others: ReturnType<typeof browserProcesses>;
  beforeAll(async () => {
    others = browserProcesses();
    browser = await pictureBrowser();
    renderer = new BrowserRenderer({ browser, pages: 1, timeoutMs: GIVE_UP_MS });
  });
  afterAll(() => renderer?.close());

  const failure = (message: string | RegExp) => ({
    code: 'PICTURE_FAILED',
    message: expect.stringMatching(message),
  });
  const expectRefused = (glb: Uint8Array, message: string | RegExp, options = OPTIONS) =>
    expect(takePictures(renderer, glb, options)).rejects.toMatchObject(failure(message));

  /** Ends the renderer; none of its processes may be left. */
  const expectEnd = async (own: Renderer, before: ReturnType<typeof browserProcesses>) => {
    await own.close();
    await expect.poll(() => startedSince(before)).toEqual([]);
  };

  it.runIf(IS_LONG)(
    'ends a browser that hangs in its graphics, and takes the next picture with another',
    async () => {
      const before = browserProcesses();
      // Long enough for the second on a busy machine, and not for the first on an idle one.
      const own = new BrowserRenderer({ browser, pages: 1, timeoutMs: 40_000 });
      // Each pane is a shader over a quarter of the picture: together they take minutes.
      const pbrMetallicRoughness = { baseColorFactor: [1, 1, 1, 0.5] };
      const material = { alphaMode: 'BLEND', pbrMetallicRoughness };
      const panes = plainGlb({ triangles: 2, instances: 5000, material });
      const taken = await Promise.allSettled([
        takePictures(own, panes, { ...OPTIONS, width: 1024, height: 1024 }),
        takePictures(own, PLAIN, OPTIONS),
      ]);
      expect(taken.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      expect(taken[0]).toMatchObject({ reason: failure('it took longer than 40 s') });
      await expectEnd(own, before);
    },
  );

  it('ends a browser that no longer answers', async () => {
    const before = browserProcesses();
    const own = new BrowserRenderer({ browser, pages: 1, timeoutMs: 3000 });
    let isOver = false;
    // So many that it is stopped before the last, however fast it is.
    const taken = takePictures(own, PLAIN, { ...OPTIONS, frames: 360 }).finally(() => {
      isOver = true;
    });
    const rejected = expect(taken).rejects.toMatchObject(failure('it took longer than 3 s'));
    const stopped = await until(() => {
      // One that has worked for so long has opened its page, and takes pictures.
      const busy = startedSince(before).find(
        ({ id, kind }) => kind === 'renderer' && processorSeconds(id) > 0.5,
      );
      if (busy !== undefined) process.kill(busy.id, 'SIGSTOP');
      return isOver || busy !== undefined;
    });
    expect(stopped).toBe(true);
    await rejected;
    await expectEnd(own, before);
  });

  it.runIf(IS_LONG)(
    'takes a picture of 5 million triangles within the memory of a small machine',
    async () => {
      const before = browserProcesses();
      const own = new BrowserRenderer({ browser, pages: 1 });
      const glb = plainGlb({ triangles: 5_000_000 });
      const [file] = await takePictures(own, glb, OPTIONS);
      expect(await showsModel(file!.bytes)).toBe(true);
      const peaks = startedSince(before).map(({ id }) => highestMib(id));
      expect(peaks.reduce((sum, mib) => sum + mib, 0)).toBeLessThan(4096);
      await own.close();
    },
  );

  it('refuses a model that names an address, and asks for nothing', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked++;
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret.png`;
    for (const one of [address, '../secret.png', 'file:///etc/passwd'])
      await expectRefused(plainGlb({ triangles: 2, address: one }), 'that names an address');
    expect(asked).toBe(0);
    await new Promise((done) => server.close(done));
  });

  it('says that a model has nothing to draw', async () => {
    await expectRefused(plainGlb({ triangles: 0 }), 'no triangle');
  });

  it('takes pictures of a model 300 m wide: a floor plan that would be too large is to a smaller scale', async () => {
    const glb = plainGlb({ triangles: 200, sideMetres: 300 });
    // The processor draws 8,192 × 8,192 pixels for it.
    const cameras = IS_LONG ? (['hero', 'top'] as const) : (['hero'] as const);
    const [hero, top] = await takePictures(renderer, glb, { ...OPTIONS, cameras });
    expect(await showsModel(hero!.bytes)).toBe(true);
    expect(hero!.pixelsPerMetre).toBe(undefined);
    if (top === undefined) return;
    expect(Math.max(top.width, top.height)).toBe(4096);
    expect(top.pixelsPerMetre).toBeCloseTo(4096 / 300, 3);
  });

  it('names a texture that is too large for the graphics, and one that is none', async () => {
    const create = { width: 20_000, height: 4, channels: 3, background: '#804020' } as const;
    const bytes = new Uint8Array(await sharp({ create }).png().toBuffer());
    const image = (content: Uint8Array) =>
      plainGlb({ triangles: 2, image: { name: 'oak', mimeType: 'image/png', bytes: content } });
    const tooWide = /texture oak: expected at most \d+ pixels .*, received 20000 × 4$/;
    await expectRefused(image(bytes), tooWide);
    await expectRefused(image(bytes.map((byte) => ~byte)), /texture oak: expected/);
    expect(await takePictures(renderer, PLAIN, OPTIONS)).toHaveLength(1);
  });

  it('takes pictures with a new browser where the old one was killed', async () => {
    await takePictures(renderer, PLAIN, OPTIONS);
    const taken = Array.from({ length: 4 }, () => takePictures(renderer, PLAIN, OPTIONS));
    expect(killBrowserProcesses('browser', others)).toBe(1);
    for (const files of await Promise.all(taken)) expect(files).toHaveLength(1);
  });

  it('fails what is in progress when it is closed, and starts no other browser for it', async () => {
    const taken = [0, 1].map(() => takePictures(renderer, PLAIN, OPTIONS));
    const settled = Promise.allSettled(taken);
    await renderer.close();
    for (const { status } of await settled) expect(status).toBe('rejected');
  });
});

const KILLS = 5;
const SEED = 14;
/** Whichever process of the browser dies, it loses nothing. */
const KINDS = ['browser', 'gpu-process', 'renderer', 'utility'] as const;

describe.runIf(HAS_BROWSER && IS_LONG)('a delivery during which the browser is killed', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const pipeline = (name: string, deliver?: object) =>
    writePipeline(folder, {
      service: { emulator: true },
      // There are more pictures than kills, some of which find no process of their kind.
      articles: [{ catalogue: { manufacturers: ['AULI'] } }],
      output: { dir: name },
      cache: { dir: `${name}-cache` },
      ...(deliver && { deliver }),
    });
  const picturesOf = async (name: string) => {
    const root = join(folder, name, 'pictures');
    const paths = await filesBelow(root);
    return new Map(
      await Promise.all(
        paths.map(async (path) => {
          const digest = (await readFile(path)).toString('base64');
          return [relative(root, path), digest] as const;
        }),
      ),
    );
  };

  it('has the same pictures as one that is left alone', async () => {
    const deliver = { pictures: { cameras: ['hero'], width: 256, height: 256 } };
    expect(await command(['run', await pipeline('calm')])).toMatchObject({ exit: 0 });
    const calmPath = await pipeline('calm', deliver);
    expect(await command(['deliver', calmPath])).toMatchObject({ exit: 0 });
    const calm = await picturesOf('calm');
    expect(await command(['run', await pipeline('stormy')])).toMatchObject({
      exit: 0,
    });
    const path = await pipeline('stormy', deliver);

    const chance = chanceOf(SEED, 0);
    let isOver = false;
    const delivered = command(['deliver', path]).finally(() => {
      isOver = true;
    });
    let kills = 0;
    // The browser that all tests of this process share goes on.
    const others = browserProcesses();
    for (let progress = -1; kills < KILLS && !isOver; ) {
      // Three kills without a picture would be a model that is too much for any browser.
      await until(async () => isOver || (await picturesOf('stormy')).size > progress);
      progress = (await picturesOf('stormy')).size;
      if (killBrowserProcesses(chance.pick(KINDS), others) > 0) kills++;
    }
    expect(await delivered).toMatchObject({ exit: 0 });
    expect(kills).toBe(KILLS);
    const stormy = await picturesOf('stormy');
    expect([...stormy.keys()].sort()).toEqual([...calm.keys()].sort());
    for (const [name, bytes] of stormy)
      expect([name, bytes === calm.get(name)]).toEqual([name, true]);
  });
});

describe.runIf(HAS_BROWSER && IS_LONG)('a thousand pictures, two at a time', () => {
  it('of twenty models are the same fifty times, in any order', async () => {
    const folder = await temporaryFolder();
    const articles = ['AULI', 'BRNK', 'FJEL'].map((id) => ({ catalogue: { manufacturers: [id] } }));
    const pipeline = await writePipeline(folder, { service: { emulator: true }, articles });
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    const paths = (await filesBelow(join(folder, 'out', 'articles'))).sort();
    const every = Math.floor(paths.length / MODELS);
    const models = Array.from({ length: MODELS }, (_, i) => paths[i * every]!);
    const renderer = new BrowserRenderer({
      ...{ browser: await pictureBrowser(), pages: 2, timeoutMs: GIVE_UP_MS },
    });
    const first = new Map<string, Buffer>();
    try {
      const chance = chanceOf(SEED, 1);
      // Two models are drawn at once, each after any other one.
      const all = Array.from({ length: TIMES }, () => models).flat();
      const places = all.map((path) => ({ path, at: chance.below(2 ** 30) }));
      places.sort((a, b) => a.at - b.at);
      await inParallel(places, 2, async ({ path }) => {
        const [picture] = await takePictures(renderer, await readFile(path), OPTIONS);
        const bytes = Buffer.from(picture!.bytes);
        const before = first.get(path) ?? bytes;
        first.set(path, before);
        expect([path, bytes.equals(before)]).toEqual([path, true]);
      });
    } finally {
      await renderer.close();
    }
    expect(first.size).toBe(MODELS);
  });
});

const MODELS = 20;
const TIMES = 50;
