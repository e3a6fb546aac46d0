/** A run that converts one configuration after another, when it is asked for; it publishes nothing. */

import { LRUCache } from 'lru-cache';
import type { Article, ArticleKey, ArticleRequest, PlanningChild } from '../model/article.ts';
import type { AssetFigures } from '../model/asset.ts';
import { articleKey, articleLabel, configurationLabel } from '../model/configuration-id.ts';
import { type Configurator, planningChildren } from '../source/fetch/resolve-article.ts';
import { configure, type Setting } from '../source/fetch/select-configurations.ts';
import { selectPlannings } from '../source/fetch/select-plannings.ts';
import type { SelectedArticle } from '../source/fetch/selection.ts';
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { removeTree, temporaryFolder, viaTemporary } from '../support/files.ts';
import type { Processor } from './articles/results.ts';
import { baseArticles } from './articles/select.ts';
import { findPlannings } from './articles/source-files.ts';
import { describeService } from './open/connect.ts';
import { type HeldRun, holdRun } from './open/held-run.ts';
import { type Run, withReadingRun } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import type { RunOptions } from './open/run-options.ts';
import type { OpenSharedStore } from './open/shared-store.ts';
import { fetchAndConvert } from './processor/configuration.ts';

/** A configuration of an article: the default one, with values, by its numbers and configuration strings, or as it was stored. */
export interface ConfigurationRequest
  extends Pick<ArticleRequest, 'manufacturer' | 'program' | 'basearticlenumber'>,
    Partial<Pick<ArticleRequest, 'finalarticlenumber' | 'reinitstring' | 'metareinitstring'>> {
  /** Values by `CLASS.PROPERTY`, or by `PROPERTY` where one class has it, set in their order on the default configuration. */
  values?: Readonly<Record<string, string>>;
  /** Identifier of a stored planning, which this cache has seen when it was stored. */
  permanentid?: string;
}

/** The ways to name a configuration, of which a request has one; without any, it is the default one. */
const WAYS = {
  values: ({ values = {} }) => Object.keys(values).length > 0,
  'finalarticlenumber and reinitstring': (request) =>
    STRINGS.some((name) => (request[name] ?? '') !== ''),
  permanentid: ({ permanentid = '' }) => permanentid !== '',
} as const satisfies Record<string, (request: ConfigurationRequest) => boolean>;

const STRINGS = ['finalarticlenumber', 'reinitstring', 'metareinitstring'] as const;

/** Configurations whose resolution is remembered; each has some 500 bytes. */
const MOST_RESOLVED = 10_000;

/** A configuration of the service, and what it consists of. */
interface Resolved {
  key: ArticleKey;
  children: PlanningChild[];
}

type ConvertedGlb = Pick<AssetFigures, 'sha256' | 'bytes' | 'triangles' | 'boundsMetres'>;

/** An open run, until it is closed. */
export class OnDemandRun {
  readonly run: Run;
  readonly #held: HeldRun;
  #service: Promise<{ configurator: Configurator; processor: Processor }> | undefined;
  #hasFailed = false;
  #selected: Promise<ReadonlySet<string>> | undefined;
  readonly #resolved = new LRUCache<string, Promise<Resolved>>({ max: MOST_RESOLVED });

  private constructor(held: HeldRun) {
    this.run = held.run;
    this.#held = held;
  }

  /**
   * Opens a run.
   *
   * @param options - The output folder is replaced by one among the temporary files of the cache, which keeps what was made.
   * @throws {@link ConverterError} as `withReadingRun`. The service is opened when it is first needed.
   */
  static async open(
    options: RunOptions,
    environment: RunEnvironment,
    openStore?: OpenSharedStore,
  ): Promise<OnDemandRun> {
    const { pipeline } = options;
    const held = await holdRun((work) =>
      viaTemporary(temporaryFolder(pipeline.cacheDir), async (outputDir) => {
        const own = { ...options, pipeline: { ...pipeline, outputDir } };
        const working = withReadingRun(own, environment, work, openStore);
        await working.finally(() => removeTree(outputDir));
      }),
    );
    return new OnDemandRun(held);
  }

