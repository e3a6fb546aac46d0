/** The cart inbox: stores each cart post of the planning frontend as one file. */
import { join } from 'node:path';
import pLimit from 'p-limit';
import { MAX_CART_VALUES } from '../../convert/wire/value.ts';
import { asConverterError, ConverterError } from '../../support/errors.ts';
import { encodeFileName } from '../../support/file-names.ts';
import { refuseLinksBelow } from '../../support/file-operations.ts';
import {
  exists,
  listFolder,
  makeFolder,
  readText,
  removeStaleTemporaries,
  replaceFile,
  sha256Hex,
  statIfExists,
} from '../../support/files.ts';
import { CHECKS, checkParameters } from '../../support/parameters.ts';
import { type Cart, readCartPost } from './cart.ts';
import { type GatewayServer, Refusal } from './http.ts';
import { jsonAnswer, openServer, SERVER_CHECKS, type ServerOptions } from './server.ts';

/** The store of permanent identifiers, and the source of new ones. */
export interface PermanentIdStore {
  put(permanentid: string, article: unknown): void;
  /** Stores a planning at the service, POST reinit; without it, carts get no new identifier. */
  obtain?: (article: unknown) => Promise<string>;
}

/** The settings of an inbox. */
export interface InboxOptions extends ServerOptions {
  /** Folder of the carts; created if it does not exist. */
  store: string;
  /** @defaultValue {@link INBOX_DEFAULTS} */
  bodyLimitBytes?: number;
  /** Most objects, lists and keys of a cart. @defaultValue {@link INBOX_DEFAULTS} */
  maxValues?: number;
  /** Most files in the store. @defaultValue {@link INBOX_DEFAULTS} */
  maxFiles?: number;
  /** Most bytes in the store. @defaultValue {@link INBOX_DEFAULTS} */
  maxStoreBytes?: number;
  /** Most carts that wait for a permanent identifier; further carts get none. @defaultValue {@link INBOX_DEFAULTS} */
  maxWaiting?: number;
  permanentIds?: PermanentIdStore;
}

/** A cart without its article, which is in the file. */
interface StoredCart extends Pick<Cart, 'id' | 'warnings'> {
  file: string;
  permanentid?: string | undefined;
}

const MEBIBYTE = 1024 * 1024;

/** The defaults of an inbox: a planning of some hundred articles with all values has a few MiB. */
export const INBOX_DEFAULTS = {
  bodyLimitBytes: 8 * MEBIBYTE,
  maxValues: MAX_CART_VALUES,
  maxFiles: 100_000,
  maxStoreBytes: 4096 * MEBIBYTE,
  maxWaiting: 256,
  maxBytesInMemory: 16 * MEBIBYTE,
  maxConnections: 256,
} as const;

const IDENTIFIED_AT_ONCE = 4;

/** Least time between two counts of a full store, which may have become emptier. */
const RECOUNT_MS = 10_000;

/** Path of the address that the frontend gets as `urlwarenkorb`. */
const CART_PATH = '/cart';

/**
 * Opens an inbox.
 *
 * Each cart is `<id>~<hash of its content>.json`, written completely or not at all: the same cart
 * posted twice is one file, and another cart with the same id never replaces it. A web page may post if
 * `origins` lists its origin, or with the secret.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`; `USAGE` if the address cannot be used.
 *
 * @example
 * ```ts
 * const inbox = await openInbox({ store: 'carts', now: Date.now, log });
 * planningUrl({ …, urlwarenkorb: inbox.url });
 * await inbox.close();
 * ```
 *
 * @see Spec 4.6; D-810 to D-813.
 */
export async function openInbox(options: InboxOptions): Promise<GatewayServer> {
  const schema = CHECKS.object.extend({ store: CHECKS.text, ...SERVER_CHECKS });
  checkParameters('openInbox', options, schema, true);
  const limits = { ...INBOX_DEFAULTS, ...options };
  const { store, permanentIds, log, bodyLimitBytes, maxValues } = limits;
  refuseLinksBelow(store);
  await makeFolder(store);
  await removeStaleTemporaries(store);
  const quota = await openQuota(limits);
  const identify = permanentIds && createIdentifier(permanentIds, limits);
  return openServer(limits, {
    path: CART_PATH,
    bodyLimitBytes,
    async answer({ bytes }) {
      const { content, ...cart } = storedForm(bytes, maxValues);
      const { id, file, permanentid, warnings } = cart;
      const isIdentified = permanentid !== undefined || permanentIds?.obtain !== undefined;
      const identifyNow = isIdentified ? identify : undefined;
      await quota.expectSpace(file, content.length, identifyNow !== undefined);
      await replaceFile(join(store, file), content);
      log.info('cart stored', { id, file });
      const stored = { stored: true, id, file, warnings } as const;
      return async () => jsonAnswer({ ...stored, ...(await identifyNow?.(cart)) });
    },
  });
}

