import { expect, test } from 'vitest';
import { createLogger } from '../../../src/support/log.ts';
import { registerSecret } from '../../../src/support/redact.ts';

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);

async function logged(format: 'json' | 'pretty', fields: Record<string, unknown>): Promise<string> {
  let text = '';
  const sink = {
    write: (line: string) => {
      text += line;
    },
  };
  const log = await createLogger({ format, sink, now });
  log.warn('it happened', fields);
  log.debug('not shown');
  return text;
}

test('a line of JSON has level, time, sentence and fields', async () => {
  expect(JSON.parse(await logged('json', { count: 3 }))).toEqual({
    level: 'warn',
    time: '2026-01-02T03:04:05.000Z',
    msg: 'it happened',
    count: 3,
  });
});

test('a pretty line is one a person reads', async () => {
  expect(await logged('pretty', { count: 3, text: 'two words' })).toBe(
    '03:04:05 warn  it happened  count=3 text="two words"\n',
  );
});

test('no secret passes, at any depth and in any spelling', async () => {
  const secret = 'p"ss wörd+/';
  registerSecret(secret);
  for (const format of ['json', 'pretty'] as const) {
    const text = await logged(format, {
      deep: { cause: { message: `login of x with ${secret}` } },
      url: `https://h/api/odb.dll/odb/btg?token=12345&p=${encodeURIComponent(secret)}`,
    });
    expect(text).not.toContain('wörd');
    expect(text).not.toContain(encodeURIComponent('wörd'));
    expect(text).not.toContain('12345');
  }
});
