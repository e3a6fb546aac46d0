/** An action that takes time, and what became of it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asConverterError, type ConverterError } from '../support/errors.ts';
import type { PlannedArticle } from './planned-article.ts';
import type { Session } from './session.ts';

/**
 * What an action made of what is planned, or why it could not; another configuration begins anew.
 *
 * Its buttons are `aria-disabled` while it runs: one that is disabled would lose the focus of the keyboard.
 */
export function useAction<Result>(planned: PlannedArticle, session: Session) {
  const [state, setState] = useState<{
    isRunning: boolean;
    result?: Result;
    failure?: ConverterError;
  }>({ isRunning: false });
  const work = useRef<AbortController | undefined>(undefined);
  // What comes of it is of what was planned when it began.
  useEffect(() => {
    work.current = undefined;
    setState({ isRunning: false });
  }, [planned]);
  const end = (own: AbortController, change: { result: Result } | { failure: ConverterError }) => {
    if (work.current !== own) return;
    work.current = undefined;
    setState({ isRunning: false, ...change });
  };
  const run = async (make: (signal: AbortSignal) => Promise<Result>) => {
    if (work.current !== undefined) return;
    const own = new AbortController();
    work.current = own;
    setState({ isRunning: true });
    try {
      end(own, { result: await make(own.signal) });
    } catch (thrown) {
      if (own.signal.aborted) return;
      const failure = asConverterError(thrown);
      session.failed(failure);
      end(own, { failure });
    }
  };
  /** Ends it. @param result - What is so then. */
  const cancel = (result?: Result) => {
    work.current?.abort();
    work.current = undefined;
    setState({ isRunning: false, ...(result !== undefined && { result }) });
  };
  return {
    ...state,
    run: (make: Parameters<typeof run>[0]) => void run(make),
    cancel,
  };
}
