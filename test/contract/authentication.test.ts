import { afterEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { clientOfEmulator, startRecording } from '../helpers/emulated-client.ts';
import { errorOf } from '../helpers/faulty-client.ts';

let emulator: Emulator;
afterEach(() => emulator.close());

const counted = (...names: string[]) => names.map((name) => emulator.counts.get(name) ?? 0);

describe('GetPublicKey and GetSessionToken', () => {
  it.each(['pem', 'spki', 'pkcs1', 'x509'] as const)('log in with a key as %s', async (keyForm) => {
    emulator = await startRecording({ keyForm });
    const client = clientOfEmulator(emulator);
    expect((await client.getNodes('')).nodes.length).toBeGreaterThan(0);
    expect(counted('getpublickey', 'getsessiontoken')).toEqual([1, 1]);
    await client.close();
  });

  it.each(['pkcs1', 'oaep'] as const)('log in with the padding %s', async (padding) => {
    emulator = await startRecording();
    const client = clientOfEmulator(emulator, { padding });
    expect((await client.getNodes('')).nodes.length).toBeGreaterThan(0);
    await client.close();
  });

  it('log in without an application key', async () => {
    emulator = await startRecording();
    const { username, password } = emulator;
    const client = clientOfEmulator(emulator, { credentials: { username, password } });
    expect((await client.getNodes('')).nodes.length).toBeGreaterThan(0);
    await client.close();
  });

  it.each([{ username: 'nobody' }, { password: 'wrong-password' }, { appKey: 'wrong-app-key' }])(
    'refuse %j, in one sentence',
    async (wrong) => {
      emulator = await startRecording();
      const { username, password, appKey } = emulator;
      const credentials = { username, password, appKey, ...wrong };
      const client = clientOfEmulator(emulator, { credentials });
      const error = await errorOf(client.getNodes(''));
      expect(error.code).toBe('LOGIN_REFUSED');
      expect(error.message).toMatch(/^login: the authentication server \S+ refused it: [^\n]+$/);
      expect(counted('getsessiontoken')).toEqual([1]);
      await client.close();
    },
  );

  it('give a token for 12 hours or for 90 days, which is renewed ahead of its end', async () => {
    const hourMs = 3_600_000;
    for (const [rememberMe, hours] of [
      [false, 12],
      [true, 90 * 24],
    ] as const) {
      const clock = { nowMs: 0 };
      const now = () => clock.nowMs;
      emulator = await startRecording({ now });
      const client = clientOfEmulator(emulator, { now, rememberMe });
      await client.getNodes('');
      clock.nowMs = hours * hourMs * 0.9;
      await client.getNodes('');
      expect(counted('getsessiontoken')).toEqual([1]);
      clock.nowMs = hours * hourMs - 1;
      await client.getNodes('');
      expect(counted('getsessiontoken')).toEqual([2]);
      await client.close();
      await emulator.close();
    }
  });
});

describe('an expired token', () => {
  it('is replaced by one login for all waiting requests', async () => {
    emulator = await startRecording();
    const client = clientOfEmulator(emulator, { concurrency: 8 });
    await client.getNodes('');
    emulator.expireTokens();
    await Promise.all(Array.from({ length: 30 }, () => client.getNodes('')));
    expect(counted('getsessiontoken')).toEqual([2]);
    await client.close();
  });

  it('ends the run where the token was configured', async () => {
    emulator = await startRecording();
    const credentials = { token: 'a-token-of-another-service' };
    const client = clientOfEmulator(emulator, { credentials });
    expect(await errorOf(client.getNodes(''))).toMatchObject({ code: 'TOKEN_DIED' });
    await client.close();
    expect(counted('getsessiontoken', 'logoutxcf', 'logoutodb')).toEqual([0, 0, 0]);
  });
});

describe('both logouts', () => {
  it('end the session', async () => {
    emulator = await startRecording();
    const client = clientOfEmulator(emulator);
    await client.getNodes('');
    expect(emulator.openSessions()).toBe(1);
    await client.close();
    expect(emulator.openSessions()).toBe(0);
    expect(counted('logoutxcf', 'logoutodb')).toEqual([1, 1]);
  });
});
