import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTokenSource } from '../../../../src/source/service/login.ts';
import { startTimer } from '../../../../src/source/service/service-config.ts';
import { Session } from '../../../../src/source/service/session.ts';
import { ConverterError } from '../../../../src/support/errors.ts';

const HOUR_MS = 3_600_000;

const PARTS_LIST = { name: 'getPartsList', values: {} } as const;

const refused = () => new ConverterError('LOGIN_REFUSED', 'no');
const unreachable = () => new ConverterError('SERVICE_UNREACHABLE', 'down');

/** A token source whose logins hand out `A`, `B`, `C`, … or throw what is put into `failures`. */
function tokensOf({ rememberMe = false } = {}) {
  const clock = { nowMs: 0 };
  const now = () => clock.nowMs;
  const failures: Error[] = [];
  const loggedOut: string[] = [];
  let logins = 0;
  const tokens = createTokenSource({
    rememberMe,
    now,
    startTimer,
    login: async () => {
      logins += 1;
      await setImmediate();
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return String.fromCharCode(64 + logins);
    },
    logout: async (token) => void loggedOut.push(token),
  });
  const values = async (...replaced: (string | undefined)[]) =>
    (await Promise.all(replaced.map((one) => tokens.obtain(one)))).map(({ value }) => value);
  return { tokens, clock, now, failures, loggedOut, values, logins: () => logins };
}

/** A session of such a source, or of a given token; and what its probes find. */
function sessionOf(options: { given?: string; rememberMe?: boolean } = {}) {
  const { tokens, now, logins, ...source } = tokensOf(options);
  const root = { isRefused: false, order: () => 100, isDown: false };
  const probe = { isRefused: false };
  let probes = 0;
  const session = new Session({
    ...{ given: options.given, tokens, now },
    probe: async (_, { name }) => {
      probes += 1;
      const order = root.order();
      await setImmediate();
      if (root.isDown) throw new Error('down');
      return { order, isRefused: (name === 'getNodes' ? root : probe).isRefused };
    },
  });
  const counts = () => ({ logins: logins(), probes });
  return { session, ...source, root, probe, counts };
}

