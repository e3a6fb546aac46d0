import { describe, expect, it } from 'vitest';
import { decodePermanentId } from '../../../src/service/wire-result.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const GUID = '{7C1E0B3A-0000-4000-8000-0123456789AB}';

describe('decodePermanentId', () => {
  it.each([
    ['"7C1E/a+b="', '7C1E/a+b='],
    ['{"permanentid":"7C1E"}', '7C1E'],
    ['{"id":"1","permanentid":"7C1E"}', '7C1E'],
    ['{"result":["7C1E"]}', '7C1E'],
    ['{"result":"7C1E"}', '7C1E'],
    ['["7C1E"]', '7C1E'],
    ['{"reinit":"7C1E"}', '7C1E'],
    [GUID, GUID],
    ['7C1E\r\n', '7C1E'],
    ['123456789012345678901', '123456789012345678901'],
    ['{"permanentid":42}', '42'],
  ])('reads %j', (body, id) => {
    expect(decodePermanentId(bytes(body))).toBe(id);
  });

  it.each([
    '',
    '{}',
    'null',
    'true',
    '""',
    '[]',
    '{"permanentid":""}',
    '{"permanentid":null,"other":"x"}',
    '{"result":[]}',
    '{"a":"x","b":"y"}',
    '{"permanentid":12345678901234567890}',
    'two words',
    '{"permanentid":"7C1',
  ])('finds none in %j', (body) => {
    expect(() => decodePermanentId(bytes(body))).toThrow(
      expect.objectContaining({
        code: 'RESPONSE_INVALID',
        message: expect.stringMatching(/^expected a permanent identifier, received /),
      }),
    );
  });
});
