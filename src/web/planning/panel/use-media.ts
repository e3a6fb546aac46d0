/** Whether a query of media is true, in a component. */
import { useEffect, useState } from 'preact/hooks';

/** A window in which catalogue and article are beside each other; the styles have the same width. */
export const HAS_ROOM = '(min-width: 1280px)';

/** Whether the window matches a query; the component is drawn again when that changes. */
export function useMedia(query: string): boolean {
  const [isMatching, setMatching] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setMatching(list.matches);
    update();
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return isMatching;
}
