import { afterEach, describe, expect, it } from 'vitest';
import {
  type Emulator,
  type EmulatorOptions,
  startEmulator,
} from '../../../src/emulator/emulator.ts';
import type { EmulatedRange } from '../../../src/sample/range.ts';
import { logIn } from '../../helpers/emulated-session.ts';

const started: Emulator[] = [];
afterEach(() => Promise.all(started.splice(0).map((emulator) => emulator.close())));

/** A service with one catalogue, one block and a clock that tests turn. */
async function start(validators?: EmulatorOptions['validators']) {
  const clock = { ms: Date.parse('2023-11-21T02:00:00Z') };
  const range = {
    name: 'one',
    nodes: () => [{ text: 'Desks' }],
    breadcrumbs: () => undefined,
    search: () => [],
    article: () => undefined,
    partsList: () => undefined,
    block: async (name: string) => (name === 'A::B::C' ? blocks.current : undefined),
    material: async () => undefined,
  } satisfies EmulatedRange;
  const blocks = { current: Buffer.from('{}') };
  const options = validators === undefined ? {} : { validators };
  const emulator = await startEmulator({ range, now: () => clock.ms, ...options });
  started.push(emulator);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const token = encodeURIComponent(await logIn(emulator));
    return fetch(`${emulator.baseUrl}/api/${path}?token=${token}`, { headers });
  };
  return { emulator, clock, blocks, get };
}

const BLOCK = 'odb.dll/odb/block/A%3A%3AB%3A%3AC';

describe('the emulator', () => {
  it('sends no validators, as the specification shows none', async () => {
    const { get } = await start();
    const { headers } = await get(BLOCK);
    expect([headers.get('etag'), headers.get('last-modified')]).toEqual([null, null]);
  });

  it('sends an ETag by content and answers 304 to who has it, with whatever token', async () => {
    const { get, blocks, emulator } = await start('etag');
    for (const path of [BLOCK, 'xcf.dll/xcf/getnodes']) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(etag);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
    const before = (await get(BLOCK)).headers.get('etag') ?? '';
    blocks.current = Buffer.from('{"N":"A"}');
    const after = await get(BLOCK, { 'if-none-match': before });
    expect([after.status, await after.text()]).toEqual([200, '{"N":"A"}']);
    expect(emulator.counts.get('block')).toBe(5);
  });

  it('sends the date of its start, and a later one for what changed', async () => {
    const { get, blocks, clock } = await start('last-modified');
    clock.ms += 5000;
    const first = (await get(BLOCK)).headers;
    expect(first.get('last-modified')).toBe('Tue, 21 Nov 2023 02:00:00 GMT');
    expect(first.get('date')).toBe('Tue, 21 Nov 2023 02:00:05 GMT');
    const had = { 'if-modified-since': first.get('last-modified') ?? '' };
    expect((await get(BLOCK, had)).status).toBe(304);
    blocks.current = Buffer.from('{"N":"A"}');
    clock.ms += 5000;
    const second = await get(BLOCK, had);
    expect(second.status).toBe(200);
    expect(second.headers.get('last-modified')).toBe('Tue, 21 Nov 2023 02:00:10 GMT');
  });

  it('leaves refusals and the login alone', async () => {
    const { get, emulator } = await start('etag');
    expect((await get('odb.dll/odb/block/NONE')).headers.get('etag')).toBeNull();
    expect((await fetch(`${emulator.authUrl}/GetPublicKey/`)).headers.get('etag')).toBeNull();
  });
});
