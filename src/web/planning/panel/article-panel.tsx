/** The planned article: texts, price, messages, properties, and the articles of which a planning consists. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { isRecord } from '../../../convert/wire/value.ts';
import type { Article } from '../../../model/article.ts';
import { articleMessages } from '../../../source/fetch/resolve-article.ts';
import { namedProperties, nameOfSetting } from '../state/fields.ts';
import { priceText } from '../state/format.ts';
import type { PlanningView } from '../state/interfaces.ts';
import { nameOfTarget } from '../state/planned-article.ts';
import { isOpening } from '../state/planning.ts';
import type { Texts } from '../state/texts.ts';
import { Actions, Cart } from './actions.tsx';
import { ChosenProperties } from './chosen-properties.tsx';
import { CancelLate, Failure } from './failure.tsx';
import { InRoom } from './in-room.tsx';
import { PropertyPanel } from './property-panel.tsx';
import { UndoRedo } from './undo-redo.tsx';
import { useSession } from './use-session.ts';

/** Shows the planned article and its actions. */
export function ArticlePanel({ view }: { view: PlanningView | undefined }) {
  const { texts, planning, state, parameters } = useSession();
  const { planned, opening, pending, failure } = state.planning;
  const heading = useRef<HTMLHeadingElement>(null);
  // The action removes the button, which would lose the focus.
  const then = (act: () => void) => () => {
    (heading.current ?? document.querySelector<HTMLElement>('.panel'))?.focus();
    act();
  };
  const cancel = then(() => planning.cancel());
  const retry = then(() => planning.retry());
  if (planned === undefined) return <NothingPlanned {...{ cancel, retry }} />;
  const { article } = planned;
  const { publicId } = parameters;
  const messages = articleMessages(article);
  return (
    <>
      <Head {...{ article, heading, cancel }} />
      <InRoom planned={planned} />
      {failure !== undefined && (
        <Failure
          failure={failure}
          title={
            opening === undefined ? texts.changeFailed : texts.openFailed(nameOfTarget(opening))
          }
          without={
            opening === undefined && pending[0] !== undefined
              ? texts.without.change(nameOfSetting(article, pending[0]))
              : texts.without.article
          }
          onRetry={opening === undefined && pending.length === 0 ? undefined : retry}
          onDismiss={cancel}
        />
      )}
      {publicId !== undefined ? (
        <p class="messages">
          {texts.readOnly} {texts.permanentId}: <code>{publicId}</code>
        </p>
      ) : (
        planned.isAsStored && <p class="quiet">{texts.asStored}</p>
      )}
      {messages.length > 0 && (
        <section class="messages" aria-label={texts.messages}>
          {messages.map(({ message }) => (
            <p key={message}>{message.replace(/^\w+: /, '')}</p>
          ))}
        </section>
      )}
      <section id="properties" aria-label={texts.properties} tabIndex={-1}>
        {publicId === undefined ? (
          <PropertyPanel article={article} key={article.id} />
        ) : (
          <ChosenProperties article={article} />
        )}
      </section>
      {article.children.length > 0 && <Parts article={article} />}
      <Details article={article} />
      <Actions planned={planned} view={view} />
      {parameters.cartUrl !== undefined && <Cart planned={planned} cartUrl={parameters.cartUrl} />}
    </>
  );
}

function NothingPlanned({ cancel, retry }: { cancel: () => void; retry: () => void }) {
  const { texts, state } = useSession();
  const { failure, isStopped, opening } = state.planning;
  const { hasCatalogue } = state.shown;
  return (
    <div class="empty">
      {failure !== undefined && opening !== undefined && (
        <Failure
          failure={failure}
          title={texts.openFailed(nameOfTarget(opening))}
          without={texts.without.firstArticle}
          onRetry={retry}
          onDismiss={hasCatalogue ? cancel : undefined}
        />
      )}
      {isOpening(state.planning) && (
        <p class="working" role="status">
          {texts.opening}
          <CancelLate onCancel={cancel} />
        </p>
      )}
      {isStopped && (
        <p class="row">
          {texts.notOpened}
          <button type="button" onClick={retry}>
            {texts.load}
          </button>
        </p>
      )}
      {hasCatalogue && !isOpening(state.planning) && <p class="quiet">{texts.nothingOpen}</p>}
    </div>
  );
}

