/**
 * Interrupt: how a signal of the process becomes the end of a run.
 */
import { asConverterError, ConverterError } from '../support/errors.ts';
import type { Io } from './command.ts';

/** Ends what listens to a controller; the reason is what the command line reports. */
export function interrupt(controller: AbortController, signal: NodeJS.Signals): void {
  controller.abort(new ConverterError('INTERRUPTED', `interrupted by ${signal}`));
}

/** What to tell of an error: whatever broke because of an interruption, the interruption is what happened. */
export function errorToTell(thrown: unknown, io: Pick<Io, 'signal'>): ConverterError {
  return asConverterError(io.signal.aborted ? io.signal.reason : thrown);
}
