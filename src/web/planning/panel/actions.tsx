/** Actions for a configuration: cart, permanent link, and the files of `downloads.tsx`. */
import { useRef, useState } from 'preact/hooks';
import { missingValues } from '../../../source/fetch/resolve-article.ts';
import { type CartResult, postCart, readAnswer } from '../state/cart.ts';
import { type NamedField, openFields } from '../state/fields.ts';
import { priceText } from '../state/format.ts';
import type { PlanningView } from '../state/interfaces.ts';
import type { Session } from '../state/opened-page.ts';
import { type PlannedArticle, storePlanning } from '../state/planned-article.ts';
import { isOpening } from '../state/planning.ts';
import type { Texts } from '../state/texts.ts';
import { Downloads } from './downloads.tsx';
import { CancelLate, Failure } from './failure.tsx';
import { Languages } from './languages.tsx';
import { useAction } from './use-action.ts';
import { useSession } from './use-session.ts';

/** Id of the text that explains why the actions are disabled. */
const REASON_ID = 'reason';

export function Actions({
  planned,
  view,
}: {
  planned: PlannedArticle;
  view: PlanningView | undefined;
}) {
  const { texts, state, parameters } = useSession();
  // The cart shows the same reason and stays in sight.
  const saysReason = state.refused.length > 0 && parameters.cartUrl === undefined;
  return (
    <section class="actions" aria-label={texts.actions}>
      {saysReason && (
        <FieldLinks id={REASON_ID} intro={texts.correctFirst} fields={state.refused} />
      )}
      {parameters.publicId === undefined && <PermanentLink planned={planned} />}
      <Downloads planned={planned} view={view} />
      {state.shown.mode === 'configurator' && <AtEnd />}
    </section>
  );
}

/** Shows what the catalogue has in the other modes: the languages, and the way to another article. */
function AtEnd() {
  const session = useSession();
  const { texts, state } = session;
  return (
    <div class="row at-end">
      {state.shown.hasCatalogue && (
        <button
          type="button"
          class="plain"
          onClick={() => session.go({ isCatalogueOpen: true, place: { parentnode: '' } })}
        >
          {texts.anotherArticle}
        </button>
      )}
      <Languages />
    </div>
  );
}

/** Shows the action that posts the article. @see Spec 4.6 */
export function Cart({ planned, cartUrl }: { planned: PlannedArticle; cartUrl: string }) {
  const { texts, state, parameters, embedding } = useSession();
  const { isRunning, result, run, cancel } = useAction<CartResult>(planned);
  const button = useRef<HTMLButtonElement>(null);
  const { complete } = missingValues(planned.article);
  // A failed change waits for the person; the planned article is up to date without it.
  const { refused, planning } = state;
  const { pending, failure } = planning;
  const isBusy = isOpening(planning) || (pending.length > 0 && failure === undefined);
  const { article } = planned;
  const open = complete ? [] : openFields(article);
  const isDisabled = !complete || isBusy || refused.length > 0;
  const send = async (signal: AbortSignal) => {
    const { json } = planned;
    const answered = await postCart(cartUrl, json, signal);
    if (answered.kind === 'answered') {
      const { status, answer } = answered;
      embedding.post({ type: 'CART', status, answer, article: json });
    } else {
      const message = texts[UNANSWERED[answered.kind]];
      embedding.post({ type: 'ERROR', code: 'CART_UNREACHABLE', message });
    }
    return answered;
  };
  return (
    <div class="cart">
      <div class="checkout">
        {parameters.showPrice && article.ocd !== undefined && article.ocd.price !== null && (
          <p class={pending.length > 0 ? 'sum updating' : 'sum'}>
            <span class="away">{texts.price}: </span>
            {priceText(texts, article.ocd.price, article.ocd.currency)}
          </p>
        )}
        <button
          type="button"
          class="primary"
          ref={button}
          disabled={isDisabled}
          aria-disabled={isRunning}
          aria-describedby={isDisabled ? REASON_ID : undefined}
          onClick={() => run(send)}
        >
          {isRunning ? texts.cartSending : texts.cart}
        </button>
      </div>
      {isRunning && <CancelLate origin={button} onCancel={() => cancel({ kind: 'cancelled' })} />}
      {refused.length > 0 ? (
        <FieldLinks id={REASON_ID} intro={texts.correctFirst} fields={refused} />
      ) : open.length > 0 ? (
        <FieldLinks id={REASON_ID} intro={texts.cartIncomplete} fields={open} />
      ) : (
        isDisabled && (
          <p class="quiet" id={REASON_ID}>
            {complete ? texts.cartBusy : texts.cartIncompleteAny}
          </p>
        )
      )}
      <div role="status">
        {result !== undefined && (
          <CartAnswer
            result={result}
            onClose={() => {
              button.current?.focus();
              cancel();
            }}
          />
        )}
      </div>
    </div>
  );
}

/** Names the fields that wait for a person; each name is a link to its field. */
function FieldLinks({
  id,
  intro,
  fields,
}: {
  id: string;
  intro: string;
  fields: readonly NamedField[];
}) {
  return (
    <p class="quiet" id={id}>
      {intro}{' '}
      {fields.map(({ place, name }, index) => (
        <span key={place}>
          {index > 0 && ', '}
          <button type="button" class="plain" onClick={() => focusField(place)}>
            {name}
          </button>
        </span>
      ))}
    </p>
  );
}

