import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { checkImage, parsePreview, parseResource } from '../../../../src/convert/wire/resource.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { utf8 } from '../../../helpers/graphics.ts';

const BASE = 'https://service.example/base/';

describe('parseResource', () => {
  it.each([
    ['xcf/ressource/ACME/DESK/any/A+B 100%.jpg', 'ressource', 'ACME/DESK/any/A+B 100%.jpg'],
    ['/xcf/ressources/ACME/de/logo.png', 'ressources', 'ACME/de/logo.png'],
    ['ressource/ACME/logo.png', 'ressource', 'ACME/logo.png'],
    ['XCF/Ressource/ACME/logo.png', 'ressource', 'ACME/logo.png'],
    [`${BASE}api/xcf.dll/xcf/ressource/A/b%20c.png?token=old`, 'ressource', 'A/b c.png'],
  ])('reads %j as it is, without its xcf/', (rescontent, spelling, path) => {
    expect(parseResource(rescontent, BASE)).toEqual({ spelling, path });
  });

  it.each([
    '',
    'xcf/ressource/',
    'xcf/getnodes',
    'https://other.example/xcf/ressource/A/b.jpg',
    '//other.example/xcf/ressource/A/b.jpg',
    'xcf/ressource/../../odb/logout',
    'https://service.example/elsewhere/xcf/ressource/A/b.jpg',
    `${BASE}api/odb.dll/xcf/ressource/A/b.jpg`,
    `${BASE}xcf/ressource/A/%2e%2e%2f%2e%2e/b.jpg`,
    'xcf/ressource/ACME//logo.png',
    'xcf/ressource/ACME/./logo.png',
    'xcf/ressource/ACME/..\\logo.png',
  ])('refuses %j', (rescontent) => {
    expect(() => parseResource(rescontent, BASE)).toThrow(coded('RESOURCE_REFUSED'));
  });
});

describe('parsePreview', () => {
  const path = { manufacturer: 'ACME', program: 'DESK', name: 'A+B 100%.jpg' };

  it.each([
    'ocd/preview/ACME/DESK/A+B 100%.jpg',
    '/ocd/preview/ACME/DESK/A+B 100%.jpg',
    'api/ocd.dll/preview/ACME/DESK/A+B 100%.jpg',
    `${BASE}api/ocd.dll/preview/ACME/DESK/A%2BB%20100%25.jpg?token=old`,
  ])('reads %j', (previewimage) => {
    expect(parsePreview(previewimage, BASE)).toEqual(path);
  });

  it.each([
    '',
    'ocd/preview/ACME/OAK.jpg',
    'ocd/preview/ACME/DESK/MORE/OAK.jpg',
    'ocd/preview/ACME/../OAK.jpg',
    'ocd/preview/ACME/DESK/..',
    'ocd/preview/ACME/DESK/a\\b.jpg',
    'a/b/c/d/preview/ACME/DESK/OAK.jpg',
    'https://other.example/ocd/preview/ACME/DESK/OAK.jpg',
    'https://service.example/elsewhere/ocd/preview/ACME/DESK/OAK.jpg',
    '//other.example/preview/ACME/DESK/OAK.jpg',
    'file:/preview/ACME/DESK/OAK.jpg',
    `${BASE}ocd/preview/ACME/DESK/%2E%2E`,
    `${BASE}ocd/preview/ACME/DESK/%E0%A4%A`,
  ])('refuses %j', (previewimage) => {
    expect(() => parsePreview(previewimage, BASE)).toThrow(coded('IMAGE_REFUSED'));
  });
});

const picture = sharp(
  Buffer.alloc(32 * 32 * 3, 1).map((_, at) => (at * at) % 251),
  {
    raw: { width: 32, height: 32, channels: 3 },
  },
);
const bytesOf = async (image: { toBuffer(): Promise<Buffer> }) =>
  new Uint8Array(await image.toBuffer());
const jpeg = await bytesOf(picture.clone().jpeg({ quality: 95 }));
const progressive = await bytesOf(picture.clone().jpeg({ progressive: true }));
const thumbnail = await bytesOf(picture.clone().resize(16).jpeg());
const png = await bytesOf(picture.clone().png());
const webp = await bytesOf(picture.clone().webp());
const gif = await bytesOf(picture.clone().gif());

/** A JPEG with another one in an APP1 segment, as cameras write it. */
function withThumbnail(): Uint8Array {
  const length = thumbnail.length + 2;
  const segment = [0xff, 0xe1, length >> 8, length & 0xff, ...thumbnail];
  return Uint8Array.of(...jpeg.subarray(0, 2), ...segment, ...jpeg.subarray(2));
}

describe('checkImage', () => {
  it.each([
    ['jpeg', jpeg],
    ['jpeg', progressive],
    ['jpeg', withThumbnail()],
    ['jpeg', Uint8Array.of(...jpeg, 0, 0, 0x0d, 0x0a)],
    ['png', png],
    ['webp', webp],
    ['gif', gif],
  ])('tells a complete %s by its bytes', (kind, bytes) => {
    expect(checkImage(bytes)).toBe(kind);
  });

  it('refuses a JPEG that is cut anywhere', () => {
    // One expectation for each of thousands of lengths would take longer than all else.
    const isRefused = (length: number) => {
      try {
        checkImage(jpeg.subarray(0, length));
        return false;
      } catch (error) {
        return /only a part/.test((error as Error).message);
      }
    };
    const lengths = Array.from({ length: jpeg.length - 3 }, (_, i) => i + 3);
    expect(lengths.filter((length) => !isRefused(length))).toEqual([]);
  });

  it('is not fooled by the end of a thumbnail', () => {
    const bytes = withThumbnail();
    expect(() => checkImage(bytes.subarray(0, thumbnail.length + 100))).toThrow(/only a part/);
    expect(() => checkImage(bytes.subarray(0, bytes.length - 2))).toThrow(/only a part/);
  });

  it('refuses a cut PNG', () => {
    expect(() => checkImage(png.subarray(0, png.length - 9))).toThrow(/only a part/);
  });

  it.each(['', '{"error":"x"}', '<html>', 'text'])('refuses %j, which is no image', (body) => {
    expect(() => checkImage(utf8(body))).toThrow(coded('RESPONSE_INVALID'));
  });
});
