/** Errors: a stable code, a sentence "where: expected …, received …", and in the table an action that helps. */
import { redact, registerSentences } from './redact.ts';
import { cutText, TEXT_LIMITS } from './text-limits.ts';
import { visible } from './visible.ts';

interface ErrorRow {
  /** Exit code of a run that this error ends; 1 if the error fails one article only. */
  exit: 1 | 2 | 3 | 4 | 130;
  /** An action of the user, as the second half of a sentence. */
  help: string;
}

const ASK_MANUFACTURER = 'report it to the manufacturer of the article';
const ASK_OPERATOR =
  'try again later; if it happens again, report it to the operator of the service';
const ASK_OR_OMIT = 'report it to the manufacturer, or use --allow-missing-parts';

/** Every error code with its exit code and the action that helps. */
export const ERROR_CODES = {
  USAGE: { exit: 2, help: 'for help, run btg2gltf --help or btg2gltf COMMAND --help' },
  PIPELINE_INVALID: { exit: 2, help: 'correct the file; the message names the lines' },
  PIPELINE_VARIABLE_UNSET: { exit: 2, help: 'set what is missing, such as with export NAME=value' },
  LIST_INVALID: {
    exit: 2,
    help: 'correct this list; if it is the wrong file, name another one in the pipeline file',
  },
  NOTHING_SELECTED: { exit: 2, help: 'check --only, and articles: in the pipeline file' },
  SERVICE_GONE: { exit: 3, help: 'run again when the service is available: the run continues' },
  RATE_LIMITED: {
    exit: 3,
    help: 'run again later: the run continues; lower service.rateLimit, or raise service.maxTotalPauseMs',
  },
  SERVICE_UNREACHABLE: {
    exit: 3,
    help: 'check BTG2GLTF_AUTH_URL, BTG2GLTF_BASE_URL and the network, and check that the service runs; if all is right, try again later',
  },
  LOGIN_REFUSED: {
    exit: 3,
    help: 'check BTG2GLTF_USERNAME and BTG2GLTF_PASSWORD; if you have an application key, also BTG2GLTF_APP_KEY',
  },
  TOKEN_DIED: {
    exit: 3,
    help: 'set BTG2GLTF_TOKEN to a new token, or unset it and set BTG2GLTF_USERNAME and BTG2GLTF_PASSWORD; also check BTG2GLTF_BASE_URL',
  },
  AUTH_PROTOCOL: { exit: 3, help: 'check the address of the authentication server' },
  OUTPUT_UNWRITABLE: {
    exit: 3,
    help: 'check the permissions of the path, and that its disk can be written',
  },
  FILE_MISSING: { exit: 2, help: 'check the path' },
  FILE_UNREADABLE: { exit: 3, help: 'check the permissions of the file and of its folder' },
  LINK_REFUSED: {
    exit: 3,
    help: 'find out who made it and remove it; only the outermost folder that you named may be a link',
  },
  OUTPUT_LOCKED: { exit: 3, help: 'wait until the other run ends, or choose another --output' },
  QUEUE_UNREACHABLE: {
    exit: 3,
    help: 'check BTG2GLTF_QUEUE_URL, the network, and that the server of the queue runs; then run again: the run continues',
  },
  QUEUE_REFUSED: {
    exit: 3,
    help: 'check user, password, database and rights of BTG2GLTF_QUEUE_URL, and the version of the server',
  },
  WORKER_REFUSED: {
    exit: 2,
    help: 'start the worker with the version and the pipeline file of the coordinator, and synchronise the clocks of all machines',
  },
  WORKERS_CRASHED: {
    exit: 3,
    help: 'find out what kills the workers, such as a lack of memory: give the machine more, or lower --workers; then start them again',
  },
  DISK_FULL: { exit: 3, help: 'free disk space and run again: finished work is kept' },
  STATE_INVALID: {
    exit: 3,
    help: 'move state.db and the files whose names begin with it to a safe place and run again, which fills the cache again; keep the moved files: only they have the permanent identifiers and the failure history',
  },
  STATE_LOCKED: { exit: 3, help: 'wait until the other program ends, or choose another --cache' },
  MANIFEST_DAMAGED: {
    exit: 3,
    help: 'run btg2gltf run (or build) with --repair: it builds the configurations of the damaged lines again',
  },
  RUN_DAMAGED: {
    exit: 3,
    help: 'check that all machines use the same store; btg2gltf cancel ends the run, and the next one begins anew',
  },
  STORE_DAMAGED: { exit: 1, help: 'run btg2gltf run or fetch: it requests a damaged file again' },
  STORE_UNREACHABLE: {
    exit: 3,
    help: 'check the address of the store, AWS_ENDPOINT_URL_S3, the network and the certificate; then run again: finished work is kept',
  },
  STORE_REFUSED: {
    exit: 3,
    help: 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION, and that this account may read, write, list and delete in the bucket',
  },
  STORE_UNSUPPORTED: {
    exit: 2,
    help: 'use a store with conditional writes, such as AWS S3, Cloudflare R2, Ceph or MinIO in a current version, or a folder that all machines share',
  },
  OUT_OF_TIME: { exit: 130, help: 'run the same command again to continue, or allow more time' },
  INTERRUPTED: { exit: 130, help: 'run the same command again to continue' },
  GATE_REFUSED: {
    exit: 4,
    help: 'read the report; if the change is intended, run again with --accept',
  },
  MAX_FAILURES: {
    exit: 4,
    help: 'read failures.jsonl in the folder of the report; run again when its causes are solved, or with --accept to publish the rest',
  },
  LIBRARY_MISSING: { exit: 2, help: 'run the command of npm that the message names' },
  BROWSER_MISSING: {
    exit: 3,
    help: 'install Chrome or Chromium, or run npm install playwright-core@1.65.1 @sparticuz/chromium@147.0.0; btg2gltf doctor names the browser that is used',
  },
  PICTURE_FAILED: {
    exit: 1,
    help: 'check the file with a glTF viewer; btg2gltf verify finds damaged files',
  },
  MODEL_UNREADABLE: {
    exit: 1,
    help: 'copy or export the file again; if a run has published it, btg2gltf run PIPELINE.yaml --repair makes it again',
  },
  BUDGET_EXCEEDED: {
    exit: 1,
    help: 'run btg2gltf inspect with the GLB: it lists what is largest; or leave this article out of the delivery',
  },
  FEED_EMPTY: {
    exit: 1,
    help: 'read in the report what articles lack; give them prices or pictures, or remove this feed from feeds:',
  },
  WEBHOOK_FAILED: {
    exit: 1,
    help: 'check the receiver, its address and the key; the changes wait, and btg2gltf deliver sends them',
  },
  COMPRESSION_FAILED: {
    exit: 1,
    help: 'choose another geometry: of the profile web, and report the message to the developers of btg2gltf',
  },
  ARTICLE_NOT_FOUND: {
    exit: 1,
    help: 'run btg2gltf catalogue search to find manufacturer, program and number',
  },
  CONFIGURATION_REFUSED: {
    exit: 1,
    help: 'the article exists: correct its reinitstring or finalarticlenumber, or leave it empty for the default configuration',
  },
  CONFIGURATION_SHARED: {
    exit: 1,
    help: 'report it to the operator of the service: it answers too many requests with one configuration',
  },
  NODE_NOT_FOUND: { exit: 1, help: 'run btg2gltf catalogue ls to see manufacturers and ids' },
  ARTICLE_TIMEOUT: { exit: 1, help: 'try again later, or raise limits.articleTimeoutMs' },
  ARTICLE_REPORTED: { exit: 1, help: 'ask the manufacturer about the message' },
  HTTP_STATUS: { exit: 1, help: ASK_OPERATOR },
  HTTP_TIMEOUT: { exit: 1, help: 'try again later, or raise service.timeoutMs' },
  HTTP_CONNECTION: { exit: 1, help: 'try again later; check the network' },
  RESPONSE_TOO_LARGE: {
    exit: 1,
    help: 'raise service.maxResponseBytes or service.maxJsonValues if the response is correct',
  },
  RESPONSE_INVALID: { exit: 1, help: ASK_OPERATOR },
  QUERY_TOO_LONG: { exit: 1, help: 'ask the operator of the service to allow longer queries' },
  REDIRECT_REFUSED: { exit: 1, help: 'correct the address of the service' },
  PERMANENT_ID_NOT_RESOLVABLE: {
    exit: 1,
    help: 'run btg2gltf inbox --cache DIR with the cache of this pipeline and post the cart again, or select the cart with carts:',
  },
  CART_INVALID: {
    exit: 1,
    help: 'check the path; a cart file is the complete top-level article, as btg2gltf inbox stores it',
  },
  CARTS_LIMITED: {
    exit: 1,
    help: 'remove carts that are not needed, or raise limits.maxCarts or limits.maxCartBytes',
  },
  CHILD_WITHOUT_ROOT: { exit: 1, help: 'select the planning by its top-level article' },
  PROPERTY_UNKNOWN: {
    exit: 1,
    help: 'btg2gltf catalogue show MANUFACTURER/PROGRAM/NUMBER prints the properties; correct the name in the pipeline file',
  },
  PROPERTY_VALUE_REFUSED: {
    exit: 1,
    help: 'btg2gltf catalogue show MANUFACTURER/PROGRAM/NUMBER prints the values; correct the value in the pipeline file',
  },
  PROPERTY_NOT_ENUMERABLE: { exit: 1, help: 'list its values under values: instead of each:' },
  PARTS_LIST_INVALID: { exit: 1, help: ASK_MANUFACTURER },
  NODE_TYPE_UNKNOWN: { exit: 1, help: 'set unknownNodes: group to keep such nodes as groups' },
  PARTS_LIST_TOO_DEEP: { exit: 1, help: 'raise convert.maxNestingDepth if the depth is correct' },
  SCENE_TOO_LARGE: {
    exit: 1,
    help: 'raise convert.maxNodes, convert.maxTriangles or convert.maxSceneBytes if the article is that large',
  },
  OUT_OF_MEMORY: { exit: 1, help: 'raise limits.conversionHeapMb if the article is that large' },
  KILLED_THE_RUN: {
    exit: 1,
    help: 'find out what killed the runs, such as a lack of memory; then try it again with --failed',
  },
  NOTHING_TO_DRAW: { exit: 1, help: ASK_MANUFACTURER },
  BLOCK_MISSING: { exit: 1, help: ASK_OR_OMIT },
  BLOCK_INVALID: { exit: 1, help: ASK_OR_OMIT },
  SOLID_INVALID: { exit: 1, help: ASK_OR_OMIT },
  BLOCK_EMPTY: { exit: 1, help: 'report it to the manufacturer of the block' },
  RESOURCE_MISSING: { exit: 1, help: 'check the path: the catalogue may have changed' },
  RESOURCE_REFUSED: { exit: 1, help: ASK_MANUFACTURER },
  IMAGE_MISSING: { exit: 1, help: ASK_MANUFACTURER },
  IMAGE_REFUSED: { exit: 1, help: ASK_MANUFACTURER },
  IMAGE_UNSUPPORTED: { exit: 1, help: ASK_MANUFACTURER },
  IMAGE_UNREADABLE: { exit: 1, help: ASK_OR_OMIT },
  LOSSES_REFUSED: { exit: 1, help: 'set strict: false to accept losses' },
  SNAPSHOT_MISSING: { exit: 1, help: 'run btg2gltf fetch first' },
  SURVEY_INVALID: {
    exit: 2,
    help: 'correct the file that the message names, or run btg2gltf survey again, which writes it',
  },
  RECORDING_INVALID: { exit: 2, help: 'correct the file given, or record again' },
  INTERNAL: { exit: 3, help: 'report this message to the developers of btg2gltf' },
} as const satisfies Record<string, ErrorRow>;

