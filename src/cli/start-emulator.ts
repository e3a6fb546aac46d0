/**
 * Start emulator: the sample range or a recording, served on loopback.
 */
import type { Emulator, EmulatorOptions } from '../emulator/emulator.ts';

/** Starts the emulator; it is loaded when it is needed. */
export async function startEmulatorOf(
  range: { recording?: string },
  options: Omit<EmulatorOptions, 'range'> = {},
): Promise<Emulator> {
  const { startEmulator } = await import('../emulator/emulator.ts');
  const opened = await openRange(range.recording);
  // What is recorded was answered once, however long the question was.
  const limit = range.recording === undefined ? {} : { maxQueryBytes: Number.POSITIVE_INFINITY };
  return startEmulator({ ...limit, ...options, range: opened });
}

async function openRange(recording: string | undefined): Promise<EmulatorOptions['range']> {
  if (recording !== undefined) {
    const { openRecording } = await import('../emulator/recording.ts');
    return openRecording(recording);
  }
  const { createSampleRange } = await import('../sample/sample-range.ts');
  return createSampleRange();
}
