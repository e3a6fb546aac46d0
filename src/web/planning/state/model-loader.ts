/** Makes the model of what is planned: loads its bodies, converts them, and shows how far this is. */
import type { ArticleKey } from '../../../model/article.ts';
import { configurationKey } from '../../../model/configuration-id.ts';
import { asConverterError, type ConverterError } from '../../../support/errors.ts';
import type { ConvertedModel, PlanningConverter } from './interfaces.ts';
import type { PlanningService } from './requests.ts';
import { createLoader, type LoadingProgress } from './snapshot.ts';

/** A step of the work, in its order. */
export type ModelProgress = LoadingProgress | { step: 'convert'; done: 0; total: 0 };

/** A model, and the configuration that it is of. */
export interface MadeModel extends ConvertedModel {
  key: ArticleKey;
}

/** What is known of the model. */
export interface ModelState {
  /** That was made last; it stays while another is made. */
  model: MadeModel | undefined;
  /** Undefined: nothing is being made. */
  progress: ModelProgress | undefined;
  failure: ConverterError | undefined;
  isCancelled: boolean;
}

/** Makes models, one at a time: a later call ends an earlier one. */
export interface ModelLoader {
  make(key: ArticleKey): void;
  /** Makes the last one again. */
  retry(): void;
  cancel(): void;
  /** There is no model: the article that it was of is left. */
  clear(): void;
}

/** The state of a loader that has made nothing. */
export const NO_MODEL: ModelState = {
  model: undefined,
  progress: undefined,
  failure: undefined,
  isCancelled: false,
};

/** The model of a configuration; undefined while there is none, or one of another configuration. */
export function modelOf({ model }: ModelState, key: ArticleKey | undefined): MadeModel | undefined {
  return areEqual(model?.key, key) ? model : undefined;
}

/** A change may be one of the texts or the price only: then the service answers the same configuration. */
function areEqual(one: ArticleKey | undefined, other: ArticleKey | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return configurationKey(one) === configurationKey(other);
}

/**
 * Creates a loader of models.
 *
 * @param imageLocation - As of `createLoader`.
 * @example
 * ```ts
 * const loader = createModelLoader(service, converter, ({ model }) => model && view.show(model.glb));
 * loader.make(planned.key);
 * ```
 */
export function createModelLoader(
  service: PlanningService,
  converter: PlanningConverter,
  onState: (state: ModelState) => void,
  imageLocation?: string,
): ModelLoader {
  const snapshots = createLoader(service, imageLocation);
  let state = NO_MODEL;
  let last: ArticleKey | undefined;
  let work: AbortController | undefined;
  const set = (change: Partial<ModelState>) => {
    state = { ...state, ...change };
    onState(state);
  };
  const run = async (key: ArticleKey) => {
    work?.abort();
    const own = new AbortController();
    work = own;
    const progressed = (progress: ModelProgress) => {
      if (!own.signal.aborted) set({ progress, failure: undefined, isCancelled: false });
    };
    try {
      const snapshot = await snapshots.load(key, own.signal, progressed);
      progressed({ step: 'convert', done: 0, total: 0 });
      const model = await converter.convert(snapshot, own.signal);
      if (!own.signal.aborted) set({ ...NO_MODEL, model: { ...model, key } });
    } catch (thrown) {
      if (own.signal.aborted) return;
      set({ progress: undefined, model: undefined, failure: asConverterError(thrown) });
    }
  };
  return {
    make(key) {
      const isBeingMade = state.progress !== undefined && areEqual(last, key);
      last = key;
      if (isBeingMade) return;
      const model = modelOf(state, key);
      if (model === undefined) return void run(key);
      // Back to what is shown already, while or after another was being made.
      work?.abort();
      set({ ...NO_MODEL, model });
    },
    retry() {
      if (last !== undefined) void run(last);
    },
    cancel() {
      work?.abort();
      set({ progress: undefined, isCancelled: true });
    },
    clear() {
      work?.abort();
      last = undefined;
      set(NO_MODEL);
    },
  };
}
