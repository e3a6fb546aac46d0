/**
 * Messages between the page and the page around it, by `postMessage`.
 *
 * The page posts a {@link PlanningEvent} to the origin of its parent only, and obeys a {@link PlanningCommand} of its
 * parent at that origin only. No message contains the token.
 *
 * ```js
 * addEventListener('message', ({ origin, data }) => {
 *   if (origin !== 'https://planning.example') return;
 *   if (data.type === 'CURRENT_ARTICLE') console.log(data.article.ocd.finalarticlenumber);
 * });
 * frame.contentWindow.postMessage({ type: 'REQUEST_CURRENT_ARTICLE' }, 'https://planning.example');
 * ```
 */
import { isRecord, type JsonRecord } from '../../../convert/wire/value.ts';
import { redact } from '../../../support/redact.ts';
import type { PropertySetting } from './fields.ts';
import type { PageWindow } from './interfaces.ts';
import type { PlanningTarget } from './parameters.ts';

/** Events that the page reports. `article` is the topmost article with its children, as the service answered it. */
type PlanningEvent =
  /** The page is ready: it shows the article or catalogue of its address, and obeys commands. */
  | { type: 'LOADED'; article: JsonRecord | null }
  /** The service has answered a change, which has the form of POST articles. */
  | { type: 'PROPERTY_UPDATED'; property: PropertySetting; article: JsonRecord }
  /** Another article was opened, or the parent has requested this event; null if no article is open. */
  | { type: 'CURRENT_ARTICLE'; article: JsonRecord | null }
  /** The cart was posted: the status and the JSON that the receiver answered. */
  | { type: 'CART'; status: number; answer: unknown; article: JsonRecord }
  /** The configuration was stored: a later address of the page opens it with `permanentid` and a token of that time. */
  | { type: 'PERMANENTID_CREATED'; permanentid: string; article: JsonRecord }
  /** An error has occurred; `code` is stable, `message` a sentence in the language of the page. */
  | { type: 'ERROR'; code: string; message: string };

export type PlanningCommand =
  /** Opens a base article, one configuration of it, or a stored planning. */
  | { type: 'SET_ARTICLE'; target: PlanningTarget }
  | { type: 'REQUEST_CURRENT_ARTICLE' }
  /** Replaces the session token, for example an expired one. */
  | { type: 'SET_TOKEN'; token: string };

/** What each command needs beside its type; the answer to an unknown message names them. */
const COMMANDS = {
  SET_ARTICLE: 'manufacturer, program and basearticlenumber, or permanentid',
  REQUEST_CURRENT_ARTICLE: '',
  SET_TOKEN: 'token',
} as const satisfies Record<PlanningCommand['type'], string>;

/** The page around may post every message of the page back to it: an answer to an event would have no end. */
const EVENTS = {
  LOADED: true,
  PROPERTY_UPDATED: true,
  CURRENT_ARTICLE: true,
  CART: true,
  PERMANENTID_CREATED: true,
  ERROR: true,
} as const satisfies Record<PlanningEvent['type'], true>;

const LONGEST_TYPE = 60;

export interface Embedding {
  /** Whether there is a parent whose origin is known. */
  readonly isEmbedded: boolean;
  post(event: PlanningEvent): void;
}

/** The name of an origin that a browser does not reveal. */
const NO_ORIGIN = 'null';

/**
 * Opens the connection to the page around this one; without such a page, or with an unknown origin, nothing is posted.
 *
 * @param givenOrigin - For browsers that do not reveal it: without `location.ancestorOrigins`, or with `null` there, as
 *   Firefox does in a frame without referrer. No page can use it to pretend to be another, because the browser compares
 *   it with the real origin.
 */
export function openEmbedding(
  page: PageWindow,
  givenOrigin: string,
  onCommand: (command: PlanningCommand) => void,
): Embedding {
  const named = page.location.ancestorOrigins?.[0] ?? NO_ORIGIN;
  const known = named === NO_ORIGIN ? givenOrigin : named;
  const origin = page.parent === page ? '' : known;
  const isEmbedded = origin !== '';
  if (isEmbedded) {
    page.addEventListener('message', (event) => {
      if (event.source !== page.parent || event.origin !== origin) return;
      const command = readCommand(event.data);
      if (command !== undefined) return onCommand(command);
      const problem = problemOf(event.data);
      if (problem !== undefined) post({ type: 'ERROR', code: 'MESSAGE_INVALID', message: problem });
    });
  }
  function post(event: PlanningEvent): void {
    // The service may repeat the token in an answer, such as in the address of an image.
    if (isEmbedded) page.parent.postMessage(redact(event), origin);
  }
  return { isEmbedded, post };
}

/** Explains to a developer why a message is no command; undefined for a message that was not meant as one. */
function problemOf(data: unknown): string | undefined {
  if (!isRecord(data) || typeof data.type !== 'string' || data.type in EVENTS) return undefined;
  const type = data.type.slice(0, LONGEST_TYPE);
  const fields = Object.entries(COMMANDS).find(([name]) => name === type)?.[1];
  if (fields !== undefined) return `${type}: expected ${fields}, received a message without it`;
  return `type: expected ${Object.keys(COMMANDS).join(', ')}, received ${JSON.stringify(type)}`;
}

/**
 * Reads a message of the parent; undefined for other messages. An article may be beside the type or in `article`.
 *
 * @example
 * ```ts
 * readCommand({ type: 'SET_ARTICLE', article: { permanentid: 'A1' } });
 * // → { type: 'SET_ARTICLE', target: { permanentid: 'A1' } }
 * ```
 */
export function readCommand(data: unknown): PlanningCommand | undefined {
  if (!isRecord(data)) return undefined;
  const { type } = data;
  if (type === 'REQUEST_CURRENT_ARTICLE') return { type };
  if (type === 'SET_TOKEN') {
    const token = textOf(data, 'token');
    return token === '' ? undefined : { type, token };
  }
  if (type !== 'SET_ARTICLE') return undefined;
  const target = targetOf(isRecord(data.article) ? data.article : data);
  return target && { type, target };
}

/** The configuration of an article, without its children; undefined if the record names none. */
export function targetOf(article: JsonRecord): PlanningTarget | undefined {
  const permanentid = textOf(article, 'permanentid');
  if (permanentid !== '') return { permanentid };
  const manufacturer = textOf(article, 'manufacturer').toUpperCase();
  const program = textOf(article, 'program').toUpperCase();
  const basearticlenumber = textOf(article, 'basearticlenumber');
  if (manufacturer === '' || program === '' || basearticlenumber === '') return undefined;
  const { ocd } = article;
  const configured = isRecord(ocd) ? textOf(ocd, 'reinitstring') : '';
  const ocdreinit = textOf(article, 'ocdreinit') || configured;
  return { manufacturer, program, basearticlenumber, ocdreinit };
}

function textOf(record: JsonRecord, name: string): string {
  const value = record[name];
  return typeof value === 'string' ? value.trim() : '';
}
