/** The client and the emulator, face to face over HTTP, with names that hold every character. */
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/emulator.ts';
import { openRecording } from '../../src/emulator/replay.ts';
import { createClient, type ServiceClient } from '../../src/source/service/client.ts';
import type { ServiceConfig } from '../../src/source/service/service-config.ts';

/** Its folder. */
export const RECORDING = new URL(
  '../fixtures/recordings/names-with-every-character',
  import.meta.url,
);

/** Starts an emulator of the recording whose names hold every character. */
export async function startRecording(options: Partial<EmulatorOptions> = {}): Promise<Emulator> {
  return startEmulator({ range: await openRecording(RECORDING.pathname), ...options });
}

/** A client that logs in to an emulator. */
export function clientOfEmulator(
  { authUrl, baseUrl, username, password, appKey }: Emulator,
  more: Partial<ServiceConfig> = {},
): ServiceClient {
  return createClient({
    authUrl,
    baseUrl,
    credentials: { username, password, appKey },
    now: () => 0,
    random: () => 0,
    retries: 1,
    backoffMs: 1,
    ...more,
  });
}

/** What the recording holds. */
export const ARTICLE = { manufacturer: 'ACME', program: 'BÜRO+1', basearticlenumber: 'T 1/2+"Ä"' };
export const KEY = {
  ...ARTICLE,
  finalarticlenumber: 'T;1,2=3.4:-_/+[@]\'"Ä €',
  reinitstring: '@T+A=\'x y\':B="Ü";C%2F=100%&d=#[€]::',
  metareinitstring: 'M@[1;2]/+%20::',
};
export const FOLDER_ID = 'ACME;:BÜRO+1@1;:TABLES & MORE@1';
export const BLOCK = 'ACME::BÜRO+1::FUß/1+"2" 100%::A';
export const MATERIAL = "STOFF 'GRÜN'/100%+2";
