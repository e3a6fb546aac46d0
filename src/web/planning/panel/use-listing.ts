/** The listing of the catalogue, in a component. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Breadcrumb, CatalogueNode } from '../../../model/catalogue.ts';
import { asConverterError, type ConverterError } from '../../../support/errors.ts';
import type { CataloguePlace } from '../state/history.ts';
import type { Session } from '../state/opened-page.ts';
import { useSession } from './use-session.ts';

export interface Listing {
  place: CataloguePlace;
  nodes: readonly CatalogueNode[];
  /** The folders from the top to the place; empty for the results of a search. */
  path: readonly Breadcrumb[];
}

/**
 * The listing of the place that a session shows, or the previous listing while it is loading.
 *
 * @param section - The catalogue; if the focus is in it, the focus moves when another place is listed.
 * @param heading - Takes the focus.
 */
export function useListing(
  section: RefObject<HTMLElement | null>,
  heading: RefObject<HTMLElement | null>,
) {
  const session = useSession();
  const { tokens, shown } = session.state;
  const asked = shown.place;
  const [listing, setListing] = useState<Listing>();
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<ConverterError>();
  const [isLoading, setLoading] = useState(true);
  const listed = useRef(asked);
  const loading = useRef<AbortController | undefined>(undefined);

  useEffect(() => {
    const work = new AbortController();
    const { signal } = work;
    loading.current = work;
    setLoading(true);
    setFailure(undefined);
    load(session, asked, signal).then(
      (made) => {
        if (signal.aborted) return;
        setListing(made);
        setLoading(false);
        session.listed();
        // The place that had the focus is gone, unless the person has moved the focus since.
        const { activeElement } = document;
        const isHere = activeElement === document.body || section.current!.contains(activeElement);
        // A person who selects a manufacturer keeps the focus in the list.
        const isChoosing = activeElement?.localName === 'select';
        if (asked !== listed.current && isHere && !isChoosing) heading.current?.focus();
        listed.current = asked;
      },
      (thrown) => {
        if (signal.aborted) return;
        const failure = asConverterError(thrown);
        setFailure(failure);
        setLoading(false);
        session.failed(failure);
      },
    );
    return () => work.abort();
  }, [session, asked, attempt, tokens]);
  const again = () => setAttempt((count) => count + 1);
  const cancel = () => {
    loading.current?.abort();
    setLoading(false);
    // The button disappears, and the focus with it.
    heading.current?.focus();
  };
  return { listing, failure, isLoading, again, cancel };
}

async function load(
  session: Session,
  place: CataloguePlace,
  signal: AbortSignal,
): Promise<Listing> {
  const { service } = session;
  if ('query' in place) {
    const { manufacturers, query } = place;
    const answers = await Promise.all(
      manufacturers.map((manufacturer) =>
        service.call('search', { manufacturer, query }, { signal }),
      ),
    );
    const nodes = answers.flatMap(({ answer }) => answer);
    return { place, nodes: nodes.filter(({ nodetype }) => nodetype === 'A'), path: [] };
  }
  const values = { parentnode: place.parentnode };
  const [nodes, path] = await Promise.all([
    service.call('getNodes', values, { signal }).then(({ answer }) => answer),
    place.parentnode === ''
      ? []
      : service.call('getBreadcrumbs', values, { signal }).then(({ answer }) => answer),
  ]);
  return { place, nodes, path: path.filter(({ nodeid }) => nodeid !== '') };
}
