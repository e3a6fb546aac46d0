/**
 * Read answer: an answer in the model's terms, from wherever its body is.
 *
 * In: a request, the way to send it and its decoder. Out: what it answers, and the digest of its body.
 */
import type { Digest, Fetched } from '../model/snapshot.ts';
import type { Body, NotModified, Validators } from '../service/client.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import type { Recalled, Wanted } from './cacheable-request.ts';
import type { ContentStore } from './content-store.ts';

/** A decoded answer and where its body is. */
export interface Answer<T> {
  answer: T;
  digest: Digest;
}

/** Sends a request whose answer the client decodes. */
export type Send<T> = (validators?: Validators) => Promise<(Body & { answer: T }) | NotModified>;

/** Decodes a body that was stored. */
export type Decode<T> = (bytes: Uint8Array) => T;

/** Where answers are. */
export interface Sources {
  recall(wanted: Wanted): Promise<Recalled>;
  /** Asks once more, whatever is stored. */
  renew(wanted: Wanted): Promise<Recalled>;
  store: ContentStore;
}

/**
 * Recalls a body and decodes it, unless it just came and its answer is at hand.
 *
 * What the cache holds may be damaged; then it is asked for once more.
 *
 * @throws {@link ConverterError} what the client throws.
 */
export async function readAnswer<T>(
  ids: Omit<Wanted, 'send'>,
  send: Send<T>,
  decode: Decode<T>,
  { recall, renew, store }: Sources,
): Promise<Answer<T>> {
  let received: T | undefined;
  const wanted: Wanted = {
    ...ids,
    send: async (validators) => {
      const answered = await send(validators);
      if ('notModified' in answered) return answered;
      const { answer, ...body } = answered;
      received = answer;
      return body;
    },
  };
  const decoded = async ({ answer }: Recalled): Promise<Answer<T>> => {
    const digest = digestOf(answer);
    return { answer: received ?? decode(await store.get(digest)), digest };
  };
  try {
    return await decoded(await recall(wanted));
  } catch (error) {
    if (!isConverterError(error, 'STORE_DAMAGED')) throw error;
    return decoded(await renew(wanted));
  }
}

/** Sets the decoded part of an answer beside its body, whatever the operation calls it. */
export function answering<B extends Body, T>(
  answered: B | NotModified,
  answerOf: (body: B) => T,
): (Body & { answer: T }) | NotModified {
  if ('notModified' in answered) return answered;
  const { bytes, etag, lastModified } = answered;
  return { bytes, etag, lastModified, answer: answerOf(answered) };
}

/** The digest of an answer that cannot be missing. */
function digestOf(fetched: Fetched): Digest {
  if ('digest' in fetched) return fetched.digest;
  throw new ConverterError('INTERNAL', `expected a body, received: ${fetched.missing.message}`);
}
