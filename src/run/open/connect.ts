/** The `service:` section of a pipeline as a client that is ready to use. */
import type { ServiceClient } from '../../source/service/client.ts';
import { accountOf } from '../../source/service/crypto.ts';
import {
  type SERVICE_DEFAULTS,
  type ServiceConfig,
  serviceId,
} from '../../source/service/service-config.ts';
import { registerSecret } from '../../support/redact.ts';
import { type Environment, readCredentials, UNSET_ADDRESS } from '../file/environment.ts';
import type { EmulatorHandle, ServiceEnvironment } from './run-environment.ts';

/** The `service:` section of a pipeline, with every default: settings of a client, and where the service is. */
export interface ServiceSection
  extends Pick<ServiceConfig, 'profile' | 'langalt' | 'currency' | 'rateLimit'>,
    Required<Pick<ServiceConfig, Exclude<keyof typeof SERVICE_DEFAULTS, 'startTimer'>>> {
  /** Whether it is the emulator with its sample range. */
  emulator?: true | undefined;
  /** Folder of the recording that the emulator serves. */
  recording?: string | undefined;
  authUrl?: string | undefined;
  baseUrl?: string | undefined;
  /** The first is that of the client. */
  lang: string | string[];
  /** Where the image of a material is. */
  imageLocation: string;
}

/** A `service:` section, and the account of the run, on which answers depend too. */
export type AccountSection = ServiceSection & { account?: string };

/** A client, and what has to be closed with it. */
export interface Service {
  client: ServiceClient;
  /** Logs out, and stops the emulator if one was started. */
  close(): Promise<void>;
}

/** Opens the service of a pipeline. @throws `PIPELINE_VARIABLE_UNSET` without credentials; `RECORDING_INVALID`. */
export async function openService(
  section: AccountSection,
  environment: ServiceEnvironment,
): Promise<Service> {
  const { env, now, random, signal, tokens, waitsForFirstAnswer = false } = environment;
  const { onRequest, onAnswer, onDrift, onPause, onOutage } = environment;
  const { createClient } = await import('../../source/service/client.ts');
  const emulator = await startedEmulator(section, environment);
  const credentials = emulator ?? readCredentials(env);
  const client = createClient({
    ...clientOptions(section),
    authUrl: emulator?.authUrl ?? section.authUrl!,
    baseUrl: emulator?.baseUrl ?? section.baseUrl!,
    credentials,
    now,
    random,
    signal,
    waitsForFirstAnswer,
    ...(onRequest && { onRequest }),
    ...(onAnswer && { onAnswer }),
    ...(onDrift && { onDrift }),
    ...(onPause && { onPause }),
    ...(onOutage && { onOutage }),
    // Another process has no login at this emulator.
    ...(tokens && emulator === undefined && { tokens }),
  });
  return {
    client,
    async close() {
      try {
        await client.close();
      } finally {
        await emulator?.close();
      }
    },
  };
}

async function startedEmulator(
  section: ServiceSection,
  { startEmulator }: ServiceEnvironment,
): Promise<EmulatorHandle | undefined> {
  if (!isEmulated(section)) return undefined;
  const { recording } = section;
  const emulator = await startEmulator(recording === undefined ? {} : { recording });
  [emulator.password, emulator.appKey].forEach(registerSecret);
  return emulator;
}

/**
 * Adds the account to the service of a pipeline: that of the environment, or without credentials, as `build` may
 * be called, the one whose data was fetched (D-716). An emulator has one account only.
 *
 * @param fetchedBy - Returns the account of the last fetch.
 */
export async function withAccount<S extends ServiceSection>(
  section: S,
  env: Environment,
  fetchedBy: () => Promise<string | undefined>,
): Promise<S & { account?: string }> {
  if (isEmulated(section)) return section;
  const { BTG2GLTF_TOKEN: token, BTG2GLTF_USERNAME: username } = env;
  const { BTG2GLTF_APP_KEY: appKey = '' } = env;
  if (token) return { ...section, account: accountOf({ token }) };
  if (username) return { ...section, account: accountOf({ username, appKey }) };
  const account = await fetchedBy();
  return account === undefined ? section : { ...section, account };
}

/** Returns the `id` of the client that {@link openService} creates: the name of the service in the database. */
export function pipelineServiceId(section: AccountSection): string {
  return serviceId(clientOptions(section) as ServiceConfig);
}

/** The languages of a pipeline: everything is requested in the first, articles also in the others. D-756 */
export function languagesOf({
  lang,
}: Pick<ServiceSection, 'lang'>): [first: string, ...others: string[]] {
  const [first = '', ...others] = [lang].flat();
  return [first, ...others];
}

/** The same pipeline in its first language alone, for what writes no catalogue. */
export function inFirstLanguage<P extends { service: ServiceSection }>(pipeline: P): P {
  const [lang] = languagesOf(pipeline.service);
  return { ...pipeline, service: { ...pipeline.service, lang } };
}

type Emulated = Pick<ServiceSection, 'emulator' | 'recording'>;

/** Describes the service for people: its address, or what the emulator serves. */
export function describeService(section: Emulated & Pick<ServiceSection, 'baseUrl'>): string {
  const { emulator, recording, baseUrl } = section;
  if (emulator === true) return 'emulator:sample';
  if (recording !== undefined) return `recording:${recording}`;
  return baseUrl === UNSET_ADDRESS ? 'address not set' : baseUrl!;
}

/** An emulator is identified by what it serves, so that the cache stays valid when its port changes. */
export function clientOptions(section: AccountSection) {
  const { emulator: _, recording: __, authUrl: ___, imageLocation: ____, ...others } = section;
  const options = { ...others, lang: languagesOf(section)[0] };
  return isEmulated(section) ? { ...options, id: describeService(section) } : options;
}

/** Whether the service is an emulator, which serves the sample range or a recording. */
export function isEmulated({ emulator, recording }: Emulated): boolean {
  return emulator === true || recording !== undefined;
}
