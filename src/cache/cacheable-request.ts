/**
 * Wanted: one request to the service and its answer, as fetch speaks of them. Types only.
 */
import type { Fetched } from '../model/snapshot.ts';
import type { Body, NotModified, Validators } from '../service/client.ts';
import type { ErrorCode } from '../support/errors.ts';
import type { Voucher } from './cached-snapshots.ts';

/** One request. */
export interface Wanted {
  operation:
    | 'getNodes'
    | 'search'
    | 'getArticle'
    | 'changeProperty'
    | 'getPartsList'
    | 'getBlock'
    | 'getMaterial';
  /** All that the answer depends on, as one text. */
  request: string;
  /** What is asked for, in words for a message. */
  subject: string;
  /** Whose data it is, by name. */
  manufacturer: string;
  /** Who vouches for it where the catalogue does not know that manufacturer: the article's own. */
  vouchedBy?: string;
  /** The 404 that is an answer worth remembering; any other error is thrown. */
  missing?: ErrorCode;
  /** Whether it is asked in every run, unless what is stored is taken however old it is. */
  always?: boolean;
  /** @param validators - Of the answer that is stored: it may be answered that it still holds. */
  send(validators?: Validators): Promise<Body | NotModified>;
}

/** An answer, and what is known of it. */
export interface Recalled {
  answer: Fetched;
  /** Whether the service was asked for it in this run. */
  asked: boolean;
  voucher: Voucher;
}
