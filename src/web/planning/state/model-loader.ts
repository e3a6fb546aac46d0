/** Makes the model of the planned article: loads its bodies, converts them, and reports the progress. */
import type { ArticleKey } from '../../../model/article.ts';
import { configurationKey } from '../../../model/configuration-id.ts';
import { asConverterError, type ConverterError } from '../../../support/errors.ts';
import type { ConvertedModel, PlanningConverter } from './interfaces.ts';
import type { PlanningService } from './planning-service.ts';
import { createSnapshotLoader, type LoadingProgress } from './snapshot-loader.ts';

export type ModelProgress = LoadingProgress | { step: 'convert'; done: 0; total: 0 };

interface MadeModel extends ConvertedModel {
  key: ArticleKey;
}

export interface ModelState {
  /** The last finished model; it stays while another one is made. */
  model: MadeModel | undefined;
  progress: ModelProgress | undefined;
  failure: ConverterError | undefined;
  isCancelled: boolean;
}

/** The state of a loader that has made nothing. */
export const NO_MODEL: ModelState = {
  model: undefined,
  progress: undefined,
  failure: undefined,
  isCancelled: false,
};

/** The model of a configuration; undefined if there is none, or if the model is of another configuration. */
export function modelOf({ model }: ModelState, key: ArticleKey | undefined): MadeModel | undefined {
  return areEqual(model?.key, key) ? model : undefined;
}

/** Compares configurations: a change may affect texts or price only, and the configuration stays the same. */
function areEqual(one: ArticleKey | undefined, other: ArticleKey | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return configurationKey(one) === configurationKey(other);
}

/**
 * Makes models, one at a time: a later call cancels an earlier one.
 *
 * @example
 * ```ts
 * const loader = new ModelLoader(service, converter, ({ model }) => model && view.show(model.glb));
 * loader.make(planned.key);
 * ```
 */
export class ModelLoader {
  readonly #load;
  readonly #converter: PlanningConverter;
  readonly #onState: (state: ModelState) => void;
  #state = NO_MODEL;
  #last: ArticleKey | undefined;
  #work: AbortController | undefined;

  constructor(
    service: PlanningService,
    converter: PlanningConverter,
    onState: (state: ModelState) => void,
    imageLocation?: string,
  ) {
    this.#load = createSnapshotLoader(service, imageLocation);
    this.#converter = converter;
    this.#onState = onState;
  }

  make(key: ArticleKey): void {
    const isBeingMade = this.#state.progress !== undefined && areEqual(this.#last, key);
    this.#last = key;
    if (isBeingMade) return;
    const model = modelOf(this.#state, key);
    if (model === undefined) return void this.#run(key);
    // The requested model is already shown, while or after another one was being made.
    this.#work?.abort();
    this.#set({ ...NO_MODEL, model });
  }

  /** The method is bound, as `cancel` is, because components pass it to buttons. */
  readonly retry = (): void => {
    if (this.#last !== undefined) void this.#run(this.#last);
  };

  readonly cancel = (): void => {
    this.#work?.abort();
    this.#set({ progress: undefined, isCancelled: true });
  };

  clear(): void {
    this.#work?.abort();
    this.#last = undefined;
    this.#set(NO_MODEL);
  }

  #set(change: Partial<ModelState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onState(this.#state);
  }

  async #run(key: ArticleKey): Promise<void> {
    this.#work?.abort();
    const own = new AbortController();
    this.#work = own;
    const progressed = (progress: ModelProgress) => {
      if (!own.signal.aborted) this.#set({ progress, failure: undefined, isCancelled: false });
    };
    try {
      const snapshot = await this.#load(key, own.signal, progressed);
      progressed({ step: 'convert', done: 0, total: 0 });
      const model = await this.#converter.convert(snapshot, own.signal);
      if (!own.signal.aborted) this.#set({ ...NO_MODEL, model: { ...model, key } });
    } catch (thrown) {
      if (own.signal.aborted) return;
      this.#set({ progress: undefined, model: undefined, failure: asConverterError(thrown) });
    }
  }
}
