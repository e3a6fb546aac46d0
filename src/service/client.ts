/** Client: every operation of the service as a method; from here a request goes through traffic and transport. */
import { setMaxListeners } from 'node:events';
import type { Article, ArticleKey, PropertyChange } from '../model/article.ts';
import type { Breadcrumb, CatalogueNode } from '../model/catalogue.ts';
import type { Block, PartsList } from '../model/graphics.ts';
import { ConverterError } from '../support/errors.ts';
import { looksLikeDeadToken, readAnswer, withContext } from './answer.ts';
import { type AnswerOf, OPERATIONS, type OperationName, type Values } from './operations.ts';
import {
  SERVICE_DEFAULTS,
  type ServiceConfig,
  type Settings,
  serviceId,
} from './service-config.ts';
import {
  createSession,
  logIn,
  logOut,
  registerCredentials,
  TOKEN_LIFETIMES_MS,
} from './session.ts';
import { type AddressName, createFallback, readAddress } from './target.ts';
import { Traffic } from './traffic.ts';
import { conditionsOf, createTransport, type Exchange, type Validators } from './transport.ts';
import { expectTopLevel } from './wire-article.ts';
import type { Drift } from './wire-fields.ts';
import { parsePreview, parseResource } from './wire-resource.ts';
import type { JsonRecord } from './wire-value.ts';

export type { Validators } from './transport.ts';

/** A body as received, checked to be complete. */
export interface Body extends Validators {
  bytes: Uint8Array;
}

/** A body with what its decoder made of it. */
export interface Answered<Answer> extends Body {
  answer: Answer;
}

/** The answer that the validators of the request are still valid. */
export interface NotModified {
  notModified: true;
}

/** {@link NotModified} if validators were given, else nothing. */
type IfGiven<Given extends Validators | undefined> = Given extends Validators ? NotModified : never;

/** What only some requests have. */
interface CallOptions<Given extends Validators | undefined> {
  /** Sent as JSON. */
  body?: JsonRecord;
  /** Which of two addresses is tried first, if that is known beforehand. */
  first?: AddressName;
  /** Of an earlier answer: makes the request conditional. */
  validators?: Given | undefined;
}

/** One configuration of an article. */
export interface Configuration {
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Sent as `ocdreinitstring`; opaque, empty for the default configuration. */
  reinitstring: string;
}

/** Which article is loaded, and how configured. */
export interface ArticleQuery extends Omit<Configuration, 'reinitstring'> {
  /** Sent as `ocdreinitstring`. */
  reinitstring?: string;
  /** Variant code. */
  varcode?: string;
  /** Includes properties that are not visible. */
  getallproperties?: boolean;
}

/**
 * A client of one service. Every method rejects with a {@link ConverterError} that has code, operation,
 * article and redacted URL; a 404 is never sent again. With the validators of an earlier answer, the answer
 * may be that it was not modified (D-840).
 */
