/**
 * Exchange: one attempt at one operation.
 *
 * In: the name of an operation, its values, a token. Out: the answer as it came, whatever it says.
 * It must not know of retries, of logging in, or of what the answer means beyond "not so fast".
 */
import { ConverterError } from '../support/errors.ts';
import { conditionsOf, type Validators } from './conditional.ts';
import { operationAt, type Place } from './elsewhere.ts';
import type { Gate } from './gate.ts';
import type { Http, HttpResponse } from './http.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import { type Addresses, buildTarget, type Target, type Values } from './target.ts';

/** What happened to one attempt, for whoever counts; it holds no secret. */
export interface RequestEvent {
  operation: string;
  /** Undefined where no answer came. */
  status: number | undefined;
  bytes: number;
  /** From 1. */
  attempt: number;
  ms?: number;
}

/** One attempt, ready to be made. */
export interface Attempt {
  name: OperationName;
  values: Values;
  /** @defaultValue 'own' */
  place?: Place;
  token?: string;
  /** JSON text. */
  body?: string | undefined;
  /** What an earlier answer came with: asks only whether it still holds. */
  validators?: Validators | undefined;
  /** From 1. */
  number: number;
  timeoutMs: number;
  signal: AbortSignal;
  /** Goes through a closed gate: only for what cannot wait. */
  ungated?: boolean;
}

/** An answer with what was asked. */
export interface Received {
  response: HttpResponse;
  target: Target;
}

/** What an exchange is made of. */
export interface ExchangeParts {
  addresses: Addresses;
  http: Http;
  gate: Gate;
  now: () => number;
  onRequest: (event: RequestEvent) => void;
}

/** Makes attempts. */
export type Exchange = (attempt: Attempt) => Promise<Received>;

/**
 * Creates the function through which every request of a client goes.
 *
 * @see D-710.
 */
export function createExchange(parts: ExchangeParts): Exchange {
  const { addresses, http, gate, now, onRequest } = parts;
  return async (attempt) => {
    const operation = operationAt(OPERATIONS[attempt.name], attempt.place);
    const target = buildTarget(operation, attempt.values, addresses, attempt.token);
    if (attempt.ungated !== true) await gate.wait();
    const startedMs = now();
    const report = (status: number | undefined, bytes: number) => {
      const { name, number } = attempt;
      onRequest({ operation: name, status, bytes, attempt: number, ms: now() - startedMs });
    };
    let response: HttpResponse;
    try {
      const { method } = operation;
      response = await http.send({
        method,
        origin: target.origin,
        path: target.path,
        timeoutMs: attempt.timeoutMs,
        signal: attempt.signal,
        headers: conditionsOf(attempt.validators),
        ...(attempt.body === undefined ? {} : { body: attempt.body }),
      });
    } catch (error) {
      report(error instanceof ConverterError ? error.status : undefined, 0);
      throw error;
    }
    report(response.status, response.bytes.length);
    heed(gate, response);
    return { response, target };
  };
}

function heed(gate: Gate, { status, retryAfter }: HttpResponse): void {
  if (status === 429 || (status === 503 && retryAfter !== undefined)) gate.close(retryAfter);
  else if (status < 500) gate.passed();
}
