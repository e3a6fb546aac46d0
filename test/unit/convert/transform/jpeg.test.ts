import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { colorDifference } from '../../../../src/convert/transform/images.ts';
import { isIntactJpeg, readJpegData } from '../../../../src/convert/transform/jpeg.ts';
import { sharpImageCodec } from '../../../../src/support/image-codec.ts';
import { encoded, flatPicture } from '../../../helpers/flat-picture.ts';
import { IS_LONG } from '../../../helpers/samples.ts';

const RUNS = IS_LONG ? 2_000 : 16;
const codec = sharpImageCodec();

interface Plan {
  width: number;
  height: number;
  /** Of luma: blocks across and down in a unit. */
  sampling: readonly [number, number];
  components: 1 | 3;
  restartInterval: number;
  factor: number;
  seed: number;
}

/** A JPEG of pseudo-random coefficients, with half of the codes longer than any that is looked up at once. */
function jpegOf({ width, height, sampling, components, restartInterval, factor, seed }: Plan) {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const segment = (marker: number, content: number[]) => {
    const length = content.length + 2;
    return [0xff, marker, length >> 8, length & 255, ...content];
  };
  const dcSymbols = Array.from({ length: 12 }, (_, i) => i);
  const acSymbols = Array.from({ length: 256 }, (_, i) => i).filter(
    (symbol) => symbol === 0 || symbol === 0xf0 || ((symbol & 15) > 0 && (symbol & 15) < 11),
  );
  const counts = (lengths: number[]) =>
    Array.from({ length: 16 }, (_, i) => lengths.filter((length) => length === i + 1).length);
  const acLengths = acSymbols.map((_, i) => (i < 81 ? 8 : 16));
  const codeOf = (symbols: number[], lengths: number[]) => {
    let code = -1;
    return new Map(
      symbols.map((symbol, i) => {
        code = (code + 1) << (lengths[i]! - (lengths[i - 1] ?? lengths[i]!));
        return [symbol, code.toString(2).padStart(lengths[i]!, '0')];
      }),
    );
  };
  const dcCodes = codeOf(
    dcSymbols,
    dcSymbols.map(() => 4),
  );
  const acCodes = codeOf(acSymbols, acLengths);
  const bitsOf = (size: number) => Array.from({ length: size }, () => random(2)).join('');
  const [across, down] = components === 1 ? [1, 1] : sampling;
  const unit = [across * down, 1, 1].slice(0, components);
  const units = Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down));
  const data: number[] = [];
  let bits = '';
  const flush = () => {
    bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
    for (let i = 0; i < bits.length; i += 8) {
      const byte = Number.parseInt(bits.slice(i, i + 8), 2);
      data.push(byte, ...(byte === 0xff ? [0] : []));
    }
    bits = '';
  };
  for (let u = 0; u < units; u++) {
    if (restartInterval > 0 && u > 0 && u % restartInterval === 0) {
      flush();
      data.push(0xff, 0xd0 + ((u / restartInterval - 1) & 7));
    }
    for (const blocks of unit)
      for (let block = 0; block < blocks; block++) {
        const size = random(7);
        bits += dcCodes.get(size) + bitsOf(size);
        let place = 1;
        while (place < 64 && random(6) > 0) {
          const symbol = acSymbols[1 + random(acSymbols.length - 1)]!;
          if (place + (symbol >> 4) > 62) continue;
          const least = (symbol & 15) === 0 ? symbol : (symbol & 0xf0) | Math.min(4, symbol & 15);
          place += (symbol >> 4) + 1;
          bits += acCodes.get(least)! + bitsOf(least & 15);
        }
        if (place < 64) bits += acCodes.get(0)!;
      }
  }
  flush();
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, components];
  const parts = Array.from({ length: components }, (_, i) => i + 1);
  const samplingByte = (sampling[0] << 4) | sampling[1];
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xdb, [0, ...new Array<number>(64).fill(factor)]),
    ...segment(0xc0, [...frame, ...parts.flatMap((id) => [id, id === 1 ? samplingByte : 0x11, 0])]),
    ...segment(0xc4, [0, ...counts(dcSymbols.map(() => 4)), ...dcSymbols]),
    ...segment(0xc4, [0x10, ...counts(acLengths), ...acSymbols]),
    ...(restartInterval > 0 ? segment(0xdd, [0, restartInterval]) : []),
    ...segment(0xda, [components, ...parts.flatMap((id) => [id, 0]), 0, 63, 0]),
    ...data,
    ...[0xff, 0xd9],
  ]);
}

