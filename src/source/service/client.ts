/** Client: every operation of the service as a method. A request passes through traffic and transport. */
import { setMaxListeners } from 'node:events';
import { parsePreview, parseResource } from '../../convert/wire/resource.ts';
import { describe, isRecord, type JsonRecord, withoutUndefined } from '../../convert/wire/value.ts';
import type { Article, ArticleKey, PropertyChange } from '../../model/article.ts';
import type { Breadcrumb, CatalogueNode } from '../../model/catalogue.ts';
import type { ArticleId } from '../../model/configuration-id.ts';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import { registerSecret } from '../../support/redact.ts';
import { looksLikeDeadToken, readAnswer, withContext } from './answer.ts';
import { accountOf } from './crypto.ts';
import { openTokens } from './login.ts';
import {
  type AnswerOf,
  OPERATIONS,
  type Operation,
  type OperationName,
  type Values,
} from './operations.ts';
import { markLasting } from './request-failure.ts';
import {
  concurrencyOf,
  SERVICE_DEFAULTS,
  type ServiceConfig,
  type ServiceDrift,
  type Settings,
  serviceId,
} from './service-config.ts';
import { type Probe, Session } from './session.ts';
import { type Addresses, createFallback, readServiceAddress } from './target.ts';
import { type Attempt, type Demand, Traffic } from './traffic.ts';
import {
  conditionsOf,
  createTransport,
  type Exchange,
  type Transport,
  type Validators,
} from './transport.ts';

/** A body as received, checked to be complete. */
export interface Body extends Validators {
  bytes: Uint8Array;
}

export interface NotModified {
  notModified: true;
}

type MaybeValidators = Validators | undefined;

type IfGiven<Given extends MaybeValidators> = Given extends Validators ? NotModified : never;

type Loaded<Content, Given extends MaybeValidators> = Promise<(Body & Content) | IfGiven<Given>>;

/** A method whose last argument is the validators of an earlier answer. */
type Load<Args extends unknown[], Content> = <Given extends MaybeValidators = undefined>(
  ...args: [...own: Args, validators?: Given]
) => Loaded<Content, Given>;

interface CallOptions<Given extends MaybeValidators> {
  /** Body, sent as JSON; a text is sent unchanged. */
  body?: JsonRecord | string;
  /** Index of the address of the row that is tried first, if known beforehand. */
  first?: number;
  validators?: Given | undefined;
  demand?: Demand | undefined;
}

/** One configuration of an article. Its `reinitstring` is opaque, empty for the default configuration. */
export type Configuration = ArticleId & Pick<ArticleKey, 'reinitstring'>;

/** Article to load, and its configuration. */
export interface ArticleQuery extends ArticleId, Partial<Pick<ArticleKey, 'reinitstring'>> {
  /** Variant code. */
  varcode?: string;
  /** Includes properties that are not visible. */
  getallproperties?: boolean;
}

/**
 * A client of one service. Every method rejects with a {@link ConverterError} with code, operation, article and
 * redacted URL. With the validators of an earlier answer, the answer may be that it was not modified (D-840).
 */
