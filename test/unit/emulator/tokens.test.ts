import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Emulator,
  type EmulatorOptions,
  startEmulator,
} from '../../../src/emulator/emulator.ts';
import { TOKEN_LIFETIMES_MS, TokenRegistry } from '../../../src/emulator/tokens.ts';
import { call, logIn, logOut } from '../../helpers/emulated-session.ts';
import { jsonOf } from '../../helpers/json-of.ts';
import { smallRange } from '../../helpers/small-range.ts';

const HOUR_MS = 3_600_000;
const RANGE = smallRange([{ number: 'D1' }]);
const ARTICLE = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };

let running: Emulator[] = [];
async function start(options: Partial<EmulatorOptions> = {}): Promise<Emulator> {
  const emulator = await startEmulator({ range: RANGE, ...options });
  running.push(emulator);
  return emulator;
}
afterEach(async () => {
  await Promise.all(running.map((emulator) => emulator.close()));
  running = [];
});

/** Status of one call to each group. */
async function statuses(emulator: Emulator, token: string): Promise<Record<string, number>> {
  const [xcf, ofml, odb] = await Promise.all([
    call(emulator, 'xcf/getnodes', { token }),
    call(emulator, 'ofml/articles', { token, ...ARTICLE }),
    call(emulator, 'odb/block/X', { token }),
  ]);
  return { xcf: xcf.status, ofml: ofml.status, odb: odb.status };
}

describe('a token lives as long as RememberMe says', () => {
  test.each([
    [false, 12 * HOUR_MS],
    [true, 90 * 24 * HOUR_MS],
  ])('RememberMe %s: %d ms', async (rememberMe, lifetimeMs) => {
    let nowMs = 1_000;
    const emulator = await start({ now: () => nowMs });
    const token = await logIn(emulator, rememberMe);
    nowMs += lifetimeMs - 1;
    expect(await statuses(emulator, token)).toEqual({ xcf: 200, ofml: 200, odb: 200 });
    nowMs += 1;
    expect(await statuses(emulator, token)).toEqual({ xcf: 401, ofml: 401, odb: 401 });
    expect((await logOut(emulator, 'xcf', token)).status).toBe(401);
    expect(emulator.openSessions()).toBe(0);
  });
});

describe('a token that opens nothing is refused as JSON, not as a page', () => {
  test.each([
    ['missing', {}, 'token is missing'],
    ['empty', { token: '' }, 'token is missing'],
    ['unknown', { token: 'abc' }, 'token is not valid'],
  ])('%s', async (_, parameters, message) => {
    const answer = call(await start(), 'odb/block/X', parameters as Record<string, string>);
    expect(await jsonOf(answer, 401)).toEqual({ error: message });
  });

  test('one of another emulator', async () => {
    const [one, other] = [await start(), await start()];
    const token = await logIn(one);
    expect((await call(other, 'odb/block/X', { token })).status).toBe(401);
    expect((await call(one, 'odb/block/X', { token })).status).toBe(200);
  });

  test('all of them, once expireTokens was called; a new login works', async () => {
    const emulator = await start();
    const token = await logIn(emulator);
    emulator.expireTokens();
    expect(await statuses(emulator, token)).toEqual({ xcf: 401, ofml: 401, odb: 401 });
    expect((await statuses(emulator, await logIn(emulator))).odb).toBe(200);
  });
});

describe('each logout ends its own group and the articles, until both were called', () => {
  test.each([
    ['xcf', { xcf: 401, ofml: 401, odb: 200 }, 'odb'],
    ['odb', { xcf: 200, ofml: 401, odb: 401 }, 'xcf'],
  ] as const)('%s', async (first, left, second) => {
    const emulator = await start();
    const token = await logIn(emulator);
    expect((await logOut(emulator, first, token)).status).toBe(200);
    expect(await statuses(emulator, token)).toEqual(left);
    expect((await logOut(emulator, first, token)).status).toBe(401);
    expect(emulator.openSessions()).toBe(1);
    expect((await logOut(emulator, second, token)).status).toBe(200);
    expect(emulator.openSessions()).toBe(0);
    expect(emulator.counts.get(`logout${second}`)).toBe(1);
  });

  test('other sessions stay', async () => {
    const emulator = await start();
    const [one, other] = [await logIn(emulator), await logIn(emulator)];
    await logOut(emulator, 'xcf', one);
    expect(await statuses(emulator, other)).toEqual({ xcf: 200, ofml: 200, odb: 200 });
  });
});

test('expired sessions are removed', () => {
  let nowMs = 0;
  const tokens = new TokenRegistry(() => nowMs, randomBytes, TOKEN_LIFETIMES_MS);
  const token = tokens.issue(false);
  tokens.issue(true);
  nowMs = TOKEN_LIFETIMES_MS.session;
  expect([tokens.opens(token, 'xcf'), tokens.openSessions()]).toEqual([false, 1]);
});
