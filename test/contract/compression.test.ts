import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { logIn } from '../helpers/emulated-session.ts';
import { smallRange } from '../helpers/small-range.ts';

const BODY = JSON.stringify({ N: 'X', V: Array.from({ length: 900 }, (_, i) => i / 7), A: [] });

let emulator: Emulator;
let token: string;
beforeAll(async () => {
  const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::A'], pics: ['WOOD'] }]);
  range.bodies.set('ACME::DESK::A', BODY);
  range.images.add('ACME/WOOD');
  emulator = await startEmulator({ range, validators: 'etag' });
  token = encodeURIComponent(await logIn(emulator));
});
afterAll(() => emulator.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${emulator.baseUrl}/api/odb.dll/odb/${path}?token=${token}`, { headers });

test.each([
  ['gzip, br, deflate', 'br'],
  ['gzip', 'gzip'],
  ['identity', null],
])(
  'JSON for a client that accepts %s is sent with the encoding %s, each time the same',
  async (accepted, encoding) => {
    for (let time = 0; time < 2; time++) {
      const response = await get('block/ACME::DESK::A', { 'accept-encoding': accepted });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')).toBe('accept-encoding');
      const bytes = Number(response.headers.get('content-length'));
      if (encoding !== null) expect(bytes).toBeLessThan(BODY.length / 2);
      expect(await response.text()).toBe(BODY);
    }
  },
);

test('an image is not compressed, and neither is an answer that has no body', async () => {
  const headers = { 'accept-encoding': 'gzip, br' };
  const image = await get('materials/ACME/WOOD.JPG', headers);
  expect([image.status, image.headers.get('content-encoding')]).toEqual([200, null]);
  const etag = (await get('block/ACME::DESK::A', headers)).headers.get('etag') ?? '';
  const same = await get('block/ACME::DESK::A', { ...headers, 'if-none-match': etag });
  expect([same.status, same.headers.get('content-encoding')]).toEqual([304, null]);
});
