/**
 * Inbox: the receiver of cart posts.
 *
 * In: posts of the planning frontend. Out: one file a cart in the store, and an answer in JSON.
 * It must not reconfigure anything, nor write anywhere but in its store and its ledger.
 */
import { join } from 'node:path';
import { asConverterError } from '../support/errors.ts';
import {
  encodeFileName,
  makeFolder,
  removeStaleTemporaries,
  replaceFile,
  sha256Hex,
} from '../support/files.ts';
import type { Logger } from '../support/log.ts';
import { type Cart, readCartPost } from './cart.ts';
import { type Door, type DoorOptions, jsonAnswer, openDoor } from './door.ts';

/** Where permanent identifiers go, and where new ones come from. */
export interface PlanningLedger {
  /** Keeps the planning behind an identifier. */
  put(permanentid: string, article: unknown): void;
  /** Stores a planning at the service, POST reinit; undefined: carts get no identifier. */
  obtain?: (article: unknown) => Promise<string>;
}

/** How an inbox is set up. */
export interface InboxOptions extends DoorOptions {
  /** Folder of the stored carts; made where there is none. */
  store: string;
  /** @defaultValue {@link INBOX_DEFAULTS} */
  bodyLimitBytes?: number;
  ledger?: PlanningLedger;
}

/** What the sender of a cart is told. */
export interface InboxAnswer {
  stored: true;
  id: string;
  /** Name of the file in the store. */
  file: string;
  permanentid?: string;
  warnings: string[];
}

/** The defaults of an inbox. */
export const INBOX_DEFAULTS = {
  /** A planning of some hundred articles with all their values has a few MiB. */
  bodyLimitBytes: 16 * 1024 * 1024,
} as const;

/** Path of the address that is handed to the frontend as `urlwarenkorb`. */
export const CART_PATH = '/cart';

/** The rest of the name tells contents apart: 128 bits cannot be made to agree. */
const HASH_DIGITS = 32;

/**
 * Opens an inbox.
 *
 * Each cart is `<id>~<hash of its content>.json`, written whole or not at all: the same cart posted
 * twice is one file, and another cart with the same id never replaces it. Pages of any origin may
 * post, unless `origins` lists some.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`; the system's error where it cannot listen.
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
export async function openInbox(options: InboxOptions): Promise<Door> {
  const { store, ledger, log } = options;
  await makeFolder(store);
  await removeStaleTemporaries(store);
  return openDoor(
    { origins: 'any', ...options },
    {
      path: CART_PATH,
      bodyLimitBytes: options.bodyLimitBytes ?? INBOX_DEFAULTS.bodyLimitBytes,
      async answer({ bytes }) {
        const cart = readCartPost(bytes);
        const file = await storeCart(store, cart);
        log.info('cart stored', { id: cart.id, file });
        return jsonAnswer(await remember(cart, file, ledger, log));
      },
    },
  );
}

async function storeCart(store: string, { article, id }: Cart): Promise<string> {
  const text = `${JSON.stringify(article)}\n`;
  const file = `${encodeFileName(id)}~${sha256Hex(text).slice(0, HASH_DIGITS)}.json`;
  await replaceFile(join(store, file), text);
  return file;
}

/** The cart is stored by now: whatever fails here is a warning, or the sender would post it again. */
async function remember(
  { article, id, permanentid: carried, warnings }: Cart,
  file: string,
  ledger: PlanningLedger | undefined,
  log: Logger,
): Promise<InboxAnswer> {
  const answer: InboxAnswer = { stored: true, id, file, warnings };
  if (ledger === undefined) return answer;
  try {
    const permanentid = carried ?? (await ledger.obtain?.(article));
    if (permanentid === undefined) return answer;
    ledger.put(permanentid, article);
    return { ...answer, permanentid };
  } catch (thrown) {
    const { code, message } = asConverterError(thrown);
    log.warn('no permanent identifier for a cart', { id, file, code, message });
    return { ...answer, warnings: [...warnings, `permanentid: none, ${code}`] };
  }
}
