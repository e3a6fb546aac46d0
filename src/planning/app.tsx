/** The page as a whole: which of catalogue, stage and panel a mode and a width show. */
import { useEffect, useReducer, useState } from 'preact/hooks';
import { ArticlePanel } from './article-panel.tsx';
import { Catalogue } from './catalogue.tsx';
import type { PlanningView } from './interfaces.ts';
import type { NamedProblem } from './parameters.ts';
import type { Session } from './session.ts';
import { Stage } from './stage.tsx';
import type { Texts } from './texts.ts';

/** Shows an opened page. */
export function App({ session }: { session: Session }) {
  const { texts, parameters } = session;
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  const [view, setView] = useState<PlanningView>();
  const { planned, opening } = session.state.planning;
  const hasCatalogue = parameters.mode !== 'configurator';
  const [isCatalogueOpen, setCatalogueOpen] = useState(
    parameters.mode === 'catalogue' || (hasCatalogue && parameters.target === undefined),
  );
  useEffect(() => session.subscribe(() => refresh(undefined)), [session]);
  const title = planned?.article.ocd?.shorttext;
  useEffect(() => {
    document.title = title ? `${title} – ${texts.title}` : texts.title;
  }, [title, texts]);
  const hasArticle = planned !== undefined || opening !== undefined;
  const showArticle = () => {
    setCatalogueOpen(false);
    // The heading names what has been opened.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.panel')?.focus());
  };
  const layout = `page mode-${parameters.mode} ${isCatalogueOpen ? 'in-catalogue' : 'in-article'}`;
  return (
    <div class={layout}>
      {!isCatalogueOpen && (
        <a class="skip" href="#properties">
          {texts.skip}
        </a>
      )}
      {session.state.isTokenDead && <TokenNotice session={session} />}
      {hasCatalogue && (
        <div class="switch">
          {isCatalogueOpen ? (
            hasArticle && (
              <button type="button" onClick={showArticle}>
                {texts.backToArticle}
              </button>
            )
          ) : (
            <button type="button" onClick={() => setCatalogueOpen(true)}>
              {texts.showCatalogue}
            </button>
          )}
        </div>
      )}
      {hasCatalogue && (
        <div class="browse">
          <Catalogue session={session} onOpen={showArticle} />
        </div>
      )}
      <div class="plan">
        <Stage session={session} onView={setView} />
        <div class="panel" tabIndex={-1}>
          <ArticlePanel session={session} view={view} />
        </div>
      </div>
    </div>
  );
}

function TokenNotice({ session: { texts, embedding } }: { session: Session }) {
  return (
    <div class="failure token" role="alert">
      <p>
        <b>{texts.tokenDied}</b> {embedding.isEmbedded ? texts.tokenParent : texts.tokenAlone}
      </p>
    </div>
  );
}

/** Says what is wrong with the parameters of the page. */
export function Problems({ texts, problems }: { texts: Texts; problems: readonly NamedProblem[] }) {
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
