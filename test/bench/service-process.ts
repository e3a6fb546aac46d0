/**
 * A process of its own that serves an emulated range, with the latency of a network: what it takes must not
 * count as time of the program that is measured.
 */
import { Server } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { type CountedSize, countedRange } from '../helpers/counted-range.ts';
import { folderRange } from './article.ts';
import { hostileLarge } from './hostile-range.ts';

/** What is served, and how late. */
export interface ServiceSettings {
  range: { counted: CountedSize } | { folder: string } | 'hostile' | 'sample';
  latencyMs: number;
}

/** Sent once the service listens. */
export interface Listening {
  env: Record<string, string>;
}

process.once('message', async ({ range, latencyMs }: ServiceSettings) => {
  if (latencyMs > 0) delayRequests(latencyMs);
  let requests = 0;
  const emulator = await startEmulator({
    range: await rangeOf(range),
    onRequest: () => void requests++,
  });
  process.on('message', () => process.send!(requests));
  const env = {
    BTG2GLTF_AUTH_URL: emulator.authUrl,
    BTG2GLTF_BASE_URL: emulator.baseUrl,
    BTG2GLTF_USERNAME: emulator.username,
    BTG2GLTF_PASSWORD: emulator.password,
    BTG2GLTF_APP_KEY: emulator.appKey,
  };
  process.send!({ env } satisfies Listening);
});
process.once('disconnect', () => process.exit());

async function rangeOf(range: ServiceSettings['range']): Promise<EmulatedRange> {
  if (range === 'hostile') return hostileLarge();
  if (range === 'sample') {
    // The built emulator finds its images beside itself.
    const built = pathToFileURL(resolve('dist/emulator/sample/sample-range.js')).href;
    return ((await import(built)) as { createSampleRange(): EmulatedRange }).createSampleRange();
  }
  return 'counted' in range ? countedRange(range.counted) : folderRange(range.folder);
}

/** Every server of this process handles each request so much later. */
function delayRequests(latencyMs: number): void {
  const emit = Server.prototype.emit as (event: string, ...values: unknown[]) => boolean;
  Server.prototype.emit = function (this: Server, event: string, ...values: unknown[]) {
    if (event !== 'request') return emit.call(this, event, ...values);
    setTimeout(() => emit.call(this, event, ...values), latencyMs);
    return true;
  };
}
