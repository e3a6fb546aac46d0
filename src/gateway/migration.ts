/**
 * Migration: what moving something of an older generation came to.
 *
 * In: nothing; these are the words of a result. They know neither URLs nor carts.
 *
 * @see Spec 9.
 */

/** The three generations of parameters. */
export type Generation = 'v1' | 'v2' | 'v2.5';

/** One thing that is different now. */
export interface Change {
  before: string;
  after: string;
  /** Section of the specification. */
  why: string;
}

/** Everything that a hint can be about; match on these, never on the text. */
export type HintCode =
  | 'PREFER_PERMANENTID'
  | 'PERMANENTID_OF_ITS_SYSTEM'
  | 'TOKEN_MISSING'
  | 'MODE_NOT_CARRIED'
  | 'TWO_MODES'
  | 'TWO_SUBJECTS'
  | 'ARTICLE_INCOMPLETE'
  | 'CONFLICTING_PARAMETERS'
  | 'REPEATED_PARAMETER'
  | 'NOT_A_PLANNING_PARAMETER'
  | 'CREDENTIALS_IN_URL'
  | 'REINIT_OF_ARTICLES'
  | 'IMAGE_DEPRECATED'
  | 'CART_ID_MADE_UP'
  | 'CART_IS_A_CHILD';

/** What the tool cannot do by itself, or what somebody should look at. */
export interface Hint {
  code: HintCode;
  message: string;
}

/** What came of it. */
export interface Migration<T> {
  /** Generation of what was given. */
  from: Generation;
  before: T;
  /** The same as `before` where nothing had to change. */
  after: T;
  changes: Change[];
  hints: Hint[];
}

/** Names of v1 and what they are called since. @see Spec 9.3 */
export const V1_NAMES = {
  manuid: 'manufacturer',
  seriesid: 'program',
  baseartnmbr: 'basearticlenumber',
  finalartnmbr: 'finalarticlenumber',
  /** In the visual frontend; the operations of the API have names of their own for it. */
  reinitstring: 'ocdreinit',
} as const;

/** A name of v1. */
export type V1Name = keyof typeof V1_NAMES;