export interface ServiceClient {
  /** What answers depend on: address, profile, languages and currency, without secrets. */
  readonly id: string;
  /**
   * Calls any operation: what the named methods below do.
   *
   * @param values - By our names; the row of `OPERATIONS` says which of them are sent and which identify
   * the request (`requestKey`).
   * @param options - Validators make it conditional; `body` is sent as JSON.
   * @returns The body with its decoded answer, or {@link NotModified}.
   */
  call<Name extends OperationName, Given extends Validators | undefined = undefined>(
    name: Name,
    values: Values,
    options?: CallOptions<Given>,
  ): Promise<Answered<AnswerOf<Name>> | IfGiven<Given>>;
  /** Children of a catalogue folder, `''` is the root. @see Spec 4.2 */
  getNodes<Given extends Validators | undefined = undefined>(
    parentnode: string,
    validators?: Given,
  ): Promise<(Body & { nodes: CatalogueNode[] }) | IfGiven<Given>>;
  /** Path from the root to a folder. @see Spec 4.2 */
  getBreadcrumbs(parentnode: string): Promise<Breadcrumb[]>;
  /** Article nodes whose number or short text contains the query; ids `<manufacturer>;SEARCHRESULT<index>`. @see Spec 4.2 */
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
  /** Loads one article; `ARTICLE_NOT_FOUND`. @see Spec 4.3 */
  getArticle<Given extends Validators | undefined = undefined>(
    query: ArticleQuery,
    validators?: Given,
  ): Promise<(Body & { article: Article }) | IfGiven<Given>>;
  /** Loads the parts list of one configuration; `ARTICLE_NOT_FOUND`. @see Spec 4.4 */
  getPartsList<Given extends Validators | undefined = undefined>(
    key: ArticleKey,
    validators?: Given,
  ): Promise<(Body & { partsList: PartsList }) | IfGiven<Given>>;
  /** Loads a block by its name as `blocks[]` spells it; `BLOCK_MISSING`, `BLOCK_INVALID`. @see Spec 4.4 */
  getBlock<Given extends Validators | undefined = undefined>(
    requestName: string,
    validators?: Given,
  ): Promise<(Body & { block: Block }) | IfGiven<Given>>;
  /** Loads an image by its name without `.JPG`; `IMAGE_MISSING`. @see Spec 4.4 */
  getMaterial<Given extends Validators | undefined = undefined>(
    manufacturer: string,
    name: string,
    validators?: Given,
  ): Promise<Body | IfGiven<Given>>;
  /** Loads a resource of a manufacturer, such as its logo; `RESOURCE_MISSING`. @see Spec 4.2 */
  getManufacturerResource(manufacturer: string, language: string, name: string): Promise<Body>;
  /** Loads a resource of a series, such as a catalogue image; `RESOURCE_MISSING`. @see Spec 4.2 */
  getSeriesResource(
    manufacturer: string,
    program: string,
    language: string,
    name: string,
  ): Promise<Body>;
  /** Loads what a `rescontent` refers to; `RESOURCE_MISSING`, `RESOURCE_REFUSED`. @see Spec 2.1, 4.2 */
  getResource(rescontent: string): Promise<Body>;
  /**
   * Changes one property of an article and returns the whole article, calculated anew. A child is
   * changed through its topmost article. `PROPERTY_VALUE_REFUSED`, `CHILD_WITHOUT_ROOT`.
   *
   * @see Spec 4.3 (POST articles), 3 (rule 3)
   */
  changeProperty(
    configuration: Configuration,
    change: PropertyChange,
  ): Promise<Body & { article: Article }>;
  /** Loads what a `previewimage` refers to; `IMAGE_MISSING`, `IMAGE_REFUSED`. @see Spec 2.2, 4.3; D-604 */
  getPreview(previewimage: string): Promise<Body>;
  /**
   * Stores a whole planning: the JSON of its topmost article, as received from the service.
   *
   * @returns Its permanent identifier, which only the planning page of the same system resolves.
   * @see Spec 4.3 (reinit), 2.5, 9 (rule 7); `CART_INVALID`, `CHILD_WITHOUT_ROOT`
   */
  storePlanning(topLevelArticle: unknown): Promise<string>;
  /**
   * Restores one configuration of a single article by `ocd/reinit`.
   *
   * Not verified against a live service: the specification names this operation and does not show
   * its call (D-782). {@link getArticle} with a `reinitstring` does the same, as it is shown.
   *
   * @see Spec 4.3
   */
  restoreConfiguration(configuration: Configuration): Promise<Body & { article: Article }>;
  /**
   * Loads a rendered image of an article; none of a meta planning.
   *
   * @deprecated The service may remove it in a later version: render the GLB instead.
   * @see Spec 4.4, 9 (rule 6)
   */
  getArticleImage(key: ArticleKey): Promise<Body>;
  /** Whether all requests wait because the service said that it gets too many. */
  isHeld(): boolean;
  /** Drops what is in flight, logs out of both groups (own tokens only), closes; never rejects. */
  close(): Promise<void>;
}

/**
 * Creates a client; nothing is sent before the first request.
 *
 * @param config - `now` and `random` are required; see {@link SERVICE_DEFAULTS} for the rest.
 * @throws {@link ConverterError} `USAGE` if an address cannot be read.
 *
 * @example
 * ```ts
 * const client = createClient({ authUrl, baseUrl, credentials: { username, password }, now, random });
 * const { nodes } = await client.getNodes('');
 * await client.close();
 * ```
 *
 * @see Spec 4, 5; D-609.
 */