/** After a pointer press a browser shows no focus ring, but this focus has moved to another field. */
const WITH_RING = { focusVisible: true };

function focusField(place: string): void {
  const field = document.querySelector(`[data-place="${CSS.escape(place)}"]`);
  // Fields of a part of a planning may be folded away.
  for (let at = field?.closest('details'); at; at = at.parentElement?.closest('details'))
    at.open = true;
  const wrong = field?.querySelector<HTMLElement>('[aria-invalid="true"]');
  (wrong ?? field?.querySelector<HTMLElement>('input, select'))?.focus(WITH_RING);
}

const UNANSWERED = {
  late: 'cartLate',
  unreachable: 'cartUnreachable',
  cancelled: 'cartCancelled',
} satisfies Record<Exclude<CartResult['kind'], 'answered'>, keyof Texts>;

/** Shows one line, and the answer of the receiver if it is not a sentence to the person. */
function CartAnswer({ result, onClose }: { result: CartResult; onClose: () => void }) {
  const { texts } = useSession();
  const isAnswered = result.kind === 'answered';
  const isAccepted = isAnswered && result.isAccepted;
  const answer = isAnswered ? readAnswer(result.answer) : undefined;
  return (
    <div class={isAccepted ? 'cart-result success' : 'cart-result failure'}>
      <p>
        {isAccepted && (
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M4.5 12.5l5 5L19.5 7" />
          </svg>
        )}
        {!isAnswered ? (
          texts[UNANSWERED[result.kind]]
        ) : (
          <b>{isAccepted ? texts.cartSent : texts.cartRefused(result.status)}</b>
        )}
        {answer !== undefined && 'sentence' in answer && (
          <span class="answer"> {answer.sentence}</span>
        )}
      </p>
      <button type="button" class="plain close" aria-label={texts.close} onClick={onClose}>
        ×
      </button>
      {answer !== undefined && 'data' in answer && (
        // The reason of a refusal may be only in this answer.
        <details open={!isAccepted}>
          <summary>{texts.cartAnswer}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it */}
          <pre class="answer" tabIndex={0}>
            {answer.data}
          </pre>
        </details>
      )}
    </div>
  );
}

function PermanentLink({ planned }: { planned: PlannedArticle }) {
  const session = useSession();
  const { texts, service, embedding, state } = session;
  const isRefused = state.refused.length > 0;
  const { isRunning, result, failure, run, cancel } = useAction<string>(planned);
  const button = useRef<HTMLButtonElement>(null);
  const [copied, setCopied] = useState<'yes' | 'byHand'>();
  const field = useRef<HTMLInputElement>(null);
  const make = () => {
    setCopied(undefined);
    run(async (signal) => {
      const permanentid = await storePlanning(service, planned, signal);
      embedding.post({ type: 'PERMANENTID_CREATED', permanentid, article: planned.json });
      return permanentid;
    });
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(linkOf(result!, session));
      setCopied('yes');
    } catch {
      // In a frame without the permission for the clipboard, the text is selected.
      field.current?.select();
      setCopied('byHand');
    }
  };
  return (
    <div class="link">
      <button
        type="button"
        ref={button}
        disabled={isRefused}
        aria-disabled={isRunning}
        aria-describedby={isRefused ? REASON_ID : undefined}
        onClick={make}
      >
        {isRunning ? texts.linkMaking : texts.link}
      </button>
      {isRunning && <CancelLate origin={button} onCancel={() => cancel()} />}
      {failure !== undefined && (
        <Failure
          failure={failure}
          title={texts.linkFailed}
          without={texts.without.link}
          onRetry={make}
          onDismiss={() => cancel()}
        />
      )}
      <div role="status">
        {result !== undefined && (
          <>
            <p class="quiet">{session.hasPublicLinks ? texts.linkMadePublic : texts.linkMade}</p>
            <div class="row">
              <input
                ref={field}
                readOnly
                value={linkOf(result, session)}
                aria-label={texts.linkAddress}
                onFocus={({ currentTarget }) => currentTarget.select()}
              />
              <button type="button" onClick={() => void copy()}>
                {copied === 'yes' ? texts.copied : texts.copy}
              </button>
            </div>
            {copied === 'byHand' && <p class="quiet">{texts.copyByHand}</p>}
            <p class="quiet">
              {texts.permanentId}: <code>{result}</code>
            </p>
          </>
        )}
      </div>
    </div>
  );
}

/** The address of this page with the identifier in place of the article, and without a token. */
function linkOf(permanentid: string, { parameters, state }: Session): string {
  const url = new URL(location.pathname, location.origin);
  url.searchParams.set('permanentid', permanentid);
  if (state.shown.mode === 'configurator') url.searchParams.set('disablecatalogue', 'true');
  if (!parameters.showPrice) url.searchParams.set('showprice', 'false');
  if (parameters.lang !== '') url.searchParams.set('lang', parameters.lang);
  if (parameters.langalt !== '') url.searchParams.set('langalt', parameters.langalt);
  return url.href;
}
