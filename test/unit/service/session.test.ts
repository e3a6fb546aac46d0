import { describe, expect, it } from 'vitest';
import { createSession } from '../../../src/service/session.ts';
import { ConverterError } from '../../../src/support/errors.ts';

const HOUR_MS = 3_600_000;

/** A session whose logins hand out `A`, `B`, `C`, … or throw what is put into `failures`. */
function sessionOf(options: { given?: string; rememberMe?: boolean } = {}) {
  const clock = { nowMs: 0 };
  const failures: Error[] = [];
  const loggedOut: string[] = [];
  const alive = { given: true };
  let logins = 0;
  let probes = 0;
  const session = createSession({
    given: options.given,
    rememberMe: options.rememberMe ?? false,
    now: () => clock.nowMs,
    login: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      logins += 1;
      return String.fromCharCode(64 + logins);
    },
    logout: async (token) => void loggedOut.push(token),
    isAlive: async () => {
      probes += 1;
      return alive.given;
    },
  });
  const counts = () => ({ logins, probes });
  return { session, clock, failures, loggedOut, alive, counts };
}

const refused = () => new ConverterError('LOGIN_REFUSED', 'no');
const unreachable = () => new ConverterError('SERVICE_UNREACHABLE', 'down');

describe('a session of its own', () => {
  it('logs in once for all concurrent requests, and not before', async () => {
    const { session, counts } = sessionOf();
    expect(counts().logins).toBe(0);
    const tokens = await Promise.all([1, 2, 3].map(() => session.token()));
    expect(tokens).toEqual(['A', 'A', 'A']);
    expect(counts().logins).toBe(1);
  });

  it.each([
    ['12 hours', false, 12 * HOUR_MS],
    ['90 days', true, 90 * 24 * HOUR_MS],
  ])('renews a token of %s ahead of its end', async (_, rememberMe, endsMs) => {
    const { session, clock } = sessionOf({ rememberMe });
    await session.token();
    clock.nowMs = endsMs * 0.9;
    expect(await session.token()).toBe('A');
    clock.nowMs = endsMs * 0.95;
    expect(await session.token()).toBe('B');
  });

  it('continues with the old token if the renewal fails, and tries again later', async () => {
    const { session, clock, failures } = sessionOf();
    await session.token();
    clock.nowMs = 11.5 * HOUR_MS;
    failures.push(unreachable(), refused());
    expect(await session.token()).toBe('A');
    expect(await session.token()).toBe('A');
    expect(failures).toHaveLength(1);
    clock.nowMs += 61_000;
    expect(await session.token()).toBe('A');
    clock.nowMs += 61_000;
    expect(await session.token()).toBe('B');
  });

  it('fails where the renewal fails and the old token has ended', async () => {
    const { session, clock, failures } = sessionOf();
    await session.token();
    clock.nowMs = 12 * HOUR_MS;
    failures.push(unreachable());
    await expect(session.token()).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' });
    expect(await session.token()).toBe('B');
  });

  it('replaces a dead token once for all who come with it, early or late', async () => {
    const { session, counts } = sessionOf();
    const dead = await session.token();
    const early = await Promise.all([1, 2, 3].map(() => session.replace(dead, true)));
    expect(early).toEqual(['B', 'B', 'B']);
    expect(await session.replace(dead, true)).toBe('B');
    expect(counts().logins).toBe(2);
  });

  it('never logs in again after a refusal: it could lock the account', async () => {
    const { session, failures } = sessionOf();
    failures.push(refused(), new Error('logged in twice'));
    await expect(session.token()).rejects.toMatchObject({ code: 'LOGIN_REFUSED' });
    await expect(session.token()).rejects.toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(failures).toHaveLength(1);
  });

  it('logs out what it obtained, but not what the service declared dead', async () => {
    const { session, loggedOut } = sessionOf();
    await session.replace(await session.token(), true);
    await session.replace(await session.token(), false);
    await session.close();
    expect(loggedOut).toEqual(['B', 'C']);
  });

  it('logs out a token that was still on its way', async () => {
    const { session, loggedOut } = sessionOf();
    const waiting = session.token();
    await session.close();
    expect(await waiting).toBe('A');
    expect(loggedOut).toEqual(['A']);
    await expect(session.token()).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('logs nothing out where it never logged in', async () => {
    const { session, loggedOut, counts } = sessionOf();
    await session.close();
    expect(loggedOut).toEqual([]);
    expect(counts().logins).toBe(0);
  });
});

describe('a session with a given token', () => {
  it('uses it, never renews it, never logs it out', async () => {
    const { session, clock, loggedOut, counts } = sessionOf({ given: 'G' });
    clock.nowMs = 1000 * HOUR_MS;
    expect(await session.token()).toBe('G');
    await session.close();
    expect(loggedOut).toEqual([]);
    expect(counts()).toEqual({ logins: 0, probes: 0 });
  });

  it('survives one broken article: the token is tried, once for all who doubt it', async () => {
    const { session, counts } = sessionOf({ given: 'G' });
    const answers = await Promise.all([1, 2].map(() => session.replace('G', true)));
    expect(answers).toEqual(['G', 'G']);
    expect(counts().probes).toBe(1);
  });

  it('ends with TOKEN_DIED, and stays so', async () => {
    const { session, alive } = sessionOf({ given: 'G' });
    alive.given = false;
    await expect(session.replace('G', false)).rejects.toMatchObject({ code: 'TOKEN_DIED' });
    alive.given = true;
    await expect(session.token()).rejects.toMatchObject({ code: 'TOKEN_DIED' });
  });
});
