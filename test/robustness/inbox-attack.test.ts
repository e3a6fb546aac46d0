/**
 * Inbox attack: fifty clients post large carts, send bodies byte by byte, open idle connections and post junk;
 * the inbox stays small, and a cart that is posted in the middle of it is stored at once.
 *
 * `npm test` takes 4 s of it, with `BTG2GLTF_TEST_LONG=1` it is 30.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startChild } from '../helpers/child.ts';
import { temporaryFolder } from '../helpers/command.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const ATTACK_MS = IS_LONG ? 30_000 : 4_000;
const CLIENTS = 50;
const MOST_MIB = 300;
const MOST_MS = 2_000;

const cart = (id: string, more: object = {}) =>
  JSON.stringify({
    json: {
      ...{ id, rootid: id, manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' },
      ocd: { reinitstring: 'D1::' },
      ...more,
    },
  });

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** Sends something on a connection of its own and waits for its end, at most until a time. */
function exchange(
  port: number,
  parts: readonly (string | Buffer)[],
  pauseMs: number,
  until: number,
) {
  return new Promise<void>((done) => {
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => socket.destroy(), Math.max(1, until - performance.now()));
    socket.on('error', () => {});
    socket.on('data', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      done();
    });
    const send = async () => {
      for (const part of parts) {
        if (socket.destroyed) return;
        socket.write(part);
        if (pauseMs > 0) await sleep(pauseMs);
      }
    };
    void send();
  });
}

const headOf = (bytes: number) =>
  `POST /cart HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\n\r\n`;

it('is survived: little memory, and a cart in the middle of it is stored at once', {
  timeout: ATTACK_MS + 60_000,
}, async () => {
  const [store, port] = [join(folder, 'carts'), await freePort()];
  const child = startChild(['inbox', '--store', store, '--port', String(port)], {});
  const url = `http://127.0.0.1:${port}/cart`;
  const isUp = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await sleep(50);

  const values = Array.from({ length: 900_000 }, (_, i) => ({ v: i }));
  const large = Buffer.from(cart('large', { values }));
  const attacks = [
    (until: number) => exchange(port, [headOf(large.length), large], 0, until),
    (until: number) => exchange(port, [headOf(large.length), ...Array(1000).fill('{')], 20, until),
    (until: number) => exchange(port, [], 0, until),
    (until: number) => exchange(port, [headOf(9), 'junk junk'], 0, until),
  ];
  const until = performance.now() + ATTACK_MS;
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    for (let n = i; performance.now() < until; n++) {
      await attacks[n % attacks.length]!(Math.min(until, performance.now() + 5000));
    }
  });
  await sleep(ATTACK_MS / 2);
  const start = performance.now();
  const response = await fetch(url, { method: 'POST', body: cart('mine') });
  const tookMs = performance.now() - start;
  expect(response.status).toBe(200);
  const { file } = (await response.json()) as { file: string };
  expect(await readdir(store)).toContain(file);
  await Promise.all(clients);
  const status = `/proc/${child.pid}/status`;
  const peak = existsSync(status) ? /VmHWM:\s+(\d+) kB/.exec(await readFile(status, 'utf8')) : null;
  const peakMib = Number(peak?.[1] ?? 0) / 1024;
  child.kill('SIGINT');
  expect((await child.ended).exit).toBe(0);
  console.info(
    `inbox attack: ${(large.length / 1e6).toFixed(1)} MB carts, ${peakMib.toFixed(0)} MiB at most, the cart after ${tookMs.toFixed(0)} ms`,
  );
  expect(tookMs).toBeLessThan(MOST_MS);
  expect(peakMib).toBeLessThan(MOST_MIB);
});
