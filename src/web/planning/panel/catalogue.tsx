/** The catalogue: folders and articles with their images, the path to them, and a search. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Breadcrumb, CatalogueNode } from '../../../model/catalogue.ts';
import { asConverterError, type ConverterError } from '../../../support/errors.ts';
import type { CataloguePlace } from '../state/history.ts';
import type { Session } from '../state/opened-page.ts';
import { type Maker, makersOf, Search } from './catalogue-search.tsx';
import { CancelLate, Failure } from './failure.tsx';
import { Picture } from './picture.tsx';

interface Listing {
  place: CataloguePlace;
  nodes: readonly CatalogueNode[];
  path: readonly Breadcrumb[];
}

/** A manufacturer may have thousands of articles in a folder. */
const SHOWN_AT_ONCE = 120;

/** Shows the catalogue. */
export function Catalogue({ session }: { session: Session }) {
  const { texts, service } = session;
  const { tokens, shown } = session.state;
  const asked = shown.place;
  const [listing, setListing] = useState<Listing>();
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<ConverterError>();
  const [isLoading, setLoading] = useState(true);
  const [makers, setMakers] = useState<readonly Maker[]>([]);
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  /** The place that is listed. */
  const last = useRef(asked);
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
        // The person has left the place that had the focus, unless they have moved it since.
        const { activeElement } = document;
        const isHere = activeElement === document.body || section.current!.contains(activeElement);
        // Who chooses another manufacturer goes on choosing.
        const isChoosing = activeElement?.localName === 'select';
        if (asked !== last.current && isHere && !isChoosing) heading.current?.focus();
        last.current = asked;
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
  useEffect(() => {
    const list = async () => {
      const { answer } = await service.call('getNodes', { parentnode: '' });
      setMakers(makersOf(answer));
    };
    // Without it there is no search, and the listing says what is wrong.
    list().catch(() => undefined);
  }, [session, tokens]);

  const go = (place: CataloguePlace) => session.go({ place });
  const cancel = () => {
    loading.current?.abort();
    setLoading(false);
    // The button goes away, and the focus would with it.
    heading.current?.focus();
  };
  const open = (node: CatalogueNode) => {
    const { manufacturer, program, basearticlenumber, variantcode } = node;
    const target = {
      manufacturer: manufacturer.toUpperCase(),
      program: program.toUpperCase(),
      basearticlenumber,
      ocdreinit: '',
      varcode: variantcode,
    };
    session.go({ target, isCatalogueOpen: false });
  };
  const { planned } = session.state.planning;
  const place = listing?.place;
  const title =
    listing === undefined || place === undefined
      ? texts.catalogue
      : 'query' in place
        ? texts.searchResults(listing.nodes.length, place.query)
        : (listing.path.at(-1)?.text ?? texts.catalogue);
  const isTop = place !== undefined && 'parentnode' in place && place.parentnode === '';
  return (
    <section class="catalogue" aria-label={texts.catalogue} aria-busy={isLoading} ref={section}>
      <Search {...{ session, makers, place }} nodes={listing?.nodes ?? []} onSearch={go} />
      <nav aria-label={texts.breadcrumbs}>
        <ol class="path">
          {[{ nodeid: '', text: texts.top }, ...(listing?.path ?? [])].map(
            ({ nodeid, text }, index, all) => (
              <li key={nodeid}>
                {index === all.length - 1 && place !== undefined && !('query' in place) ? (
                  <span aria-current="page">{text}</span>
                ) : (
                  <button type="button" class="plain" onClick={() => go({ parentnode: nodeid })}>
                    {text}
                  </button>
                )}
              </li>
            ),
          )}
        </ol>
      </nav>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {isTop && <p class="quiet">{texts.welcome}</p>}
      <p role="status" class="working">
        {isLoading && (
          <>
            {texts.catalogueLoading}
            <CancelLate session={session} onCancel={cancel} />
          </>
        )}
      </p>
      {failure !== undefined && (
        <Failure {...{ session, failure }} title={texts.catalogueFailed} onRetry={again} />
      )}
      {listing !== undefined && (
        <Nodes
          key={JSON.stringify(listing.place)}
          {...{ session, listing }}
          chosen={planned?.key.basearticlenumber}
          onFolder={(parentnode) => go({ parentnode })}
          onArticle={open}
        />
      )}
    </section>
  );
}

function Nodes({
  session,
  listing: { nodes, place },
  chosen,
  onFolder,
  onArticle,
}: {
  session: Session;
  listing: Listing;
  chosen: string | undefined;
  onFolder: (nodeid: string) => void;
  onArticle: (node: CatalogueNode) => void;
}) {
  const { texts } = session;
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  if (nodes.length === 0) {
    return <p class="quiet">{'query' in place ? texts.nothingFound : texts.folderEmpty}</p>;
  }
  return (
    <>
      <ul class="nodes">
        {nodes.slice(0, limit).map((node, index) => (
          <li key={`${index} ${node.nodeid}`}>
            <Node
              {...{ session, node }}
              isChosen={node.nodetype === 'A' && node.basearticlenumber === chosen}
              onClick={() => (node.nodetype === 'A' ? onArticle(node) : onFolder(node.nodeid))}
            />
          </li>
        ))}
      </ul>
      {nodes.length > limit && (
        <button type="button" onClick={() => setLimit(limit + SHOWN_AT_ONCE)}>
          {texts.showMore(Math.min(SHOWN_AT_ONCE, nodes.length - limit))}
        </button>
      )}
    </>
  );
}

/** An info node leads nowhere. What belongs to no series shows the logo of its manufacturer. */
function Node({
  session,
  node,
  isChosen,
  onClick,
}: {
  session: Session;
  node: CatalogueNode;
  isChosen: boolean;
  onClick: () => void;
}) {
  const { nodetype, text, program, basearticlenumber, resources } = node;
  const image = resources.find(({ restype }) => restype.toUpperCase() === 'IT');
  const content = (
    <>
      <span class={program === '' ? 'shot logo' : 'shot'}>
        <Picture session={session} kind="resource" reference={image?.rescontent ?? ''} />
      </span>
      <span class="node-text">
        <b>{text || basearticlenumber || node.nodeid}</b>
        {basearticlenumber !== '' && <span class="quiet">{basearticlenumber}</span>}
      </span>
    </>
  );
  if (nodetype === 'I') return <div class="node info">{content}</div>;
  return (
    <button
      type="button"
      class={`node ${nodetype === 'F' ? 'folder' : 'article'}`}
      aria-current={isChosen ? 'true' : undefined}
      onClick={onClick}
    >
      {content}
    </button>
  );
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
