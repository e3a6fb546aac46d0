/**
 * A client of the fault server, with short pauses.
 */
import { onTestFinished } from 'vitest';
import { createClient, type ServiceClient } from '../../src/source/service/client.ts';
import type { ServiceConfig } from '../../src/source/service/service-config.ts';
import { type ConverterError, isConverterError } from '../../src/support/errors.ts';
import type { FaultServer } from './fault-server.ts';
import { GIVE_UP_MS } from './until.ts';

export const USERNAME = 'fault.finder';
export const PASSWORD = 'pass-word-of-the-test';
export const APP_KEY = 'app-key-of-the-test';

export const ROOT_NODES = [{ nodeid: 'ACME;:DESK@1', text: 'Desks', nodetype: 'F' }];
export const KEY = {
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D1',
  finalarticlenumber: 'D1+OAK',
  reinitstring: '',
  metareinitstring: '',
};

/** A client that is closed when the test ends, if not before. */
export function clientOf(
  server: Pick<FaultServer, 'authUrl' | 'baseUrl'>,
  more: Partial<ServiceConfig> = {},
): ServiceClient {
  const client = createClient({
    authUrl: server.authUrl,
    baseUrl: server.baseUrl,
    credentials: { username: USERNAME, password: PASSWORD, appKey: APP_KEY },
    now: () => 0,
    random: () => 0,
    retries: 2,
    backoffMs: 1,
    timeoutMs: GIVE_UP_MS,
    ...more,
  });
  onTestFinished(() => client.close());
  return client;
}

/** The error that a promise is rejected with; fails where it is fulfilled or the error is not ours. */
export async function errorOf(promise: Promise<unknown>): Promise<ConverterError> {
  const error = await promise.then(
    () => new Error('expected a rejection'),
    (thrown: unknown) => thrown,
  );
  if (!isConverterError(error)) throw error;
  return error;
}
