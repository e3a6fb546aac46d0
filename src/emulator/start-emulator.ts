/** Starts the emulator with the data that it serves. */
import type { Emulator, EmulatorOptions } from './emulator.ts';

/** Starts the emulator with the sample range or a recording; the modules of both are loaded only on request. */
export async function startEmulatorOf(
  { recording }: { recording?: string },
  options: Omit<EmulatorOptions, 'range'> = {},
): Promise<Emulator> {
  const { startEmulator } = await import('./emulator.ts');
  if (recording === undefined) {
    const { createSampleRange } = await import('./sample/sample-range.ts');
    return startEmulator({ ...options, range: createSampleRange() });
  }
  const { openRecording } = await import('./replay.ts');
  const range = await openRecording(recording);
  // The service has accepted every recorded query, however long.
  return startEmulator({ maxQueryBytes: Number.POSITIVE_INFINITY, ...options, range });
}
