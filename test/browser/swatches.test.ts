/** Swatches of real GLBs, as a real browser draws them. */
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeGlb } from '../../src/convert/write/glb.ts';
import type { Renderer } from '../../src/deliver/pictures/renderer.ts';
import { createSwatchMaker, type SwatchOptions } from '../../src/deliver/swatches/swatch-maker.ts';
import { sharedRenderer } from '../helpers/browser.ts';
import { ciede2000, labOf, meanColour } from '../helpers/colour-difference.ts';
import { BOX_TRIANGLES, boxPoints } from '../helpers/graphics.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { plainGlb } from '../helpers/plain-glb.ts';
import { sceneOf } from '../helpers/snapshot.ts';

const SIZE = 128;
const FLAT: SwatchOptions = { shape: 'flat', width: SIZE, format: 'png', background: '#ffffff' };
const BALL: SwatchOptions = { ...FLAT, shape: 'ball' };

type Material = { mname: string } & Record<string, unknown>;

/** A GLB of a box of each material, one beside the other. */
async function boxesOf(...mats: Material[]): Promise<Uint8Array> {
  const block = { V: boxPoints(), A: [{ F: BOX_TRIANGLES }] };
  const btg = mats.map(({ mname }, i) => {
    return { type: 'imp', btgname: 'A::B::BOX', mat: mname, offs: [2 * i, 0, 0] };
  });
  return writeGlb(await sceneOf({ btg, mats, blocks: { 'A::B::BOX': block } }));
}

interface Listed {
  name: string;
  picture: string;
}

interface Pixels {
  /** Red, green, blue and alpha, at shares of width and height. */
  at(x: number, y: number): number[];
  all: number[][];
}

async function pixelsOf(bytes: Uint8Array): Promise<Pixels> {
  const data = await sharp(bytes).ensureAlpha().raw().toBuffer();
  const all = Array.from({ length: SIZE * SIZE }, (_, i) => [...data.subarray(4 * i, 4 * i + 4)]);
  return { all, at: (x, y) => all[Math.floor(y * SIZE) * SIZE + Math.floor(x * SIZE)]! };
}