describe('a token source of several sessions', () => {
  it('logs in once for all, and again only to replace the token in use', async () => {
    const { values, logins } = tokensOf();
    expect(await values(undefined, undefined, undefined)).toEqual(['A', 'A', 'A']);
    expect(await values('A', undefined, 'A')).toEqual(['B', 'B', 'B']);
    expect(await values('A')).toEqual(['B']);
    expect(logins()).toBe(2);
  });

  it('does not repeat a refused login for each of them, but tries again later', async () => {
    const { tokens, clock, failures, values, logins } = tokensOf();
    failures.push(refused());
    await expect(tokens.obtain()).rejects.toMatchObject({ code: 'LOGIN_REFUSED' });
    await expect(tokens.obtain()).rejects.toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(logins()).toBe(1);
    clock.nowMs += 61_000;
    expect(await values(undefined)).toEqual(['B']);
  });

  it('logs in again for the next session after a server that was away', async () => {
    const { tokens, failures, values } = tokensOf();
    failures.push(unreachable());
    await expect(tokens.obtain()).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' });
    expect(await values(undefined)).toEqual(['B']);
  });

  it('logs out at its end all but what the service declared dead', async () => {
    const { tokens, loggedOut, values } = tokensOf();
    await values(undefined);
    await values('A');
    await values('B');
    tokens.forget('B');
    await tokens.close();
    expect(loggedOut).toEqual(['A', 'C']);
    await expect(tokens.obtain()).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

/** The third token of a session, whose first two were accepted for the root alone. */
async function afterTwoLogins(session: Session): Promise<string> {
  for (const order of [1, 2]) {
    session.accept({ token: await session.token(), order });
    await session.replace(await session.token(), false);
  }
  return session.token();
}

describe('a session of its own', () => {
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
    expect(await session.token()).toBe('D');
  });

  it('fails where the renewal fails and the old token has ended', async () => {
    const { session, clock, failures } = sessionOf();
    await session.token();
    clock.nowMs = 12 * HOUR_MS;
    failures.push(unreachable());
    await expect(session.token()).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' });
    expect(await session.token()).toBe('C');
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

  it('ends after three tokens in a row that the service accepts nowhere', async () => {
    const { session, counts } = sessionOf();
    for (const order of [1, 2, 3]) {
      session.accept({ token: await session.token(), order }, PARTS_LIST);
      await session.replace(await session.token(), false);
    }
    await session.replace(await session.token(), false);
    const third = session.replace(await session.token(), false);
    await expect(third).rejects.toMatchObject({ code: 'LOGIN_REFUSED' });
    await expect(session.token()).rejects.toThrow('received 3 in a row that it refuses');
    expect(counts().logins).toBe(5);
  });

  it('relies on a token that was accepted once after two logins, if nothing but the root was answered', async () => {
    const { session, root, counts } = sessionOf();
    const token = await afterTwoLogins(session);
    session.accept({ token, order: 3 });
    root.isRefused = true;
    expect(await session.examine({ token, order: 4 })).toBe('alive');
    expect(await session.replace(token, false)).toBe(token);
    expect(counts()).toEqual({ logins: 3, probes: 0 });
  });

  it('replaces a dead token after two logins that did not help, once something was answered', async () => {
    const { session, root, probe, counts } = sessionOf();
    const token = await afterTwoLogins(session);
    session.accept({ token, order: 3 }, PARTS_LIST);
    root.isRefused = true;
    expect(await session.examine({ token, order: 4 })).toBe('alive');
    probe.isRefused = true;
    expect(await session.examine({ token, order: 101 })).toBe('dead');
    expect(await session.replace(token, false)).toBe('D');
    expect(counts()).toEqual({ logins: 4, probes: 42 });
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

  it('ends with TOKEN_DIED once it is dead, and stays so', async () => {
    const { session, root, counts } = sessionOf({ given: 'G' });
    root.isRefused = true;
    expect(await session.examine({ token: 'G', order: 1 })).toBe('dead');
    await expect(session.replace('G', false)).rejects.toMatchObject({ code: 'TOKEN_DIED' });
    root.isRefused = false;
    await expect(session.token()).rejects.toMatchObject({ code: 'TOKEN_DIED' });
    expect(counts().logins).toBe(0);
  });
});

describe('a refused request', () => {
  it('was sent with a live token if a request sent after it was answered normally', async () => {
    const { session, counts } = sessionOf();
    const token = await session.token();
    session.accept({ token, order: 5 });
    expect(await session.examine({ token, order: 4 })).toBe('alive');
    expect(counts()).toEqual({ logins: 1, probes: 0 });
  });

  it('needs the root if only requests sent before it were answered, once for all that wait', async () => {
    const { session, counts } = sessionOf();
    const token = await session.token();
    session.accept({ token, order: 5 });
    const orders = [6, 7, 8, 9];
    const verdicts = orders.map((order) => session.examine({ token, order }));
    expect(await Promise.all(verdicts)).toEqual(orders.map(() => 'alive'));
    expect(await session.examine({ token, order: 10 })).toBe('alive');
    expect(counts()).toEqual({ logins: 1, probes: 1 });
  });

  it('does not rely on a root that was requested before it', async () => {
    const { session, root, counts } = sessionOf();
    const token = await session.token();
    let order = 0;
    root.order = () => (order += 10);
    const [early, late] = [5, 15].map((sent) => session.examine({ token, order: sent }));
    expect(await Promise.all([early, late])).toEqual(['alive', 'alive']);
    expect(counts().probes).toBe(2);
  });

  it('was sent with a live token if the latest answered request is answered again', async () => {
    const { session, root, probe } = sessionOf();
    const token = await session.token();
    session.accept({ token, order: 1 }, PARTS_LIST);
    root.isRefused = true;
    expect(await session.examine({ token, order: 2 })).toBe('alive');
    probe.isRefused = true;
    expect(await session.examine({ token, order: 101 })).toBe('dead');
  });

  it('shows a dead token by many rounds of probes after two tokens were replaced', async () => {
    const { session, root, probe, counts } = sessionOf();
    const refuse = async () => {
      const token = await session.token();
      session.accept({ token, order: 1 }, PARTS_LIST);
      root.isRefused = true;
      probe.isRefused = true;
      const before = counts().probes;
      const state = await session.examine({ token, order: 1000 });
      if (state === 'dead') await session.replace(token, true);
      return { state, probes: counts().probes - before };
    };
    expect(await refuse()).toEqual({ state: 'dead', probes: 2 });
    expect(await refuse()).toEqual({ state: 'dead', probes: 2 });
    expect(await refuse()).toEqual({ state: 'dead', probes: 40 });
    expect(counts().logins).toBe(4);
  });

  it('shows a dead token although some of many probes get no answer', async () => {
    const { session, root, probe } = sessionOf();
    root.isRefused = true;
    probe.isRefused = true;
    for (const _ of [1, 2]) {
      const token = await session.token();
      expect(await session.examine({ token, order: 1000 })).toBe('dead');
      await session.replace(token, true);
      session.accept({ token: await session.token(), order: 1 }, PARTS_LIST);
    }
    let asked = 0;
    root.order = () => {
      root.isDown = ++asked % 5 === 0;
      return 100;
    };
    const token = await session.token();
    expect(await session.examine({ token, order: 1000 })).toBe('dead');
    root.order = () => {
      root.isDown = true;
      return 100;
    };
    expect(await session.examine({ token, order: 1000 })).toBe('unclear');
  });

  it('shows nothing if the root cannot be requested', async () => {
    const { session, root } = sessionOf();
    root.isDown = true;
    expect(await session.examine({ token: await session.token(), order: 1 })).toBe('unclear');
  });

  it('was sent with a token that has been replaced: it is sent again without a question', async () => {
    const { session, counts } = sessionOf();
    const old = await session.token();
    await session.replace(old, true);
    expect(await session.examine({ token: old, order: 1 })).toBe('dead');
    expect(counts()).toEqual({ logins: 2, probes: 0 });
  });
});
