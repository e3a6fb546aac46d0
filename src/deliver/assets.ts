/** Files of exactly the configuration that is asked for, made when they are asked for: as a run makes them, in its cache. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArticleKey } from '../model/article.ts';
import { configurationLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { ConfigurationRequest } from '../run/on-demand-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { OpenSharedStore } from '../run/open/shared-store.ts';
import { type Published, publishedIn } from '../run/output/published.ts';
import {
  asConverterError,
  ConverterError,
  type ErrorCode,
  isConverterError,
} from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import { type AssetForm, makerOf } from './asset-forms.ts';
import { AssetSession, type MadeAsset, type Steps } from './asset-session.ts';
import { type KeptAsset, KeptAssets } from './kept-assets.ts';
import { type FindPublished, publishedMasters } from './pictures/published-masters.ts';
import { createSharedWork, type SharedWork } from './pictures/shared-work.ts';

/** A file of a configuration, and how it came about. */
export interface Asset extends KeptAsset {
  /** How long each step took for it, milliseconds; missing if it was made before. */
  steps?: Steps;
  /** Why the service could not be asked again, though it is time. */
  stale?: { code: ErrorCode; message: string };
}

/** Makes files of configurations. */
export interface Assets {
  /**
   * Makes a file, unless it was made before. Equal calls at the same time share it.
   *
   * @param how - `signal` ends the call: what has begun goes on, for the next one. `beforeMaking` is called before a file is made
   *   or the service asked, for the first of equal calls; it may throw, to refuse.
   * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`, also for an article that the pipeline does not select; `PROPERTY_UNKNOWN`,
   *   `PROPERTY_VALUE_REFUSED`, `CONFIGURATION_REFUSED`, `PERMANENT_ID_NOT_RESOLVABLE`; `NOTHING_TO_DRAW` for an article
   *   without parts; `USAGE` for an unknown profile or camera, a profile of several files, and a configuration that is named in
   *   two ways; `RATE_LIMITED` while too many are made; any other code that fails an article or a delivery.
   */
  asset(
    request: ConfigurationRequest,
    form: AssetForm,
    how?: { signal?: AbortSignal | undefined; beforeMaking?: () => void },
  ): Promise<Asset>;
  /** A file that was made before and need not be renewed. */
  known(request: ConfigurationRequest, form: AssetForm): Promise<Asset | undefined>;
  /** As {@link asset}, of the GLB that a run has published, without the service; undefined if none has. */
  published(...asked: Parameters<Assets['asset']>): Promise<Asset | undefined>;
  /** A file that was made, by its digest; undefined if it is gone. */
  object(sha256: Digest, form: string): Promise<Pick<Asset, 'bytes' | 'mimeType'> | undefined>;
  close(): Promise<void>;
}

export interface AssetsOptions {
  /** How long an answer of the service is used before it is asked again, milliseconds. @defaultValue 600000 */
  resolveMaxAgeMs?: number;
}

/** What a pipeline with `store:` needs: the wing above brings it. */
interface AssetsStore {
  open: OpenSharedStore;
  published: Published;
}

const RESOLVE_MAX_AGE_MS = 600_000;

/** Files that are made at the same time, and those that may wait for that. */
const MADE_AT_ONCE = 4;
const MOST_WAITING = 64;

/** After the service has given up, or refused a login, it is asked again, milliseconds. */
const RETRIED_AFTER_MS = 10_000;
/** Errors of the service, or of the way to it: what was made before is still good. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set([
  ...(['SERVICE_GONE', 'SERVICE_UNREACHABLE', 'RATE_LIMITED', 'LOGIN_REFUSED'] as const),
  ...(['TOKEN_DIED', 'AUTH_PROTOCOL', 'HTTP_STATUS', 'HTTP_TIMEOUT', 'HTTP_CONNECTION'] as const),
  ...(['RESPONSE_INVALID', 'RESPONSE_TOO_LARGE', 'ARTICLE_TIMEOUT', 'DISK_FULL'] as const),
]);

/** After these, a session with the service answers no more; what could not be stored, it does not load again. */
const ENDED: ReadonlySet<ErrorCode> = new Set([
  ...(['SERVICE_GONE', 'TOKEN_DIED', 'LOGIN_REFUSED', 'DISK_FULL'] as const),
]);

