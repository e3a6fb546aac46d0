/** Sections 4.1 and 5, and both logouts: a session from its beginning to its end. */
import { expect } from 'vitest';
import type { RequestEvent, ServiceConfig } from '../../../src/source/service/service-config.ts';
import { errorOf } from '../../helpers/faulty-client.ts';
import type { ServiceUnderTest } from '../../helpers/service-under-test.ts';
import { type Case, type Cases, emulated, given } from './case.ts';

/** Logs in, asks one question and logs out; returns the status of each operation. */
async function session(service: ServiceUnderTest, more: Partial<ServiceConfig> = {}) {
  const events: RequestEvent[] = [];
  const client = service.open({ ...more, onRequest: (event) => events.push(event) });
  await client.getNodes('');
  await client.close();
  return Object.fromEntries(events.map(({ operation, status }) => [operation, status]));
}

/** Credentials of a login; a given token has none. */
function loginOf({ credentials }: ServiceUnderTest) {
  return given('token' in credentials ? undefined : credentials, 'login: it was given a token');
}

const logsIn =
  (operation: string, more: Partial<ServiceConfig> = {}): Case =>
  async (_, __, service) => {
    loginOf(service);
    expect(await session(service, more)).toMatchObject({ [operation]: 200 });
  };

/** On a live service a wrong login may lock the account. */
const refusesWrong = (field: 'username' | 'password' | 'appKey'): Case =>
  emulated(async (_, __, service) => {
    const credentials = { ...loginOf(service), [field]: 'wrong' };
    const error = await errorOf(service.open({ credentials }).getNodes(''));
    expect(error.code).toBe('LOGIN_REFUSED');
    expect(error.message).toMatch(/^the authentication server \S+ refused the login: [^\n]+$/);
  });

const logsOut =
  (operation: string): Case =>
  async (_, __, service) => {
    loginOf(service);
    const { [operation]: status } = await session(service);
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(300);
  };

export const SESSION = {
  getPublicKey: { answers: logsIn('getPublicKey'), parameters: {} },
  getSessionToken: {
    answers: logsIn('getSessionToken'),
    parameters: {
      User: refusesWrong('username'),
      Password: refusesWrong('password'),
      PublicKey: logsIn('getSessionToken'),
      RememberMe: logsIn('getSessionToken', { rememberMe: true }),
      AppKey: refusesWrong('appKey'),
    },
  },
  logoutCatalogue: { answers: logsOut('logoutCatalogue'), parameters: {} },
  logoutGraphics: { answers: logsOut('logoutGraphics'), parameters: {} },
} as const satisfies Record<string, Cases>;
