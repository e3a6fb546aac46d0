/**
 * Attempt: one request with a token that is alive, and what its answer says.
 *
 * In: the name of an operation and its values. Out: the checked body, or an error with its code.
 * It must not know of retries, or of who else is asking.
 */
import { looksLikeDeadToken, readAnswer } from './answer.ts';
import { type IfGiven, isNotModified, type Validators } from './conditional.ts';
import type { Place } from './elsewhere.ts';
import type { Received } from './exchange.ts';
import { type AnswerOf, OPERATIONS, type OperationName } from './operations.ts';
import type { ServiceConfig } from './service-config.ts';
import type { Session } from './session.ts';
import type { Values } from './target.ts';
import type { Drift } from './wire-drift.ts';

/** One request, but for its token. */
export interface Request<Given = Validators | undefined> {
  values: Values;
  place?: Place;
  body?: string | undefined;
  validators?: Given | undefined;
}

/** An answer that was checked. */
export interface Answered<Answer> {
  bytes: Uint8Array;
  /** Empty where the server sends none, as is {@link lastModified}. */
  etag: string;
  lastModified: string;
  answer: Answer;
}

/** Sends one request with a token, whatever the answer says. */
export type Send = (
  name: OperationName,
  request: Request,
  token: string,
  number: number,
) => Promise<Received>;

/** What attempts are made with. */
export interface AttemptParts {
  send: Send;
  session: Session;
  onAnswer: ServiceConfig['onAnswer'];
  onDrift: ServiceConfig['onDrift'];
}

/**
 * Makes the function that attempts one request; over all its attempts it is given at most one new
 * token.
 *
 * @see D-609.
 */
export function createAttempt<Name extends OperationName, Given extends Validators | undefined>(
  parts: AttemptParts,
  name: Name,
  request: Request<Given>,
) {
  const operation = OPERATIONS[name];
  const { session, send, onAnswer, onDrift } = parts;
  const { values } = request;
  const report = onDrift && ((drift: Drift) => onDrift({ operation: name, ...drift }));
  let mayReplaceToken = true;
  return async (number: number): Promise<Answered<AnswerOf<Name>> | IfGiven<Given>> => {
    const token = await session.token();
    let received = await send(name, request, token, number);
    if (mayReplaceToken && looksLikeDeadToken(operation, received.response)) {
      mayReplaceToken = false;
      const fresh = await session.replace(token, received.response.status === 401);
      if (fresh !== token) received = await send(name, request, fresh, number);
    }
    const { response, target } = received;
    const { bytes, etag, lastModified, status } = response;
    const sent = request.body === undefined ? {} : { sent: request.body };
    await onAnswer?.({ operation: name, values, ...sent, status, bytes });
    if (isNotModified(status, request.validators)) return { notModified: true } as IfGiven<Given>;
    return {
      bytes,
      etag,
      lastModified,
      answer: readAnswer(operation, response, target.queryBytes, report),
    };
  };
}
