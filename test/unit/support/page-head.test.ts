import { expect, test } from 'vitest';
import { pageHead } from '../../../src/support/page-head.ts';

test('a page may use what it names and nothing else', () => {
  const head = pageHead({ 'style-src': "'self'", 'img-src': "'self' data:" });
  const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(head) ?? [];
  expect(policy?.replaceAll('&#39;', "'").split('; ')).toEqual([
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});
