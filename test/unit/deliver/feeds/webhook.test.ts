import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { postSigned } from '../../../../src/deliver/feeds/webhook.ts';

const SECRET = 'a-key-of-the-receiver';
const NOW_MS = 1_764_115_200_999;
const BODY = JSON.stringify({ text: 'Stühle 😀' });

let server: Server;
let received: { request: IncomingMessage; body: string }[];
/** What the server does with each request in turn, and with all that follow the last one. */
let answers: (number | 'hang up' | 'silence')[];

beforeEach(async () => {
  received = [];
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ request, body });
    const answer = answers[Math.min(received.length, answers.length) - 1]!;
    if (answer === 'hang up') request.socket.destroy();
    else if (answer !== 'silence') response.writeHead(answer, { location: '/other' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const post = (options: Partial<Parameters<typeof postSigned>[1]> = {}) =>
  postSigned(BODY, {
    url: `http://${host()}/hook?for=shop`,
    secret: SECRET,
    timeoutMs: 5000,
    retries: 3,
    backoffMs: 1,
    now: () => NOW_MS,
    signal: new AbortController().signal,
    ...options,
  });

it('posts again until it is accepted, each time signed', async () => {
  answers = [503, 'hang up', 204];
  expect(await post()).toBeUndefined();
  expect(received).toHaveLength(3);
  const signature = createHmac('sha256', SECRET).update(received[2]!.body).digest('hex');
  for (const { request, body } of received) {
    const { method, url, headers } = request;
    expect({ method, url, body }).toEqual({ method: 'POST', url: '/hook?for=shop', body: BODY });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-btg2gltf-signature']).toBe(`sha256=${signature}`);
    // As a receiver verifies it, which refuses what is old.
    const [, seconds, own] = /^t=(\d+),sha256=([0-9a-f]{64})$/.exec(
      String(headers['x-btg2gltf-signed']),
    )!;
    expect(seconds).toBe('1764115200');
    expect(own).toBe(createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex'));
  }
});

it.each([301, 307, 400, 404])(
  'does not repeat or follow what is answered with %i',
  async (status) => {
    answers = [status];
    const problem = `${host()}: expected an answer of 200 to 299, received ${status}`;
    expect(await post()).toEqual({ problem, isUnsure: false });
    expect(received).toHaveLength(1);
  },
);

it('gives up after its last attempt', async () => {
  answers = [500];
  expect(await post({ retries: 2 })).toMatchObject({
    problem: expect.stringMatching(/received 500$/),
    isUnsure: false,
  });
  expect(received).toHaveLength(3);
});

it('gives up where nothing answers in time', async () => {
  answers = ['silence'];
  expect(await post({ retries: 1, timeoutMs: 50 })).toEqual({
    problem: expect.stringMatching(/received none within 0.05 s$/),
    isUnsure: true,
  });
});

it.each<(typeof answers)[number]>(['hang up', 502, 504])(
  'the receiver may have had it after an attempt with %s, although the last one was refused',
  async (answer) => {
    answers = [answer, 410];
    expect(await post()).toMatchObject({ isUnsure: true });
  },
);

it('names why there is no connection', async () => {
  answers = [200];
  const url = 'http://127.0.0.1:1/hook?key=part-of-the-address';
  expect(await post({ url, retries: 1 })).toEqual({
    problem: '127.0.0.1:1: expected an answer of 200 to 299, received none (ECONNREFUSED)',
    isUnsure: false,
  });
});

it('ends with the signal, also while it waits', async () => {
  answers = [500];
  const stop = new AbortController();
  const posted = post({ signal: stop.signal, backoffMs: 60_000 });
  stop.abort(new Error('stop'));
  await expect(posted).rejects.toThrow('stop');
});
