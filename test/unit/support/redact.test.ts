import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forgetSecret,
  redact,
  registerSecret,
  registerSentences,
} from '../../../src/support/redact.ts';
import { samples } from '../../helpers/samples.ts';

describe('redact', () => {
  it.each([
    ['https://h/odb/btg?token=a%2Bb%3D&lang=en', 'https://h/odb/btg?token=***&lang=en'],
    ['https://h/odb/btg?lang=en&TOKEN=abc', 'https://h/odb/btg?lang=en&TOKEN=***'],
    ['GET "https://h/btg?token=abc" failed', 'GET "https://h/btg?token=***" failed'],
    [
      'POST https://h/api/xcf.dll/xcf/logout/abc%3D failed',
      'POST https://h/api/xcf.dll/xcf/logout/*** failed',
    ],
    ['https://user:secret@h/x', 'https://***@h/x'],
  ])('masks where a token or password stands by the specification: %s', (text, masked) => {
    expect(redact(text)).toBe(masked);
  });

  it.each([
    '',
    'nothing to hide',
    'https://h:8080/block/ACME::DESK::LEG?lang=en',
    'the token is in the query',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('masks a registered value in each spelling that an address or a JSON text may have', () => {
    const secret = 'pa"ss wörd+1/2=';
    registerSecret(secret);
    const inForm = new URLSearchParams({ s: secret }).toString().slice(2);
    for (const spelling of [secret, encodeURIComponent(secret), inForm, JSON.stringify(secret)])
      expect(redact(`before ${spelling} after`)).toMatch(/^before "?\*\*\*"? after$/);
  });

  it('removes a value once it was removed as often as it was registered, and no other', () => {
    const forget = registerSecret('of two owners/1');
    registerSecret('of two owners/1');
    registerSecret('of another');
    forget();
    expect(redact('of two owners/1, of%20two%20owners%2F1')).toBe('***, ***');
    forgetSecret('of two owners/1');
    expect(redact('of two owners/1, of%20two%20owners%2F1, of another')).toBe(
      'of two owners/1, of%20two%20owners%2F1, ***',
    );
  });

  it('masks the whole of a secret that begins with another one', () => {
    registerSecret('half-a-secret');
    registerSecret('half-a-secret-and-the-rest');
    expect(redact('x half-a-secret-and-the-rest y half-a-secret')).toBe('x *** y ***');
  });

  it('takes text that is not well formed as a secret', () => {
    registerSecret('\ud800 broken pair');
    expect(redact('a \ud800 broken pair b')).toBe('a *** b');
  });

  it('does not register what is too short to differ from ordinary text', () => {
    registerSecret('the');
    expect(redact('the article')).toBe('the article');
  });

  it('masks nothing in a sentence of the program, however it is wrapped, and the same word beside it', () => {
    registerSentences(['the lamp (desk) is dark-red']);
    const forget = ['dark-red', 'is dark-red!', 'lamp'].map(registerSecret);
    expect(redact('lamp: the lamp (desk)\n  is dark-red, not dark-red')).toBe(
      '***: the lamp (desk)\n  is dark-red, not ***',
    );
    expect(redact('the lamp (desk) is dark-red!')).toBe('the *** (desk) ***');
    for (const one of forget) one();
  });

  it('takes any registered value out of any text, more than once', () => {
    const secret = fc.string({ minLength: 12, maxLength: 30 });
    fc.assert(
      fc.property(secret, fc.string(), (value, text) => {
        registerSecret(`~~${value}~~`);
        const masked = redact(`${text}~~${value}~~${text}~~${value}~~`);
        expect(masked).not.toContain(`~~${value}~~`);
        expect(masked).toContain('***');
        expect(redact(masked)).toBe(masked);
      }),
      { seed: 140, numRuns: samples(50) },
    );
  });
});

describe('redact of data', () => {
  it('masks every text at any depth, and keeps the rest as it is', () => {
    const image = (token: string) => ({ image: `https://h/a.jpg?token=${token}`, width: 1.5 });
    const data = { a: [image('abc'), { ...image('abc"'), b: null }] };
    expect(redact(data)).toEqual({ a: [image('***'), { ...image('***"'), b: null }] });
  });

  it('returns data without a secret itself', () => {
    const data = { text: 'desk' };
    expect(redact(data)).toBe(data);
  });
});
