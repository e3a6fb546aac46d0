/**
 * Errors: one table of stable codes; a message says where, what was expected, what came.
 *
 * In: a code and a sentence. Out: a {@link ConverterError} whose strings hold no secret.
 * It knows nothing of HTTP, files or the command line beyond the exit code of each row.
 */
import { redact } from './redact.ts';

interface ErrorRow {
  /** Exit code of a run that this error ends; 1 where it only fails an article. */
  exit: 1 | 2 | 3 | 4 | 130;
  /** What the reader can do about it. */
  help: string;
}

/** Every code that the converter reports, with what helps. */
export const ERROR_CODES = {
  USAGE: { exit: 2, help: 'see btg2gltf --help' },
  PIPELINE_INVALID: { exit: 2, help: 'correct the pipeline file at the line named' },
  PIPELINE_VARIABLE_UNSET: { exit: 2, help: 'set the environment variable named' },
  LIST_INVALID: { exit: 2, help: 'correct the article list at the line named' },
  NOTHING_SELECTED: { exit: 2, help: 'widen the selection under articles:' },
  SERVICE_GONE: { exit: 3, help: 'once the service is back, run again: it goes on from here' },
  SERVICE_UNREACHABLE: { exit: 3, help: 'check the address, the network and the certificate' },
  LOGIN_REFUSED: { exit: 3, help: 'check user name, password and application key' },
  TOKEN_DIED: { exit: 3, help: 'set BTG2GLTF_TOKEN to a fresh token, or use a login' },
  AUTH_PROTOCOL: { exit: 3, help: 'check that the authentication address is right' },
  OUTPUT_UNWRITABLE: { exit: 3, help: 'check the rights of the path named, and its disk' },
  FILE_MISSING: { exit: 2, help: 'check the path' },
  FILE_UNREADABLE: { exit: 3, help: 'check the rights of the file and of its folder' },
  OUTPUT_LOCKED: {
    exit: 3,
    help: 'wait for the other run to end, or give --output another folder',
  },
  DISK_FULL: { exit: 3, help: 'free some space and run again: finished work is kept' },
  STATE_INVALID: {
    exit: 3,
    help: 'move the file and those named like it aside and run again, which fills the cache anew; keep them: permanent identifiers are known there alone',
  },
  STATE_LOCKED: {
    exit: 3,
    help: 'wait for what else works with this cache, or give --cache another folder',
  },
  MANIFEST_DAMAGED: { exit: 3, help: 'run again with --repair, which builds those lines anew' },
  STORE_DAMAGED: { exit: 1, help: 'run again with --repair to rebuild it' },
  OUT_OF_TIME: { exit: 130, help: 'run the same command again to go on, or give it more time' },
  INTERRUPTED: { exit: 130, help: 'run the same command again to go on' },
  GATE_REFUSED: { exit: 4, help: 'look at the report; run again with --accept to publish it' },
  MAX_FAILURES: {
    exit: 4,
    help: 'see failures.jsonl; run again once they can succeed, or with --accept to publish the rest',
  },
  ARTICLE_NOT_FOUND: { exit: 1, help: 'check manufacturer, program and base article number' },
  NODE_NOT_FOUND: { exit: 1, help: 'check the id: the catalogue may have changed' },
  ARTICLE_TIMEOUT: { exit: 1, help: 'try again later, or raise limits.articleTimeoutMs' },
  ARTICLE_REPORTED: { exit: 1, help: 'ask the manufacturer about the message' },
  HTTP_STATUS: { exit: 1, help: 'try again later; ask the operator of the service if it stays' },
  HTTP_TIMEOUT: { exit: 1, help: 'try again later, or raise service.timeoutMs' },
  HTTP_CONNECTION: { exit: 1, help: 'try again later; check the network' },
  RESPONSE_TOO_LARGE: { exit: 1, help: 'raise service.maxResponseBytes if the size is real' },
  RESPONSE_INVALID: {
    exit: 1,
    help: 'try again later; ask the operator of the service if it stays',
  },
  QUERY_TOO_LONG: { exit: 1, help: 'the service refuses queries of this length' },
  REDIRECT_REFUSED: { exit: 1, help: 'the service may not send us to another host' },
  PERMANENT_ID_NOT_RESOLVABLE: {
    exit: 1,
    help: 'store its planning in this cache first (btg2gltf inbox), or choose it by its cart',
  },
  CART_INVALID: { exit: 1, help: 'store the complete top-level article, as the cart post has it' },
  CHILD_WITHOUT_ROOT: { exit: 1, help: 'choose the planning by its top-level article' },
  PROPERTY_UNKNOWN: { exit: 1, help: 'see btg2gltf catalogue show for the properties' },
  PROPERTY_VALUE_REFUSED: { exit: 1, help: 'see btg2gltf catalogue show for the allowed values' },
  PROPERTY_NOT_ENUMERABLE: { exit: 1, help: 'name its values under values: instead of each:' },
  PARTS_LIST_INVALID: { exit: 1, help: 'ask the manufacturer about this article' },
  NODE_TYPE_UNKNOWN: { exit: 1, help: 'keep such nodes as groups: unknownNodes: group' },
  PARTS_LIST_TOO_DEEP: { exit: 1, help: 'raise the limit of nesting if the depth is real' },
  NOTHING_TO_DRAW: { exit: 1, help: 'ask the manufacturer about this article' },
  BLOCK_MISSING: { exit: 1, help: 'ask the manufacturer, or use --allow-missing-parts' },
  BLOCK_INVALID: { exit: 1, help: 'ask the manufacturer, or use --allow-missing-parts' },
  BLOCK_EMPTY: { exit: 1, help: 'ask the manufacturer about this block' },
  RESOURCE_MISSING: { exit: 1, help: 'check the path: the catalogue may have changed' },
  RESOURCE_REFUSED: { exit: 1, help: 'ask the manufacturer about this resource' },
  IMAGE_MISSING: { exit: 1, help: 'ask the manufacturer about this image' },
  IMAGE_REFUSED: { exit: 1, help: 'ask the manufacturer about this image reference' },
  IMAGE_UNREADABLE: { exit: 1, help: 'ask the manufacturer, or use --allow-missing-parts' },
  LOSSES_REFUSED: { exit: 1, help: 'accept the losses: strict: false' },
  SNAPSHOT_MISSING: { exit: 1, help: 'run btg2gltf fetch first' },
  RECORDING_INVALID: { exit: 2, help: 'correct the recording at the file named' },
  INTERNAL: { exit: 1, help: 'please report this with the message' },
} as const satisfies Record<string, ErrorRow>;

