/** The login of a pipeline, for workers in several processes. */

import type { TokenSource } from '../../source/service/service-config.ts';
import { openTokenSource } from '../../source/service/shared-logins.ts';
import { readCredentials } from '../file/environment.ts';
import { clientOptions, isEmulated, type ServiceSection } from './connect.ts';
import type { ServiceEnvironment } from './run-environment.ts';

/**
 * Opens the login of a pipeline for clients in several processes, which have it in their environment.
 *
 * @returns Undefined if each process has an emulator of its own.
 * @throws `PIPELINE_VARIABLE_UNSET` without credentials.
 */
export async function openServiceTokens(
  section: ServiceSection,
  { env, now, random }: Pick<ServiceEnvironment, 'env' | 'now' | 'random'>,
): Promise<TokenSource | undefined> {
  if (isEmulated(section)) return undefined;
  const credentials = readCredentials(env);
  const addresses = { authUrl: section.authUrl!, baseUrl: section.baseUrl! };
  return openTokenSource({ ...clientOptions(section), ...addresses, credentials, now, random });
}
