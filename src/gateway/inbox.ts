/** The cart inbox: stores each cart post of the planning frontend as one file. */
import { join } from 'node:path';
import { asConverterError } from '../support/errors.ts';
import { encodeFileName } from '../support/file-names.ts';
import { makeFolder, removeStaleTemporaries, replaceFile, sha256Hex } from '../support/files.ts';
import type { Logger } from '../support/log.ts';
import { CHECKS, checkParameters, required } from '../support/parameters.ts';
import { type Cart, readCartPost } from './cart.ts';
import {
  type GatewayServer,
  jsonAnswer,
  openServer,
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
  permanentIds?: PermanentIdStore;
}

/** The answer to a cart post; `file` is the name of the file in the store. */
interface InboxAnswer extends Pick<Cart, 'id' | 'warnings'> {
  stored: true;
  file: string;
  permanentid?: string;
}

/** The defaults of an inbox: a planning of some hundred articles with all values has a few MiB. */
export const INBOX_DEFAULTS = { bodyLimitBytes: 16 * 1024 * 1024 } as const;

/** Path of the address that the frontend gets as `urlwarenkorb`. */
const CART_PATH = '/cart';

/**
 * Opens an inbox.
 *
 * Each cart is `<id>~<hash of its content>.json`, written completely or not at all: the same cart
 * posted twice is one file, and another cart with the same id never replaces it. Pages of any origin
 * may post, unless `origins` lists some.
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
  const { store, permanentIds, log, bodyLimitBytes = INBOX_DEFAULTS.bodyLimitBytes } = options;
  await makeFolder(store);
  await removeStaleTemporaries(store);
  return openServer(
    { origins: 'any', ...options },
    {
      path: CART_PATH,
      bodyLimitBytes,
      async answer({ bytes }) {
        const cart = readCartPost(bytes);
        const text = `${JSON.stringify(cart.article)}\n`;
        // 128 bits of the hash: no two contents can be made to agree.
        const file = `${encodeFileName(cart.id)}~${sha256Hex(text).slice(0, 32)}.json`;
        await replaceFile(join(store, file), text);
        log.info('cart stored', { id: cart.id, file });
        return jsonAnswer(await answerTo(cart, file, permanentIds, log));
      },
    },
  );
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
