/**
 * Elsewhere: a thing that may be at one of two addresses.
 *
 * In: how to ask at one of them. Out: the answer of the one that has it. Which one worked is
 * remembered for as long as the client lives. It must not know what is asked for.
 */
import { type ErrorCode, isConverterError } from '../support/errors.ts';
import type { Operation } from './operation.ts';

/** One of the two addresses of a row. */
export type Place = 'own' | 'other';

/** Asks at one address after the other. */
export type Elsewhere = <T>(
  operation: Operation<unknown>,
  first: Place | undefined,
  ask: (place: Place) => Promise<T>,
) => Promise<T>;

/** What a service says of an address that it does not know, besides 404. */
const REFUSALS: readonly ErrorCode[] = ['HTTP_STATUS', 'RESPONSE_INVALID', 'REDIRECT_REFUSED'];
/** What it says to whoever asks too often: no reason to ask once more. */
const TOO_MANY_REQUESTS = 429;

/**
 * Creates the memory of one service.
 *
 * A row without a second address is asked at its own. Else the place that worked before comes
 * first, or the one that is named, or the one that the row names; where the service refuses it, the
 * other one is asked once. A thing is missing only where both say so.
 *
 * @example
 * ```ts
 * const elsewhere = createElsewhere();
 * await elsewhere(OPERATIONS.getPreview, undefined, (place) => send(place)); // asks 'other' first
 * ```
 *
 * @see D-604, D-780.
 */
export function createElsewhere(): Elsewhere {
  const worked = new Map<Operation<unknown>, Place>();
  return async (operation, named, ask) => {
    if (operation.other === undefined) return ask('own');
    const first = named ?? worked.get(operation) ?? firstOf(operation);
    const second = first === 'own' ? 'other' : 'own';
    const askAt = async (place: Place) => {
      const answer = await ask(place);
      worked.set(operation, place);
      return answer;
    };
    try {
      return await askAt(first);
    } catch (refusal) {
      if (!isRefusal(operation, refusal)) throw refusal;
      try {
        return await askAt(second);
      } catch (error) {
        // Two answers "not there" are one; a failure that may pass says more than "not there".
        const isMissing = isConverterError(error, operation.missing);
        throw isMissing && !isConverterError(refusal, operation.missing) ? refusal : error;
      }
    }
  };
}

/**
 * A row as it stands at one of its addresses.
 *
 * @param place - `other` only for a row that has another address.
 */
export function operationAt(
  operation: Operation<unknown>,
  place: Place = 'own',
): Operation<unknown> {
  const { other } = operation;
  if (place === 'own' || other === undefined) return operation;
  return { ...operation, group: other.group, path: other.path };
}

function firstOf({ other }: Operation<unknown>): Place {
  return other?.order === 'before' ? 'other' : 'own';
}

function isRefusal({ missing }: Operation<unknown>, error: unknown): boolean {
  if (!isConverterError(error, missing, ...REFUSALS)) return false;
  return error.status !== TOO_MANY_REQUESTS;
}
