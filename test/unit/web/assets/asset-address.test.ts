/** The addresses of assets: what they mean, and which are refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressOf,
  readAssetAddress,
  readPageAddress,
} from '../../../../src/web/assets/asset-address.ts';
import { Refusal } from '../../../../src/web/servers/http.ts';

const DESK = ['FJEL', 'LINEA', 'LN-M'] as const;
const base = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
const read = (ending: string, search = '') =>
  readAssetAddress([DESK[0], DESK[1], `${DESK[2]}.${ending}`], search);

describe('an address', () => {
  it('of an article alone is its default configuration', () => {
    expect(read('glb')).toMatchObject({ request: base, form: { form: 'glb' } });
    expect(read('glb').request).not.toHaveProperty('values');
  });

  it('has values by property, in their order', () => {
    const { request, values } = read('usdz', 'B.Y=2&A.X=1&DEKOR=EI%20%26');
    expect(values).toEqual([
      ['B.Y', '2'],
      ['A.X', '1'],
      ['DEKOR', 'EI &'],
    ]);
    expect(request.values).toEqual({ 'B.Y': '2', 'A.X': '1', DEKOR: 'EI &' });
  });

  it('has numbers and strings by their names', () => {
    const { request } = read('json', 'finalarticlenumber=LN-M.1&reinitstring=a::');
    expect(request).toEqual({ ...base, finalarticlenumber: 'LN-M.1', reinitstring: 'a::' });
  });

  it.each([
    ['glb', 'profile=web', { form: 'glb', profile: 'web' }],
    ['webp', 'size=800', { form: 'webp', width: 800, height: 800 }],
    ['png', 'size=800x600&camera=front', { form: 'png', width: 800, height: 600, camera: 'front' }],
    ['jpg', 'frame=9', { form: 'jpg', frame: 9 }],
    ['avif', 'background=f4f4f4', { form: 'avif', background: '#f4f4f4' }],
    ['png', 'background=transparent', { form: 'png', background: 'transparent' }],
    ['qr.svg', '', { form: 'qr.svg' }],
  ])('of the form %s?%s', (ending, search, form) => {
    expect(read(ending, search).form).toEqual(form);
  });

  it('of an article number with dots ends with its form', () => {
    const { request, form } = readAssetAddress(['A', 'B', 'KV.20/F.qr.svg.glb'], '');
    expect([request.basearticlenumber, form]).toEqual(['KV.20/F.qr.svg', { form: 'glb' }]);
  });

  it.each([
    ['an unknown form', 'gbl', '', 404, /form: .*did you mean "glb"/],
    ['a parameter of another form', 'usdz', 'camera=front', 400, /camera: expected only with jpg/],
    ['a profile of a picture', 'jpg', 'profile=web', 400, /profile: expected only with glb/],
    ['a property twice', 'glb', 'A.X=1&A.X=2', 400, /A\.X: expected once/],
    ['a parameter twice', 'jpg', 'size=1&size=2', 400, /size: expected once/],
    ['a size that is none', 'jpg', 'size=1e9', 400, /size: expected pixels/],
    ['no size', 'jpg', 'size=0', 400, /size: expected a whole number/],
    ['a frame that is none', 'jpg', 'frame=-1', 400, /frame: expected a whole number/],
    [
      'a query that is too long',
      'glb',
      `A.X=${'x'.repeat(10_000)}`,
      414,
      /query: expected at most/,
    ],
    ['a control character', 'glb', 'A.X=%00', 400, /A\.X: .*control/],
    ['no UTF-8', 'glb', 'A.X=%ff', 400, /UTF-8/],
    ['a nameless parameter', 'glb', '=1', 400, /expected a text/],
    [
      'many properties',
      'glb',
      Array.from({ length: 101 }, (_, i) => `P${i}=1`).join('&'),
      400,
      /100/,
    ],
  ])('is refused with %s', (_, ending, search, status, message) => {
    const refused = () => read(ending, search);
    expect(refused).toThrow(message);
    expect(refused).toThrow(Refusal);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ status });
    }
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'takes %s as a property like any other',
    (name) => {
      const { request, values } = read('glb', `${name}=1`);
      expect(values).toEqual([[name, '1']]);
      expect(Object.entries(request.values!)).toEqual([[name, '1']]);
    },
  );

  it('is the one of which it was made', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((one) => !/[\p{Cc}\p{Cs}\uFFFD]/u.test(one) && one !== '.' && one !== '..');
    const values = fc.uniqueArray(
      fc.tuple(
        text.map((one) => `P.${one}`),
        text,
      ),
      {
        selector: ([name]) => name,
        maxLength: 4,
      },
    );
    fc.assert(
      fc.property(
        text,
        text,
        text,
        values,
        fc.constantFrom('glb', 'usdz', 'json', 'qr.png'),
        (m, p, n, own, form) => {
          const search = new URLSearchParams(own).toString();
          const address = readPageAddress([m, p, n], search);
          const url = new URL(addressOf(address, form as 'glb'), 'http://assets.example');
          const [, , ...segments] = url.pathname.split('/').map(decodeURIComponent);
          const again = readAssetAddress(segments as [string, string, string], url.search.slice(1));
          expect(again.request).toEqual(address.request);
          expect(again.form.form).toBe(form);
        },
      ),
    );
  });
});
