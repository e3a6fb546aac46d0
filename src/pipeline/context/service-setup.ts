/**
 * Service setup: the `service:` section of a pipeline as a client that is ready to use.
 *
 * In: the section and the environment. Out: a client; for the emulator also the emulator itself.
 * It must not import the emulator, which lies above: how to start one is handed in.
 */
import type { ServiceClient } from '../../service/client.ts';
import { type Credentials, type ServiceConfig, serviceId } from '../../service/service-config.ts';
import { registerSecret } from '../../support/redact.ts';
import { type Environment, readCredentials } from '../file/environment.ts';
import type { ServiceContent } from '../file/pipeline-schema.ts';
import type { Mismatch } from './drift.ts';

/** A running emulator, as far as a client has to know it. */
export interface EmulatorHandle {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  readonly appKey: string;
  close(): Promise<void>;
}

/** Starts an emulator of the sample range, or of the recording in a folder. */
export type StartEmulator = (range: { recording?: string }) => Promise<EmulatorHandle>;

/** What a client needs from outside. */
export interface ServiceTools {
  env: Environment;
  now: () => number;
  random: () => number;
  signal: AbortSignal;
  startEmulator: StartEmulator;
  onRequest?: NonNullable<ServiceConfig['onRequest']>;
  /** Handed every complete answer as it came. */
  onAnswer?: NonNullable<ServiceConfig['onAnswer']>;
  /** Told of every answer that is not quite what the specification says. */
  onDrift?: (mismatch: Mismatch) => void;
}

/** A client, and what has to be closed with it. */
export interface Service {
  client: ServiceClient;
  /** Logs out and stops the emulator where one was started. */
  close(): Promise<void>;
}

/**
 * Opens the service of a pipeline.
 *
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET` without credentials; `RECORDING_INVALID`.
 */
export async function openService(content: ServiceContent, tools: ServiceTools): Promise<Service> {
  const { createClient } = await import('../../service/client.ts');
  const emulator = await startedEmulator(content, tools);
  const credentials: Credentials = emulator ?? readCredentials(tools.env);
  const client = createClient({
    ...clientOptions(content),
    authUrl: emulator?.authUrl ?? content.authUrl!,
    baseUrl: emulator?.baseUrl ?? content.baseUrl!,
    credentials,
    now: tools.now,
    random: tools.random,
    signal: tools.signal,
    ...(tools.onRequest === undefined ? {} : { onRequest: tools.onRequest }),
    ...(tools.onAnswer === undefined ? {} : { onAnswer: tools.onAnswer }),
    ...(tools.onDrift === undefined ? {} : { onDrift: tools.onDrift }),
  });
  return {
    client,
    close: async () => {
      try {
        await client.close();
      } finally {
        await emulator?.close();
      }
    },
  };
}

/**
 * Names the service of a pipeline for snapshots and state, without opening it.
 *
 * @returns The `id` of the client that {@link openService} makes.
 */
export function pipelineServiceId(content: ServiceContent): string {
  return serviceId(clientOptions(content) as ServiceConfig);
}

/** The service in words, for people. */
export function describeService(
  content: Pick<ServiceContent, 'emulator' | 'recording' | 'baseUrl'>,
): string {
  if (content.emulator === true) return 'emulator:sample';
  if (content.recording !== undefined) return `recording:${content.recording}`;
  return content.baseUrl!;
}

/** An emulator is named by what it serves, so that the cache outlives its port. */
function clientOptions({
  emulator,
  recording,
  authUrl: _,
  imageLocation: __,
  ...options
}: ServiceContent) {
  const emulated = emulator === true || recording !== undefined;
  return emulated
    ? { ...options, id: describeService({ ...options, emulator, recording }) }
    : options;
}

/** The emulator prints nothing and so registers nothing: whoever talks to it does. */
async function startedEmulator(
  content: ServiceContent,
  tools: ServiceTools,
): Promise<EmulatorHandle | undefined> {
  const { emulator: sample, recording } = content;
  if (sample !== true && recording === undefined) return undefined;
  const emulator = await tools.startEmulator(recording === undefined ? {} : { recording });
  for (const secret of [emulator.username, emulator.password, emulator.appKey]) {
    registerSecret(secret);
  }
  return emulator;
}
