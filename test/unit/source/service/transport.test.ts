import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  conditionsOf,
  createTransport,
  type Exchange,
  unpackBody,
} from '../../../../src/source/service/transport.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { until } from '../../../helpers/until.ts';

describe('conditionsOf', () => {
  it.each([
    [undefined, {}],
    [{ etag: '', lastModified: '' }, {}],
    [{ etag: 'W/"1"', lastModified: '' }, { 'if-none-match': 'W/"1"' }],
    [{ etag: '', lastModified: 'yesterday' }, { 'if-modified-since': 'yesterday' }],
    [{ etag: '"ü"', lastModified: 'a\r\nb: c' }, {}],
  ])('sends validators that a header may contain: %j', (validators, headers) => {
    expect(conditionsOf(validators)).toEqual(headers);
  });
});

const MIB = 1024 * 1024;

const unpack = (bytes: Uint8Array, encoding?: string, need = async (_bytes: number) => {}) =>
  unpackBody(bytes, encoding, { maxBytes: 256 * MIB, need });

it('slow bodies that arrive together are decoded in turns of the event loop of their own', async () => {
  let turn = 0;
  let isOver = false;
  const count = async () => {
    for (; !isOver; turn++) await nextTurn();
  };
  const decode = async () => {
    await unpack(new Uint8Array(MIB));
    return turn;
  };
  const counting = count();
  const turns = await Promise.all([decode(), decode(), decode()]);
  isOver = true;
  await counting;
  expect(new Set(turns).size).toBe(3);
});

const packQuickly = (bytes: Uint8Array) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

describe('unpackBody', () => {
  const text = Buffer.from('{"V":[0.123,4.567,8.901]}');

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('unpacks %s', async (encoding, pack) => {
    expect(Buffer.from(await unpack(pack(text), encoding))).toEqual(text);
  });

  it('unpacks what was packed twice, the last one first', async () => {
    const packed = brotliCompressSync(gzipSync(text));
    expect(Buffer.from(await unpack(packed, 'gzip, BR'))).toEqual(text);
  });

  it('takes a small body however much it was packed', async () => {
    const blanks = packQuickly(Buffer.alloc(8 * MIB, ' '));
    expect((await unpack(blanks, 'br')).length).toBe(8 * MIB);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', packQuickly],
    ['gzip, gzip', (bytes: Uint8Array) => gzipSync(gzipSync(bytes))],
  ])(
    'stops where %s unpacks beyond all measure, far below the limit of size',
    async (encoding, pack) => {
      const bomb = pack(Buffer.alloc(20 * MIB));
      expect(bomb.length).toBeLessThan(MIB / 8);
      await expect(unpack(bomb, encoding)).rejects.toMatchObject({
        code: 'RESPONSE_TOO_LARGE',
        message: 'expected an answer of at most 200 times its size, received more',
      });
    },
  );

  it('takes a large body that was packed as bodies are', async () => {
    // They repeat beyond the reach of a packer.
    const some = Array.from({ length: 20_000 }, (_, i) => i * 7919).join();
    const packed = gzipSync(Buffer.alloc(MIB, some), { level: 1 });
    const seventeen = Buffer.concat(Array<Buffer>(17).fill(packed));
    expect((await unpack(seventeen, 'gzip')).length).toBe(17 * MIB);
  });

  it('takes its share of memory before it unpacks', async () => {
    const needs: number[] = [];
    const need = async (bytes: number) => void needs.push(bytes);
    const packed = gzipSync(Buffer.alloc(8 * MIB, 'abc'));
    await unpack(packed, 'gzip', need);
    const [usual, most, last] = needs;
    // It is tried with the usual ratio first, so that a share of many times its size is rare.
    expect(usual).toBe(packed.length + 256 * 1024);
    expect(most).toBe(packed.length + 16 * MIB);
    expect(last).toBe(8 * MIB);
  });

  it.each(['zstd', 'constructor'])('refuses an unknown packing: %s', async (name) => {
    await expect(unpack(text, name)).rejects.toMatchObject({
      code: 'RESPONSE_INVALID',
      message: `expected a body packed with gzip, deflate or br, received ${name}`,
    });
  });
});

const EXCHANGE = {
  ...{ name: 'getNodes', values: {}, number: 1, timeoutMs: 60_000 },
} satisfies Exchange;

/** A server, and a transport to it. */
async function serve(onRequest: RequestListener, connections: number) {
  const server = createServer(onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = { origin: `http://127.0.0.1:${port}`, path: '' };
  const limits = { maxResponseBytes: 4 * MIB, maxJsonValues: 1_000, maxBytesInFlight: MIB };
  const addresses = { authUrl: address, baseUrl: address };
  const clock = createTestClock();
  const transport = createTransport({ ...limits, ...clock }, addresses, connections);
  return { server, transport, timers: clock.timers };
}

it('a signal ends a request that waits for a connection at once', async () => {
  const { server, transport } = await serve(() => {}, 1);
  const stop = new AbortController();
  const first = expect(transport.send(EXCHANGE)).rejects.toMatchObject({ code: 'HTTP_CONNECTION' });
  await once(server, 'request');
  const waiting = transport.send({ ...EXCHANGE, signals: [stop.signal] });
  const end = expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
  stop.abort();
  await end;
  await transport.destroy();
  await first;
  server.close();
});

it('a request that was interrupted while its answer waits for memory starts no time limit again', async () => {
  const part = new Uint8Array(MIB);
  let answered = 0;
  const answer: RequestListener = (_, response) => {
    response.write(part);
    answered += 1;
  };
  const { server, transport, timers } = await serve(answer, 2);
  const stop = new AbortController();
  const both = [1, 2].map((number) =>
    expect(transport.send({ ...EXCHANGE, number, signals: [stop.signal] })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    }),
  );
  await until(() => answered === 2);
  // One of the two waits for memory.
  await until(() => timers() === 1);
  stop.abort();
  await Promise.all(both);
  await transport.destroy();
  server.closeAllConnections();
  server.close();
  expect(timers()).toBe(0);
});
