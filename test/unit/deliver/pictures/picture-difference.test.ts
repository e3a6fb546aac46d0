/** How much two pictures differ, in tone and in edges. */
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { pictureDifference } from '../../../../src/deliver/pictures/picture-difference.ts';

interface Box {
  colour: string;
  /** Share of the picture; it begins at the same share from the left and the top. */
  side: number;
  format?: 'jpeg' | 'png' | 'webp';
  backdrop?: string;
  pixels?: number;
}

/** A square of one colour on a backdrop. */
function picture({ colour, side, format = 'png', backdrop = '#ffffff', pixels = 200 }: Box) {
  const size = Math.round(side * pixels);
  const at = Math.round(0.1 * pixels);
  const create = (background: string, width: number) => ({
    create: { width, height: width, channels: 4 as const, background },
  });
  return sharp(create(backdrop, pixels))
    .composite([{ input: create(colour, size), left: at, top: at }])
    .toFormat(format)
    .toBuffer();
}

async function difference(before: Box, now: Box) {
  return pictureDifference(await picture(before), await picture(now));
}

const OAK: Box = { colour: '#b98d5a', side: 0.6 };

describe('two pictures', () => {
  test('of one thing do not differ, in whatever format they are', async () => {
    expect(await difference(OAK, OAK)).toEqual({ tone: 0, edges: 0 });
    const { tone, edges } = await difference(OAK, { ...OAK, format: 'jpeg' });
    expect(tone).toBeLessThan(0.02);
    expect(edges).toBe(0);
  });

  test('of another finish differ in tone by its colour, however small the thing is', async () => {
    const greyed = (side: number) =>
      difference({ colour: '#000000', side }, { colour: '#808080', side });
    const [large, small] = [await greyed(0.6), await greyed(0.15)];
    expect(large.tone).toBeCloseTo(0.5, 1);
    expect(small.tone).toBeCloseTo(large.tone, 1);
    expect(large.edges).toBeGreaterThan(0.9);
  });

  test('of a slightly lighter finish differ in tone and not visibly', async () => {
    const { tone, edges } = await difference(OAK, { ...OAK, colour: '#be925f' });
    expect(tone).toBeGreaterThan(0.01);
    expect(tone).toBeLessThan(0.05);
    expect(edges).toBe(0);
  });

  test('of another shape differ where only one of them is', async () => {
    const { edges } = await difference(OAK, { ...OAK, side: 0.3 });
    expect(edges).toBeCloseTo(0.75, 1);
  });

  test('of nothing do not differ, and of nothing and something by all of that', async () => {
    const nothing = { ...OAK, colour: '#ffffff' };
    const same = await difference(nothing, { ...nothing, format: 'jpeg' });
    expect(same).toEqual({ tone: 0, edges: 0 });
    expect((await difference(nothing, OAK)).edges).toBeGreaterThan(0.95);
  });

  test('on a dark or transparent backdrop are compared by their things too', async () => {
    const grey = { ...OAK, backdrop: '#202020' };
    expect((await difference(grey, { ...grey, colour: '#202020' })).edges).toBeGreaterThan(0.95);
    const clear = { ...OAK, backdrop: '#00000000' };
    expect((await difference(clear, OAK)).tone).toBeLessThan(0.01);
  });

  test('of other sizes are compared as if they had one', async () => {
    const { tone } = await difference(OAK, { ...OAK, pixels: 450 });
    expect(tone).toBeLessThan(0.05);
  });
});
