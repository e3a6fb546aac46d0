/** What can be done with a configuration: cart, permanent link, files, AR. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { missingValues, withChildren } from '../fetch/resolve-article.ts';
import { asConverterError, type ConverterError } from '../support/errors.ts';
import { answerLines, type CartResult, postCart } from './cart.ts';
import { Failure } from './failure.tsx';
import type { PlanningView } from './interfaces.ts';
import { type PlannedArticle, storePlanning } from './planned-article.ts';
import { isOpening } from './planning.ts';
import type { Session } from './session.ts';

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

/** An action that takes time: what it made, or why it could not. */
function useAction<Result>(planned: PlannedArticle, session: Session) {
  const [state, setState] = useState<{
    isRunning: boolean;
    result?: Result;
    failure?: ConverterError;
  }>({ isRunning: false });
  const newest = useRef(planned);
  newest.current = planned;
  useEffect(() => setState({ isRunning: false }), [planned]);
  const run = async (work: () => Promise<Result>) => {
    setState({ isRunning: true });
    try {
      const result = await work();
      // Of what was planned when the action began.
      if (newest.current === planned) setState({ isRunning: false, result });
    } catch (thrown) {
      const failure = asConverterError(thrown);
      session.failed(failure);
      if (newest.current === planned) setState({ isRunning: false, failure });
    }
  };
  return { ...state, run, reset: () => setState({ isRunning: false }) };
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

const PICTURE = { widthPixels: 1600, heightPixels: 1200 };

function Downloads({ session, planned, view }: ActionParts & { view: PlanningView | undefined }) {
  const { texts, converter, state } = session;
  const { model } = state;
  const { isRunning, failure, run, reset } = useAction<void>(planned, session);
  const [note, setNote] = useState('');
  if (model === undefined) return null;
  const { glb } = model;
  const name = fileName(planned);
  const make = (suffix: string, content: () => Promise<Blob>) => () =>
    void run(async () => save(await content(), `${name}${suffix}`));
  const usdz = async () => new Blob([await converter.usdz(glb)], { type: 'model/vnd.usdz+zip' });
  const files: [label: string, onClick: () => void][] = [
    [texts.glb, make('.glb', async () => new Blob([glb], { type: 'model/gltf-binary' }))],
    [texts.usdz, make('.usdz', usdz)],
  ];
  if (view !== undefined) {
    const { widthPixels, heightPixels } = PICTURE;
    files.push([texts.picture, make('.png', () => view.picture(widthPixels, heightPixels))]);
  }
  const ar = arOf();
  return (
    <div class="downloads">
      {ar !== undefined && (
        <button
          type="button"
          disabled={isRunning}
          onClick={() => {
            if (ar === 'quickLook') void run(async () => openQuickLook(await usdz(), name));
            else setNote(texts.arNeedsAddress);
          }}
        >
          {texts.ar}
        </button>
      )}
      {note !== '' && (
        <p class="quiet" role="status">
          {note}
        </p>
      )}
      <details>
        <summary>{texts.download}</summary>
        <div class="row">
          {files.map(([label, onClick]) => (
            <button type="button" disabled={isRunning} onClick={onClick} key={label}>
              {label}
            </button>
          ))}
        </div>
        <p class="working" role="status">
          {isRunning ? texts.making : ''}
        </p>
        {failure !== undefined && (
          <Failure {...{ session, failure }} title={texts.downloadFailed} onDismiss={reset} />
        )}
      </details>
    </div>
  );
}

/** What every file system accepts. */
function fileName({ key }: PlannedArticle): string {
  const number = key.finalarticlenumber || key.basearticlenumber;
  return `${key.manufacturer} ${number}`.replace(/[^\p{L}\p{N}.+-]+/gu, '_').slice(0, 100);
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** How this device shows models in a room. Scene Viewer of Android takes an https address only, and there is none. */
function arOf(): 'quickLook' | 'sceneViewer' | undefined {
  if (document.createElement('a').relList.supports('ar')) return 'quickLook';
  return /\bAndroid\b/.test(navigator.userAgent) ? 'sceneViewer' : undefined;
}

/** Quick Look opens where the link has nothing but an image in it. */
function openQuickLook(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.rel = 'ar';
  link.href = URL.createObjectURL(content);
  link.download = `${name}.usdz`;
  link.append(document.createElement('img'));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 600_000);
}
