/**
 * Inbox attack: many clients post large carts, send bodies byte by byte or all but their end, in chunks of one byte
 * without a length, open idle connections, flood headers and post junk; the inbox stays small, and carts that are
 * posted meanwhile are stored while the attackers go on.
 *
 * `npm test` takes one round of attacks by 20 clients, with `BTG2GLTF_TEST_LONG=1` it is 20 rounds by 50.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startChild } from '../helpers/child.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

const ROUNDS = IS_LONG ? 20 : 1;
const CLIENTS = IS_LONG ? 50 : 20;
const MOST_MIB = 300;

const cart = (id: string, more: object = {}) =>
  JSON.stringify({
    json: {
      ...{ id, rootid: id, manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' },
      ocd: { reinitstring: 'D1::' },
      ...more,
    },
  });

/** Writes the first part on a connection, then one of the drips whenever the one before it is on its way. */
function attack(
  port: number,
  first: readonly (string | Buffer)[],
  drips: readonly string[],
): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  for (const part of first) socket.write(part);
  const drip = (at: number) => {
    if (at < drips.length && !socket.destroyed) socket.write(drips[at]!, () => drip(at + 1));
  };
  drip(0);
  return socket;
}

const MEBIBYTE = 1024 * 1024;
const POST = 'POST /cart HTTP/1.1\r\nhost: localhost\r\n';
const CHUNKED = `${POST}transfer-encoding: chunked\r\n\r\n`;
const headOf = (bytes: number) => `${POST}content-length: ${bytes}\r\n\r\n`;

it('is survived: little memory, and carts in the middle of it are stored', async () => {
  const store = join(await temporaryFolder(), 'carts');
  const child = startChild(['inbox', '--store', store, '--port', '0'], {});
  const [, port] = (await until(
    () => /http:\/\/127\.0\.0\.1:(\d+)/.exec(Object.values(child.printed).join()) ?? false,
  )) as RegExpExecArray;
  const url = `http://127.0.0.1:${port}/cart`;

  const text = 'x'.repeat(2 * MEBIBYTE);
  const values = Array.from({ length: 450_000 }, (_, i) => ({ v: i }));
  const hostile = Buffer.from(cart('hostile', { values }));
  const large = Buffer.from(cart('large', { text: 'x'.repeat(7 * MEBIBYTE) }));
  const all = 8 * MEBIBYTE;
  const drips: string[] = Array(1000).fill('{');
  const bytes = Buffer.from('1\r\n{\r\n'.repeat(100_000));
  const headers = Array.from({ length: 1000 }, (_, i) => `x-${i}: ${'x'.repeat(99)}\r\n`);
  /** Those that never end by themselves come first. */
  const attacks: [first: (string | Buffer)[], drips?: string[]][] = [
    [[]],
    [[headOf(all)], drips],
    [[headOf(all), large], drips],
    [[headOf(2 * MEBIBYTE), text.slice(9)], drips],
    [[CHUNKED, bytes, bytes], drips],
    [[POST], headers],
    [[POST, headers.join('')]],
    [[headOf(hostile.length), hostile]],
    [[headOf(large.length), large]],
    [[headOf(9), 'junk junk']],
  ];
  for (let round = 0; round < ROUNDS; round++) {
    const sockets = Array.from({ length: CLIENTS }, (_, i) => {
      const [first, more = []] = attacks[i % attacks.length]!;
      return attack(Number(port), first, more);
    });
    for (const body of [cart(`small-${round}`), cart(`large-${round}`, { text })]) {
      // A large one may have to make room for others: it is posted again, as the answer says.
      const response = (await until(async () => {
        const answer = await fetch(url, { method: 'POST', body });
        return (answer.status !== 503 || body.length < MEBIBYTE) && answer;
      })) as Response;
      expect([round, body.length, response.status]).toEqual([round, body.length, 200]);
      const { file } = (await response.json()) as { file: string };
      expect(await readdir(store)).toContain(file);
    }
    for (const socket of sockets) socket.destroy();
  }
  const status = `/proc/${child.pid}/status`;
  const peak = existsSync(status) ? /VmHWM:\s+(\d+) kB/.exec(await readFile(status, 'utf8')) : null;
  child.kill('SIGINT');
  expect((await child.ended).exit).toBe(0);
  expect(Number(peak?.[1] ?? 0) / 1024).toBeLessThan(MOST_MIB);
});
