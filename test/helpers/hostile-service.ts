/**
 * A hostile service: what an article of the manufacturer EVIL is answered with, by the name of its kind.
 *
 * Each is a small box, but for the answers that its kind replaces. Large bodies are made while they are sent.
 */
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { Json } from '../../src/emulator/sample/range.ts';
import { articleAnswer, GREY_JPEG } from './answers.ts';
import type { Disturbance } from './fault-proxy.ts';
import { type Answer, json, raw } from './fault-server.ts';
import { body } from './graphics.ts';
import { BOX_BODY } from './snapshot.ts';

/** The requests of an article whose answers a kind may replace. */
export type HostileOperation = 'article' | 'partsList' | 'block' | 'image';

/** What one kind of article is answered with, instead of the answers of a small box. */
export type HostileAnswers = Partial<Record<HostileOperation, Answer>>;

/** One article of a kind. */
export interface HostileArticle {
  kind: string;
  /** Its base article number: the kind and a count. */
  number: string;
}

export const EVIL = { manufacturer: 'EVIL', program: 'KIND' } as const;
const PIECE_BYTES = 65_536;
const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * Chooses what is answered to a request; undefined for one that concerns no hostile article.
 *
 * @param onAnswered - Receives the article whenever one of its hostile answers is complete.
 */
export function hostileDisturbances(
  kinds: ReadonlyMap<string, HostileAnswers>,
  onAnswered: (number: string) => void = () => {},
): (url: string) => Disturbance | undefined {
  const usual: Record<HostileOperation, (number: string) => Answer> = {
    article: (number) => json(articleJson(number)),
    partsList: (number) => json(partsListJson(number)),
    block: () => raw(body(BOX_BODY), JSON_TYPE),
    image: () => raw(GREY_JPEG, { 'content-type': 'image/jpeg' }),
  };
  return (url) => {
    const asked = readRequest(url);
    if (asked === undefined) return undefined;
    const { operation, number } = asked;
    const hostile = kinds.get(number.replace(/-\d+$/, ''))?.[operation];
    if (hostile === undefined) return { answer: usual[operation](number) };
    return {
      answer: (response, request) => {
        response.on('close', () => onAnswered(number));
        hostile(response, request);
      },
    };
  };
}

function readRequest(url: string): { operation: HostileOperation; number: string } | undefined {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const last = decodeURIComponent(pathname.split('/').at(-1)!);
  if (pathname.includes('/block/EVIL')) return { operation: 'block', number: last.split('::')[2]! };
  if (pathname.includes('/materials/EVIL/')) {
    return { operation: 'image', number: last.replace(/(?:_\d+)?\.JPG$/, '') };
  }
  if (searchParams.get('manufacturer') !== EVIL.manufacturer) return undefined;
  const number = searchParams.get('basearticlenumber') ?? '';
  return { operation: last === 'btg' ? 'partsList' : 'article', number };
}

/** The name of the block of an article. */
export function blockOf(number: string): string {
  return `EVIL::KIND::${number}`;
}

/** The answer of GET articles, with what is different in it. */
export function articleJson(number: string, ocd: Json = {}, more: Json = {}): Json {
  const answer = articleAnswer(
    { ...EVIL, basearticlenumber: number },
    { shorttext: number, ...ocd },
  );
  return { ...answer, ...more };
}

/** The answer of GET btg of one part, with what is different in it. */
export function partsListJson(number: string, more: Json = {}): Json {
  return {
    btg: [{ type: 'imp', prop: { btgname: blockOf(number), mat: 'M' } }],
    blocks: [blockOf(number)],
    mats: [{ mname: 'M', pic: number }],
    ...more,
  };
}

/** Answers with JSON that depends on the article. */
export function jsonOf(make: (number: string) => Json): Answer {
  return (response, request) => json(make(readRequest(request.url!)!.number))(response, request);
}

/** A text that is repeated, in pieces of a size that is sent at once; `times` may be infinite. */
export function* repeated(unit: string, times: number, before = '', after = '') {
  const each = Math.max(1, Math.floor(PIECE_BYTES / unit.length));
  const piece = unit.repeat(each);
  yield before;
  for (let left = times; left > 0; left -= each) {
    yield left >= each ? piece : unit.repeat(left);
  }
  yield after;
}

/** Sends a body of any length as fast as it is read, without a content-length. */
export function streamed(
  pieces: () => Iterable<string | Uint8Array>,
  headers: Record<string, string> = JSON_TYPE,
): Answer {
  return (response) => {
    response.writeHead(200, headers);
    pipeline(Readable.from(pieces()), response, () => {});
  };
}

/** Answers with a body that is made when it is requested. */
export function made(
  make: (number: string) => Uint8Array | Promise<Uint8Array>,
  headers: Record<string, string> = JSON_TYPE,
): Answer {
  return async (response, request) => {
    const { number } = readRequest(request.url!)!;
    raw(await make(number), headers)(response, request);
  };
}

/** Answers with a body that is packed with gzip. */
export function packed(pieces: () => Iterable<string | Uint8Array>): Answer {
  const bytes = once(() => buffer(Readable.from(pieces()).pipe(createGzip())));
  return made(bytes, { ...JSON_TYPE, 'content-encoding': 'gzip' });
}

/** Makes something for the first who needs it. */
export function once<T>(make: () => T): () => T {
  let result: { made: T } | undefined;
  return () => {
    result ??= { made: make() };
    return result.made;
  };
}
