import { describe, expect, it } from 'vitest';
import { ConverterError } from '../../../src/support/errors.ts';
import { createLogger } from '../../../src/support/log.ts';
import { forgetSecret, registerSecret } from '../../../src/support/redact.ts';
import { cutText, firstWarnings } from '../../../src/support/text-limits.ts';

describe('cutText', () => {
  it('keeps a text that is short enough, says how long another was, within the limit, and changes its own result no more', () => {
    expect(cutText('oak', 3)).toBe('oak');
    const cut = cutText('a'.repeat(5000), 30);
    expect(cut).toBe('aaaaaaaaaaa… (5000 characters)');
    expect(cutText(cut, 30)).toBe(cut);
  });

  it('divides no character', () => {
    for (const limit of [40, 41])
      expect(cutText('😀'.repeat(5000), limit).isWellFormed()).toBe(true);
  });
});

describe('a long text', () => {
  const long = 'x'.repeat(1_000_000);

  it('is cut in an error', () => {
    const place = { article: long, url: long, help: long };
    const error = new ConverterError('BLOCK_MISSING', long, place);
    expect(JSON.stringify({ ...error, message: error.message }).length).toBeLessThan(10_000);
    expect(error.message).toContain('… (1000000 characters)');
  });

  it('shows no half of a secret', () => {
    const secret = 'correct horse battery staple';
    registerSecret(secret);
    const messages = Array.from({ length: 100 }, (_, at) => {
      const text = 'x'.repeat(1920 + at) + secret + 'x'.repeat(3000);
      return new ConverterError('INTERNAL', text).message;
    });
    forgetSecret(secret);
    expect(messages.filter((message) => message.includes('corr'))).toEqual([]);
  });

  it('is cut in the log', async () => {
    let written = '';
    const sink = { write: (text: string) => (written += text) };
    const log = await createLogger({ format: 'json', sink, now: () => 0 });
    log.warn(long, { article: long, list: [long] });
    expect(written.length).toBeLessThan(10_000);
  });
});

describe('firstWarnings', () => {
  it('lists some of very many, and counts the others', () => {
    const warnings = Array.from({ length: 100_000 }, (_, at) => ({ code: 'A', message: `${at}` }));
    const first = firstWarnings(warnings);
    expect(first).toHaveLength(501);
    expect(first.at(-1)).toEqual({ code: 'MORE_WARNINGS', message: '99500 more are not listed' });
  });
});
