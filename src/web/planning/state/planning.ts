/** The state of a planning: what is planned, which changes wait, and what failed. Nothing that was planned is lost. */
import { asConverterError, type ConverterError } from '../../../support/errors.ts';
import {
  changeProperty,
  loadTarget,
  type OpenTarget,
  type PlannedArticle,
  type PropertySetting,
} from './planned-article.ts';
import type { PlanningService } from './requests.ts';

/** What a person sees of a planning. */
export interface PlanningState {
  /** The newest answer of the service. */
  planned: PlannedArticle | undefined;
  /** What is being loaded in place of it, or could not be loaded. */
  opening: OpenTarget | undefined;
  /** Changes that the service has not answered yet, the oldest first. */
  pending: readonly PropertySetting[];
  /** Why work has stopped; `retry` goes on with it. */
  failure: ConverterError | undefined;
  /** The person has stopped the loading of the first article; `retry` goes on with it. */
  isStopped: boolean;
}

/** Whether an article is on its way, in place of what is planned. */
export function isOpening({ opening, failure, isStopped }: PlanningState): boolean {
  return opening !== undefined && failure === undefined && !isStopped;
}

/** A planning of one page. */
export interface Planning {
  readonly state: PlanningState;
  /** Opens another article; what was planned stays until it is there. */
  open(target: OpenTarget): void;
  /** Sends a change when all earlier ones are answered; of nothing while another article is on its way. */
  change(setting: PropertySetting): void;
  /** Does again what failed. */
  retry(): void;
  /**
   * Ends what is being done, or forgets what failed: what was planned before stays, and changes of it that an opening
   * has interrupted go on. Without anything planned, an opening that is under way waits for `retry`.
   */
  cancel(): void;
}

/** What a planning reports. */
interface PlanningEvents {
  onState(state: PlanningState): void;
  /** An answer to a change, or an article that was opened (then without one). */
  onPlanned(planned: PlannedArticle, setting?: PropertySetting): void;
  onFailure(failure: ConverterError): void;
}

/**
 * Creates a planning in which nothing is planned yet.
 *
 * Changes are sent one after the other, each with the answer to the one before, because the service answers a whole
 * article: two at once would lose one. Of several waiting changes of one property only the last is sent.
 */
export function createPlanning(service: PlanningService, events: PlanningEvents): Planning {
  let state: PlanningState = {
    planned: undefined,
    opening: undefined,
    pending: [],
    failure: undefined,
    isStopped: false,
  };
  let work: AbortController | undefined;

  const set = (change: Partial<PlanningState>) => {
    state = { ...state, ...change };
    events.onState(state);
  };

  const run = async () => {
    if (work !== undefined) return;
    const own = new AbortController();
    work = own;
    try {
      while (!own.signal.aborted) {
        const { opening, pending, planned } = state;
        const [setting] = pending;
        if (opening !== undefined) {
          const loaded = await loadTarget(service, opening, own.signal);
          if (own.signal.aborted) return;
          const pending = 'json' in opening ? opening.pending : [];
          set({ planned: loaded, opening: undefined, pending, failure: undefined });
          events.onPlanned(loaded);
        } else if (setting !== undefined && planned !== undefined) {
          const changed = await changeProperty(service, planned, setting, own.signal);
          if (own.signal.aborted) return;
          const rest = state.pending.filter((waiting) => waiting !== setting);
          set({ planned: changed, pending: rest, failure: undefined });
          events.onPlanned(changed, setting);
        } else return;
      }
    } catch (thrown) {
      if (own.signal.aborted) return;
      const failure = asConverterError(thrown);
      // To send it again would be refused again.
      const isRefused = state.opening === undefined && failure.code === 'PROPERTY_VALUE_REFUSED';
      set({ failure, pending: isRefused ? state.pending.slice(1) : state.pending });
      events.onFailure(failure);
    } finally {
      if (work === own) work = undefined;
    }
  };
  const stop = () => {
    work?.abort();
    work = undefined;
  };

  return {
    get state() {
      return state;
    },
    open(target) {
      stop();
      set({ opening: target, failure: undefined, isStopped: false });
      void run();
    },
    change(setting) {
      const { pending, planned } = state;
      if (planned === undefined || isOpening(state)) return;
      // The first one is on its way.
      const isSent = (index: number) => index === 0 && work !== undefined;
      const others = pending.filter((other, index) => isSent(index) || !areOfOne(other, setting));
      set({ opening: undefined, pending: [...others, setting], failure: undefined });
      void run();
    },
    retry() {
      set({ failure: undefined, isStopped: false });
      void run();
    },
    cancel() {
      const { planned, opening, pending } = state;
      const isStopped = planned === undefined && isOpening(state);
      stop();
      if (isStopped) return set({ isStopped });
      const waiting = opening === undefined ? [] : pending;
      set({ opening: undefined, pending: waiting, failure: undefined, isStopped: false });
      void run();
    },
  };
}

function areOfOne(one: PropertySetting, other: PropertySetting): boolean {
  const names = ['id', 'proptype', 'propclass', 'prop'] as const;
  return names.every((name) => one[name] === other[name]);
}