registerSentences([
  ...Object.values(ERROR_CODES).map(({ help }) => help),
  'the authentication server',
  // The answer of the emulator, which may run in another process.
  'user or password is wrong',
]);

/** A stable code. Match errors by this code, never by the message. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether a text, such as a stored one, is an error code. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

interface ErrorContext {
  /** Operation of the service, such as `getBlock`. */
  operation?: string | undefined;
  /** Article as `MANUFACTURER/PROGRAM/base number`. */
  article?: string | undefined;
  /** Address, redacted when stored. */
  url?: string | undefined;
  status?: number | undefined;
  cause?: unknown;
  /** An action that fits better than the action of the code. */
  help?: string | undefined;
}

/**
 * An error with a code, whose strings contain no secret and are of limited length.
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
  readonly help: string;
  /** Whether `help` is the action of the code, and not of this error. */
  readonly isGeneralHelp: boolean;

  /**
   * Creates an error. An unknown code becomes `INTERNAL`, so that a wrong call from JavaScript hides no error.
   *
   * @param message - A sentence, or one for each line: line breaks of data are written as `\u{a}`.
   */
  constructor(code: ErrorCode, message: string | readonly string[], context?: ErrorContext) {
    const { cause, operation, article, url, status, help } = context ?? {};
    const lines = Array.isArray(message) ? message : [message ?? code];
    super(lines.map(sentence).join('\n'), cause === undefined ? undefined : { cause });
    this.code = isErrorCode(code) ? code : 'INTERNAL';
    this.operation = operation;
    this.article = article && cutText(article, TEXT_LIMITS.name);
    this.url = url === undefined ? undefined : sentence(url);
    this.status = status;
    this.help = sentence(help ?? ERROR_CODES[this.code].help);
    this.isGeneralHelp = help === undefined;
  }
}

