/** The limits of a service, which all that send requests to it keep together: runs, their workers, and servers of assets. */
import { setTimeout } from 'node:timers/promises';
import type { LimitShare } from '../../source/service/service-config.ts';

/** Who sends requests to a service now, as one of them sees it. */
export interface SeenMembers {
  /** Position of this one among them, from 0; the workers of a run have that of their run. */
  index: number;
  count: number;
  /** Until when one of them has to pause, milliseconds since 1970. */
  pausedUntilMs: number;
}

/** One that sends requests to a service; the coordinator of a run and its workers are one. */
export interface BudgetMember {
  /** Name of the service. */
  service: string;
  /** Start of the run, milliseconds since 1970. */
  startedAt: number;
}

/** Where those that send requests to a service see each other: their cache, or their store. */
export interface BudgetPlace {
  /** How often they look, milliseconds. */
  readonly lookEveryMs: number;
  /** Notes that this one is there, and until when it has to pause; sees who else is. */
  see(pausedUntilMs: number): Promise<SeenMembers>;
  leave(): Promise<void>;
}

interface BudgetSettings {
  place: BudgetPlace;
  /** Receives the share of this process, and the pauses of others. */
  traffic: { share(share: LimitShare): void; hold(ms: number): void };
  /** Requests in flight that the service allows. */
  concurrency: number;
  /** Clock, milliseconds since 1970. */
  now: () => number;
}

/** How long a turn is, milliseconds. */
const TURN_MS = 5000;
/** Who comes waits for so many looks: the others have the whole until they look. */
const WAITED_LOOKS = 1.5;

const WHOLE: LimitShare = { index: 0, count: 1 };

/**
 * The share of a process in the limits of a service: of all members, and within its run.
 *
 * Where there are more processes than requests in flight, they take turns, so that each has a share at some time.
 *
 * @param turn - Number of the turn.
 * @example
 * ```ts
 * shareOf({ index: 1, count: 2 }, { index: 2, count: 3 }, 8, 0); // → { index: 5, count: 6 }
 * ```
 */
export function shareOf(
  member: LimitShare,
  ofRun: LimitShare,
  concurrency: number,
  turn: number,
): LimitShare {
  const count = member.count * ofRun.count;
  const index = (member.index + (member.count > concurrency ? turn : 0)) % member.count;
  // Workers of a run alone have a rule of their own: those without a share take no jobs.
  const takeTurns = member.count > 1 && count > concurrency;
  const worker = (ofRun.index + (takeTurns ? Math.floor(turn / member.count) : 0)) % ofRun.count;
  return { index: index + member.count * worker, count };
}

/** Keeps the share of this process up to date, until it is closed. */
export class ServiceBudget {
  readonly #settings: BudgetSettings;
  #ofRun = WHOLE;
  #seen: SeenMembers = { ...WHOLE, pausedUntilMs: 0 };
  #known = '0 1';
  #pausedUntilMs = 0;
  #heldUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(settings: BudgetSettings) {
    this.#settings = settings;
  }

  /**
   * Looks from now on, and waits until others have seen this one.
   *
   * @param signal - Ends the wait; is aborted before {@link close} is called.
   * @throws The reason of the signal.
   */
  async open(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { lookEveryMs } = this.#settings.place;
    await this.#look();
    // Nothing would stop the timer of a budget that was closed meanwhile.
    signal.throwIfAborted();
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
    if (this.#seen.count > 1) await setTimeout(WAITED_LOOKS * lookEveryMs, undefined, { signal });
  }

  /** Gives this process its share of that of its run. */
  share(ofRun: LimitShare): void {
    this.#ofRun = ofRun;
    this.#apply();
  }

  /** Notes that this process has to pause. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#heldUntilMs = Math.max(this.#heldUntilMs, untilMs);
    void this.#look();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    // The other workers of the run are still there.
    if (this.#ofRun === WHOLE) await this.#settings.place.leave().catch(() => {});
  }

  /** One look at a time; what fails, such as a busy database, the next one does. */
  #look(): Promise<void> {
    this.#looking ??= this.#see()
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #see(): Promise<void> {
    const { place, traffic, now } = this.#settings;
    this.#seen = await place.see(this.#pausedUntilMs);
    const { pausedUntilMs } = this.#seen;
    const leftMs = pausedUntilMs - now();
    if (pausedUntilMs > this.#heldUntilMs && leftMs > 0) traffic.hold(leftMs);
    this.#heldUntilMs = Math.max(this.#heldUntilMs, pausedUntilMs);
    this.#apply();
  }

  #apply(): void {
    const { concurrency, traffic, now } = this.#settings;
    const turn = Math.floor(now() / TURN_MS);
    const share = shareOf(this.#seen, this.#ofRun, concurrency, turn);
    const text = `${share.index} ${share.count}`;
    if (text === this.#known) return;
    this.#known = text;
    traffic.share(share);
  }
}
