/** The catalogue: folders and articles with their images, the path to them, and a search. */
import { useRef, useState } from 'preact/hooks';
import type { CatalogueNode } from '../../../model/catalogue.ts';
import type { CataloguePlace } from '../state/history.ts';
import type { Session } from '../state/opened-page.ts';
import type { Texts } from '../state/texts.ts';
import { Search, useMakers } from './catalogue-search.tsx';
import { CancelLate, Failure } from './failure.tsx';
import { Picture } from './picture.tsx';
import { type Listing, useListing } from './use-listing.ts';

/** Nodes shown at once: a manufacturer may have thousands of articles in a folder. */
const SHOWN_AT_ONCE = 120;

/** Shows the catalogue. */
export function Catalogue({ session }: { session: Session }) {
  const { texts } = session;
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { listing, failure, isLoading, again, cancel } = useListing(session, section, heading);
  const makers = useMakers(session);
  const { planned } = session.state.planning;
  const place = listing?.place;
  const isTop = place !== undefined && 'parentnode' in place && place.parentnode === '';
  const go = (place: CataloguePlace) => session.go({ place });
  const openFolder = (parentnode: string) => go({ parentnode });
  return (
    <section class="catalogue" aria-label={texts.catalogue} aria-busy={isLoading} ref={section}>
      <Search {...{ session, makers, place }} nodes={listing?.nodes ?? []} onSearch={go} />
      <Path {...{ session, listing }} onFolder={openFolder} />
      <h2 ref={heading} tabIndex={-1}>
        {titleOf(texts, listing)}
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
          onFolder={openFolder}
          onArticle={(node) => openArticle(session, node)}
        />
      )}
    </section>
  );
}

function titleOf(texts: Texts, listing: Listing | undefined): string {
  if (listing === undefined) return texts.catalogue;
  const { place, nodes, path } = listing;
  if ('query' in place) return texts.searchResults(nodes.length, place.query);
  return path.at(-1)?.text ?? texts.catalogue;
}

function openArticle(session: Session, node: CatalogueNode): void {
  const { manufacturer, program, basearticlenumber, variantcode } = node;
  const target = {
    manufacturer: manufacturer.toUpperCase(),
    program: program.toUpperCase(),
    basearticlenumber,
    ocdreinit: '',
    varcode: variantcode,
  };
  session.go({ target, isCatalogueOpen: false });
}

function Path({
  session: { texts },
  listing,
  onFolder,
}: {
  session: Session;
  listing: Listing | undefined;
  onFolder: (nodeid: string) => void;
}) {
  const folders = [{ nodeid: '', text: texts.top }, ...(listing?.path ?? [])];
  const isFolder = listing !== undefined && !('query' in listing.place);
  return (
    <nav aria-label={texts.breadcrumbs}>
      <ol class="path">
        {folders.map(({ nodeid, text }, index) => (
          <li key={nodeid}>
            {index === folders.length - 1 && isFolder ? (
              <span aria-current="page">{text}</span>
            ) : (
              <button type="button" class="plain" onClick={() => onFolder(nodeid)}>
                {text}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
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

/** Shows a node. An info node is no link. A node outside a series shows the logo of its manufacturer. */
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
