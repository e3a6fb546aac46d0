/** The catalogue: folders and articles with their images, the path to them, and a search. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CatalogueNode } from '../../../model/catalogue.ts';
import type { Session } from '../state/opened-page.ts';
import type { Texts } from '../state/texts.ts';
import { Search, useMakers } from './catalogue-search.tsx';
import { CancelLate, Failure } from './failure.tsx';
import { Languages } from './languages.tsx';
import { Modes } from './modes.tsx';
import { Picture } from './picture.tsx';
import { type Listing, useListing } from './use-listing.ts';
import { useSession } from './use-session.ts';

/** Nodes shown at once: a manufacturer may have thousands of articles in a folder. */
const SHOWN_AT_ONCE = 120;

/** Folders of the top that are opened on the start page, each by a request of its own. */
const MOST_OPENED = 8;
const MOST_INSIDE = 8;

/**
 * Shows the catalogue.
 *
 * @param props.isWide - Whether it has the whole page: then its top also shows the folders of each manufacturer.
 */
export function Catalogue({ isWide }: { isWide: boolean }) {
  const { texts } = useSession();
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { listing, failure, isLoading, again, cancel } = useListing(section, heading);
  const makers = useMakers();
  const place = listing?.place;
  const isTop = place !== undefined && 'parentnode' in place && place.parentnode === '';
  const isStart = isTop && isWide;
  return (
    <section
      class={isStart ? 'catalogue start' : 'catalogue'}
      aria-label={texts.catalogue}
      aria-busy={isLoading}
      ref={section}
    >
      <div class="where">
        {isTop ? <span /> : <Path listing={listing} />}
        <Languages />
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {isStart ? texts.startTitle : titleOf(texts, listing)}
      </h2>
      {isTop && <p class="quiet">{texts.welcome}</p>}
      <Search {...{ makers, place }} nodes={listing?.nodes ?? []} />
      {isTop && <Modes />}
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
      {listing !== undefined &&
        (isStart ? (
          <Start nodes={listing.nodes} />
        ) : (
          <Nodes key={JSON.stringify(listing.place)} listing={listing} />
        ))}
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
      <NodeList nodes={nodes.slice(0, limit)} />
      {nodes.length > limit && (
        <button type="button" onClick={() => setLimit(limit + SHOWN_AT_ONCE)}>
          {texts.showMore(Math.min(SHOWN_AT_ONCE, nodes.length - limit))}
        </button>
      )}
    </>
  );
}

/** A damaged listing may have an identifier twice. */
function NodeList({ nodes }: { nodes: readonly CatalogueNode[] }) {
  return (
    <ul class="nodes">
      {nodes.map((node, index) => (
        <li key={`${index} ${node.nodeid}`}>
          <Node node={node} />
        </li>
      ))}
    </ul>
  );
}

/** Shows each manufacturer with its folders, whose pictures say more than a logo. */
function Start({ nodes }: { nodes: readonly CatalogueNode[] }) {
  const folders = nodes.filter(({ nodetype }) => nodetype === 'F').slice(0, MOST_OPENED);
  const others = nodes.filter((node) => !folders.includes(node));
  return (
    <>
      {folders.map((folder) => (
        <Maker folder={folder} key={folder.nodeid} />
      ))}
      {others.length > 0 && <NodeList nodes={others} />}
    </>
  );
}

function Maker({ folder }: { folder: CatalogueNode }) {
  const session = useSession();
  const inside = useInside(folder.nodeid);
  const image = folder.resources.find(({ restype }) => restype.toUpperCase() === 'IT');
  return (
    <section class="maker">
      <h3>
        <button type="button" class="plain" onClick={() => openNode(session, folder)}>
          <Picture kind="resource" reference={image?.rescontent ?? ''} />
          {folder.text || folder.nodeid}
        </button>
      </h3>
      <NodeList nodes={inside} />
    </section>
  );
}

/** The first folders and articles in a folder; none until they are loaded, or if they cannot be. */
function useInside(parentnode: string): readonly CatalogueNode[] {
  const { service, state } = useSession();
  const [inside, setInside] = useState<readonly CatalogueNode[]>([]);
  useEffect(() => {
    const work = new AbortController();
    const load = async () => {
      const { signal } = work;
      const { answer } = await service.call('getNodes', { parentnode }, { signal });
      setInside(answer.filter(({ nodetype }) => nodetype !== 'I').slice(0, MOST_INSIDE));
    };
    // The folder can still be opened, and says then what is wrong.
    load().catch(() => undefined);
    return () => work.abort();
  }, [service, parentnode, state.tokens]);
  return inside;
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