const side = fc.integer({ min: 1, max: 70 });
const written: fc.Arbitrary<Plan> = fc.record({
  width: side,
  height: side,
  sampling: fc.constantFrom([1, 1] as const, [2, 1] as const, [1, 2] as const, [2, 2] as const),
  components: fc.constantFrom(1 as const, 3 as const),
  restartInterval: fc.constantFrom(0, 1, 2, 7),
  factor: fc.integer({ min: 0, max: 40 }),
  seed: fc.nat(),
});

const pictures = fc.record({
  width: side,
  height: side,
  base: fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)),
  noise: fc.integer({ min: 0, max: 120 }),
  isGrey: fc.boolean(),
  options: fc.record({
    quality: fc.integer({ min: 1, max: 100 }),
    chromaSubsampling: fc.constantFrom('4:2:0', '4:4:4'),
    optimizeCoding: fc.boolean(),
    mozjpeg: fc.constantFrom(false, false, false, true),
    progressive: fc.constantFrom(false, false, false, true),
  }),
});

type Encoded = typeof pictures extends fc.Arbitrary<infer T> ? T : never;

async function encode({ width, height, base, noise, isGrey, options }: Encoded) {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => {
    const place = isGrey ? Math.floor(i / 3) : i;
    const level = base[isGrey ? 0 : i % 3]! + ((place * 7_919) % (noise + 1)) - noise / 2;
    return Math.max(0, Math.min(255, level));
  });
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  return encoded(image.jpeg(options));
}

/** What the reader accepts, sharp accepts, and the colours that it decodes are within the bounds. */
async function expectAgreement(bytes: Uint8Array): Promise<boolean> {
  if (isIntactJpeg(bytes)) await codec.decode(bytes, { width: 8, height: 8 });
  const bounds = readJpegData(bytes);
  if (!bounds) return false;
  expect(isIntactJpeg(bytes)).toBe(true);
  const difference = colorDifference(await codec.decode(bytes));
  expect(bounds.least).toBeLessThanOrEqual(difference);
  expect(bounds.most).toBeGreaterThanOrEqual(difference);
  return true;
}

/** Some bytes behind the first two changed. */
const changes = fc.array(
  fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(0, 1, 0xd0, 0xd9, 255, 0x5a),
  ),
  { minLength: 1, maxLength: 3 },
);

function changed(bytes: Uint8Array, places: readonly (readonly [number, number])[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const [share, value] of places) copy[2 + Math.floor(share * (copy.length - 3))] = value;
  return copy;
}

const plain: Plan = {
  ...{ width: 40, height: 24, sampling: [2, 2], components: 3 },
  ...{ restartInterval: 2, factor: 3, seed: 1 },
};
const flat = (r: number, g: number, b: number, width = 64, height = 48) =>
  flatPicture([r, g, b], width, height);
const boundsOf = async (image: Sharp) => readJpegData(await encoded(image));

