import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { postCart, readAnswer } from '../../../../../src/web/planning/state/cart.ts';
import { closedGate } from '../../../../helpers/until.ts';

const ARTICLE = { id: '7', manufacturer: 'ACME' };

async function startCart(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () =>
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  onTestFinished(async () => void (await close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cart`, close };
}

test('a cart receives the article, and its refusal is an answer; one that is gone gives none', async () => {
  const bodies: string[] = [];
  const { url, close } = await startCart(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    response.writeHead(409).end('{"reason":"<b>sold out</b>"}');
  });
  const { signal } = new AbortController();
  const answer = { reason: '<b>sold out</b>' };
  const refused = { kind: 'answered', status: 409, isAccepted: false, answer };
  expect(await postCart(url, ARTICLE, signal)).toEqual(refused);
  expect(bodies.map((body) => JSON.parse(body))).toEqual([{ json: ARTICLE }]);
  await close();
  expect(await postCart(url, ARTICLE, signal)).toEqual({ kind: 'unreachable' });
});

test('a person does not have to wait for a cart', async () => {
  const received = closedGate();
  const { url } = await startCart(received.open);
  const stop = new AbortController();
  const posted = postCart(url, ARTICLE, stop.signal);
  await received.opened;
  stop.abort();
  expect(await posted).toEqual({ kind: 'cancelled' });
});

test.each<[unknown, object | undefined]>([
  ['Thank you, we will call you.', { sentence: 'Thank you, we will call you.' }],
  [{ stored: true, id: 7 }, { data: '{\n  "stored": true,\n  "id": 7\n}' }],
  [true, { data: 'true' }],
  [null, { data: 'null' }],
  ['<html><h1>Not found</h1></html>', { data: '<html><h1>Not found</h1></html>' }],
  ['one line\nand another', { data: 'one line\nand another' }],
  ['x'.repeat(300), { data: 'x'.repeat(300) }],
  [{ long: 'x'.repeat(9000) }, { data: expect.toSatisfy((text: string) => text.length <= 2000) }],
  [' ', undefined],
])('the answer %j of a cart is shown as %j', (answer, expected) => {
  expect(readAnswer(answer)).toEqual(expected);
});
