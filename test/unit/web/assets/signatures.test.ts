/** Signed addresses: what a signature covers, and nothing beyond it. */
import { describe, expect, it } from 'vitest';
import { readAssetAddress } from '../../../../src/web/assets/asset-address.ts';
import { assetUrl, checkSignature } from '../../../../src/web/assets/signatures.ts';

const SECRET = 'a secret of the server';
const NOW = Date.parse('2026-11-29T10:00:00Z');
const desk = {
  ...{ server: 'https://assets.example', manufacturer: 'FJEL', program: 'LINEA' },
  ...{ basearticlenumber: 'LN/M 1', form: 'glb', secret: SECRET },
};

function checked(address: string, secret = SECRET, nowMs = NOW): void {
  const url = new URL(address);
  const [, , ...segments] = url.pathname.split('/').map(decodeURIComponent);
  const read = readAssetAddress(segments as [string, string, string], url.search.slice(1));
  checkSignature(read, read.form.form, secret, nowMs);
}
const changed = (address: string, change: (url: URL) => void) => {
  const url = new URL(address);
  change(url);
  return url.href;
};

describe('a signed address', () => {
  const limited = assetUrl({
    ...{ ...desk, forms: ['usdz', 'glb'], properties: ['DEKOR'], values: { DEKOR: 'EI' } },
    expiresAtMs: NOW + 1000,
  });

  it('is accepted, with any value of its properties and in any of its forms', () => {
    checked(limited);
    checked(changed(limited, (url) => url.searchParams.set('DEKOR', 'NB')));
    checked(changed(limited, (url) => url.searchParams.delete('DEKOR')));
    checked(limited.replace('.glb', '.usdz'));
    checked(limited.replace('DEKOR=EI', 'OBERFL%C3%84CHE.DEKOR=EI'));
    checked(limited.replace('/FJEL/LINEA/', '/fjel/linea/'));
  });

  it('for a description covers the pictures of its values, for the page what it shows', () => {
    const page = assetUrl({ ...desk, forms: ['ar'], form: 'ar' });
    checked(page.replace('/ar/', '/a/').replace('?', '.jpg?'));
    const described = assetUrl({ ...desk, forms: ['json'], form: 'json' });
    checked(described.replace('.json', '.swatch'));
    expect(() => checked(described.replace('.json', '.glb'))).toThrow(/form: expected one of json/);
  });

  it('without limits covers the article alone', () => {
    const free = assetUrl(desk);
    checked(changed(free, (url) => url.searchParams.set('reinitstring', 'a::')));
    checked(changed(free.replace('.glb', '.jpg'), (url) => url.searchParams.set('X.Y', '1')));
  });

  it.each([
    ['of another article', limited.replace('LN%2FM', 'LN%2FN'), /another/],
    ['with another secret', limited, /another/, 'another secret'],
    ['after its time', limited, /expired/, SECRET, NOW + 1000],
    ['in another form', limited.replace('.glb', '.jpg'), /form: expected one of glb,usdz/],
    ['with another property', changed(limited, (url) => url.searchParams.set('SIZE', '1')), /SIZE/],
    [
      'by its numbers',
      changed(limited, (url) => url.searchParams.set('reinitstring', 'a::')),
      /reinitstring/,
    ],
    [
      'with another time',
      changed(limited, (url) => url.searchParams.set('expires', '9999999999')),
      /another/,
    ],
    ['without its forms', changed(limited, (url) => url.searchParams.delete('forms')), /another/],
    [
      'without its properties',
      changed(limited, (url) => url.searchParams.delete('properties')),
      /another/,
    ],
    [
      'without a signature',
      changed(limited, (url) => url.searchParams.delete('signature')),
      /expected an address that was signed/,
    ],
  ])('is refused %s', (_, address, message, secret = SECRET, nowMs = NOW) => {
    const check = () => checked(address as string, secret as string, nowMs as number);
    expect(check).toThrow(message as RegExp);
    expect(check).toThrow(expect.objectContaining({ status: 403 }));
  });

  it('for no property differs from one for all', () => {
    const none = assetUrl({ ...desk, properties: [] });
    expect(() => checked(changed(none, (url) => url.searchParams.delete('properties')))).toThrow(
      /another/,
    );
    expect(() => checked(changed(none, (url) => url.searchParams.set('X', '1')))).toThrow(/X: /);
    checked(none);
  });

  it('does not contain the secret, and needs one', () => {
    expect(limited).not.toContain(encodeURIComponent(SECRET));
    expect(() => assetUrl({ ...desk, secret: '' })).toThrow(/secret: expected a text/);
    expect(() => assetUrl({ ...desk, forms: ['gbl'] })).toThrow(/form: expected one of glb/);
  });
});