/** Makes one line, even of data with line breaks; redacted before it is cut, since half a secret is not recognised. */
function sentence(text: string): string {
  return cutText(visible(redact(String(text)), true), TEXT_LIMITS.message);
}

/** Whether a thrown value is a {@link ConverterError}, and has one of the codes if any are given. */
export function isConverterError(error: unknown, ...codes: ErrorCode[]): error is ConverterError {
  return error instanceof ConverterError && (codes.length === 0 || codes.includes(error.code));
}

/** Whether an error ends the run; otherwise it fails one article. */
export function endsRun(code: ErrorCode): boolean {
  // A defect concerns only the article that shows it.
  return ERROR_CODES[code].exit !== 1 && code !== 'INTERNAL';
}

/** Wraps a thrown value in a {@link ConverterError}, unless it already is one. */
export function asConverterError(error: unknown, code: ErrorCode = 'INTERNAL'): ConverterError {
  if (error instanceof ConverterError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ConverterError(code, message, { cause: error });
}

/** The error, if it concerns one source or article; throws errors that end the run, and mistakes of the program. */
export function asFailure(thrown: unknown): ConverterError {
  const error = asConverterError(thrown);
  if (endsRun(error.code) || error.code === 'INTERNAL') throw error;
  return error;
}

/** An error as plain data; no `help` if it is that of the code. Secrets are redacted where it is made again. */
export interface SentError extends Pick<ConverterError, 'code' | 'message'> {
  context: Pick<ConverterError, 'operation' | 'url' | 'status'> & { help: string | undefined };
  stack?: string | undefined;
}

/** Describes what was thrown. */
export function sentError(thrown: unknown): SentError {
  const { code, message, help, isGeneralHelp, operation, url, status, cause } =
    asConverterError(thrown);
  const own = isGeneralHelp ? undefined : help;
  const stack = code === 'INTERNAL' ? (cause as Error | undefined)?.stack : undefined;
  return { code, message, context: { operation, url, status, help: own }, stack };
}

/** Makes an error of its description. @param causeCode - Code of the cause, such as that of a connection. */
export function receivedError(sent: SentError, causeCode?: string): ConverterError {
  const { code, message, context, stack } = sent;
  const cause = Object.assign(new Error(message), { code: causeCode }, stack && { stack });
  return new ConverterError(code, message, { ...context, cause });
}