/** A cart in the form in which it is stored: objects and texts would take many times its bytes during the write. */
function storedForm(bytes: Uint8Array, maxValues: number) {
  const { article, ...cart } = readCartPost(bytes, maxValues);
  const text = JSON.stringify(article);
  const content = Buffer.allocUnsafeSlow(Buffer.byteLength(text) + 1);
  content.write(text);
  content.write('\n', content.length - 1);
  // 128 bits of the hash: two contents with the same name cannot be made.
  const file = `${encodeFileName(cart.id)}~${sha256Hex(content).slice(0, 32)}.json`;
  return { ...cart, file, content };
}

/**
 * Returns the function that stores the permanent identifier of a stored cart, and requests one if the cart has none. A
 * failure is a warning, or the sender would post the cart again. Only the carts in work are in memory.
 */
function createIdentifier(
  permanentIds: PermanentIdStore,
  { store, maxWaiting, log }: Pick<InboxOptions, 'store' | 'log'> & { maxWaiting: number },
) {
  // Work that does not need the service does not wait for the service.
  const [storing, obtaining] = [pLimit(1), pLimit(IDENTIFIED_AT_ONCE)];
  return async (cart: StoredCart): Promise<Pick<StoredCart, 'permanentid' | 'warnings'>> => {
    const { id, file, permanentid: given, warnings } = cart;
    const queue = given === undefined ? obtaining : storing;
    const identify = async () => {
      const article: unknown = JSON.parse(await readText(join(store, file)));
      const permanentid = given ?? (await permanentIds.obtain!(article));
      permanentIds.put(permanentid, article);
      return permanentid;
    };
    try {
      if (queue.pendingCount >= maxWaiting) {
        const message = `permanentid: expected at most ${maxWaiting} waiting carts, received more`;
        throw new ConverterError('RATE_LIMITED', message);
      }
      return { permanentid: await queue(identify), warnings };
    } catch (thrown) {
      const { code, message } = asConverterError(thrown);
      log.warn('no permanent identifier for a cart', { id, file, code, message });
      return { warnings: [...warnings, `permanentid: none, ${code}`] };
    }
  };
}

async function openQuota({
  store,
  maxFiles,
  maxStoreBytes,
  now,
}: Pick<InboxOptions, 'store' | 'now'> &
  Required<Pick<InboxOptions, 'maxFiles' | 'maxStoreBytes'>>) {
  let countedAt = Number.NEGATIVE_INFINITY;
  let used = { files: 0, bytes: 0 };
  // Identifiers of carts that were stored before: each has a copy of the cart, which is not a file in the store.
  const identified = { files: 0, bytes: 0 };
  const count = async () => {
    const sizes = (await listFolder(store)).map((name) => statIfExists(join(store, name)));
    const bytes = (await Promise.all(sizes)).reduce((sum, facts) => sum + (facts?.bytes ?? 0), 0);
    used = { files: sizes.length, bytes };
    countedAt = now();
  };
  const isFull = (bytes: number) =>
    used.files + identified.files >= maxFiles ||
    used.bytes + identified.bytes + bytes > maxStoreBytes;
  await count();
  return {
    /** Throws a `Refusal` 507 if a new file or identifier of this size exceeds a limit; otherwise counts it. */
    async expectSpace(file: string, bytes: number, isIdentified: boolean): Promise<void> {
      const isKnown = await exists(join(store, file));
      if (isKnown && !isIdentified) return;
      if (isFull(bytes) && now() - countedAt >= RECOUNT_MS) await count();
      if (isFull(bytes))
        throw new Refusal(507, 'the store of carts is full; the cart was not stored');
      const counts = isKnown ? identified : used;
      counts.files += 1;
      counts.bytes += bytes;
    },
  };
}
