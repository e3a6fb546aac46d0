/** Pictures that a real browser takes of real GLBs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeIO } from '@gltf-transform/core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeGlb } from '../../src/convert/write/glb.ts';
import { takePictures } from '../../src/deliver/pictures/picture.ts';
import {
  PICTURE_DEFAULTS,
  type PictureOptions,
  TRANSPARENT,
} from '../../src/deliver/pictures/picture-options.ts';
import type { Renderer } from '../../src/deliver/pictures/renderer.ts';
import type { Shot } from '../../src/deliver/pictures/shot.ts';
import { convert } from '../../src/library.ts';
import { sharedRenderer } from '../helpers/browser.ts';
import {
  ciede2000,
  hueDifference,
  labOf,
  meanColour,
  meanColourOfImage,
} from '../helpers/colour-difference.ts';
import { encoded, flatPicture } from '../helpers/flat-picture.ts';
import { BOX_TRIANGLES, boxPoints } from '../helpers/graphics.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { sceneOf } from '../helpers/snapshot.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SIZE = 128;
const OPTIONS: PictureOptions = { ...PICTURE_DEFAULTS, width: SIZE, height: SIZE };

/** A post on a board: white, a quarter as wide, at its left and back. */
async function postOnBoard(mats: object[]): Promise<Uint8Array> {
  const block = (size: [number, number, number]) => ({
    V: boxPoints(...size),
    A: [{ F: BOX_TRIANGLES }],
  });
  return writeGlb(
    await sceneOf({
      btg: [
        { type: 'imp', btgname: 'A::B::BOARD', mat: 'BOARD' },
        { type: 'imp', btgname: 'A::B::POST', mat: 'POST', offs: [0, 0.1, 0] },
      ],
      mats,
      blocks: { 'A::B::BOARD': block([1, 0.1, 1]), 'A::B::POST': block([0.25, 1, 0.25]) },
    }),
  );
}

/** A ball of 16 segments, whose normals turn away from the camera at its outline. */
async function ball(): Promise<Uint8Array> {
  const [segments, rings] = [16, 8];
  const at = (ring: number, segment: number) => ring * segments + (segment % segments);
  const points = Array.from({ length: (rings + 1) * segments }, (_, i) => {
    const height = (Math.PI * Math.floor(i / segments)) / rings;
    const turn = (2 * Math.PI * (i % segments)) / segments;
    const radius = Math.sin(height) / 2;
    return [radius * Math.cos(turn), 0.5 - Math.cos(height) / 2, radius * Math.sin(turn)];
  });
  const faces = Array.from({ length: rings * segments }, (_, i) => {
    const [ring, segment] = [Math.floor(i / segments), i % segments];
    const [a, b] = [at(ring, segment), at(ring, segment + 1)];
    const [c, d] = [at(ring + 1, segment), at(ring + 1, segment + 1)];
    return [a, c, b, b, c, d];
  });
  return writeGlb(
    await sceneOf({
      btg: [{ type: 'imp', btgname: 'A::B::BALL', mat: 'BOARD' }],
      mats: [WHITE],
      blocks: { 'A::B::BALL': { V: points.flat(), A: [{ F: faces.flat() }] } },
    }),
  );
}

const RED = { mname: 'POST', dif: '0xC81414' };
const WHITE = { mname: 'BOARD', dif: '0xFAFAFA' };

interface Pixels {
  at(x: number, y: number): [number, number, number, number];
  count(is: (pixel: [number, number, number, number]) => boolean): number;
  /** Red, green and blue of each pixel. */
  all(): number[][];
}

async function pixelsOf(bytes: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(bytes)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixel = (i: number): [number, number, number, number] => {
    const at = 4 * i;
    return [data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!];
  };
  const places = Array.from({ length: info.width * info.height }, (_, i) => i);
  return {
    at: (x, y) => pixel(Math.floor(y * info.height) * info.width + Math.floor(x * info.width)),
    count: (is) => places.filter((i) => is(pixel(i))).length,
    all: () => places.map((i) => pixel(i).slice(0, 3)),
  };
}

