/** Collects on which responses one snapshot depends, and which of them this run requested. */
import type { ArticleSnapshot } from '../../model/snapshot.ts';
import type { OperationName } from '../service/operations.ts';
import type { FreshnessStamp } from './freshness.ts';

type RequestedParts = NonNullable<ArticleSnapshot['requested']>;

const PARTS: Partial<Record<OperationName, keyof RequestedParts>> = {
  getArticle: 'article',
  getPartsList: 'partsList',
  getBlock: 'bodies',
  getMaterial: 'bodies',
};

/** The responses that were tracked. The snapshot needs them until the signal is aborted. */
export class Dependencies {
  /** The parts that were requested in this run, also for another article. */
  readonly requested: RequestedParts = { article: false, partsList: false, bodies: 0 };
  readonly #stamps = new Map<string, FreshnessStamp>();
  #hasFailed = false;

  readonly signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }

  /** Adds a response; `fromService` is whether the response was requested in this run. */
  async track<Response extends { fromService: boolean; stamp: FreshnessStamp }>(
    operation: OperationName,
    pending: Promise<Response>,
  ): Promise<Response> {
    try {
      const response = await pending;
      const part = PARTS[operation];
      if (response.fromService) {
        if (part === 'bodies') this.requested.bodies++;
        else if (part !== undefined) this.requested[part] = true;
      }
      this.#addStamp(response.stamp);
      return response;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** The stamps of all responses, each once; undefined if a request failed, which may be temporary. */
  get stamps(): FreshnessStamp[] | undefined {
    return this.#hasFailed ? undefined : [...this.#stamps.values()];
  }

  /** Adds a stamp. Many bodies have the same stamp; the oldest of them decides how long they are fresh. */
  #addStamp(stamp: FreshnessStamp): void {
    const { owner, datedBy, convertdate, fetchedOn, requestedAt } = stamp;
    const key = `${owner}\0${datedBy}\0${convertdate}`;
    const known = this.#stamps.get(key) ?? { ...stamp };
    if (fetchedOn < known.fetchedOn) known.fetchedOn = fetchedOn;
    known.requestedAt = Math.min(known.requestedAt, requestedAt);
    this.#stamps.set(key, known);
  }
}