export interface ServiceClient {
  /** Identifies what answers depend on: address, profile, languages, currency and account, without secrets. */
  readonly id: string;
  /**
   * Calls any operation, as the methods below do, and returns the body with the decoded `answer`. The row of
   * `OPERATIONS` says which values are sent. After a 404 the same run does not send the request again.
   */
  call<Name extends OperationName, Given extends MaybeValidators = undefined>(
    name: Name,
    values: Values,
    options?: CallOptions<Given>,
  ): Loaded<{ answer: AnswerOf<Name> }, Given>;
  /** Children of a catalogue folder; `''` is the root. @see Spec 4.2 */
  getNodes: Load<[parentnode: string], { nodes: CatalogueNode[] }>;
  /** Path from the root to a folder. @see Spec 4.2 */
  getBreadcrumbs(parentnode: string): Promise<Breadcrumb[]>;
  /** Article nodes whose number or short text contains the query. @see Spec 4.2 */
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
  /** Loads one article; `ARTICLE_NOT_FOUND`. @see Spec 4.3 */
  getArticle: Load<[query: ArticleQuery], { article: Article }>;
  /** Loads the parts list of one configuration; `ARTICLE_NOT_FOUND`. @see Spec 4.4 */
  getPartsList: Load<[key: ArticleKey], { partsList: AnswerOf<'getPartsList'> }>;
  /** Loads a block by its name as `blocks[]` spells it; `BLOCK_MISSING`, `BLOCK_INVALID`. @see Spec 4.4 */
  getBlock: Load<[requestName: string], { block: AnswerOf<'getBlock'> }>;
  /** Loads an image by its name without `.JPG`; `IMAGE_MISSING`. @see Spec 4.4 */
  getMaterial: Load<[manufacturer: string, name: string], unknown>;
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
   * Changes one property and returns the whole article anew. A child is changed through its topmost article.
   * `PROPERTY_VALUE_REFUSED`, `CHILD_WITHOUT_ROOT`. @see Spec 4.3 (POST articles), 3 (rule 3)
   */
  changeProperty(
    configuration: Configuration,
    change: PropertyChange,
  ): Promise<Body & { article: Article }>;
  /** Loads what a `previewimage` refers to; `IMAGE_MISSING`, `IMAGE_REFUSED`. @see Spec 2.2, 4.3; D-604 */
  getPreview(previewimage: string): Promise<Body>;
  /**
   * Stores a planning, the JSON of its topmost article as received, and returns its permanent identifier for the
   * planning page of the same system. `CART_INVALID`, `CHILD_WITHOUT_ROOT`. @see Spec 4.3 (reinit), 2.5, 9 (rule 7)
   */
  storePlanning(topLevelArticle: unknown): Promise<string>;
  /** Restores one configuration by `ocd/reinit`, which is not verified (D-782); {@link getArticle} with a `reinitstring` is verified. */
  restoreConfiguration(configuration: Configuration): Promise<Body & { article: Article }>;
  /** Loads a rendered image of an article. @deprecated It may be removed: render the GLB. @see Spec 4.4, 9 (rule 6) */
  getArticleImage(key: ArticleKey): Promise<Body>;
  /** State and total time of held requests, and how other processes that use the service with this client limit it. */
  readonly traffic: Pick<Traffic, 'state' | 'pausedMs' | 'share' | 'hold'>;
  /** Drops the requests in flight, logs out of both groups (own tokens only), closes; never rejects. */
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
 * @see Spec 4, 5; D-609.
 */
export function createClient(config: ServiceConfig): ServiceClient {
  const settings = { ...SERVICE_DEFAULTS, ...withoutUndefined(config) } as Settings;
  const connection = new Connection(settings);
  const close = (): Promise<void> => {
    config.signal?.removeEventListener('abort', close);
    return connection.close();
  };
  if (config.signal?.aborted) close();
  else config.signal?.addEventListener('abort', close, { once: true });
  const account = config.id === undefined && { account: accountOf(config.credentials) };
  const id = serviceId({ ...account, ...config });
  return { id, close, traffic: connection.traffic, ...methodsOf(connection, config) };
}

/** The methods that call operations. They need no `this`: programs pass them on as functions. */
function methodsOf(
  connection: Connection,
  config: ServiceConfig,
): Omit<ServiceClient, 'id' | 'close' | 'traffic'> {
  const call: ServiceClient['call'] = (...given) => connection.call(...given);
  return {
    call,
    getNodes: (parentnode, validators) =>
      loaded('nodes', call('getNodes', { parentnode }, { validators })),
    getBreadcrumbs: async (parentnode) => (await call('getBreadcrumbs', { parentnode })).answer,
    search: async (manufacturer, query) => (await call('search', { manufacturer, query })).answer,
    getArticle({ getallproperties, ...query }, validators) {
      const values = { ...query, getallproperties: getallproperties ? 'true' : '' };
      return loaded('article', call('getArticle', values, { validators }));
    },
    getPartsList: (key, validators) =>
      loaded('partsList', call('getPartsList', { ...key }, { validators })),
    getBlock: (name, validators) => loaded('block', call('getBlock', { name }, { validators })),
    getMaterial: (manufacturer, name, validators) =>
      bodyOf(call('getMaterial', { manufacturer, name }, { validators })),
    getManufacturerResource: (manufacturer, language, name) =>
      bodyOf(call('getManufacturerResource', { manufacturer, language, name })),
    getSeriesResource: (manufacturer, program, language, name) =>
      bodyOf(call('getSeriesResource', { manufacturer, program, language, name })),
    async getResource(rescontent) {
      const { spelling, path } = parseResource(rescontent, config.baseUrl);
      const first = spelling === 'ressource' ? 0 : 1;
      return bodyOf(call('getResource', { path }, { first }));
    },
    async changeProperty(configuration, change) {
      const { id, rootid, proptype, propclass, prop, newvalue, jsondata } = change;
      expectTopLevel(jsondata, 'changeProperty', rootid);
      const body = { id, rootid, proptype, propclass, prop, newvalue, jsondata };
      return loaded('article', call('changeProperty', { ...configuration }, { body }));
    },
    getPreview: async (previewimage) =>
      bodyOf(call('getPreview', parsePreview(previewimage, config.baseUrl))),
    async storePlanning(topLevelArticle) {
      expectTopLevel(topLevelArticle, 'storePlanning');
      const { manufacturer, program, basearticlenumber = '' } = topLevelArticle as Values;
      // These values are not sent: they name the article in an error.
      const values = { manufacturer, program, basearticlenumber };
      const body = { json: topLevelArticle };
      const permanentId = (await call('storePlanning', values, { body })).answer;
      config.onPermanentId?.(permanentId, topLevelArticle);
      return permanentId;
    },
    restoreConfiguration: (configuration) =>
      loaded('article', call('restoreConfiguration', { ...configuration })),
    getArticleImage: (key) => bodyOf(call('getArticleImage', { ...key })),
  };
}

async function bodyOf<Given extends MaybeValidators>(
  called: Loaded<unknown, Given>,
): Loaded<unknown, Given> {
  const answered = await called;
  if ('notModified' in answered) return answered;
  const { bytes, etag, lastModified } = answered;
  return { bytes, etag, lastModified };
}

/** Returns the answer of a call under the name that its method uses. */
async function loaded<Name extends string, Answer, Given extends MaybeValidators>(
  name: Name,
  called: Loaded<{ answer: Answer }, Given>,
): Loaded<Record<Name, Answer>, Given> {
  const answered = await called;
  if ('notModified' in answered) return answered;
  const { bytes, etag, lastModified, answer } = answered;
  return { bytes, etag, lastModified, ...({ [name]: answer } as Record<Name, Answer>) };
}

class Connection {
  readonly traffic: Traffic;
  readonly session: Session;
  readonly #settings: Settings;
  readonly #stop = new AbortController();
  readonly #addresses: Addresses;
  readonly #transport: Transport;
  readonly #sendToEither = createFallback();
  /** Values of the client, not of one request; each row of the table sends the values that it declares. */
  readonly #shared: Values;
  #sent = 0;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings) {
    const { signal } = this.#stop;
    // Each request in flight listens to the signal.
    setMaxListeners(0, signal);
    const { timeoutMs, profile, lang, langalt, currency, authUrl, baseUrl, allowHttp } = settings;
    const { perSecond, concurrency: allowed } = settings.rateLimit ?? {};
    const concurrency = concurrencyOf(settings);
    this.#settings = settings;
    this.#shared = { profile, lang, langalt, currency };
    this.#addresses = {
      authUrl: readServiceAddress(authUrl, 'authUrl', allowHttp),
      baseUrl: readServiceAddress(baseUrl, 'baseUrl', allowHttp),
    };
    this.#transport = createTransport(settings, this.#addresses, concurrency);
    this.traffic = new Traffic({
      ...settings,
      concurrency,
      perSecond,
      signal,
      isConcurrencyKnown: allowed !== undefined,
      probe: () => this.#expectRoot(),
    });
    const { origin } = this.#addresses.authUrl;
    const sender = { traffic: this.traffic, transport: this.#transport, signal, timeoutMs, origin };
    const given = 'token' in settings.credentials ? settings.credentials.token : undefined;
    if (given) registerSecret(given);
    this.session = new Session({
      given,
      tokens: settings.tokens ?? openTokens(settings, sender),
      now: settings.now,
      probe: (token, probe) => this.#probe(token, probe),
    });
  }

