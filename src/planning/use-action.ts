/** An action that takes time, and what became of it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asConverterError, type ConverterError } from '../support/errors.ts';
import type { PlannedArticle } from './planned-article.ts';
import type { Session } from './session.ts';

/** What an action made of what is planned, or why it could not; another configuration begins anew. */
export function useAction<Result>(planned: PlannedArticle, session: Session) {
  const [state, setState] = useState<{
    isRunning: boolean;
    result?: Result;
    failure?: ConverterError;
  }>({ isRunning: false });
  const newest = useRef(planned);
  newest.current = planned;
  useEffect(() => setState({ isRunning: false }), [planned]);
  const run = async (work: () => Promise<Result>) => {
    setState({ isRunning: true });
    try {
      const result = await work();
      // Of what was planned when the action began.
      if (newest.current === planned) setState({ isRunning: false, result });
    } catch (thrown) {
      const failure = asConverterError(thrown);
      session.failed(failure);
      if (newest.current === planned) setState({ isRunning: false, failure });
    }
  };
  return { ...state, run, reset: () => setState({ isRunning: false }) };
}