  /** Whether the service could not be opened: another run has to try it. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  #open() {
    this.#service ??= (async () => {
      const configurator = await this.run.sources.session.fetcher();
      return { configurator, processor: await fetchAndConvert(this.run) };
    })();
    this.#service.catch(() => {
      this.#hasFailed = true;
    });
    return this.#service;
  }

  /**
   * Finds out which configuration is meant; that is remembered.
   *
   * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`, also for an article that the pipeline does not select; `PROPERTY_UNKNOWN`,
   *   `PROPERTY_VALUE_REFUSED`, `CONFIGURATION_REFUSED`, `PERMANENT_ID_NOT_RESOLVABLE`; `USAGE` for a configuration that is
   *   named in two ways; `LOGIN_REFUSED` and others of a service that cannot be opened.
   */
  async resolve(request: ConfigurationRequest): Promise<Resolved> {
    const { configurator } = await this.#open();
    await this.#expectSelected(request);
    const name = JSON.stringify(request);
    const known = this.#resolved.get(name);
    if (known !== undefined) return known;
    const resolving = resolve(request, configurator, this.run);
    this.#resolved.set(name, resolving);
    resolving.catch(() => this.#resolved.delete(name));
    return resolving;
  }

  /**
   * Converts a configuration, unless its GLB is there.
   *
   * @throws {@link ConverterError} `NOTHING_TO_DRAW` for an article without parts, and any other code that fails an article.
   */
  async convert({ key, children }: Resolved): Promise<ConvertedGlb> {
    const planning = children.length > 0 && { children };
    const { processor } = await this.#open();
    const result = await processor.process({ request: key, why: [], ...planning });
    if (!('built' in result)) {
      const message = `${configurationLabel(key)}: expected parts, received none: it is purely commercial`;
      throw new ConverterError('NOTHING_TO_DRAW', message);
    }
    const { sha256, bytes, triangles, boundsMetres } = result.built;
    return { sha256, bytes, triangles, boundsMetres };
  }

  /** The configuration with its texts, its price and its properties, as the service sends it. */
  async articleOf({ key }: Resolved): Promise<Article> {
    const { configurator } = await this.#open();
    return (await configurator.resolve(key)).article;
  }

  async #expectSelected(request: ConfigurationRequest): Promise<void> {
    const selecting = this.#selected ?? baseArticles(this.run);
    this.#selected = selecting;
    const selected = await selecting.catch((error: unknown) => {
      this.#selected = undefined;
      throw error;
    });
    if (selected.has(articleKey(request))) return;
    const message = `${articleLabel(request)}: the pipeline file does not select this article`;
    throw new ConverterError('ARTICLE_NOT_FOUND', message, { article: articleLabel(request) });
  }

  close(): Promise<void> {
    return this.#held.close();
  }
}

async function resolve(
  request: ConfigurationRequest,
  configurator: Configurator,
  run: Run,
): Promise<Resolved> {
  const ways = Object.entries(WAYS).filter(([, names]) => names(request));
  if (ways.length > 1) {
    const received = ways.map(([way]) => way).join(' and ');
    const message = `configuration: expected ${Object.keys(WAYS).join(', or ')}, received ${received}`;
    throw new ConverterError('USAGE', message);
  }
  const { values = {}, permanentid = '', ...named } = request;
  const settings: Setting[] = Object.entries(values);
  if (permanentid !== '') return resolveStored(named, permanentid, configurator, run);
  const strings = { finalarticlenumber: '', reinitstring: '', metareinitstring: '' };
  const { key, article } =
    settings.length > 0
      ? await configure(named, settings, configurator)
      : await configurator.resolve({ ...strings, ...named });
  return { key, children: planningChildren(article) };
}

/** A planning is found in the cache: the service cannot look one up. */
async function resolveStored(
  named: Pick<ArticleRequest, 'manufacturer' | 'program' | 'basearticlenumber'>,
  id: string,
  configurator: Configurator,
  { options, sources, environment }: Run,
): Promise<Resolved> {
  const { service } = options.pipeline;
  const plannings = await findPlannings([{ id }], {
    service: describeService(service),
    permanentIds: sources.database.permanentIds,
    recording: service.recording,
    onPlanning: environment.onPlanning,
  });
  const source = { kind: 'planning', as: 'planning', plannings } as const;
  const { articles, failures } = await selectPlannings(source, configurator);
  const [failure] = failures;
  if (failure !== undefined) throw new ConverterError(failure.code as ErrorCode, failure.message);
  const { request, children = [] } = articles[0] as SelectedArticle;
  if (articleKey(request) !== articleKey(named)) {
    const message = `permanentid: expected a planning of ${articleLabel(named)}, received one of ${articleLabel(request)}`;
    throw new ConverterError('CONFIGURATION_REFUSED', message);
  }
  return { key: request, children };
}
