/** The session of the page, for all its components. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from '../state/opened-page.ts';

/** The session stays the same while the page is open. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** The session. A component shows its newest state, because `App` is rendered again after each change of it. */
export function useSession(): Session {
  return useContext(SessionContext)!;
}
