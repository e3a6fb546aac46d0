import { describe, expect, it } from 'vitest';
import { conditionsOf, settledDate } from '../../../src/service/transport.ts';

describe('conditionsOf', () => {
  it.each([
    [undefined, {}],
    [{ etag: '', lastModified: '' }, {}],
    [{ etag: 'W/"1"', lastModified: '' }, { 'if-none-match': 'W/"1"' }],
    [{ etag: '', lastModified: 'yesterday' }, { 'if-modified-since': 'yesterday' }],
    [{ etag: '"ü"', lastModified: 'a\r\nb: c' }, {}],
  ])('asks with what may stand in a header: %j', (validators, headers) => {
    expect(conditionsOf(validators)).toEqual(headers);
  });
});

describe('settledDate', () => {
  const SECOND = (second: number) => `Tue, 21 Nov 2023 02:00:0${second} GMT`;

  it.each([
    [SECOND(1), SECOND(2), SECOND(1)],
    [SECOND(2), SECOND(2), ''],
    [SECOND(3), SECOND(2), ''],
    [SECOND(3), undefined, SECOND(3)],
    ['yesterday', SECOND(3), 'yesterday'],
    [undefined, SECOND(3), ''],
  ])('keeps %j of an answer of %j as %j', (lastModified, date, kept) => {
    expect(settledDate(lastModified, date)).toBe(kept);
  });
});
