/** An action of a person that takes time, and its result. */
import { asConverterError, type ConverterError } from '../../../support/errors.ts';

/** The state of an action. */
export interface ActionState<Result> {
  isRunning: boolean;
  result?: Result;
  failure?: ConverterError;
}

/** An action; it runs once at a time. */
export interface Action<Result> {
  run(make: (signal: AbortSignal) => Promise<Result>): void;
  /** Cancels the action. @param result - The result in this case. */
  cancel(result?: Result): void;
  /** Forgets the result; an action that still runs continues, but its result is not used. */
  forget(): void;
}

/** Creates an action that has not run. */
export function createAction<Result>(events: {
  onState(state: ActionState<Result>): void;
  onFailure(failure: ConverterError): void;
}): Action<Result> {
  let work: AbortController | undefined;
  const end = (own: AbortController, change: { result: Result } | { failure: ConverterError }) => {
    if (work !== own) return;
    work = undefined;
    events.onState({ isRunning: false, ...change });
  };
  const run = async (make: (signal: AbortSignal) => Promise<Result>) => {
    if (work !== undefined) return;
    const own = new AbortController();
    work = own;
    events.onState({ isRunning: true });
    try {
      end(own, { result: await make(own.signal) });
    } catch (thrown) {
      if (own.signal.aborted) return;
      const failure = asConverterError(thrown);
      events.onFailure(failure);
      end(own, { failure });
    }
  };
  return {
    run: (make) => void run(make),
    cancel(result) {
      work?.abort();
      work = undefined;
      events.onState({ isRunning: false, ...(result !== undefined && { result }) });
    },
    forget() {
      work = undefined;
      events.onState({ isRunning: false });
    },
  };
}
