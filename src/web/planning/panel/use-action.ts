/** An action in a component. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ActionState, createAction } from '../state/action.ts';
import type { Session } from '../state/opened-page.ts';
import type { PlannedArticle } from '../state/planned-article.ts';

/**
 * The result of an action on the planned article, or its failure; another configuration resets both.
 *
 * Buttons are `aria-disabled` while the action runs: a disabled button would lose the keyboard focus.
 */
export function useAction<Result>(planned: PlannedArticle, session: Session) {
  const [state, onState] = useState<ActionState<Result>>({ isRunning: false });
  const action = useMemo(
    () => createAction<Result>({ onState, onFailure: (failure) => session.failed(failure) }),
    [session],
  );
  // The result belongs to the article that was planned when the action began.
  useEffect(() => action.forget(), [planned]);
  return {
    ...state,
    run: (make: (signal: AbortSignal) => Promise<Result>) => action.run(make),
    cancel: (result?: Result) => action.cancel(result),
  };
}
