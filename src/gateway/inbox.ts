/** The cart inbox: stores each cart post of the planning frontend as one file. */
import { join } from 'node:path';
import { asConverterError } from '../support/errors.ts';
import { encodeFileName } from '../support/file-names.ts';
import {
  exists,
  listFolder,
  makeFolder,
  removeStaleTemporaries,
  replaceFile,
  sha256Hex,
  statIfExists,
} from '../support/files.ts';
import type { Logger } from '../support/log.ts';
import { CHECKS, checkParameters, required } from '../support/parameters.ts';
import { type Cart, readCartPost } from './cart.ts';
import {
  type GatewayServer,
  jsonAnswer,
  openServer,
  Refusal,
  SERVER_CHECKS,
  type ServerOptions,
} from './server.ts';

/** Where permanent identifiers are stored, and where new ones come from. */
export interface PermanentIdStore {
  /** Stores the planning of an identifier. */
  put(permanentid: string, article: unknown): void;
  /** Stores a planning at the service, POST reinit; undefined: carts get no new identifier. */
  obtain?: (article: unknown) => Promise<string>;
}

/** The settings of an inbox. */
export interface InboxOptions extends ServerOptions {
  /** Folder of the carts; created if it does not exist. */
  store: string;
  /** @defaultValue {@link INBOX_DEFAULTS} */
  bodyLimitBytes?: number;
  /** Most files in the store. @defaultValue {@link INBOX_DEFAULTS} */
  maxFiles?: number;
  /** Most bytes in the store. @defaultValue {@link INBOX_DEFAULTS} */
  maxStoreBytes?: number;
  permanentIds?: PermanentIdStore;
}

/** The answer to a cart post; `file` is the name of the file in the store. */
interface InboxAnswer extends Pick<Cart, 'id' | 'warnings'> {
  stored: true;
  file: string;
  permanentid?: string;
}

const MEBIBYTE = 1024 * 1024;

/** The defaults of an inbox: a planning of some hundred articles with all values has a few MiB. */
export const INBOX_DEFAULTS = {
  bodyLimitBytes: 16 * MEBIBYTE,
  maxFiles: 100_000,
  maxStoreBytes: 4096 * MEBIBYTE,
} as const;

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
  checkParameters('openInbox', options, { store: required(CHECKS.text), ...SERVER_CHECKS }, true);
  const { store, permanentIds, log, bodyLimitBytes } = { ...INBOX_DEFAULTS, ...options };
  await makeFolder(store);
  await removeStaleTemporaries(store);
  const quota = await openQuota({ ...INBOX_DEFAULTS, ...options });
  return openServer(options, {
    path: CART_PATH,
    bodyLimitBytes,
    async answer({ bytes }) {
      const cart = readCartPost(bytes);
      const text = `${JSON.stringify(cart.article)}\n`;
      // 128 bits of the hash: no two contents can be made to agree.
      const file = `${encodeFileName(cart.id)}~${sha256Hex(text).slice(0, 32)}.json`;
      await quota.expectSpace(file, Buffer.byteLength(text));
      await replaceFile(join(store, file), text);
      log.info('cart stored', { id: cart.id, file });
      return jsonAnswer(await answerTo(cart, file, permanentIds, log));
    },
  });
}

/** The cart is stored by now: a later failure is a warning, or the sender would post the cart again. */
async function answerTo(
  { article, id, permanentid: given, warnings }: Cart,
  file: string,
  permanentIds: PermanentIdStore | undefined,
  log: Logger,
): Promise<InboxAnswer> {
  const answer: InboxAnswer = { stored: true, id, file, warnings };
  try {
    const permanentid = given ?? (await permanentIds?.obtain?.(article));
    if (permanentIds === undefined || permanentid === undefined) return answer;
    permanentIds.put(permanentid, article);
    return { ...answer, permanentid };
  } catch (thrown) {
    const { code, message } = asConverterError(thrown);
    log.warn('no permanent identifier for a cart', { id, file, code, message });
    return { ...answer, warnings: [...warnings, `permanentid: none, ${code}`] };
  }
}

/** Counts the files of a store, and refuses more than the limits of the options. */
async function openQuota({
  store,
  maxFiles,
  maxStoreBytes,
  now,
}: Pick<InboxOptions, 'store' | 'now'> &
  Required<Pick<InboxOptions, 'maxFiles' | 'maxStoreBytes'>>) {
  let countedAt = Number.NEGATIVE_INFINITY;
  let used = { files: 0, bytes: 0 };
  const count = async () => {
    const sizes = (await listFolder(store)).map((name) => statIfExists(join(store, name)));
    const bytes = (await Promise.all(sizes)).reduce((sum, facts) => sum + (facts?.bytes ?? 0), 0);
    used = { files: sizes.length, bytes };
    countedAt = now();
  };
  const isFull = (bytes: number) => used.files >= maxFiles || used.bytes + bytes > maxStoreBytes;
  await count();
  return {
    /** Throws a `Refusal` 507 if a new file of so many bytes exceeds a limit; otherwise counts it. */
    async expectSpace(file: string, bytes: number): Promise<void> {
      if (await exists(join(store, file))) return;
      if (isFull(bytes) && now() - countedAt >= RECOUNT_MS) await count();
      if (isFull(bytes))
        throw new Refusal(507, 'the store of carts is full; the cart was not stored');
      used = { files: used.files + 1, bytes: used.bytes + bytes };
    },
  };
}
