/** The `service:` section of a pipeline as a client that is ready to use. */
import type { ServiceClient } from '../../source/service/client.ts';
import { accountOf } from '../../source/service/crypto.ts';
import {
  type Credentials,
  type ServiceConfig,
  serviceId,
} from '../../source/service/service-config.ts';
import type { TokenSource } from '../../source/service/token-source.ts';
import { registerSecret } from '../../support/redact.ts';
import { type Environment, readCredentials } from '../file/environment.ts';
import { type PipelineContent, UNSET_ADDRESS } from '../file/pipeline-schema.ts';

type ServiceContent = PipelineContent['service'];

/** A running emulator, as far as a client needs it. */
interface EmulatorHandle {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  readonly appKey: string;
  close(): Promise<void>;
}

/** What a client needs from the process, and callbacks of the client. */
export interface ServiceEnvironment
  extends Pick<
    ServiceConfig,
    | 'now'
    | 'random'
    | 'waitsForFirstAnswer'
    | 'onRequest'
    | 'onAnswer'
    | 'onDrift'
    | 'onPause'
    | 'onOutage'
    | 'tokens'
  > {
  env: Environment;
  signal: AbortSignal;
  /** Starts an emulator of the sample range, or of the recording in a folder; it lies above this folder. */
  startEmulator(range: { recording?: string }): Promise<EmulatorHandle>;
}

/** A client, and what has to be closed with it. */
export type Service = Awaited<ReturnType<typeof openService>>;

/** Opens the service of a pipeline. @throws `PIPELINE_VARIABLE_UNSET` without credentials; `RECORDING_INVALID`. */
export async function openService(content: ServiceContent, environment: ServiceEnvironment) {
  const { env, now, random, signal, tokens, waitsForFirstAnswer = false } = environment;
  const { onRequest, onAnswer, onDrift, onPause, onOutage } = environment;
  const { createClient } = await import('../../source/service/client.ts');
  const emulator = await startedEmulator(content, environment);
  const credentials: Credentials = emulator ?? readCredentials(env);
  const client: ServiceClient = createClient({
    ...clientOptions(content),
    authUrl: emulator?.authUrl ?? content.authUrl!,
    baseUrl: emulator?.baseUrl ?? content.baseUrl!,
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
    /** Logs out, and stops the emulator if one was started. */
    close: async (): Promise<void> => {
      try {
        await client.close();
      } finally {
        await emulator?.close();
      }
    },
  };
}

/**
 * Opens the login of a pipeline for clients in several processes, which have it in their environment.
 *
 * @returns Undefined if each process has an emulator of its own.
 * @throws `PIPELINE_VARIABLE_UNSET` without credentials.
 */
export async function openServiceTokens(
  content: ServiceContent,
  { env, now, random }: Pick<ServiceEnvironment, 'env' | 'now' | 'random'>,
): Promise<TokenSource | undefined> {
  if (isEmulated(content)) return undefined;
  const credentials = readCredentials(env);
  const { openTokenSource } = await import('../../source/service/session.ts');
  const addresses = { authUrl: content.authUrl!, baseUrl: content.baseUrl! };
  return openTokenSource({ ...clientOptions(content), ...addresses, credentials, now, random });
}

async function startedEmulator(
  content: ServiceContent,
  { startEmulator }: ServiceEnvironment,
): Promise<EmulatorHandle | undefined> {
  if (!isEmulated(content)) return undefined;
  const { recording } = content;
  const emulator = await startEmulator(recording === undefined ? {} : { recording });
  [emulator.password, emulator.appKey].forEach(registerSecret);
  return emulator;
}

/** A `service:` section, and the account of the run, on which answers depend too. */
export type AccountContent = ServiceContent & { account?: string };

/**
 * Adds the account to the service of a pipeline: that of the environment, or without credentials, as `build` may
 * be called, the one whose data was fetched (D-716). An emulator has one account only.
 *
 * @param fetchedBy - Returns the account of the last fetch.
 */
export async function withAccount(
  content: ServiceContent,
  env: Environment,
  fetchedBy: () => Promise<string | undefined>,
): Promise<AccountContent> {
  if (isEmulated(content)) return content;
  const { BTG2GLTF_TOKEN: token, BTG2GLTF_USERNAME: username } = env;
  const { BTG2GLTF_APP_KEY: appKey = '' } = env;
  if (token) return { ...content, account: accountOf({ token }) };
  if (username) return { ...content, account: accountOf({ username, appKey }) };
  const account = await fetchedBy();
  return account === undefined ? content : { ...content, account };
}

/** Returns the `id` of the client that {@link openService} creates: the name of the service in the database. */
export function pipelineServiceId(content: AccountContent): string {
  return serviceId(clientOptions(content) as ServiceConfig);
}

/** The languages of a pipeline: everything is requested in the first, articles also in the others. D-756 */
export function languagesOf({ lang }: ServiceContent): [first: string, ...others: string[]] {
  const [first = '', ...others] = [lang].flat();
  return [first, ...others];
}

/** The same pipeline in its first language alone, for what writes no catalogue. */
export function inFirstLanguage<P extends { service: ServiceContent }>(pipeline: P): P {
  const [lang] = languagesOf(pipeline.service);
  return { ...pipeline, service: { ...pipeline.service, lang } };
}

/** Describes the service for people: its address, or what the emulator serves. */
export function describeService({
  emulator,
  recording,
  baseUrl,
}: Pick<ServiceContent, 'emulator' | 'recording' | 'baseUrl'>): string {
  if (emulator === true) return 'emulator:sample';
  if (recording !== undefined) return `recording:${recording}`;
  return baseUrl === UNSET_ADDRESS ? 'address not set' : baseUrl!;
}

/** An emulator is identified by what it serves, so that the cache stays valid when its port changes. */
function clientOptions(content: AccountContent) {
  const { emulator: _, recording: __, authUrl: ___, imageLocation: ____, ...others } = content;
  const options = { ...others, lang: languagesOf(content)[0] };
  return isEmulated(content) ? { ...options, id: describeService(content) } : options;
}

function isEmulated({ emulator, recording }: ServiceContent): boolean {
  return emulator === true || recording !== undefined;
}
