/**
 * Refusal: a request that gets an error status and one sentence.
 */
import type { ErrorCode } from '../support/errors.ts';

/** Thrown by whoever answers a request; the door turns it into `{"error": …, "code": …}`. */
export class Refusal extends Error {
  /** HTTP status, 400 or above. */
  readonly status: number;
  /** Where the same refusal has a code elsewhere too. */
  readonly code: ErrorCode | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { code?: ErrorCode; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = more.code;
    this.headers = more.headers ?? {};
  }
}