  async call<Name extends OperationName, Given extends MaybeValidators = undefined>(
    name: Name,
    own: Values,
    { body: content, first, validators, demand }: CallOptions<Given> = {},
  ): Loaded<{ answer: AnswerOf<Name> }, Given> {
    const values = { ...this.#shared, ...own };
    const body = typeof content === 'object' ? jsonText(content) : content;
    return this.#sendToEither(OPERATIONS[name], first, async (address) => {
      const signals = demand && [demand.signal];
      const request = { name, values, address, body, validators, signals };
      try {
        return await this.traffic.request(createAttempt(this.#settings, this, request), demand);
      } catch (error) {
        throw withContext(error, request, this.#addresses);
      }
    });
  }

  /** Makes one exchange; `order` is its number among all exchanges of the client, from 1. */
  send({ signals = [], ...exchange }: Omit<Exchange, 'timeoutMs'>) {
    return this.traffic.send(async () => {
      const order = ++this.#sent;
      const { timeoutMs } = this.#settings;
      const all = { ...exchange, timeoutMs, signals: [this.#stop.signal, ...signals] };
      return { ...(await this.#transport.send(all)), order };
    });
  }

  close(): Promise<void> {
    this.#stop.abort();
    this.#closed ??= this.session.close().then(() => this.#transport.destroy());
    return this.#closed;
  }

  /** Expects the root of the catalogue, which a live service always answers. */
  async #expectRoot(): Promise<void> {
    const token = await this.session.token();
    const exchange = { name: 'getNodes', values: this.#shared, token, number: 1 } as const;
    const { response, target } = await this.send(exchange);
    readAnswer(OPERATIONS.getNodes, response, target.queryBytes);
  }

  async #probe(token: string, { name, values, address }: Probe) {
    const sentValues = { ...this.#shared, ...values };
    const exchange = { name, values: sentValues, address, token, number: 1 };
    const { response, target, order } = await this.send(exchange);
    const operation: Operation<unknown> = OPERATIONS[name];
    const isRefused = looksLikeDeadToken(operation, response);
    if (!isRefused) readAnswer(operation, response, target.queryBytes);
    return { order, isRefused };
  }
}

/**
 * Makes the function that attempts a request with a token that should be alive. Over all its attempts a request gets
 * at most one new token, and a status that refuses it with a live token is tried once more (D-609).
 */
function createAttempt<Name extends OperationName, Given extends MaybeValidators>(
  { onAnswer, onDrift }: Settings,
  connection: Connection,
  request: Omit<Exchange, 'timeoutMs' | 'number'> & {
    name: Name;
    validators: Given | undefined;
  },
): Attempt<(Body & { answer: AnswerOf<Name> }) | IfGiven<Given>> {
  const { name, values, address, body, validators } = request;
  const { session } = connection;
  const operation = OPERATIONS[name];
  const report =
    onDrift && ((drift: Omit<ServiceDrift, 'operation'>) => onDrift({ operation: name, ...drift }));
  const probe = canProbe(request) ? { name, values, address } : undefined;
  let mayReplaceToken = true;
  let refusals = 0;
  const sendWithToken = async (number: number) => {
    for (;;) {
      const token = await session.token();
      const { response, target, order } = await connection.send({ ...request, token, number });
      const accept = () => session.accept({ token, order }, probe);
      if (!looksLikeDeadToken(operation, response)) return { response, target, accept };
      const state = await session.examine({ token, order });
      if (state === 'alive') refusals += 1;
      if (state !== 'dead' || !mayReplaceToken) return { response, target, accept };
      mayReplaceToken = false;
      await session.replace(token, response.status === 401);
    }
  };
  return async (number, arrived) => {
    const { response, target, accept } = await sendWithToken(number);
    const { bytes, etag, lastModified, status } = response;
    if (status < 400) await arrived(bytes.length);
    await onAnswer?.({ operation: name, values, ...(body && { sent: body }), status, bytes });
    try {
      const notModified = isNotModified(status, validators);
      const answer = notModified || readAnswer(operation, response, target.queryBytes, report);
      accept();
      if (notModified) return { notModified } as IfGiven<Given>;
      return { bytes, etag, lastModified, answer: answer as AnswerOf<Name> };
    } catch (error) {
      throw REFUSALS.has(status) && refusals > 1 ? markLasting(error as Error) : error;
    }
  };
}

/** Whether a request, once answered, is a probe like the root. Images may be served without checking the token. */
function canProbe({ name, values }: Probe): boolean {
  const { method, answer } = OPERATIONS[name];
  const isRoot = name === 'getNodes' && !values.parentnode;
  return method === 'GET' && answer === 'json' && !isRoot;
}

/** Statuses that refuse a request; with a live token the service will refuse it again. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

function isNotModified(status: number, validators: MaybeValidators): boolean {
  if (status !== 304) return false;
  if (Object.keys(conditionsOf(validators)).length > 0) return true;
  const message = 'expected an answer, received "not modified" to a request without conditions';
  throw new ConverterError('RESPONSE_INVALID', message, { status });
}

/** Checks that a value is the JSON of a topmost article: its `id` is its `rootid` (spec 3, rule 3; 4.6). */
function expectTopLevel(article: unknown, operation: OperationName, rootid?: string): void {
  const fail = (code: ErrorCode, message: string) =>
    new ConverterError(code, `${operation}: ${message}`, { operation });
  if (!isRecord(article)) {
    throw fail('CART_INVALID', `expected the JSON of an article, received ${describe(article)}`);
  }
  const [id, root] = ['id', 'rootid'].map((field) => {
    const value = article[field];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') return `${value}`;
    throw fail('CART_INVALID', `${field}: expected an id, received ${describe(value)}`);
  });
  if (id === root && id === (rootid ?? id)) return;
  const received = `${id} of the planning ${rootid ?? root}`;
  throw fail('CHILD_WITHOUT_ROOT', `expected the topmost article, received ${received}`);
}

/** A body as text. Some values cannot be text: an object may contain itself, or be nested too deep for the engine. */
function jsonText(body: JsonRecord): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    const message = 'article: expected an object that can be written as JSON, received another one';
    throw new ConverterError('CART_INVALID', message, { cause });
  }
}