const isRed = ([r, g, b]: readonly number[]) => r! > 90 && g! < r! / 2 && b! < r! / 2;

describe.runIf(HAS_BROWSER)('pictures', () => {
  let renderer: Renderer;
  let glb: Uint8Array;
  beforeAll(async () => {
    renderer = await sharedRenderer();
    glb = await postOnBoard([RED, WHITE]);
  });
  const take = (options: Partial<PictureOptions>) =>
    takePictures(renderer, glb, { ...OPTIONS, ...options });

  it('show a model upright, from the side that their camera names', async () => {
    const cameras = ['front', 'back', 'top'] as const;
    const files = await takePictures(renderer, glb, {
      ...OPTIONS,
      cameras,
      format: 'png',
      pixelsPerMetre: 100,
    });
    expect(files.map(({ name, width, height }) => [name, width, height])).toEqual([
      ['front', SIZE, SIZE],
      ['back', SIZE, SIZE],
      ['top', 100, 100],
    ]);
    const [front, back, top] = await Promise.all(files.map(({ bytes }) => pixelsOf(bytes)));
    const centre = (of: Pixels, axis: 'x' | 'y') => {
      const steps = Array.from({ length: 64 }, (_, i) => (i + 0.5) / 64);
      const hits = steps.flatMap((x) =>
        steps.filter((y) => isRed(of.at(x, y))).map((y) => ({ x, y })),
      );
      return hits.reduce((sum, hit) => sum + hit[axis], 0) / hits.length;
    };
    // The post is at the left and back, on the board.
    expect(centre(front!, 'x')).toBeLessThan(0.5);
    expect(centre(back!, 'x')).toBeGreaterThan(0.5);
    expect(centre(front!, 'y')).toBeLessThan(0.6);
    expect(isRed(top!.at(0.05, 0.05))).toBe(true);
    expect(isRed(top!.at(0.9, 0.9))).toBe(false);
  });

  it('show the material of a sample article from near: its cover, which fills the picture', async () => {
    const folder = await temporaryFolder();
    const output = join(folder, 'pouf.glb');
    const article = { manufacturer: 'BRNK', program: 'KONVA', basearticlenumber: 'KV-POUF Ø46' };
    await convert({ service: { emulator: true }, article, output });
    const pouf = new Uint8Array(await readFile(output));
    const options = { ...OPTIONS, cameras: ['closeup'], format: 'png' } as const;
    const [closeup] = await takePictures(renderer, pouf, options);
    expect(closeup!.name).toBe('closeup');
    const cover = new URL(
      '../../src/emulator/sample/images/textures/fabricPetrol.jpg',
      import.meta.url,
    );
    const expected = labOf(await meanColourOfImage(await readFile(cover)));
    const shown = (await pixelsOf(closeup!.bytes)).all();
    const isCover = (pixel: number[]) => hueDifference(expected, labOf(pixel)) < 25;
    expect(shown.filter(isCover).length / shown.length).toBeGreaterThan(0.9);
    expect(ciede2000(expected, labOf(meanColour(shown)))).toBeLessThan(8);
    // The weave is visible: lightness differs from pixel to pixel.
    const levels = shown.map((pixel) => labOf(pixel)[0]);
    const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
    const spread = levels.reduce((sum, level) => sum + Math.abs(level - mean), 0) / levels.length;
    expect(spread).toBeGreaterThan(1);
    // The next test states it of another model.
    if (!IS_LONG) return;
    const [again] = await takePictures(renderer, pouf, options);
    expect(Buffer.compare(again!.bytes, closeup!.bytes)).toBe(0);
  });

  it('have the same pixels each time', async () => {
    const [first, second] = [await take({ format: 'png' }), await take({ format: 'png' })];
    expect(Buffer.from(first[0]!.bytes).equals(second[0]!.bytes)).toBe(true);
  });

  it('do not depend on the model before, also where that had the same shape', async () => {
    const green = await postOnBoard([{ ...RED, dif: '0x14C814' }, WHITE]);
    const glass = await postOnBoard([{ ...RED, tra: 0.9 }, WHITE]);
    const png = { ...OPTIONS, format: 'png' } as const;
    const pictureOf = async (model: Uint8Array) =>
      Buffer.from((await takePictures(renderer, model, png))[0]!.bytes);
    const round = await ball();
    for (const model of [green, glass]) {
      await pictureOf(round);
      const alone = await pictureOf(model);
      await pictureOf(glb);
      expect((await pictureOf(model)).equals(alone)).toBe(true);
    }
  });

  it('show the background through glass, darker where the glass is smoked', async () => {
    const smoked = await postOnBoard([RED, { ...WHITE, dif: '0x808080', tra: 0.7 }]);
    const [through, beside] = await Promise.all(
      [smoked, glb].map(async (model) => {
        const [top] = await takePictures(renderer, model, { ...OPTIONS, cameras: ['top'] });
        return (await pixelsOf(top!.bytes)).at(0.7, 0.7);
      }),
    );
    expect(Math.max(...through!.slice(0, 3))).toBeLessThan(beside![0] - 8);
    expect(Math.min(...through!.slice(0, 3))).toBeGreaterThan(120);
    expect(beside![0]).toBeGreaterThan(225);
  });

  it('have the same bytes whatever others are taken with them', async () => {
    const side = 512;
    const stripes = Uint8Array.from({ length: 3 * side * side }, (_, i) => (i % 7) * 36);
    const raw = { width: side, height: side, channels: 3 } as const;
    const glb = await writeGlb(
      await sceneOf({
        btg: [{ type: 'imp', btgname: 'A::B::BOX', mat: 'STRIPES' }],
        mats: [{ mname: 'STRIPES', pic: 'STRIPES' }],
        blocks: { 'A::B::BOX': { V: boxPoints(1, 1, 1), A: [{ F: BOX_TRIANGLES }] } },
        images: { STRIPES: await encoded(sharp(stripes, { raw }).png()) },
      }),
    );
    const [alone] = await takePictures(renderer, glb, OPTIONS);
    const together = await takePictures(renderer, glb, {
      ...OPTIONS,
      cameras: ['top', 'hero', 'closeup'],
    });
    const hero = together.find(({ name }) => name === 'hero')!;
    expect(Buffer.compare(hero.bytes, alone!.bytes)).toBe(0);
  });

  it.each([
    ['first', 1024, 8],
    ['last', 8, 1024],
  ])(
    'show of coplanar faces the last one, also where the image of the %s takes longer',
    async (_, first, last) => {
      const board = (mat: string) => ({ type: 'imp', btgname: 'A::B::BOARD', mat });
      const image = (color: [number, number, number], side: number) =>
        encoded(flatPicture(color, side, side).png());
      const glb = await writeGlb(
        await sceneOf({
          btg: [board('FIRST'), board('LAST')],
          mats: [
            { mname: 'FIRST', pic: 'FIRST' },
            { mname: 'LAST', pic: 'LAST' },
          ],
          blocks: { 'A::B::BOARD': { V: boxPoints(1, 1, 1), A: [{ F: BOX_TRIANGLES }] } },
          images: { FIRST: await image([0, 0, 200], first), LAST: await image([200, 0, 0], last) },
        }),
      );
      const [picture] = await takePictures(renderer, glb, { ...OPTIONS, format: 'png' });
      const pixels = await pixelsOf(picture!.bytes);
      expect(pixels.count(([red, , blue]) => red > 2 * blue)).toBeGreaterThan(0);
      expect(pixels.count(([red, , blue]) => blue > 2 * red)).toBe(0);
    },
  );

  it('are there in several widths, reduced from one that is as large as the largest', async () => {
    const cameras = ['hero', 'top'] as const;
    const options = { cameras, height: SIZE / 2, sizes: [64, 256, 64], format: 'png' } as const;
    const files = await take(options);
    expect(files.map(({ name, width, height }) => [name, width, height])).toEqual([
      ['hero', SIZE, SIZE / 2],
      ['hero-64', 64, 32],
      ['hero-256', 256, 128],
      ['top', 200, 200],
    ]);
    const [hero, , large] = files;
    const reduced = await sharp(large!.bytes)
      .resize(SIZE, SIZE / 2)
      .raw()
      .toBuffer();
    const own = await sharp(hero!.bytes).raw().toBuffer();
    expect(Buffer.compare(reduced, own)).toBe(0);
  });

  it('are white behind the model, or transparent where the format allows it', async () => {
    const [jpeg] = await take({ format: 'jpg' });
    expect((await pixelsOf(jpeg!.bytes)).at(0.02, 0.02)).toEqual([255, 255, 255, 255]);
    for (const background of [TRANSPARENT, 'Transparent']) {
      const [png] = await take({ format: 'png', background });
      expect((await pixelsOf(png!.bytes)).at(0.02, 0.02)[3]).toBe(0);
    }
    for (const [format, container] of [
      ['webp', 'webp'],
      ['avif', 'heif'],
    ] as const) {
      const [picture] = await take({ format });
      expect((await sharp(picture!.bytes).metadata()).format).toBe(container);
    }
  });

  describe('the shadow on the floor', () => {
    interface Box {
      size: [number, number, number];
      offs?: [number, number, number];
      lay?: string;
    }
    const boxes = async (...all: Box[]) =>
      writeGlb(
        await sceneOf({
          btg: all.map(({ size: _, ...node }, i) => ({
            type: 'imp',
            btgname: `A::B::${i}`,
            mat: 'BOARD',
            ...node,
          })),
          mats: [WHITE],
          blocks: Object.fromEntries(
            all.map(({ size }, i) => [
              `A::B::${i}`,
              { V: boxPoints(...size), A: [{ F: BOX_TRIANGLES }] },
            ]),
          ),
        }),
      );
    /** Alphas of a picture without a background, row by row; 255 is the model. */
    const alphasOf = async (model: Uint8Array, options: Partial<PictureOptions> = {}) => {
      const clear = { ...OPTIONS, format: 'png', background: TRANSPARENT, ...options } as const;
      const [picture] = await takePictures(renderer, model, clear);
      return sharp(picture!.bytes).extractChannel(3).raw().toBuffer();
    };
    const side = (alphas: Buffer) => Math.sqrt(alphas.length);

    it.each([
      ['of a board', [{ size: [1.6, 0.03, 0.8] }]],
      ['of a cabinet', [{ size: [0.8, 1.8, 0.4] }]],
      [
        'of a table top on a post',
        [
          { size: [0.1, 0.7, 0.1], offs: [0.5, 0, 0.5] },
          { size: [1, 0.03, 1], offs: [0, 0.7, 0] },
        ],
      ],
    ] as [string, Box[]][])('%s fades out within the picture', async (_, all) => {
      // One looks down, one from a side: the others are as that one.
      const cameras = ['hero', 'side', ...(IS_LONG ? (['front', 'back'] as const) : [])] as const;
      for (const camera of cameras) {
        const alphas = await alphasOf(await boxes(...all), { cameras: [camera] });
        const last = side(alphas) - 1;
        const isBorder = (i: number) =>
          [0, last].some((edge) => i % (last + 1) === edge || Math.floor(i / (last + 1)) === edge);
        expect(Math.max(...alphas.filter((_alpha, i) => isBorder(i)))).toBeLessThan(2);
        expect(alphas.filter((alpha) => alpha > 10 && alpha < 200).length).toBeGreaterThan(50);
      }
    });

    it('stays attached to feet of 10 mm', async () => {
      const leg = (x: number, z: number): Box => ({ size: [0.01, 0.4, 0.01], offs: [x, 0, z] });
      const stool = await boxes(
        { size: [0.4, 0.02, 0.4], offs: [0, 0.4, 0] },
        ...[0, 0.39].flatMap((x) => [0, 0.39].map((z) => leg(x, z))),
      );
      const alphas = await alphasOf(stool, { width: 400, height: 400 });
      // The lowest pixel of the model is the foot in front.
      const foot = alphas.lastIndexOf(255);
      const beside = (pixels: number) => alphas[foot + 400 * 2 + pixels]!;
      expect(beside(0)).toBeGreaterThan(2 * beside(24));
      expect(beside(0)).toBeGreaterThan(20);
    });

    it('is the same below a part that is mirrored', async () => {
      const slab = await boxes({ size: [1, 0.1, 1] });
      const document = await new NodeIO().readBinary(slab);
      const [scene] = document.getRoot().listScenes();
      const parent = document.createNode().setScale([-1, 1, 1]).setTranslation([1, 0, 0]);
      for (const node of scene!.listChildren()) parent.addChild(node);
      scene!.addChild(parent);
      const mirrored = await new NodeIO().writeBinary(document);
      const size = IS_LONG ? { width: 400, height: 400 } : {};
      const [plain, other] = [await alphasOf(slab, size), await alphasOf(mirrored, size)];
      const different = plain.filter((alpha, i) => Math.abs(alpha - other[i]!) > 3);
      expect(different).toHaveLength(0);
    });

    it('is the same on a background as in a transparent picture', async () => {
      const stool = await boxes(
        { size: [0.05, 0.4, 0.05], offs: [0.2, 0, 0.2] },
        { size: [0.4, 0.02, 0.4], offs: [0, 0.4, 0] },
      );
      const [drawn, clear] = await Promise.all(
        ['#ffffff', TRANSPARENT].map(async (background) => {
          const options = { ...OPTIONS, format: 'png', background } as const;
          const [picture] = await takePictures(renderer, stool, options);
          return sharp(picture!.bytes).ensureAlpha().raw().toBuffer();
        }),
      );
      // Only the model has a colour.
      const places = Array.from({ length: SIZE * SIZE }, (_, i) => 4 * i);
      const shaded = places.filter((at) => clear![at] === 0 && clear![at + 3]! > 20);
      expect(shaded.length).toBeGreaterThan(500);
      const wrong = shaded.filter((at) => {
        const light = 1 - clear![at + 3]! / 255;
        const curve = light > 0.0031308 ? 1.055 * light ** (1 / 2.4) - 0.055 : 12.92 * light;
        return Math.abs(drawn![at]! - 255 * curve) > 2;
      });
      expect(wrong).toHaveLength(0);
    });

    it('is that of what stands on the floor, by bounds and layers, unless an option says otherwise', async () => {
      const shadowOf = async (box: Box, floor?: PictureOptions['floor']) => {
        const alphas = await alphasOf(await boxes(box), floor && { floor });
        return alphas.filter((alpha) => alpha > 3 && alpha < 200).length;
      };
      const size: Box['size'] = [0.6, 0.3, 0.3];
      const standing = await shadowOf({ size });
      // Pixels at the edges of the model are partly opaque.
      const edges = await shadowOf({ size }, 'never');
      expect(standing).toBeGreaterThan(4 * edges);
      for (const small of [{ size: [2, 0.01, 3] }, { size: [0.02, 0.008, 0.008] }] as Box[])
        expect(await shadowOf(small)).toBeGreaterThan(2 * (await shadowOf(small, 'never')));
      const hanging: Box[] = [
        { size, offs: [0, 1.2, 0] },
        { size, offs: [0, -0.3, 0] },
        { size, lay: '72_A_B_D3_CEILING' },
      ];
      for (const [i, box] of hanging.entries()) {
        expect(await shadowOf(box)).toBe(edges);
        // The option asks for neither bounds nor layers.
        if (IS_LONG || i === 0)
          expect((await shadowOf(box, 'always')) / standing).toBeCloseTo(1, 1);
      }
    });
  });

  it('show white surfaces with tones of their own, and a shadow on the floor that ends before the picture does', async () => {
    const [file] = await take({ format: 'png' });
    const pixels = await pixelsOf(file!.bytes);
    expect(
      pixels.count(([r, g, b]) => r < 250 && Math.abs(r - g) < 12 && Math.abs(g - b) < 12),
    ).toBeGreaterThan(SIZE * 4);
    for (const place of [0, 0.25, 0.5, 0.75]) {
      expect(pixels.at(place, 0.999)).toEqual([255, 255, 255, 255]);
    }
  });

  it('have no dark outline where the normals of a round white surface turn away', async () => {
    const background = TRANSPARENT;
    const [png] = await takePictures(renderer, await ball(), {
      ...OPTIONS,
      format: 'png',
      background,
    });
    const isDark = ([r, , , alpha]: readonly number[]) => alpha! > 250 && r! < 150;
    expect((await pixelsOf(png!.bytes)).count(isDark)).toBe(0);
  });

  it('of a given box show it in the same place of all models, and a part of it as large as the whole', async () => {
    const board = writeGlb(
      await sceneOf({
        btg: [{ type: 'imp', btgname: 'A::B::BOARD', mat: 'BOARD' }],
        mats: [WHITE],
        blocks: { 'A::B::BOARD': { V: boxPoints(1, 0.1, 1), A: [{ F: BOX_TRIANGLES }] } },
      }),
    );
    const shot: Shot = {
      camera: { azimuthDegrees: 32, elevationDegrees: 16, projection: 'perspective' },
      framed: { min: [0, 0, 0], max: [1, 1.1, 1] },
      size: { width: SIZE, height: SIZE },
      imagePixels: SIZE,
      backdrop: { color: [1, 1, 1], shadow: 0, floor: 'never' },
    };
    const part = { x: 0.25, y: 0.5, width: 0.5, height: 0.5 };
    const [whole, near] = await renderer.takePictures(glb, [shot, { ...shot, part }]);
    const [other] = await renderer.takePictures(board, [shot]);
    const brightness = ({ pixels }: { pixels: Uint8Array }, x: number, y: number) =>
      pixels[4 * (Math.floor(y * SIZE) * SIZE + Math.floor(x * SIZE))]!;
    const steps = Array.from({ length: 16 }, (_, i) => (i + 0.5) / 16);
    const outline = (picture: { pixels: Uint8Array }, y: number) =>
      Array.from({ length: SIZE }, (_, x) => brightness(picture, x / SIZE, y) < 253).lastIndexOf(
        true,
      );
    // The right corner of the board, in front of the post.
    expect(steps.map((y) => outline(other!, y)).slice(12)).toEqual(
      steps.map((y) => outline(whole!, y)).slice(12),
    );
    const differing = steps.flatMap((x) =>
      steps.filter((y) => {
        const expected = brightness(whole!, part.x + x * part.width, part.y + y * part.height);
        return Math.abs(brightness(near!, x, y) - expected) > 16;
      }),
    );
    expect(differing.length).toBeLessThan(16);
  });

  it('of a turn are as many as asked for, and a sheet of all', async () => {
    const files = await take({ cameras: [], frames: 8, format: 'png' });
    expect(files.map(({ name }) => name)).toEqual([
      ...Array.from({ length: 8 }, (_, i) => `turn-${i + 1}`),
      'turn',
    ]);
    expect(files.at(-1)).toMatchObject({ width: 6 * SIZE, height: 2 * SIZE });
    const [first, opposite] = await Promise.all(
      [files[0]!, files[4]!].map(({ bytes }) => pixelsOf(bytes)),
    );
    expect(first!.count(isRed)).toBeGreaterThan(100);
    expect(opposite!.count(isRed)).toBeGreaterThan(100);
  });

  it('of what is no model fail with a sentence, and the next one is taken', async () => {
    const wrong = [
      new Uint8Array(100),
      writeGlb(
        await sceneOf({
          btg: [{ type: 'imp', btgname: 'A::B::C', mat: 'M' }],
          mats: [{ mname: 'M' }],
          blocks: { 'A::B::C': { V: boxPoints(), A: [{ F: BOX_TRIANGLES }] } },
        }),
      ).subarray(0, 300),
    ];
    for (const bytes of wrong) {
      await expect(takePictures(renderer, bytes, OPTIONS)).rejects.toMatchObject({
        code: 'PICTURE_FAILED',
      });
    }
    expect(await take({})).toHaveLength(1);
  });
});
