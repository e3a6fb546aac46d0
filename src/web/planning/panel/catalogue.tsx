/** The catalogue: folders and articles with their images, the path to them, and a search. */
import { useRef, useState } from 'preact/hooks';
import type { CatalogueNode } from '../../../model/catalogue.ts';
import type { Session } from '../state/opened-page.ts';
import type { Texts } from '../state/texts.ts';
import { Search, useMakers } from './catalogue-search.tsx';
import { CancelLate, Failure } from './failure.tsx';
import { Languages } from './languages.tsx';
import { Picture } from './picture.tsx';
import { type Listing, useListing } from './use-listing.ts';
import { useSession } from './use-session.ts';

/** Nodes shown at once: a manufacturer may have thousands of articles in a folder. */
const SHOWN_AT_ONCE = 120;

/** Shows the catalogue. */
export function Catalogue() {
  const { texts } = useSession();
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { listing, failure, isLoading, again, cancel } = useListing(section, heading);
  const makers = useMakers();
  const place = listing?.place;
  const isTop = place !== undefined && 'parentnode' in place && place.parentnode === '';
  return (
    <section class="catalogue" aria-label={texts.catalogue} aria-busy={isLoading} ref={section}>
      <Search {...{ makers, place }} nodes={listing?.nodes ?? []} />
      <div class="where">
        <Path listing={listing} />
        <Languages />
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {titleOf(texts, listing)}
      </h2>
      {isTop && <p class="quiet">{texts.welcome}</p>}
      <p role="status" class="working">
        {isLoading && (
          <>
            {texts.catalogueLoading}
            <CancelLate onCancel={cancel} />
          </>
        )}
      </p>
      {failure !== undefined && (
        <Failure failure={failure} title={texts.catalogueFailed} onRetry={again} />
      )}
      {listing !== undefined && <Nodes key={JSON.stringify(listing.place)} listing={listing} />}
    </section>
  );
}

function titleOf(texts: Texts, listing: Listing | undefined): string {
  if (listing === undefined) return texts.catalogue;
  const { place, nodes, path } = listing;
  if ('query' in place) return texts.searchResults(nodes.length, place.query);
  return path.at(-1)?.text ?? texts.catalogue;
}

function openNode(session: Session, node: CatalogueNode): void {
  const { nodetype, nodeid, manufacturer, program, basearticlenumber, variantcode } = node;
  if (nodetype !== 'A') {
    session.go({ place: { parentnode: nodeid } });
    return;
  }
  const target = {
    manufacturer: manufacturer.toUpperCase(),
    program: program.toUpperCase(),
    basearticlenumber,
    ocdreinit: '',
    varcode: variantcode,
  };
  session.go({ target, isCatalogueOpen: false });
}

function Path({ listing }: { listing: Listing | undefined }) {
  const session = useSession();
  const { texts } = session;
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
              <button
                type="button"
                class="plain"
                onClick={() => session.go({ place: { parentnode: nodeid } })}
              >
                {text}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Nodes({ listing: { nodes, place } }: { listing: Listing }) {
  const { texts } = useSession();
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  if (nodes.length === 0) {
    return <p class="quiet">{'query' in place ? texts.nothingFound : texts.folderEmpty}</p>;
  }
  return (
    <>
      <ul class="nodes">
        {nodes.slice(0, limit).map((node, index) => (
          <li key={`${index} ${node.nodeid}`}>
            <Node node={node} />
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
function Node({ node }: { node: CatalogueNode }) {
  const session = useSession();
  const { planned } = session.state.planning;
  const { nodetype, text, program, basearticlenumber, resources } = node;
  const isChosen = nodetype === 'A' && basearticlenumber === planned?.key.basearticlenumber;
  const image = resources.find(({ restype }) => restype.toUpperCase() === 'IT');
  const content = (
    <>
      <span class={program === '' ? 'shot logo' : 'shot'}>
        <Picture kind="resource" reference={image?.rescontent ?? ''} />
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
      onClick={() => openNode(session, node)}
    >
      {content}
    </button>
  );
}