describe('readJpegData', () => {
  it('accepts plain files with any sampling, restart interval and length of code', async () => {
    await fc.assert(
      fc.asyncProperty(written, async (plan) => {
        expect(await expectAgreement(jpegOf(plan))).toBe(true);
      }),
      { seed: 1, numRuns: RUNS },
    );
  });

  it('accepts no damaged file that sharp refuses', async () => {
    const files = fc.oneof(written.map(jpegOf), pictures);
    await fc.assert(
      fc.asyncProperty(files, changes, async (made, places) => {
        const bytes = made instanceof Uint8Array ? made : await encode(made);
        await expectAgreement(bytes);
        await expectAgreement(changed(bytes, places));
      }),
      { seed: 2, numRuns: 2 * RUNS },
    );
  });

  it('accepts no file that is cut, nor one with a byte too many', async () => {
    const files = [jpegOf(plain), await encoded(flat(90, 120, 30).jpeg())];
    for (const bytes of files) {
      expect(readJpegData(bytes)).toBeDefined();
      for (let length = 2; length < bytes.length; length++) {
        const cut = bytes.subarray(0, length);
        const read = [isIntactJpeg(cut), readJpegData(cut)];
        expect(read, `${length} bytes`).toEqual([false, undefined]);
      }
      const longer = Uint8Array.of(...bytes.subarray(0, -2), 0, 0xff, 0xd9);
      expect(readJpegData(longer)).toBeUndefined();
    }
  });

  it('leaves to a decoder what is not plain', async () => {
    const picture = flat(90, 120, 30);
    const others = [
      picture.clone().jpeg({ progressive: true }),
      picture.clone().toColourspace('cmyk').jpeg(),
      picture.clone().png(),
    ];
    for (const other of others)
      for (const read of [readJpegData, isIntactJpeg])
        expect(read(await encoded(other)) || undefined).toBeUndefined();
    expect(readJpegData(new Uint8Array())).toBeUndefined();
    const wrongRestart = jpegOf(plain);
    wrongRestart[
      wrongRestart.findLastIndex((byte, i) => byte === 0xd1 && wrongRestart[i - 1] === 0xff)
    ] = 0xd3;
    expect(readJpegData(wrongRestart)).toBeUndefined();
  });

  it('leaves a file with thousands of segments to a decoder', () => {
    const bytes = jpegOf(plain);
    const empty = [0xff, 0xfe, 0, 2];
    const withSegments = (count: number) =>
      Uint8Array.of(0xff, 0xd8, ...new Array(count).fill(empty).flat(), ...bytes.subarray(2));
    expect(readJpegData(withSegments(900))).toEqual(readJpegData(bytes));
    expect(readJpegData(withSegments(1_000))).toBeUndefined();
  });

  it('skips metadata and profiles', async () => {
    const picture = flat(90, 90, 90).jpeg();
    const exif = picture.clone().withExif({ IFD0: { Copyright: 'x' } });
    expect(await boundsOf(exif)).toEqual({ least: 0, most: 0 });
    expect(await boundsOf(picture.clone().withIccProfile('p3'))).toEqual({ least: 0, most: 0 });
  });

  it('knows that a flat normal map is not grey, and that a picture without colour is', async () => {
    for (const normals of [flat(128, 128, 255), flat(128, 128, 255, 1023, 765)])
      expect((await boundsOf(normals.jpeg()))!.least).toBeGreaterThan(4);
    for (const grey of [flat(90, 90, 90), flat(90, 90, 90).toColourspace('b-w')])
      expect(await boundsOf(grey.jpeg())).toEqual({ least: 0, most: 0 });
    expect((await boundsOf(flat(90, 92, 95).jpeg()))!.most).toBe(Number.POSITIVE_INFINITY);
  });

  it('bounds the difference of colours from Cb and Cr at any brightness', () => {
    const clamp = (value: number) => Math.max(0, Math.min(255, value));
    for (let y = 0; y <= 255; y += 15)
      for (let cb = -128; cb <= 127; cb += 5)
        for (let cr = -128; cr <= 127; cr += 5) {
          const red = clamp(y + 1.402 * cr);
          const green = clamp(y - 0.344136 * cb - 0.714136 * cr);
          const blue = clamp(y + 1.772 * cb);
          const difference = Math.abs(red - green) + Math.abs(green - blue);
          const least = Math.max(0.228 * Math.abs(cb), 0.598 * Math.abs(cr));
          if (difference < least - 0.05) expect.fail(`${y} ${cb} ${cr}: ${difference} < ${least}`);
        }
  });
});
