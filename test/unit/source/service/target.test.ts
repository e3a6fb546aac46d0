import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../../src/source/service/operations.ts';
import { serviceId } from '../../../../src/source/service/service-config.ts';
import {
  buildTarget,
  encodeStrictly,
  readAddress,
  readServiceAddress,
} from '../../../../src/source/service/target.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { coded } from '../../../helpers/coded-error.ts';

const ADDRESSES = {
  authUrl: readAddress('https://auth.example/rest/', 'authUrl'),
  baseUrl: readAddress('https://service.example:8443/base', 'baseUrl'),
};
const ARTICLE = { manufacturer: 'Acme', program: 'desk', basearticlenumber: 'D1' };

describe('encodeStrictly', () => {
  it('leaves a plus a plus, a blank a blank and a quote a quote', () => {
    expect(encodeStrictly(`+ '"()*!~`)).toBe('%2B%20%27%22%28%29%2A%21~');
  });

  it('arrives byte for byte', () => {
    fc.assert(
      fc.property(anyText(), (value) => {
        const encoded = encodeStrictly(value);
        expect(encoded).toMatch(/^[\w.~%-]*$/);
        expect(new URLSearchParams(`q=${encoded}`).get('q')).toBe(value);
      }),
      { seed: 6 },
    );
  });

  it('refuses half a character instead of changing it', () => {
    expect(() => encodeStrictly('\ud83d')).toThrow(coded('RESPONSE_INVALID'));
  });
});

describe('an address of the service', () => {
  it.each(['https://h/base', 'http://127.0.0.1:4810', 'http://localhost/a', 'http://[::1]:80'])(
    'is %s',
    (address) => {
      expect(readServiceAddress(address, 'baseUrl')).toEqual(readAddress(address, 'baseUrl'));
    },
  );

  it.each([
    'http://service.example/api',
    'http://10.0.0.7',
    'http://127.0.0.1.example',
    'http://localhost.example',
  ])('is not %s, unless it is allowed', (address) => {
    expect(() => readServiceAddress(address, 'authUrl')).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringMatching(
          /^authUrl: expected an address with https:\/\/, or one of this machine, received http:/,
        ),
        help: expect.stringContaining('--allow-http'),
      }),
    );
    expect(readServiceAddress(address, 'authUrl', true)).toEqual(readAddress(address, ''));
  });
});

describe('buildTarget', () => {
  it('keeps the encoded quotes of GetSessionToken', () => {
    expect(buildTarget(OPERATIONS.getSessionToken, {}, ADDRESSES, undefined)).toEqual({
      origin: 'https://auth.example',
      path: '/rest/%22GetSessionToken%22/',
      queryBytes: 0,
    });
  });

  it('puts the token of a logout into the path', () => {
    expect(buildTarget(OPERATIONS.logoutGraphics, {}, ADDRESSES, 'a/b').path).toBe(
      '/base/api/odb.dll/odb/logout/a%2Fb',
    );
  });

  it('sends required parameters even if empty, optional ones only if they are not empty', () => {
    const values = { ...ARTICLE, finalarticlenumber: '', reinitstring: '', metareinitstring: 'm' };
    expect(buildTarget(OPERATIONS.getPartsList, values, ADDRESSES, 'T').path).toBe(
      '/base/api/odb.dll/odb/btg?token=T&manufacturer=ACME&program=DESK&basearticlenumber=D1' +
        '&finalarticlenumber=&metareinitstring=m',
    );
  });

  it('calls the configuration string of an article ocdreinitstring', () => {
    const values = { ...ARTICLE, reinitstring: 'a=1::' };
    expect(buildTarget(OPERATIONS.getArticle, values, ADDRESSES, 'T').path).toContain(
      '&ocdreinitstring=a%3D1%3A%3A',
    );
  });

  it('sends no value that the operation does not declare', () => {
    const values = { manufacturer: 'ACME', query: 'desk', profile: 'public', currency: 'EUR' };
    expect(buildTarget(OPERATIONS.search, values, ADDRESSES, 'T').path).toBe(
      '/base/api/xcf.dll/xcf/search/ACME?token=T&q=desk',
    );
  });

  it('sends a name with path characters as one segment', () => {
    const values = { manufacturer: 'ACME', name: `a/b;c+d 'ü".x` };
    expect(buildTarget(OPERATIONS.getMaterial, values, ADDRESSES, 'T').path).toBe(
      '/base/api/odb.dll/odb/materials/ACME/a%2Fb%3Bc%2Bd%20%27%C3%BC%22.x.JPG?token=T',
    );
  });

  it.each(['', '.', '..'])('refuses %j as a name: it would be a step in the path', (name) => {
    expect(() => buildTarget(OPERATIONS.getBlock, { name }, ADDRESSES, 'T')).toThrow(
      expect.objectContaining({ code: 'BLOCK_MISSING', status: 404 }),
    );
  });
});

describe('readAddress', () => {
  it.each([
    'service.example',
    'ftp://service.example',
    'https://user:word@service.example',
    'https://service.example/?a=b',
    '',
  ])('refuses %j', (address) => {
    expect(() => readAddress(address, 'baseUrl')).toThrow(coded('USAGE', /baseUrl/));
  });
});

describe('serviceId', () => {
  const config = {
    authUrl: 'https://a',
    baseUrl: 'https://h/base/',
    credentials: { token: 'secret-token' },
    now: () => 0,
    random: () => 0,
  };

  it('differs for services with different answers, and has no secret', () => {
    expect(serviceId(config)).toBe('https://h/base');
    expect(serviceId({ ...config, profile: 'public', lang: 'en', currency: '' })).toBe(
      'https://h/base?profile=public&lang=en',
    );
    expect(serviceId({ ...config, id: 'emulator:sample', lang: 'de' })).toBe(
      'emulator:sample?lang=de',
    );
    expect(serviceId({ ...config, lang: 'de', account: 'a1' })).toBe(
      'https://h/base?lang=de&account=a1',
    );
  });
});
