/** An action of a person that takes time, and its result, in a component. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { asConverterError, type ConverterError } from '../../../support/errors.ts';
import type { PlannedArticle } from '../state/planned-article.ts';
import { useSession } from './use-session.ts';

interface ActionState<Result> {
  isRunning: boolean;
  result?: Result;
  failure?: ConverterError;
}

/**
 * The result of an action on the planned article, or its failure; another configuration resets both.
 *
 * Buttons are `aria-disabled` while the action runs: a disabled button would lose the keyboard focus.
 */
export function useAction<Result>(planned: PlannedArticle) {
  const { failed } = useSession();
  const [state, onState] = useState<ActionState<Result>>({ isRunning: false });
  const action = useMemo(() => createAction<Result>(onState, failed), [failed]);
  // The result belongs to the article that was planned when the action began.
  useEffect(() => action.forget(), [planned]);
  const { run, cancel } = action;
  return { ...state, run, cancel };
}

/** Creates an action, which runs once at a time. */
export function createAction<Result>(
  onState: (state: ActionState<Result>) => void,
  onFailure: (failure: ConverterError) => void,
) {
  let work: AbortController | undefined;
  const end = (change: Omit<ActionState<Result>, 'isRunning'> = {}) => {
    work = undefined;
    onState({ isRunning: false, ...change });
  };
  return {
    async run(make: (signal: AbortSignal) => Promise<Result>) {
      if (work !== undefined) return;
      const own = new AbortController();
      work = own;
      onState({ isRunning: true });
      try {
        const result = await make(own.signal);
        if (work === own) end({ result });
      } catch (thrown) {
        if (own.signal.aborted) return;
        const failure = asConverterError(thrown);
        onFailure(failure);
        if (work === own) end({ failure });
      }
    },
    cancel(result?: Result) {
      work?.abort();
      end(result === undefined ? {} : { result });
    },
    /** Forgets the result; an action that still runs continues, but its result is not used. */
    forget: () => end(),
  };
}
