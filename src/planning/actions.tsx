/** What can be done with a configuration: cart, permanent link, and what `downloads.tsx` offers. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { missingValues, withChildren } from '../fetch/resolve-article.ts';
import { answerLines, type CartResult, postCart } from './cart.ts';
import { Downloads } from './downloads.tsx';
import { Failure } from './failure.tsx';
import type { PlanningView } from './interfaces.ts';
import { type PlannedArticle, storePlanning } from './planned-article.ts';
import type { Session } from './session.ts';
import { useAction } from './use-action.ts';

interface ActionParts {
  session: Session;
  planned: PlannedArticle;
}

/** Shows what else can be done: a permanent link, files, AR. */
export function Actions({
  session,
  planned,
  view,
}: ActionParts & { view: PlanningView | undefined }) {
  return (
    <section class="actions" aria-label={session.texts.actions}>
      <PermanentLink session={session} planned={planned} />
      <Downloads session={session} planned={planned} view={view} />
    </section>
  );
}

/** Shows the action that posts the article. @see Spec 4.6 */
export function Cart({ session, planned, cartUrl }: ActionParts & { cartUrl: string }) {
  const { texts, state } = session;
  const [isSending, setSending] = useState(false);
  const [result, setResult] = useState<CartResult>();
  // An answer is about the configuration that was sent.
  useEffect(() => setResult(undefined), [planned]);
  const { complete } = missingValues(planned.article);
  const isBusy = state.planning.pending.length > 0 || state.planning.opening !== undefined;
  const open = complete ? '' : openNames(planned);
  const reason = complete
    ? isBusy
      ? texts.cartBusy
      : ''
    : open === ''
      ? texts.cartIncompleteAny
      : texts.cartIncomplete(open);
  const send = async () => {
    setSending(true);
    const { json } = planned;
    const answered = await postCart(cartUrl, json);
    setSending(false);
    setResult(answered);
    if (answered.kind !== 'answered') {
      const message = texts[answered.kind === 'late' ? 'cartLate' : 'cartUnreachable'];
      session.embedding.post({ type: 'ERROR', code: 'CART_UNREACHABLE', message });
      return;
    }
    const { status, answer } = answered;
    session.embedding.post({ type: 'CART', status, answer, article: json });
  };
  return (
    <div class="cart">
      <button
        type="button"
        class="primary"
        disabled={!complete || isBusy || isSending}
        aria-describedby={reason === '' ? undefined : 'cart-reason'}
        onClick={() => void send()}
      >
        {isSending ? texts.cartSending : texts.cart}
      </button>
      {reason !== '' && (
        <p class="quiet" id="cart-reason">
          {reason}
        </p>
      )}
      <div role="status">
        {result !== undefined && <CartAnswer session={session} result={result} />}
      </div>
    </div>
  );
}

function CartAnswer({ session: { texts }, result }: { session: Session; result: CartResult }) {
  if (result.kind !== 'answered') {
    return <p class="failure">{result.kind === 'late' ? texts.cartLate : texts.cartUnreachable}</p>;
  }
  const lines = answerLines(result.answer);
  return (
    <div class={result.isAccepted ? 'success' : 'failure'}>
      <p>
        <b>{result.isAccepted ? texts.cartSent : texts.cartRefused(result.status)}</b>
      </p>
      {lines.length > 0 && (
        <dl class="answer" aria-label={texts.cartAnswer}>
          {lines.map(([name, value]) => (
            <div key={name}>
              {name !== '' && <dt>{name}</dt>}
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** The properties that must be chosen, as a person knows them. */
function openNames({ article }: PlannedArticle): string {
  const names = withChildren(article).flatMap(({ propclasses, ocd }) =>
    [...propclasses, ...(ocd?.propclasses ?? [])].flatMap(({ properties }) =>
      properties
        .filter(
          (p) => (p.obligatory || p.obligatory2c) && p.currentvalue.trim() === '' && p.visible,
        )
        .map(({ text, name }) => text || name),
    ),
  );
  return names.join(', ');
}

function PermanentLink({ session, planned }: ActionParts) {
  const { texts, service } = session;
  const { isRunning, result, failure, run, reset } = useAction<string>(planned, session);
  const [copied, setCopied] = useState<'yes' | 'byHand'>();
  const field = useRef<HTMLInputElement>(null);
  const make = () => {
    setCopied(undefined);
    void run(() => storePlanning(service, planned));
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(linkOf(result!, session));
      setCopied('yes');
    } catch {
      // In a frame without that permission.
      field.current?.select();
      setCopied('byHand');
    }
  };
  return (
    <div class="link">
      <button type="button" disabled={isRunning} onClick={make}>
        {isRunning ? texts.linkMaking : texts.link}
      </button>
      {failure !== undefined && (
        <Failure
          {...{ session, failure }}
          title={texts.linkFailed}
          onRetry={make}
          onDismiss={reset}
        />
      )}
      <div role="status">
        {result !== undefined && (
          <>
            <p class="quiet">{texts.linkMade}</p>
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
function linkOf(permanentid: string, { parameters }: Session): string {
  const url = new URL(location.pathname, location.origin);
  url.searchParams.set('permanentid', permanentid);
  if (parameters.mode === 'configurator') url.searchParams.set('disablecatalogue', 'true');
  if (!parameters.showPrice) url.searchParams.set('showprice', 'false');
  if (parameters.lang !== '') url.searchParams.set('lang', parameters.lang);
  if (parameters.langalt !== '') url.searchParams.set('langalt', parameters.langalt);
  return url.href;
}
