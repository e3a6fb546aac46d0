import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../../src/fetch/recording-secrets.ts';
import { registerSecret } from '../../../src/support/redact.ts';

const SECRET = 'tök/en+of="the\\test';

describe('a recorded text is without secrets', () => {
  test.each([
    ['as it is written', JSON.stringify({ a: SECRET })],
    ['with its slash escaped', JSON.stringify({ a: `x ${SECRET}` }).replaceAll('/', '\\/')],
    ['with every character escaped', `{"a":"${escaped(SECRET)}"}`],
    ['in a name', JSON.stringify({ [SECRET]: 1 })],
    ['in a query', JSON.stringify({ a: `https://h/x?token=${encodeURIComponent(SECRET)}&b=1` })],
  ])('%s', (_, text) => {
    registerSecret(SECRET);
    const clean = withoutSecrets(text);
    expect(JSON.stringify(JSON.parse(clean))).toMatch(/\*\*\*/);
    expect(clean).not.toContain('the');
  });

  test('all else keeps its spelling, byte for byte', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify({ n: 1, value }, null, indent).replace(
          '"n":',
          '"n" : 1.50, "m":',
        );
        expect(withoutSecrets(text)).toBe(text);
      }),
      { seed: 5 },
    );
  });

  test('a pattern never runs on into the next string', () => {
    const text = '{"url":"http://host","mail":"me:you@there","path":"/logout/"}';
    expect(withoutSecrets(text)).toBe(text);
  });
});

function escaped(text: string): string {
  return Array.from(text, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
