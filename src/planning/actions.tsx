/** What can be done with a configuration: cart, permanent link, and what `downloads.tsx` offers. */
import { useRef, useState } from 'preact/hooks';
import { missingValues, withChildren } from '../fetch/resolve-article.ts';
import { answerLines, type CartResult, postCart } from './cart.ts';
import { Downloads } from './downloads.tsx';
import { CancelLate, Failure } from './failure.tsx';
import type { PlanningView } from './interfaces.ts';
import { type PlannedArticle, storePlanning } from './planned-article.ts';
import { isOpening } from './planning.ts';
import type { Session } from './session.ts';
import type { Texts } from './texts.ts';
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
  const { isRunning, result, run, cancel } = useAction<CartResult>(planned, session);
  const button = useRef<HTMLButtonElement>(null);
  const { complete } = missingValues(planned.article);
  // What has failed waits for the person; what is planned is there.
  const { pending, failure } = state.planning;
  const isBusy = isOpening(state.planning) || (pending.length > 0 && failure === undefined);
  const open = complete ? '' : openNames(planned);
  const reason = complete
    ? isBusy
      ? texts.cartBusy
      : ''
    : open === ''
      ? texts.cartIncompleteAny
      : texts.cartIncomplete(open);
  const send = async (signal: AbortSignal) => {
    const { json } = planned;
    const answered = await postCart(cartUrl, json, signal);
    if (answered.kind === 'answered') {
      const { status, answer } = answered;
      session.embedding.post({ type: 'CART', status, answer, article: json });
    } else {
      const message = texts[UNANSWERED[answered.kind]];
      session.embedding.post({ type: 'ERROR', code: 'CART_UNREACHABLE', message });
    }
    return answered;
  };
  return (
    <div class="cart">
      <button
        type="button"
        class="primary"
        ref={button}
        disabled={!complete || isBusy}
        aria-disabled={isRunning}
        aria-describedby={reason === '' ? undefined : 'cart-reason'}
        onClick={() => run(send)}
      >
        {isRunning ? texts.cartSending : texts.cart}
      </button>
      {isRunning && (
        <CancelLate
          session={session}
          onCancel={() => {
            button.current?.focus();
            cancel({ kind: 'cancelled' });
          }}
        />
      )}
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

const UNANSWERED = {
  late: 'cartLate',
  unreachable: 'cartUnreachable',
  cancelled: 'cartCancelled',
} satisfies Record<Exclude<CartResult['kind'], 'answered'>, keyof Texts>;

function CartAnswer({ session: { texts }, result }: { session: Session; result: CartResult }) {
  if (result.kind !== 'answered') {
    return <p class="failure">{texts[UNANSWERED[result.kind]]}</p>;
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
  const { texts, service, embedding } = session;
  const { isRunning, result, failure, run, cancel } = useAction<string>(planned, session);
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
      // In a frame without that permission.
      field.current?.select();
      setCopied('byHand');
    }
  };
  return (
    <div class="link">
      <button type="button" ref={button} aria-disabled={isRunning} onClick={make}>
        {isRunning ? texts.linkMaking : texts.link}
      </button>
      {isRunning && (
        <CancelLate
          session={session}
          onCancel={() => {
            button.current?.focus();
            cancel();
          }}
        />
      )}
      {failure !== undefined && (
        <Failure
          {...{ session, failure }}
          title={texts.linkFailed}
          onRetry={make}
          onDismiss={() => cancel()}
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