export function createClient(config: ServiceConfig): ServiceClient {
  const settings: Settings = { ...SERVICE_DEFAULTS, ...withoutUndefined(config) };
  const stop = new AbortController();
  // Each request in flight listens to it.
  setMaxListeners(0, stop.signal);
  const connection = connect(settings, stop.signal);
  const call = createCall(settings, connection);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    config.signal?.removeEventListener('abort', close);
    stop.abort();
    closed ??= connection.session.close().then(connection.transport.destroy);
    return closed;
  };
  if (config.signal?.aborted) close();
  else config.signal?.addEventListener('abort', close, { once: true });
  return {
    id: serviceId(config),
    call,
    close,
    isHeld: () => connection.traffic.isPaused,
    async getNodes(parentnode, validators) {
      const answered = await call('getNodes', { parentnode }, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), nodes: it.answer }));
    },
    async getBreadcrumbs(parentnode) {
      return (await call('getBreadcrumbs', { parentnode })).answer;
    },
    async search(manufacturer, query) {
      return (await call('search', { manufacturer, query })).answer;
    },
    async getArticle({ getallproperties, ...query }, validators) {
      const values = { ...query, getallproperties: getallproperties ? 'true' : '' };
      const answered = await call('getArticle', values, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), article: it.answer }));
    },
    async getPartsList(key, validators) {
      const answered = await call('getPartsList', { ...key }, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), partsList: it.answer }));
    },
    async getBlock(name, validators) {
      const answered = await call('getBlock', { name }, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), block: it.answer }));
    },
    async getMaterial(manufacturer, name, validators) {
      const answered = await call('getMaterial', { manufacturer, name }, { validators });
      return unlessNotModified(answered, bodyOf);
    },
    async getManufacturerResource(manufacturer, language, name) {
      return bodyOf(await call('getManufacturerResource', { manufacturer, language, name }));
    },
    async getSeriesResource(manufacturer, program, language, name) {
      return bodyOf(await call('getSeriesResource', { manufacturer, program, language, name }));
    },
    async getResource(rescontent) {
      const { spelling, path } = parseResource(rescontent);
      const first = spelling === 'ressource' ? 'own' : 'fallback';
      return bodyOf(await call('getResource', { path }, { first }));
    },
    async changeProperty(configuration, change) {
      const { id, rootid, proptype, propclass, prop, newvalue, jsondata } = change;
      expectTopLevel(jsondata, 'changeProperty', rootid);
      const body = { id, rootid, proptype, propclass, prop, newvalue, jsondata };
      const answered = await call('changeProperty', { ...configuration }, { body });
      return { ...bodyOf(answered), article: answered.answer };
    },
    async getPreview(previewimage) {
      return bodyOf(await call('getPreview', { ...parsePreview(previewimage, config.baseUrl) }));
    },
    async storePlanning(topLevelArticle) {
      expectTopLevel(topLevelArticle, 'storePlanning');
      const { manufacturer, program, basearticlenumber = '' } = topLevelArticle as Values;
      // Not sent: they name the article in an error.
      const values = { manufacturer, program, basearticlenumber };
      const body = { json: topLevelArticle };
      const permanentId = (await call('storePlanning', values, { body })).answer;
      config.onPermanentId?.(permanentId, topLevelArticle);
      return permanentId;
    },
    async restoreConfiguration(configuration) {
      const answered = await call('restoreConfiguration', { ...configuration });
      return { ...bodyOf(answered), article: answered.answer };
    },
    async getArticleImage(key) {
      return bodyOf(await call('getArticleImage', { ...key }));
    },
  };
}

function bodyOf({ bytes, etag, lastModified }: Answered<unknown>): Body {
  return { bytes, etag, lastModified };
}

/** Returns what `read` makes of an answer, unless the answer is "not modified". */
function unlessNotModified<Answer, Read, Given extends Validators | undefined>(
  answer: Answered<Answer> | IfGiven<Given>,
  read: (answer: Answered<Answer>) => Read,
): Read | IfGiven<Given> {
  return 'notModified' in answer ? answer : read(answer);
}

type Connection = ReturnType<typeof connect>;

