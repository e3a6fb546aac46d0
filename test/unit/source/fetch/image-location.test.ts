import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateImage } from '../../../../src/source/fetch/image-location.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { samples } from '../../../helpers/samples.ts';

const context = { manufacturer: 'ACME', blockManufacturers: ['ACME', 'LIB'] };
const at = (reference: string, template?: string) =>
  locateImage(reference, context, template).map(
    ({ manufacturer, name }) => `${manufacturer}/${name}`,
  );

describe('locateImage', () => {
  it.each([
    ['OAK', ['ACME/OAK']],
    ['OAK.JPG', ['ACME/OAK']],
    ['Oak light.jpeg', ['ACME/Oak light']],
    ['OAK.v2.png', ['ACME/OAK.v2']],
    ['OAK.tif', ['ACME/OAK.tif']],
    ['textures/OAK.TGA', ['ACME/OAK']],
    ['textures\\wood\\OAK.bmp', ['ACME/OAK']],
    ['acme/desk/OAK.jpg', ['ACME/OAK']],
    ['/lib/wood/OAK.jpg', ['LIB/OAK', 'ACME/OAK']],
    ['OTHER/wood/OAK.jpg', ['ACME/OAK']],
    ['OTHER::WOOD::OAK', ['OTHER/OAK', 'ACME/OAK']],
    ['::other::wood::OAK', ['OTHER/OAK', 'ACME/OAK']],
    ['LIB::WOOD::sub/OAK.jpg', ['LIB/OAK', 'ACME/OAK']],
    ['C:\\maps\\OAK.jpg', ['ACME/OAK']],
    ['Ö + 50%;.jpg', ['ACME/Ö + 50%;']],
  ])('%s is asked for at %j', (reference, places) => {
    expect(at(reference)).toEqual(places);
  });

  it.each([
    'http://h.example/OAK.jpg',
    ' HTTPS:\\\\h.example\\OAK.jpg',
    'file:///etc/passwd',
    'data:image/jpeg;base64,AA',
    '//h.example/OAK.jpg',
    '\\\\server\\share\\OAK.jpg',
    '../OAK.jpg',
    'LIB::..::OAK',
    'wood/..',
    'OAK\n.jpg',
    '',
    '.jpg',
    'wood/.',
    '::',
  ])('%j is refused', (reference) => {
    expect(() => at(reference)).toThrow(coded('IMAGE_REFUSED'));
  });

  it('follows a template', () => {
    expect(at('LIB::WOOD::OAK', '{manufacturer}/{program}_{name}')).toEqual([
      'LIB/WOOD_OAK',
      'ACME/WOOD_OAK',
    ]);
    expect(at('OAK', 'POOL/{name}')).toEqual(['POOL/OAK']);
    expect(() => at('OAK', '{name}')).toThrow(coded('USAGE'));
  });

  it('never leads anywhere but to a name of a manufacturer', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 40 }), (reference) => {
        let places: ReturnType<typeof locateImage>;
        try {
          places = locateImage(reference, context);
        } catch (error) {
          expect(error).toMatchObject({ code: 'IMAGE_REFUSED' });
          return;
        }
        expect(places.at(-1)!.manufacturer).toBe('ACME');
        for (const { manufacturer, name } of places) {
          expect(manufacturer).not.toBe('');
          expect(name).not.toMatch(/[/\\]|::|^\.{0,2}$/);
        }
      }),
      { seed: 3, numRuns: samples(2_000) },
    );
  });
});