describe.runIf(HAS_BROWSER)('swatches', () => {
  let renderer: Renderer;
  beforeAll(async () => {
    renderer = await sharedRenderer();
  });

  /** The list of a master, and its pictures by the name of their material. */
  const make = async (master: Uint8Array, options: SwatchOptions) => {
    const [file] = await createSwatchMaker(renderer, options).make(master, ['materials.json']);
    const list = JSON.parse(new TextDecoder().decode(file!.bytes)) as Listed[];
    const pictures = new Map<string, Pixels>();
    for (const { name, picture } of list) {
      const shared = file!.shared!.find((one) => picture === `swatches/files/${one.name}`);
      pictures.set(name, await pixelsOf(shared!.bytes));
    }
    return { list, pictures };
  };
  const pictureOf = async (material: Material, options: SwatchOptions) =>
    (await make(await boxesOf(material), options)).pictures.get(material.mname)!;

  it.each([
    ['matt', 1, 6],
    ['lacquered', 0.2, 2.5],
  ])('have the colour of the catalogue: %s, flat', async (_, roughness, most) => {
    const colours = [
      [115, 82, 68],
      [98, 122, 157],
      [70, 148, 73],
      [175, 54, 60],
      [231, 199, 31],
      [200, 200, 200],
      [52, 52, 52],
    ];
    const mats = colours.map((color) => {
      const hex = Buffer.from(color).toString('hex').toUpperCase();
      return { mname: color.join(), dif: `0x${hex}`, roughness };
    });
    const { pictures } = await make(await boxesOf(...mats), FLAT);
    const differences = colours.map((color) =>
      ciede2000(labOf(color), labOf(meanColour(pictures.get(color.join())!.all))),
    );
    expect(Math.max(...differences)).toBeLessThanOrEqual(most);
    const sum = differences.reduce((total, one) => total + one, 0);
    expect(sum / colours.length).toBeLessThanOrEqual(most * 0.6);
  });

  it('show metal by its reflections, and glass by what is behind it', async () => {
    const lightness = ([...pixel]: number[]) => labOf(pixel.slice(0, 3))[0];
    const chrome = { mname: 'CHROME', dif: '0xD0D0D0', metallic: 1, roughness: 0.05 };
    const glass = { mname: 'GLASS', dif: '0xF4F8F6', tra: 0.9, refr: 1.5, roughness: 0 };
    const flat = await make(await boxesOf(chrome, glass), FLAT);
    const [levels] = [flat.pictures.get('CHROME')!.all.map(lightness)];
    expect(Math.max(...levels!) - Math.min(...levels!)).toBeGreaterThan(15);
    const pane = flat.pictures.get('GLASS')!;
    expect(lightness(pane.at(0.3, 0.3))).toBeGreaterThan(lightness(pane.at(0.7, 0.7)) + 20);
  });

  it('are round on balls, which have a shadow', async () => {
    const clear: SwatchOptions = { ...BALL, background: 'transparent' };
    const { all } = await pictureOf({ mname: 'RED', dif: '0xC81414' }, clear);
    const places = all.flatMap(([, , , alpha], i) => (alpha === 255 ? [i] : []));
    const sideOf = (values: number[]) => Math.max(...values) - Math.min(...values) + 1;
    const [width, height] = [
      sideOf(places.map((i) => i % SIZE)),
      sideOf(places.map((i) => Math.floor(i / SIZE))),
    ];
    expect(width).toBeGreaterThan(SIZE / 2);
    expect(Math.abs(width - height)).toBeLessThanOrEqual(2);
    expect(places.length / (width * height)).toBeCloseTo(Math.PI / 4, 1);
    expect(all.filter(([, , , alpha]) => alpha! > 0 && alpha! < 200).length).toBeGreaterThan(SIZE);
  });

  it.each(['flat', 'ball'] as const)('have a texture at its real scale: %s', async (shape) => {
    // Half of an image of 0.05 m is black: four stripes on 0.2 m, two on a ball of 0.1 m.
    const half = { create: { width: 32, height: 64, channels: 3, background: '#000000' } } as const;
    const bytes = await sharp({ create: { ...half.create, width: 64, background: '#ffffff' } })
      .composite([{ input: half, left: 0, top: 0 }])
      .png()
      .toBuffer();
    const image = { name: 'stripes', mimeType: 'image/png', bytes: new Uint8Array(bytes) };
    const master = plainGlb({ triangles: 8, sideMetres: 0.05, image });
    const { pictures } = await make(master, { ...FLAT, shape });
    const { at } = pictures.get('')!;
    const middle = shape === 'flat' ? 0.5 : 0.42;
    const row = Array.from({ length: SIZE }, (_, x) => at((x + 0.5) / SIZE, middle)[1]! < 100);
    const edges = row.filter((isDark, x) => x > 0 && isDark !== row[x - 1]).length;
    if (shape === 'flat') expect([7, 8]).toContain(edges);
    else expect(edges).toBeGreaterThanOrEqual(4);
  });

  it('of equal finishes are one picture, which is drawn once', async () => {
    let drawn = 0;
    const counting: Renderer = {
      takePictures(...call) {
        drawn++;
        return renderer.takePictures(...call);
      },
      close: async () => {},
    };
    const maker = createSwatchMaker(counting, FLAT);
    const oak = { mname: 'OAK', dif: '0x8C6E46' };
    const masters = [
      await boxesOf(oak, { mname: 'STEEL', dif: '0xA0A0A0' }),
      await boxesOf({ ...oak, mname: 'EICHE' }),
    ];
    const files = await Promise.all(masters.map((one) => maker.make(one, ['materials.json'])));
    const lists = files.map(
      ([file]) => JSON.parse(new TextDecoder().decode(file!.bytes)) as Listed[],
    );
    expect(lists.map((list) => list.map(({ name }) => name))).toEqual([
      ['OAK', 'STEEL'],
      ['EICHE'],
    ]);
    expect(lists[0]![0]!.picture).toBe(lists[1]![0]!.picture);
    expect(drawn).toBe(2);
  });

  it('of a model without materials are an empty list', async () => {
    const { list } = await make(plainGlb({ triangles: 0 }), FLAT);
    expect(list).toEqual([]);
  });
});
