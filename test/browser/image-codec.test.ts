/** The image codec of the browser reads what that of the command line reads, and writes what this one reads. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { withoutProfile } from '../../src/deliver/usd/usd-image.ts';
import type { Pixels } from '../../src/model/image-codec.ts';
import { sharpImageCodec } from '../../src/support/image-codec.ts';
import { closePages, openPage } from '../helpers/browser.ts';
import { HAS_FIREFOX, type OtherBrowser, startFirefox } from '../helpers/other-browsers.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';

const [WIDTH, HEIGHT] = [32, 16];

/** A picture of steps and ramps. */
const DATA = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => (i * 37) % 256);
const picture = () => sharp(DATA, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
const FINE = { chromaSubsampling: '4:4:4', quality: 95 };

/** Each kind of image with the same pixels, or those of its codec. */
const IMAGES: [string, () => Promise<Uint8Array>][] = [
  ['a JPEG', () => picture().jpeg(FINE).toBuffer()],
  ['a progressive JPEG', () => picture().jpeg({ progressive: true }).toBuffer()],
  ['a grey JPEG', () => picture().greyscale().jpeg().toBuffer()],
  ['a JPEG that is turned', () => picture().withMetadata({ orientation: 6 }).jpeg().toBuffer()],
  ['a PNG', () => picture().png().toBuffer()],
  ['a grey PNG', () => picture().greyscale().png().toBuffer()],
  ['a WebP', () => picture().webp({ lossless: true }).toBuffer()],
  ['a GIF', () => picture().gif().toBuffer()],
];

/** The same pixels with three channels. */
function inColor({ width, height, channels, data }: Pixels): Pixels {
  const step = 3 / channels;
  const color = Uint8Array.from(
    { length: data.length * step },
    (_, i) => data[Math.floor(i / step)]!,
  );
  return { width, height, channels: 3, data: color };
}

/** An expression that makes the codec the variable `codec` of a page. */
let exposing: string;
beforeAll(async () => {
  const input = fileURLToPath(
    new URL('../../src/web/planning/state/image-codec.ts', import.meta.url),
  );
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm' });
  const code = Buffer.from(output[0].code).toString('base64');
  const exposed = 'then((module) => { globalThis.codec = module.browserImageCodec(); })';
  exposing = `import('data:text/javascript;base64,${code}').${exposed}`;
});

async function openFirefox(preferences?: Readonly<Record<string, boolean>>): Promise<OtherBrowser> {
  const firefox = await startFirefox(preferences);
  onTestFinished(() => firefox.end());
  // Its first page loads no program.
  await firefox.open('about:blank');
  await firefox.evaluate(`${exposing}.then(() => true)`);
  return firefox;
}

describe.runIf(HAS_BROWSER)('the image codec of the browser', () => {
  let page: Page;
  const open = async () => {
    const opened = await openPage();
    await opened.evaluate(exposing);
    return opened;
  };
  beforeAll(async () => {
    page = await open();
  });
  afterAll(closePages);

  const list = (bytes: Uint8Array) => `Uint8Array.from([${[...bytes]}])`;
  const decode = async (bytes: Uint8Array, size?: object): Promise<Pixels> => {
    const call = `codec.decode(${list(bytes)}, ${JSON.stringify(size)})`;
    const pixels = await page.evaluate<Pixels>(
      `${call}.then((pixels) => ({ ...pixels, data: [...pixels.data] }))`,
    );
    return { ...pixels, data: Uint8Array.from(pixels.data) };
  };
  const encode = async (method: 'encodePng' | 'encodeJpeg', { data, ...rest }: Pixels) => {
    const pixels = `{ ...${JSON.stringify(rest)}, data: ${list(data)} }`;
    const bytes = await page.evaluate<number[]>(
      `codec.${method}(${pixels}).then((all) => [...all])`,
    );
    return Uint8Array.from(bytes);
  };

  it.each(IMAGES)('decodes %s to the pixels of the command line', async (_, make) => {
    const bytes = new Uint8Array(await make());
    expect(await decode(bytes)).toEqual(inColor(await sharpImageCodec().decode(bytes)));
  });

  it('ignores colour profiles', async () => {
    const bytes = new Uint8Array(await picture().withIccProfile('p3').png().toBuffer());
    const plain = withoutProfile(bytes, 'image/png');
    expect(plain.length).toBeLessThan(bytes.length);
    expect(await decode(bytes)).toEqual(await decode(plain));
  });

  it('scales to exactly the size asked for', async () => {
    const flat = { create: { width: 64, height: 32, channels: 3 as const, background: '#804020' } };
    const { width, height, data } = await decode(await sharp(flat).png().toBuffer(), {
      width: 7,
      height: 5,
    });
    expect([width, height]).toEqual([7, 5]);
    expect([...data]).toEqual(Array.from({ length: 35 }, () => [0x80, 0x40, 0x20]).flat());
  });

  it.each([
    ['no image', () => Promise.resolve(DATA)],
    [
      'a JPEG that is cut off',
      async () => (await picture().jpeg(FINE).toBuffer()).subarray(0, 900),
    ],
    ['a PNG that is cut off', async () => (await picture().png().toBuffer()).subarray(0, 200)],
  ])('refuses %s', async (_, make) => {
    const call = `codec.decode(${list(await make())}).catch(({ code }) => code)`;
    expect(await page.evaluate(call)).toBe('IMAGE_UNREADABLE');
  });

  it('encodes PNG without loss, and JPEG with all its colours', async () => {
    const pixels: Pixels = { width: WIDTH, height: HEIGHT, channels: 3, data: DATA };
    const png = await encode('encodePng', pixels);
    expect(inColor(await sharpImageCodec().decode(png))).toEqual(pixels);
    const grey: Pixels = { width: 2, height: 1, channels: 1, data: Uint8Array.of(7, 200) };
    const greyPng = await encode('encodePng', grey);
    expect(await sharpImageCodec().decode(greyPng)).toEqual(inColor(grey));
    const { chromaSubsampling } = await sharp(await encode('encodeJpeg', pixels)).metadata();
    expect(chromaSubsampling).toBe('4:4:4');
  });

  it('leaves out images where a browser falsifies pixels, and says so', async () => {
    const falsified = await open();
    await falsified.evaluate(() => {
      const { prototype } = OffscreenCanvasRenderingContext2D;
      const read = prototype.getImageData;
      prototype.getImageData = function (...area) {
        const image = read.apply(this, area);
        for (let i = 0; i < image.data.length; i++) image.data[i]! ^= 1;
        return image;
      };
    });
    const bytes = new Uint8Array(await picture().png().toBuffer());
    const pixels = `{ width: 1, height: 1, channels: 1, data: Uint8Array.of(9) }`;
    for (const call of [
      `decode(${list(bytes)})`,
      `encodePng(${pixels})`,
      `encodeJpeg(${pixels})`,
    ]) {
      const said = `codec.${call}.then(() => 'an image', ({ code, message }) => code + ' ' + message)`;
      expect(await falsified.evaluate(said)).toBe(
        'IMAGE_UNREADABLE image: expected pixels as they are, but this browser falsifies them: in Firefox, privacy.resistFingerprinting does that',
      );
    }
  });

  it('writes a PNG without chunks that change no pixel, such as that of one browser', async () => {
    const own = await open();
    await own.evaluate(() => {
      const write = OffscreenCanvas.prototype.convertToBlob;
      OffscreenCanvas.prototype.convertToBlob = async function (...options) {
        const png = new Uint8Array(await (await write.apply(this, options)).arrayBuffer());
        // Length, type, data, sum.
        const chunk = Uint8Array.of(0, 0, 0, 2, 0x64, 0x65, 0x42, 0x47, 7, 7, 0, 0, 0, 0);
        return new Blob([png.subarray(0, 33), chunk, png.subarray(33)]);
      };
    });
    const pixels = `{ width: 2, height: 1, channels: 1, data: Uint8Array.of(9, 200) }`;
    const written = await own.evaluate<number[]>(
      `codec.encodePng(${pixels}).then((all) => [...all])`,
    );
    const bytes = Buffer.from(written);
    const types: string[] = [];
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
      types.push(bytes.toString('latin1', at + 4, at + 8));
    expect([...new Set(types)]).toEqual(['IHDR', 'IDAT', 'IEND']);
    const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([...data].filter((_, i) => i % 3 === 0)).toEqual([9, 200]);
  });
});

describe.runIf(IS_LONG && HAS_FIREFOX)('the image codec in Firefox', () => {
  const png = async () => [...(await picture().png().toBuffer())];
  const encoded = `codec.encodePng({ width: 2, height: 1, channels: 1, data: Uint8Array.of(9, 200) })`;

  it('reads and writes pixels as they are', async () => {
    const firefox = await openFirefox();
    const written = Buffer.from(
      await firefox.evaluate<number[]>(`${encoded}.then((all) => [...all])`),
    );
    expect(written.toString('latin1')).not.toContain('deBG');
    const { data } = await sharp(written).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([...data].filter((_, i) => i % 3 === 0)).toEqual([9, 200]);
    const call = `codec.decode(Uint8Array.from([${await png()}]))`;
    const read = await firefox.evaluate<number[]>(`${call}.then(({ data }) => [...data])`);
    expect(Uint8Array.from(read)).toEqual(DATA);
  });

  it('leaves images out where Firefox falsifies them, and says so', async () => {
    const firefox = await openFirefox({ 'privacy.resistFingerprinting': true });
    for (const call of [`codec.decode(Uint8Array.from([${await png()}]))`, encoded]) {
      const said = `${call}.then(() => 'an image', ({ message }) => message)`;
      expect(await firefox.evaluate(said)).toContain('but this browser falsifies them');
    }
  });
});
