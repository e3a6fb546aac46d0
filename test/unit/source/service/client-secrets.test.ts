import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceConfig, StartTimer } from '../../../../src/source/service/service-config.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import {
  type Answer,
  cut,
  type FaultServer,
  html,
  json,
  raw,
  reset,
  stall,
  startFaultServer,
} from '../../../helpers/fault-server.ts';
import {
  APP_KEY,
  clientOf,
  errorOf,
  KEY,
  PASSWORD,
  USERNAME,
} from '../../../helpers/faulty-client.ts';
import { GIVE_UP_MS } from '../../../helpers/until.ts';

const GIVEN = 'given+token/of the "test"';

let clock = createTestClock();
const startTimer: StartTimer = (...timer) => clock.startTimer(...timer);
let server: FaultServer;
beforeEach(async () => {
  server = await startFaultServer();
  clock = createTestClock({ realBelowMs: GIVE_UP_MS });
});

/** All that a log, a report or a terminal could show of a value: causes and stacks included. */
function everythingOf(value: unknown): string {
  const shown = inspect(value, { depth: 20, showHidden: true, getters: true });
  const chain: string[] = [];
  for (let at = value; at instanceof Error; at = at.cause) {
    chain.push(String(at), at.stack ?? '', JSON.stringify(at));
  }
  return `${shown}${chain.join()}`;
}

/** Secrets of the credentials in use, and every token that was handed out. The user name is none. */
function expectNoSecret(value: unknown, credentials: ServiceConfig['credentials']): void {
  const shown = everythingOf(value);
  const { username: _, ...secrets } = { username: '', ...credentials };
  for (const secret of [...Object.values(secrets), ...server.tokens]) {
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(encodeURIComponent(secret));
  }
}

/** Repeats what it was sent, as careless servers do. */
const echo =
  (status: number): Answer =>
  (response, request) =>
    raw(`<html>Error at ${request.url}`, {}, status)(response, request);
const echoError: Answer = (response, request) =>
  json({ error: `cannot ${request.url} for ${USERNAME}:${PASSWORD}:${APP_KEY}` }, 500)(
    response,
    request,
  );

const echoLocation: Answer = (response, request) =>
  raw('', { location: `http://other.example${request.url}` }, 302)(response, request);

/** Stalls until the time of every request is up. */
const late: Answer = (...sent) => {
  stall(...sent);
  void clock.advance(GIVE_UP_MS);
};

const FAULTS: [string, Answer][] = [
  ['a reset', reset],
  ['a cut body', cut],
  ['a stalled body', late],
  ['a page of HTML', html],
  ['a page that repeats the address', echo(200)],
  ['status 401', echo(401)],
  ['status 404', echo(404)],
  ['status 500', echo(500)],
  ['an error that repeats it', echoError],
  ['truncated JSON', raw('{"btg":[')],
  ['a query that is too long', echo(414)],
  ['a redirect', raw('', { location: 'http://other.example/' }, 302)],
  ['a redirect that repeats the address', echoLocation],
  ['something that is not packed', raw('{}', { 'content-encoding': 'br' })],
];

const CREDENTIALS: ServiceConfig['credentials'][] = [
  { username: USERNAME, password: PASSWORD, appKey: APP_KEY },
  { token: GIVEN },
];

describe.each(CREDENTIALS)('no secret is in an error or an event', (credentials) => {
  it.each(FAULTS)('after %s', async (_, answer) => {
    for (const part of ['/btg?', '/articles?', '/block/', '/materials/']) {
      server.always(part, answer);
    }
    const events: unknown[] = [];
    const onRequest = (event: unknown) => events.push(event);
    const client = clientOf(server, { credentials, onRequest, retries: 1, startTimer });
    const errors = await Promise.all([
      errorOf(client.getPartsList(KEY)),
      errorOf(client.getArticle(KEY)),
      errorOf(client.getBlock('ACME::DESK::LEG')),
      errorOf(client.getMaterial('ACME', 'OAK')),
    ]);
    await client.close();
    for (const error of errors) expectNoSecret([error, events, client.id], credentials);
  });
});

describe('no secret is in the error of a service that is gone', () => {
  it.each([
    ['a page that repeats the address', echo(500)],
    ['an error that repeats it', echoError],
    ['a reset', reset],
  ])('after %s', async (_, answer) => {
    server.always('/materials/', raw(Buffer.from('ffd8ffe00004000affd9', 'hex')));
    const client = clientOf(server, { giveUpAfterMs: 10, retries: 9 });
    await client.getMaterial('ACME', 'OAK');
    for (const part of ['/btg?', '/getnodes?']) server.always(part, answer);
    const error = await errorOf(client.getPartsList(KEY));
    expect(error.code).toBe('SERVICE_GONE');
    expectNoSecret(error, CREDENTIALS[0]!);
  });
});

describe('the user name', () => {
  it('is no secret: a user who is named like a manufacturer changes no error', async () => {
    server.always('/btg?', json({ error: 'ACME is unknown' }, 500));
    const credentials = { username: 'ACME', password: PASSWORD };
    const client = clientOf(server, { credentials, retries: 0 });
    const error = await errorOf(client.getPartsList(KEY));
    expect(error.message).toBe(
      'getPartsList ACME/DESK/D1: the service answered with status 500: ACME is unknown',
    );
    expect(error.url).toContain('manufacturer=ACME&');
  });
});

describe('no secret is in the error of a login', () => {
  it.each([...FAULTS, ['a refusal', json({ error: `${USERNAME} with ${PASSWORD}: no` })] as const])(
    'after %s',
    async (_, answer) => {
      server.always('GetSessionToken', answer);
      const client = clientOf(server, { retries: 1, startTimer });
      const error = await errorOf(client.getNodes(''));
      expectNoSecret(error, CREDENTIALS[0]!);
    },
  );

  it('after a name that is too long', async () => {
    const username = 'name-that-is-too-long-'.repeat(9);
    const client = clientOf(server, { credentials: { username, password: PASSWORD } });
    const error = await errorOf(client.getNodes(''));
    expect(error).toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(everythingOf(error)).not.toContain('name-that-is-too-long-');
  });
});