/** Whether the service is no longer available: what was not made before cannot be made now. */
export function isUnavailable(code: ErrorCode): boolean {
  return UNAVAILABLE.has(code);
}

/**
 * Opens what makes files of any configuration of the articles that a pipeline selects. What is made stays in the cache of the
 * pipeline, by last use, where a run finds it; nothing is published. With a store, several machines have it together: what one
 * makes is there for all, and one of them makes it.
 *
 * @param store - For a pipeline with `store:`.
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `STATE_INVALID`.
 * @example
 * ```ts
 * const assets = await openAssets(pipeline, environment);
 * const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M', values: { DEKOR: 'EI' } };
 * await assets.asset(desk, { form: 'usdz' });   // → { name: 'LN-M-V.EI….usdz', mimeType: 'model/vnd.usdz+zip', bytes, … }
 * ```
 */
export async function openAssets(
  pipeline: Pipeline,
  environment: RunEnvironment,
  { resolveMaxAgeMs = RESOLVE_MAX_AGE_MS }: AssetsOptions = {},
  store?: AssetsStore,
): Promise<Assets> {
  const { now } = environment;
  const once = createSharedWork<Asset>(MADE_AT_ONCE, MOST_WAITING, 'too many files are being made');
  const shared = await store?.open(pipeline, environment);
  const kept = await KeptAssets.open(pipeline, environment, shared);
  const open = () => AssetSession.open(pipeline, environment, store?.open);
  const find = publishedMasters(store?.published ?? publishedIn(pipeline.outputDir, now));
  return new OpenAssets({
    ...{ once, kept, environment, resolveMaxAgeMs },
    sessions: new Sessions(open, environment, resolveMaxAgeMs),
    ofPublished: new OfPublished({ open, find, kept, once, now }),
    allow: allowedBy(pipeline, find),
  });
}

interface AssetsParts {
  once: SharedWork<Asset>;
  kept: KeptAssets;
  sessions: Sessions;
  ofPublished: OfPublished;
  /** Throws if a configuration must not be made. */
  allow: (key: ArticleKey) => Promise<void>;
  environment: RunEnvironment;
  resolveMaxAgeMs: number;
}

class OpenAssets implements Assets {
  readonly #parts: AssetsParts;
  readonly #never = new AbortController().signal;
  #isClosed = false;

