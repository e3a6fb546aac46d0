/** An action in a component. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ActionState, createAction } from '../state/action.ts';
import type { Session } from '../state/opened-page.ts';
import type { PlannedArticle } from '../state/planned-article.ts';

/**
 * What an action made of what is planned, or why it could not; another configuration begins anew.
 *
 * Its buttons are `aria-disabled` while it runs: one that is disabled would lose the focus of the keyboard.
 */
export function useAction<Result>(planned: PlannedArticle, session: Session) {
  const [state, onState] = useState<ActionState<Result>>({ isRunning: false });
  const action = useMemo(
    () => createAction<Result>({ onState, onFailure: (failure) => session.failed(failure) }),
    [session],
  );
  // What comes of it is of what was planned when it began.
  useEffect(() => action.forget(), [planned]);
  return {
    ...state,
    run: (make: (signal: AbortSignal) => Promise<Result>) => action.run(make),
    cancel: (result?: Result) => action.cancel(result),
  };
}