/** Creates transport, traffic and session of one client. */
function connect(settings: Settings, signal: AbortSignal) {
  const { now, random, timeoutMs, retries, backoffMs, giveUpAfterMs, credentials } = settings;
  const { perSecond, concurrency: allowed = Number.POSITIVE_INFINITY } = settings.rateLimit ?? {};
  const concurrency = Math.min(settings.concurrency, allowed);
  const addresses = {
    authUrl: readAddress(settings.authUrl, 'authUrl'),
    baseUrl: readAddress(settings.baseUrl, 'baseUrl'),
  };
  const { onRequest, maxResponseBytes } = settings;
  const transport = createTransport({
    ...{ addresses, connections: concurrency, maxResponseBytes, now, onRequest },
  });
  const probe = async () => readRoot(await session.token());
  const traffic = new Traffic({
    ...{ concurrency, perSecond, retries, backoffMs, giveUpAfterMs, probe, now, random, signal },
    isConcurrencyKnown: Number.isFinite(allowed),
  });
  const send = (exchange: Omit<Exchange, 'signal' | 'timeoutMs'>) =>
    traffic.send(() => transport.send({ ...exchange, timeoutMs, signal }));
  const { profile, lang, langalt, currency } = settings;
  // Values of the client, not of one request: a row of the table sends those that it declares.
  const shared = { profile, lang, langalt, currency };
  const sendRoot = (token: string) => send({ name: 'getNodes', values: shared, token, number: 1 });
  /** A living service always answers the root of the catalogue. */
  const readRoot = async (token: string) => {
    const { response, target } = await sendRoot(token);
    readAnswer(OPERATIONS.getNodes, response, target.queryBytes);
  };
  const session = createSession({
    given: registerCredentials(settings),
    lifetimeMs: TOKEN_LIFETIMES_MS[settings.rememberMe ? 'remembered' : 'session'],
    now,
    login: () => {
      if ('token' in credentials)
        throw new ConverterError('INTERNAL', 'a given token has no login');
      const { username, password, appKey } = credentials;
      const { origin } = addresses.authUrl;
      const login = { ...settings, username, password, appKey };
      return logIn(login, { traffic, transport, signal, timeoutMs, origin });
    },
    logout: (token) => logOut(transport, token, timeoutMs),
    isAlive: (token) =>
      sendRoot(token).then(
        ({ response }) => !looksLikeDeadToken(OPERATIONS.getNodes, response),
        () => true,
      ),
  });
  return { addresses, shared, transport, traffic, session, send };
}

/** Makes the function that calls an operation, from the first attempt to the last. */
function createCall(settings: Settings, connection: Connection): ServiceClient['call'] {
  const { addresses, shared, traffic } = connection;
  const { credentials } = settings;
  const username = 'token' in credentials ? '' : credentials.username;
  const sendToEither = createFallback();
  return async (name, own, { body, first, validators } = {}) => {
    const values = { ...shared, ...own };
    const content = body === undefined ? undefined : jsonText(body);
    return sendToEither(OPERATIONS[name], first, async (address) => {
      try {
        const request = { name, values, address, body: content, validators };
        return await traffic.request(createAttempt(settings, connection, request));
      } catch (error) {
        throw withContext(error, { name, values, address, addresses, username });
      }
    });
  };
}

/**
 * Makes the function that attempts a request: sends it with a token that should be alive and decodes the
 * answer. Over all its attempts a request gets at most one new token (D-609).
 */
function createAttempt<Name extends OperationName, Given extends Validators | undefined>(
  { onAnswer, onDrift }: Settings,
  { session, send }: Connection,
  request: Omit<Exchange, 'signal' | 'timeoutMs' | 'number'> & {
    name: Name;
    validators: Given | undefined;
  },
) {
  const { name, values, body, validators } = request;
  const operation = OPERATIONS[name];
  const report = onDrift && ((drift: Drift) => onDrift({ operation: name, ...drift }));
  let mayReplaceToken = true;
  return async (number: number): Promise<Answered<AnswerOf<Name>> | IfGiven<Given>> => {
    const token = await session.token();
    let received = await send({ ...request, token, number });
    if (mayReplaceToken && looksLikeDeadToken(operation, received.response)) {
      mayReplaceToken = false;
      const fresh = await session.replace(token, received.response.status === 401);
      if (fresh !== token) received = await send({ ...request, token: fresh, number });
    }
    const { response, target } = received;
    const { bytes, etag, lastModified, status } = response;
    const sent = body === undefined ? {} : { sent: body };
    await onAnswer?.({ operation: name, values, ...sent, status, bytes });
    if (isNotModified(status, validators)) return { notModified: true } as IfGiven<Given>;
    const answer = readAnswer(operation, response, target.queryBytes, report);
    return { bytes, etag, lastModified, answer };
  };
}

function isNotModified(status: number, validators: Validators | undefined): boolean {
  if (status !== 304) return false;
  if (Object.keys(conditionsOf(validators)).length > 0) return true;
  const message = 'expected an answer, received "not modified" to a request without conditions';
  throw new ConverterError('RESPONSE_INVALID', message, { status });
}

/** A body as text; what was received as JSON can be sent as JSON, unless it is nested too deep. */
function jsonText(body: JsonRecord): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    const message = 'the article cannot be sent: it is no JSON, or nested too deep';
    throw new ConverterError('CART_INVALID', message, { cause });
  }
}

/** A setting that is undefined takes its default too. */
function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