  constructor(parts: AssetsParts) {
    this.#parts = parts;
    // Each call that waits listens to it.
    setMaxListeners(0, this.#never);
  }

  async asset(...[request, form, how = {}]: Parameters<Assets['asset']>): Promise<Asset> {
    this.#refuseIfClosed();
    const { kept, once, sessions, allow, environment } = this.#parts;
    const { signal = this.#never, beforeMaking } = how;
    const maker = makerOf(form);
    const name = nameOf(request, form);
    const known = await kept.find(name);
    if (known !== undefined && this.#isCurrent(known)) return known;
    const make = () =>
      kept.makeOnce(name, this.#isCurrent, async () => {
        sessions.throwIfRefused();
        beforeMaking?.();
        return sessions.make(request, form, maker, allow);
      });
    if (known !== undefined)
      return renewed(known, once(name, signal, make), signal, environment.log);
    return once(name, signal, () =>
      make().catch((thrown: unknown) => this.#ofPublished(request, form, thrown)),
    );
  }

  async known(request: ConfigurationRequest, form: AssetForm): Promise<Asset | undefined> {
    this.#refuseIfClosed();
    const known = await this.#parts.kept.find(nameOf(request, form));
    return known && this.#isCurrent(known) ? known : undefined;
  }

  async published(
    ...[request, form, { signal = this.#never, beforeMaking } = {}]: Parameters<Assets['asset']>
  ): Promise<Asset | undefined> {
    this.#refuseIfClosed();
    return this.#parts.ofPublished.asset(request, form, signal, beforeMaking);
  }

  object(...named: Parameters<Assets['object']>) {
    return this.#parts.kept.object(...named);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { sessions, ofPublished, kept } = this.#parts;
    await sessions.close();
    await ofPublished.close();
    kept.close();
  }

  /** What is published, where the service is not available. @throws `thrown` if that is another error, or nothing is. */
  async #ofPublished(
    request: ConfigurationRequest,
    form: AssetForm,
    thrown: unknown,
  ): Promise<Asset> {
    const { ofPublished, environment, resolveMaxAgeMs } = this.#parts;
    const { code, message } = asConverterError(thrown);
    const made = isUnavailable(code) && (await ofPublished.make(request, form));
    if (!made) throw thrown;
    // Too old to be used again.
    const resolvedAtMs = environment.now() - resolveMaxAgeMs;
    return { ...made, resolvedAtMs, stale: { code, message } };
  }

  #isCurrent = ({ resolvedAtMs }: KeptAsset): boolean => {
    const { environment, resolveMaxAgeMs } = this.#parts;
    return environment.now() < resolvedAtMs + resolveMaxAgeMs;
  };

  #refuseIfClosed(): void {
    if (this.#isClosed)
      throw new ConverterError('USAGE', 'asset: expected open assets, received closed');
  }
}

const nameOf = (request: ConfigurationRequest, form: AssetForm) => JSON.stringify([request, form]);

/** What was made before is sent if it is not renewed within this time, milliseconds. */
const RENEWED_WITHIN_MS = 1000;

/** What was made before, made anew if the service answers soon; if not, the work goes on for the next request. */
async function renewed(
  known: KeptAsset,
  making: Promise<Asset>,
  signal: AbortSignal,
  log: Logger,
): Promise<Asset> {
  const stop = new AbortController();
  const late = sleep(RENEWED_WITHIN_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    const first = await Promise.race([making, late]);
    if (first !== undefined) return first;
    making.catch(() => {});
    const message = 'the service has not answered yet';
    return { ...known, stale: { code: 'HTTP_TIMEOUT', message } };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = asConverterError(thrown);
    // What is not so any more is an error; that of a caller who refuses has no code.
    if (isConverterError(thrown) && !isUnavailable(code)) throw thrown;
    log.warn('what was made before is not renewed', { code, message });
    return { ...known, stale: { code, message } };
  } finally {
    stop.abort();
  }
}

interface OfPublishedOptions {
  open: () => Promise<AssetSession>;
  find: FindPublished;
  kept: KeptAssets;
  once: SharedWork<Asset>;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Makes files of the GLBs that runs have published, without the service. */
class OfPublished {
  readonly #options: OfPublishedOptions;
  #session: Promise<AssetSession> | undefined;

  constructor(options: OfPublishedOptions) {
    this.#options = options;
  }

  /** Makes a file, unless it was made before. @returns Undefined if no run has published the GLB. */
  async asset(
    request: ConfigurationRequest,
    form: AssetForm,
    signal: AbortSignal,
    beforeMaking: (() => void) | undefined,
  ): Promise<Asset | undefined> {
    const { kept, once, now } = this.#options;
    const found = await this.#find(request, form);
    if (found === undefined) return undefined;
    const name = JSON.stringify(['published', found.id, found.sha256, form]);
    const make = async () => {
      beforeMaking?.();
      return { ...(await this.#make(found, form)), resolvedAtMs: now(), steps: {} };
    };
    return (
      (await kept.find(name)) ?? once(name, signal, () => kept.makeOnce(name, () => true, make))
    );
  }

  /** Makes a file. @returns Undefined if no run has published the GLB. */
  async make(request: ConfigurationRequest, form: AssetForm): Promise<MadeAsset | undefined> {
    const found = await this.#find(request, form);
    return found && this.#make(found, form);
  }

  /** The GLB that is published of a request by numbers, or of the default configuration; undefined if there is none. */
  async #find({ values = {}, permanentid = '', ...named }: ConfigurationRequest, form: AssetForm) {
    const { kind } = makerOf(form);
    const isOfGlb = kind === 'master' || kind === 'delivery';
    if (!isOfGlb || Object.keys(values).length > 0 || permanentid !== '') return undefined;
    const strings = { finalarticlenumber: '', reinitstring: '', metareinitstring: '' };
    const { master } = await this.#options.find({ ...strings, ...named });
    return master?.id && { id: master.id, sha256: master.sha256, read: master.read };
  }

  async #make(
    { id, read }: { id: ArticleKey; read(): Promise<Uint8Array> },
    form: AssetForm,
  ): Promise<MadeAsset> {
    const session = await this.#opened();
    return session.makeOfPublished(id, await read(), form);
  }

  async close(): Promise<void> {
    await (await this.#session?.catch(() => undefined))?.close();
  }

  #opened(): Promise<AssetSession> {
    if (this.#session === undefined) {
      this.#session = this.#options.open();
      this.#session.catch(() => {
        this.#session = undefined;
      });
    }
    return this.#session;
  }
}

/** Refuses configurations that are not published, where only those are allowed. */
function allowedBy({ assets }: Pipeline, find: FindPublished) {
  if (assets.configurations === 'any') return async () => {};
  return async (key: ArticleKey) => {
    const { master } = await find(key);
    if (master !== undefined) return;
    throw notPublished(key);
  };
}

function notPublished(key: ArticleKey): ConverterError {
  const message = `${configurationLabel(key)}: expected a configuration that is published, received another`;
  return new ConverterError('ARTICLE_NOT_FOUND', message);
}

/** Sessions with the service, one after the other: a new one asks it again, while the former ends what it does. */
class Sessions {
  readonly #open: () => Promise<AssetSession>;
  readonly #environment: RunEnvironment;
  readonly #maxAgeMs: number;
  #current: { session: SharedSession; openedAtMs: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #refusal: { error: unknown; untilMs: number } | undefined;
  readonly #closing = new Set<Promise<void>>();

  constructor(open: () => Promise<AssetSession>, environment: RunEnvironment, maxAgeMs: number) {
    this.#open = open;
    this.#environment = environment;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Makes a file by the current session. @param allow - See `AssetSession`. */
  async make(...[request, form, maker, allow]: Parameters<AssetSession['make']>): Promise<Asset> {
    const current = this.#session();
    const { asset, steps } = await current.session.during(async (opened) => {
      try {
        return await opened.make(request, form, maker, allow);
      } catch (thrown) {
        const isOver = opened.hasFailed || ENDED.has(asConverterError(thrown).code);
        if (isOver) this.#giveUp(current, thrown);
        throw thrown;
      }
    });
    return { ...asset, resolvedAtMs: current.openedAtMs, steps };
  }

  /** @throws what the last attempt threw, for some seconds. */
  throwIfRefused(): void {
    const { error, untilMs } = this.#refusal ?? { untilMs: 0 };
    if (this.#environment.now() < untilMs) throw error;
  }

  #session() {
    this.throwIfRefused();
    const now = this.#environment.now();
    if (this.#current !== undefined && now < this.#current.openedAtMs + this.#maxAgeMs)
      return this.#current;
    this.#end();
    const session = new SharedSession(this.#open());
    const current = { session, openedAtMs: now };
    session.whenOpen.catch((error: unknown) => this.#giveUp(current, error));
    this.#current = current;
    // An open session has a part of the limits of the service, which others may need.
    this.#timer = setTimeout(() => this.#end(), this.#maxAgeMs).unref();
    return current;
  }

  /** After some seconds another session is opened, since this one has ended: a login is not tried for each request. */
  #giveUp(given: { session: SharedSession }, error: unknown): void {
    if (this.#current?.session !== given.session) return;
    this.#refusal = { error, untilMs: this.#environment.now() + RETRIED_AFTER_MS };
    this.#end();
  }

  async close(): Promise<void> {
    this.#end();
    await Promise.all(this.#closing);
  }

  #end(): void {
    const former = this.#current;
    this.#current = undefined;
    clearTimeout(this.#timer);
    if (former === undefined) return;
    const ended = former.session.close().finally(() => this.#closing.delete(ended));
    this.#closing.add(ended);
    ended.catch((error: Error) => this.#environment.log.warn(error.message));
  }
}

/** A session that is closed once all has ended that it does. */
class SharedSession {
  readonly whenOpen: Promise<AssetSession>;
  readonly #working = new Set<Promise<unknown>>();

  constructor(whenOpen: Promise<AssetSession>) {
    this.whenOpen = whenOpen;
  }

  async during<T>(work: (session: AssetSession) => Promise<T>): Promise<T> {
    const working = this.whenOpen.then(work);
    this.#working.add(working);
    try {
      return await working;
    } finally {
      this.#working.delete(working);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#working);
    await (await this.whenOpen.catch(() => undefined))?.close();
  }
}
