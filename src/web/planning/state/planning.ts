/** The state of a planning: planned article, waiting changes, and failure. No planned article is ever lost. */
import { asConverterError, type ConverterError } from '../../../support/errors.ts';
import { type PropertySetting, placeOf } from './fields.ts';
import {
  changeProperty,
  loadTarget,
  type OpenTarget,
  type PlannedArticle,
} from './planned-article.ts';
import type { PlanningService } from './planning-service.ts';

/** A change, and the article on its other side: before a change that can be undone, after one that was undone. */
interface Step {
  setting: PropertySetting;
  planned: PlannedArticle;
}

/** An article of a large planning has some megabytes. */
const MOST_STEPS = 30;

export interface PlanningState {
  planned: PlannedArticle | undefined;
  /** The target that is being loaded in its place, or that could not be loaded. */
  opening: OpenTarget | undefined;
  /** Changes that the service has not answered yet, the oldest first. */
  pending: readonly PropertySetting[];
  /** Why work has stopped; `retry` continues it. */
  failure: ConverterError | undefined;
  /** Whether the person has stopped the loading of the first article; `retry` continues it. */
  isStopped: boolean;
  /** Changes of this article that can be undone, the last one last; and those that were undone. */
  past: readonly Step[];
  future: readonly Step[];
}

/** Whether an article is being loaded in place of the planned one. */
export function isOpening({ opening, failure, isStopped }: PlanningState): boolean {
  return opening !== undefined && failure === undefined && !isStopped;
}

interface PlanningEvents {
  onState(state: PlanningState): void;
  /** An answer to a change; or, without one, an article that was opened, or to which the person has returned. */
  onPlanned(planned: PlannedArticle, setting?: PropertySetting): void;
  onFailure(failure: ConverterError): void;
}

/**
 * A planning of one page, in which nothing is planned at first.
 *
 * Changes are sent one after the other, each with the answer to the previous one, because the service answers a whole
 * article: two changes at once would lose one. Of several waiting changes of a property only the last is sent.
 */
export class Planning {
  readonly #service: PlanningService;
  readonly #events: PlanningEvents;
  #state: PlanningState = {
    planned: undefined,
    opening: undefined,
    pending: [],
    failure: undefined,
    isStopped: false,
    past: [],
    future: [],
  };
  #work: AbortController | undefined;

  constructor(service: PlanningService, events: PlanningEvents) {
    this.#service = service;
    this.#events = events;
  }

  get state(): PlanningState {
    return this.#state;
  }

  /** Opens another article; the planned article stays until the other one is loaded. */
  open(target: OpenTarget): void {
    this.#stop();
    this.#set({ opening: target, failure: undefined, isStopped: false });
    void this.#run();
  }

  /** Sends a change when all earlier ones are answered; does nothing while another article is being loaded. */
  change(setting: PropertySetting): void {
    const { pending, planned } = this.#state;
    if (planned === undefined || isOpening(this.#state)) return;
    // The first change has been sent.
    const isSent = (index: number) => index === 0 && this.#work !== undefined;
    const place = placeOf(setting);
    const others = pending.filter((other, index) => isSent(index) || placeOf(other) !== place);
    this.#set({ opening: undefined, pending: [...others, setting], failure: undefined });
    void this.#run();
  }

  /** The method is bound, as `cancel` is, because components pass it to buttons. */
  readonly retry = (): void => {
    this.#set({ failure: undefined, isStopped: false });
    void this.#run();
  };

  /**
   * Cancels the current work, or forgets a failure: the planned article stays, and its changes that an opening
   * has interrupted continue. Without a planned article, an opening in progress waits for `retry`.
   */
  readonly cancel = (): void => {
    const { planned, opening, pending } = this.#state;
    const isStopped = planned === undefined && isOpening(this.#state);
    this.#stop();
    if (isStopped) this.#set({ isStopped });
    else {
      const waiting = opening === undefined ? [] : pending;
      this.#set({ opening: undefined, pending: waiting, failure: undefined, isStopped: false });
      void this.#run();
    }
  };

  /** Returns to the answer before the last change, without a request; does nothing while another change is waiting. */
  readonly undo = (): void => this.#step('past', 'future');
  readonly redo = (): void => this.#step('future', 'past');

  #step(from: 'past' | 'future', to: 'past' | 'future'): void {
    const { planned, pending, [from]: steps, [to]: others } = this.#state;
    const step = steps.at(-1);
    const isBusy = pending.length > 0 || isOpening(this.#state);
    if (step === undefined || planned === undefined || isBusy) return;
    const moved = { [from]: steps.slice(0, -1), [to]: [...others, { ...step, planned }] };
    this.#set({ ...moved, planned: step.planned, opening: undefined, failure: undefined });
    this.#events.onPlanned(step.planned);
  }

  #set(change: Partial<PlanningState>): void {
    this.#state = { ...this.#state, ...change };
    this.#events.onState(this.#state);
  }

  #stop(): void {
    this.#work?.abort();
    this.#work = undefined;
  }

  async #run(): Promise<void> {
    if (this.#work !== undefined) return;
    const own = new AbortController();
    this.#work = own;
    try {
      while (!own.signal.aborted) {
        const { opening, pending, planned } = this.#state;
        const [setting] = pending;
        if (opening !== undefined) {
          const loaded = await loadTarget(this.#service, opening, own.signal);
          if (own.signal.aborted) return;
          const pending = 'json' in opening ? opening.pending : [];
          const isNew = { opening: undefined, failure: undefined, past: [], future: [] };
          this.#set({ ...isNew, planned: loaded, pending });
          this.#events.onPlanned(loaded);
        } else if (setting !== undefined && planned !== undefined) {
          const changed = await changeProperty(this.#service, planned, setting, own.signal);
          if (own.signal.aborted) return;
          const rest = this.#state.pending.filter((waiting) => waiting !== setting);
          const past = [...this.#state.past, { setting, planned }].slice(-MOST_STEPS);
          const ended = { pending: rest, failure: undefined };
          this.#set({ ...ended, planned: changed, past, future: [] });
          this.#events.onPlanned(changed, setting);
        } else return;
      }
    } catch (thrown) {
      if (own.signal.aborted) return;
      const failure = asConverterError(thrown);
      const { opening, pending } = this.#state;
      // If the change was sent again, it would be refused again.
      const isRefused = opening === undefined && failure.code === 'PROPERTY_VALUE_REFUSED';
      this.#set({ failure, pending: isRefused ? pending.slice(1) : pending });
      this.#events.onFailure(failure);
    } finally {
      if (this.#work === own) this.#work = undefined;
    }
  }
}