/** A stable code: match on this, never on the text. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether a text, such as one that was stored, is a code of ours. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

/** Where an error happened. */
export interface ErrorContext {
  /** Operation of the service, such as `getBlock`. */
  operation?: string;
  /** `MANUFACTURER/PROGRAM/base number` of the article concerned. */
  article?: string;
  /** Redacted when stored. */
  url?: string;
  /** HTTP status. */
  status?: number;
  cause?: unknown;
}

/**
 * An error that someone can act on.
 *
 * @example
 * ```ts
 * throw new ConverterError('PARTS_LIST_INVALID', 'btg[0].offs[1]: expected a finite number, received string "abc"');
 * ```
 */
export class ConverterError extends Error {
  override readonly name = 'ConverterError';
  readonly code: ErrorCode;
  readonly operation: string | undefined;
  readonly article: string | undefined;
  readonly url: string | undefined;
  readonly status: number | undefined;

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}) {
    super(redact(message), context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    this.operation = context.operation;
    this.article = context.article;
    this.url = context.url === undefined ? undefined : redact(context.url);
    this.status = context.status;
  }
}

/** Whether a thrown value is one of ours, with one of the given codes where any are given. */
export function isConverterError(error: unknown, ...codes: ErrorCode[]): error is ConverterError {
  return error instanceof ConverterError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * Whether a code ends a run, rather than failing the one article that met it.
 *
 * @example
 * ```ts
 * endsRun('DISK_FULL');       // → true
 * endsRun('BLOCK_MISSING');   // → false
 * ```
 */
export function endsRun(code: ErrorCode): boolean {
  return ERROR_CODES[code].exit !== 1;
}

/** Wraps anything thrown as a {@link ConverterError}; ours pass through. */
export function asConverterError(error: unknown, code: ErrorCode = 'INTERNAL'): ConverterError {
  if (error instanceof ConverterError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ConverterError(code, message, { cause: error });
}
