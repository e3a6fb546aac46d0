/** A run that converts one configuration after another, when it is asked for; it publishes nothing. */

import { LRUCache } from 'lru-cache';
import type { ArticleKey, ArticleRequest, PlanningChild } from '../model/article.ts';
import { configurationLabel } from '../model/configuration-id.ts';
import { type Configurator, planningChildren } from '../source/fetch/resolve-article.ts';
import { configure, type Setting } from '../source/fetch/select-configurations.ts';
import { ConverterError } from '../support/errors.ts';
import { removeTree, temporaryFolder, viaTemporary } from '../support/files.ts';
import type { Processor } from './articles/results.ts';
import { type HeldRun, holdRun } from './open/held-run.ts';
import { type Run, withReadingRun } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import type { RunOptions } from './open/run-options.ts';
import { fetchAndConvert } from './processor/configuration.ts';
import type { BuiltGlb } from './publishing/deliveries.ts';

/** A configuration of an article: the default one, with values, or by its numbers and configuration strings. */
export interface ConfigurationRequest
  extends Pick<ArticleRequest, 'manufacturer' | 'program' | 'basearticlenumber'>,
    Partial<Pick<ArticleRequest, 'finalarticlenumber' | 'reinitstring' | 'metareinitstring'>> {
  /** Values by `CLASS.PROPERTY`, set in their order on the default configuration. */
  values?: Readonly<Record<string, string>>;
}

/** Configurations whose resolution is remembered; each has some 500 bytes. */
const MOST_RESOLVED = 10_000;

interface Resolved {
  key: ArticleKey;
  children: PlanningChild[];
}

/** An open run, until it is closed. */
export class OnDemandRun {
  readonly run: Run;
  readonly #held: HeldRun;
  readonly #configurator: Configurator;
  readonly #processor: Processor;
  readonly #resolved = new LRUCache<string, Promise<Resolved>>({ max: MOST_RESOLVED });

  private constructor(held: HeldRun, configurator: Configurator, processor: Processor) {
    this.run = held.run;
    this.#held = held;
    this.#configurator = configurator;
    this.#processor = processor;
  }

  /**
   * Opens a run.
   *
   * @param options - The output folder is replaced by one among the temporary files of the cache, which keeps what was made.
   * @throws {@link ConverterError} as `withReadingRun`, `LOGIN_REFUSED`.
   */
  static async open(options: RunOptions, environment: RunEnvironment): Promise<OnDemandRun> {
    const { pipeline } = options;
    const held = await holdRun((work) =>
      viaTemporary(temporaryFolder(pipeline.cacheDir), async (outputDir) => {
        const own = { ...options, pipeline: { ...pipeline, outputDir } };
        await withReadingRun(own, environment, work).finally(() => removeTree(outputDir));
      }),
    );
    try {
      const fetcher = await held.run.sources.session.fetcher();
      return new OnDemandRun(held, fetcher, await fetchAndConvert(held.run));
    } catch (error) {
      await held.close();
      throw error;
    }
  }

  /**
   * Converts a configuration, unless its GLB is there.
   *
   * @throws {@link ConverterError} `NOTHING_TO_DRAW` for an article without parts, and any other code that fails an article.
   */
  async convert(request: ConfigurationRequest): Promise<{ key: ArticleKey; glb: BuiltGlb }> {
    const { key, children } = await this.#resolve(request);
    const planning = children.length > 0 && { children };
    const result = await this.#processor.process({ request: key, why: [], ...planning });
    if (!('built' in result)) {
      const message = `${configurationLabel(key)}: expected parts, received none: it is purely commercial`;
      throw new ConverterError('NOTHING_TO_DRAW', message);
    }
    const { sha256, bytes } = result.built;
    return { key, glb: { sha256, bytes } };
  }

  /** Remembers what a request is, unless that failed. */
  #resolve(request: ConfigurationRequest): Promise<Resolved> {
    const name = JSON.stringify(request);
    const known = this.#resolved.get(name);
    if (known !== undefined) return known;
    const resolving = resolve(request, this.#configurator);
    this.#resolved.set(name, resolving);
    resolving.catch(() => this.#resolved.delete(name));
    return resolving;
  }

  close(): Promise<void> {
    return this.#held.close();
  }
}

async function resolve(
  { values = {}, ...named }: ConfigurationRequest,
  configurator: Configurator,
): Promise<Resolved> {
  const settings: Setting[] = Object.entries(values);
  const strings = { finalarticlenumber: '', reinitstring: '', metareinitstring: '' };
  const { key, article } =
    settings.length > 0
      ? await configure(named, settings, configurator)
      : await configurator.resolve({ ...strings, ...named });
  return { key, children: planningChildren(article) };
}
