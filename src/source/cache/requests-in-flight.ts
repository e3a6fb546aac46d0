/** Requests that are on their way: all that want the same wait for one. */
import { interrupted } from '../service/request-failure.ts';
import type { Demand } from '../service/traffic.ts';

interface InFlight<T = unknown> {
  /** Who waits for it: the signal of an article, or any object. */
  requesters: Set<object>;
  response: Promise<T>;
  /** Aborted once all that waited are stopped. */
  stop: AbortController;
}

/** Requests in flight, by key. */
export class RequestsInFlight {
  readonly #requests = new Map<string, InFlight>();

  has(key: string): boolean {
    return this.#requests.has(key);
  }

  /**
   * Waits for a request, which begins if it is not in flight, and ends once all that wait for it are stopped.
   *
   * @throws {@link ConverterError} `INTERRUPTED` if the signal aborts.
   */
  async join<T>(
    key: string,
    signal: AbortSignal | undefined,
    send: (demand: Demand) => Promise<T>,
  ): Promise<T> {
    if (signal?.aborted) throw interrupted();
    const inFlight = (this.#requests.get(key) as InFlight<T>) ?? this.#begin(key, send);
    const { requesters, response, stop } = inFlight;
    requesters.add(signal ?? {});
    if (signal === undefined) return response;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(interrupted());
        requesters.delete(signal);
        if (requesters.size > 0) return;
        stop.abort();
        if (this.#requests.get(key) === inFlight) this.#requests.delete(key);
      };
      signal.addEventListener('abort', leave, { once: true });
      response.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin<T>(key: string, send: (demand: Demand) => Promise<T>): InFlight<T> {
    const stop = new AbortController();
    const requesters = new Set<object>();
    const response = send({ requesters, signal: stop.signal }).finally(() => {
      if (!stop.signal.aborted) this.#requests.delete(key);
    });
    const inFlight = { requesters, stop, response };
    this.#requests.set(key, inFlight);
    return inFlight;
  }
}
