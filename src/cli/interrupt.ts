/**
 * Interrupt: how a signal of the process becomes the end of a run.
 */
import { ConverterError } from '../support/errors.ts';

/** Ends what listens to a controller; the reason is what the command line reports. */
export function interrupt(controller: AbortController, signal: NodeJS.Signals): void {
  controller.abort(new ConverterError('INTERRUPTED', `interrupted by ${signal}`));
}