function Head({
  article: { ocd, basearticlenumber },
  heading,
  cancel,
}: {
  article: Article;
  heading: RefObject<HTMLHeadingElement | null>;
  cancel: () => void;
}) {
  const { texts, state, parameters } = useSession();
  const { pending, failure } = state.planning;
  const isChanging = pending.length > 0 && failure === undefined;
  const working = isOpening(state.planning) ? texts.opening : isChanging ? texts.saving : '';
  return (
    <header class="head">
      <h1 tabIndex={-1} ref={heading}>
        {ocd?.shorttext || basearticlenumber}
      </h1>
      <p class="quiet number-line">
        <span class="away">{texts.articleNumber}: </span>
        {ocd?.finalarticlenumber || basearticlenumber}
      </p>
      {parameters.publicId === undefined && <UndoRedo />}
      {parameters.showPrice && ocd !== undefined && (
        <p class={isChanging ? 'price updating' : 'price'} aria-live="polite">
          <span class="away">{texts.price}: </span>
          {ocd.price === null ? texts.noPrice : priceText(texts, ocd.price, ocd.currency)}
        </p>
      )}
      <p class="working" role="status">
        {working}
        {working !== '' && <CancelLate onCancel={cancel} />}
      </p>
    </header>
  );
}

function Details({ article }: { article: Article }) {
  const { ocd } = article;
  const { texts, parameters } = useSession();
  if (ocd === undefined) return null;
  const components = parameters.showPrice ? priceComponents(texts, article) : [];
  return (
    <div class="more">
      {ocd.longtext !== '' && (
        <details>
          <summary>{texts.description}</summary>
          <p class="lines">{ocd.longtext}</p>
        </details>
      )}
      {ocd.varianttext !== '' && (
        <details>
          <summary>{texts.summary}</summary>
          <p class="lines">{ocd.varianttext}</p>
        </details>
      )}
      {components.length > 1 && (
        <details>
          <summary>{texts.priceParts}</summary>
          <dl class="components">
            {components.map(({ name, price }, index) => (
              <div key={`${index} ${name}`}>
                <dt>{name}</dt>
                <dd>{priceText(texts, price, ocd.currency)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

/**
 * The structure of price components is not specified: entries with a name and a number are shown. An entry without a
 * text often has the name of an article or a property that has a text. Other names are shown as they are.
 */
function priceComponents(texts: Texts, article: Article): { name: string; price: number }[] {
  const pricecomponents: unknown = article.ocd?.pricecomponents;
  if (!Array.isArray(pricecomponents)) return [];
  const known = new Map([[article.basearticlenumber, texts.basePrice]]);
  for (const { property } of namedProperties(article))
    if (property.text !== '') known.set(property.name, property.text);
  return pricecomponents.flatMap((entry: unknown) => {
    if (!isRecord(entry)) return [];
    const name = entry.text || entry.name;
    return typeof name === 'string' && typeof entry.price === 'number'
      ? [{ name: known.get(name) ?? name, price: entry.price }]
      : [];
  });
}

function Parts({ article }: { article: Article }) {
  const { texts, parameters } = useSession();
  return (
    <section class="parts">
      <h2>{texts.parts(article.children.length)}</h2>
      {parameters.publicId === undefined && <p class="quiet">{texts.partsNote}</p>}
      <ul>
        {article.children.map((child) => (
          <Part child={child} key={child.id} />
        ))}
      </ul>
    </section>
  );
}

function Part({ child }: { child: Article }) {
  const { texts, parameters } = useSession();
  const { ocd } = child;
  const isFixed = parameters.publicId !== undefined;
  const hasProperties = namedProperties(child).some(({ property }) => property.visible);
  return (
    <li>
      <p class="part">
        <span>
          <b>{ocd?.shorttext || child.basearticlenumber}</b>
          <span class="quiet">{ocd?.finalarticlenumber || child.basearticlenumber}</span>
        </span>
        {parameters.showPrice && ocd !== undefined && ocd.price !== null && (
          <span>{priceText(texts, ocd.price, ocd.currency)}</span>
        )}
      </p>
      {hasProperties && (
        <details>
          <summary>{texts.configurePart}</summary>
          {isFixed ? <ChosenProperties article={child} /> : <PropertyPanel article={child} />}
        </details>
      )}
      {child.children.length > 0 && (
        <ul>
          {child.children.map((inner) => (
            <Part child={inner} key={inner.id} />
          ))}
        </ul>
      )}
    </li>
  );
}
