/** The page as a whole: mode and width determine which of catalogue, stage and panel are visible. */
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { isRecord, type JsonRecord } from '../../convert/wire/value.ts';
import { ArticlePanel } from './panel/article-panel.tsx';
import { Catalogue } from './panel/catalogue.tsx';
import { MissingLanguage } from './panel/languages.tsx';
import { HAS_ROOM, useMedia } from './panel/use-media.ts';
import { useSession } from './panel/use-session.ts';
import { Stage } from './stage/stage.tsx';
import type { PlanningView } from './state/interfaces.ts';
import type { NamedProblem, PlanningTarget } from './state/parameters.ts';
import { isOpening } from './state/planning.ts';
import type { Texts } from './state/texts.ts';

/** Shows the opened page. */
export function App() {
  const session = useSession();
  const { texts } = session;
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  const [view, setView] = useState<PlanningView>();
  const { planned, opening } = session.state.planning;
  const { isCatalogueOpen, hasCatalogue, mode, opened } = session.state.shown;
  const hasRoom = useMedia(HAS_ROOM);
  // Before any other task: an answer of the service can arrive before `useEffect` runs, and would not be seen.
  useLayoutEffect(() => session.subscribe(() => refresh(undefined)), [session]);
  const title = planned?.article.ocd?.shorttext;
  useEffect(() => {
    document.title = title ? `${title} – ${texts.title}` : texts.title;
  }, [title, texts]);
  const hasArticle = planned !== undefined || opening !== undefined;
  // Without an article, an empty stage and panel would only take its room.
  const isStart = isCatalogueOpen && !hasArticle;
  const isBeside = mode === 'hybrid' && hasRoom && !isStart;
  const isArticleShown = !isCatalogueOpen || isBeside;
  const isArticleNamed =
    isArticleShown && (planned !== undefined || isOpening(session.state.planning));
  useFocusOfOpened(isCatalogueOpen, opened);
  const showCatalogue = (isOpen: boolean) => () => session.go({ isCatalogueOpen: isOpen });
  // This is not a link: following it would add an entry without the token to the history.
  const skip = () => {
    const properties = document.getElementById('properties');
    (properties ?? document.querySelector<HTMLElement>('.panel'))?.focus();
  };
  const layout = `page mode-${isStart ? 'catalogue' : mode} ${isCatalogueOpen ? 'in-catalogue' : 'in-article'}`;
  // A configurator is nothing but its article, unless that could not be opened.
  const isEmpty = planned === undefined && !isOpening(session.state.planning);
  const hasSwitch = isCatalogueOpen || mode !== 'configurator' || isEmpty;
  return (
    <div class={layout}>
      {isArticleShown && (
        <button type="button" class="skip" onClick={skip}>
          {texts.skip}
        </button>
      )}
      {!isArticleNamed && <h1 class="away">{texts.title}</h1>}
      <div class="notices">
        {session.state.isTokenDead && <TokenNotice />}
        <MissingLanguage />
        {session.state.earlier !== undefined && <Earlier earlier={session.state.earlier} />}
      </div>
      {hasCatalogue && hasSwitch && (
        <div class="switch">
          {isCatalogueOpen ? (
            hasArticle && (
              <button type="button" onClick={showCatalogue(false)}>
                {texts.backToArticle}
              </button>
            )
          ) : (
            <button type="button" onClick={showCatalogue(true)}>
              {texts.showCatalogue}
            </button>
          )}
        </div>
      )}
      {hasCatalogue && (
        <div class="browse">
          <Catalogue isWide={!isBeside} />
        </div>
      )}
      <div class="plan">
        <Stage onView={setView} />
        <div class="panel" tabIndex={-1}>
          <ArticlePanel view={view} />
        </div>
      </div>
    </div>
  );
}

function useFocusOfOpened(isCatalogueOpen: boolean, opened: number): void {
  const isFirst = useRef(true);
  // The focus moves before another event, which may move it elsewhere.
  useLayoutEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // The heading names what has been opened; the focused element may be out of sight. A list stays where it was.
    const place = isCatalogueOpen ? '.catalogue h2' : '.panel';
    const options = { preventScroll: isCatalogueOpen };
    const { activeElement: before } = document;
    // A person who chooses a mode goes on choosing.
    if (before?.closest('.modes')) return;
    requestAnimationFrame(() => {
      // The frame may be late, and the person may have moved the focus meanwhile.
      const { activeElement: now, body } = document;
      if (now === before || now === body)
        document.querySelector<HTMLElement>(place)?.focus(options);
    });
  }, [isCatalogueOpen, opened]);
}

/** Offers the configuration that this tab had before: the address names another one, and either may be intended. */
function Earlier({ earlier }: { earlier: JsonRecord }) {
  const session = useSession();
  const { texts } = session;
  const { ocd, basearticlenumber } = earlier;
  const name = (isRecord(ocd) && ocd.shorttext) || basearticlenumber;
  const target = { json: earlier, pending: [] };
  return (
    <div class="earlier" role="status">
      <p>{texts.earlier(String(name))}</p>
      <p class="row">
        <button type="button" onClick={() => session.go({ target, isCatalogueOpen: false })}>
          {texts.goOn}
        </button>
        <button type="button" onClick={() => session.forgetEarlier()}>
          {texts.without.earlier(String(name))}
        </button>
      </p>
    </div>
  );
}

function TokenNotice() {
  const { texts, embedding, state } = useSession();
  const { wasTokenAccepted, planning } = state;
  return (
    <div class="failure token" role="alert">
      <p>
        <b>
          {wasTokenAccepted ? texts.tokenDied : texts.tokenNotAccepted}
          {planning.planned !== undefined && ` ${texts.choicesKept}`}
        </b>{' '}
        {embedding.isEmbedded ? texts.tokenParent : texts.tokenAlone}
      </p>
    </div>
  );
}

/** Explains why the page cannot be opened: to the person with the link, or to the maintainer who has built its address. */
export function Problems({
  texts,
  problems,
  target,
}: {
  texts: Texts;
  problems: readonly NamedProblem[];
  target: PlanningTarget | undefined;
}) {
  if (problems.every(({ problem }) => problem === 'tokenMissing')) {
    const isStored = target !== undefined && 'permanentid' in target;
    const { noSession } = texts;
    return (
      <div class="problems" role="alert">
        <h1>{noSession.title}</h1>
        <p>{isStored ? noSession.planning : noSession.page}</p>
        {isStored && (
          <p>
            {texts.permanentId}: <code>{target.permanentid}</code>
          </p>
        )}
        <p class="quiet">{noSession.maintainer}</p>
      </div>
    );
  }
  return (
    <div class="problems" role="alert">
      <h1>{texts.cannotOpen}</h1>
      <ul>
        {problems.map(({ problem, names }) => (
          <li key={`${problem} ${names}`}>
            <code>{names}</code> {texts.problems[problem]}
          </li>
        ))}
      </ul>
    </div>
  );
}
