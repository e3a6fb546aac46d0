/** Starts the emulator with what it is to serve. */
import type { Emulator, EmulatorOptions } from './emulator.ts';

/** Starts the emulator with the sample range or a recording; its modules are loaded only now. */
export async function startEmulatorOf(
  { recording }: { recording?: string },
  options: Omit<EmulatorOptions, 'range'> = {},
): Promise<Emulator> {
  const { startEmulator } = await import('./emulator.ts');
  // The service has accepted every recorded query, whatever its length.
  const limit = recording === undefined ? {} : { maxQueryBytes: Number.POSITIVE_INFINITY };
  return startEmulator({ ...limit, ...options, range: await openRange(recording) });
}

async function openRange(recording: string | undefined): Promise<EmulatorOptions['range']> {
  if (recording !== undefined) {
    const { openRecording } = await import('./recording.ts');
    return openRecording(recording);
  }
  const { createSampleRange } = await import('../sample/sample-range.ts');
  return createSampleRange();
}
