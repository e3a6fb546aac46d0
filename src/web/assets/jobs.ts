/** The state of files that are being made for requests that do not wait: RFC 7240, `Prefer: respond-async`. */
import { LRUCache } from 'lru-cache';
import { sha256Hex } from '../../support/files.ts';

/** What became of a file. */
export type JobState =
  | { state: 'making' }
  /** Where it is. */
  | { state: 'done'; location: string }
  | { state: 'failed'; problem: object };

/** States that are remembered, and for how long, milliseconds. */
const MOST_STATES = 10_000;
const REMEMBERED_MS = 600_000;

/** Remembers what is being made, by its address. */
export class Jobs {
  readonly #states = new LRUCache<string, JobState>({ max: MOST_STATES, ttl: REMEMBERED_MS });
  readonly #problemOf: (error: unknown) => object;

  /** @param problemOf - Describes an error for who asks. */
  constructor(problemOf: (error: unknown) => object) {
    this.#problemOf = problemOf;
  }

  /**
   * Remembers the state of work until it ends, and for some time after.
   *
   * @param address - Where the result is once it is done.
   * @returns The id of the job: equal work has one.
   */
  begin(address: string, work: Promise<unknown>): string {
    const id = sha256Hex(address).slice(0, 32);
    this.#states.set(id, { state: 'making' });
    work.then(
      () => this.#states.set(id, { state: 'done', location: address }),
      (error: unknown) =>
        this.#states.set(id, { state: 'failed', problem: this.#problemOf(error) }),
    );
    return id;
  }

  /** The state of a job; undefined if it is not known, or no longer. */
  stateOf(id: string): JobState | undefined {
    return this.#states.get(id);
  }
}
