/** An open run with its deliveries, which makes files of configurations until it is closed. */

import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { checkImage } from '../convert/wire/resource.ts';
import type { ArticleKey } from '../model/article.ts';
import { configurationKey, configurationLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { type ConfigurationRequest, OnDemandRun } from '../run/on-demand-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { OpenSharedStore } from '../run/open/shared-store.ts';
import { assignPaths, objectKey } from '../run/output/article-path.ts';
import type { BuiltGlb } from '../run/publishing/deliveries.ts';
import type { Master } from '../run/publishing/masters.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import { describeAsset, previewOf } from './asset-description.ts';
import { type AssetForm, FORM_TYPES, type FormMaker, makerOf } from './asset-forms.ts';
import { type Placed, storedMasters } from './making/delivery.ts';
import { USDZ_PROFILE } from './making/names.ts';
import { closeDeliveries, type OpenDeliveries, openRunDeliveries } from './open-deliveries.ts';
import { closeRenderer } from './pictures/run-renderer.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { sectionOf } from './section.ts';

/** A file of a configuration. */
export interface MadeAsset {
  /** The configuration as the service resolved it. */
  key: ArticleKey;
  /** Name for people: the final article number with the ending of its form. */
  name: string;
  mimeType: string;
  sha256: Digest;
  bytes: Uint8Array;
}

/** What makes a file of a GLB. */
type GlbMaker = Extract<FormMaker, { kind: 'master' | 'delivery' }>;

/** How long each step took, milliseconds. */
export type Steps = Partial<Record<'resolve' | 'convert' | 'make', number>>;

/** Opened deliveries of pictures that are kept: each has other options. */
const MOST_OPENED = 100;

/** Makes files while its run is open. */
export class AssetSession {
  readonly #converting: OnDemandRun;
  readonly #deliveries: OpenDeliveries;
  readonly #now: () => number;
  readonly #pictures = new LRUCache<string, ReturnType<OpenDeliveries['openMore']>>({
    max: MOST_OPENED,
  });

  private constructor(converting: OnDemandRun, deliveries: OpenDeliveries, now: () => number) {
    this.#converting = converting;
    this.#deliveries = deliveries;
    this.#now = now;
  }

  /** @param openStore - Opens the store of a pipeline with `store:`. */
  static async open(
    pipeline: Pipeline,
    environment: RunEnvironment,
    openStore?: OpenSharedStore,
  ): Promise<AssetSession> {
    const { progress: _, ...quiet } = environment;
    const own = { ...quiet, startedAt: environment.now() };
    const converting = await OnDemandRun.open({ pipeline: onDemand(pipeline) }, own, openStore);
    try {
      // One processor answers what is there already.
      const apart = Math.max(1, availableParallelism() - 1);
      const deliveries = await openRunDeliveries(converting.run, { again: false, apart });
      return new AssetSession(converting, deliveries, environment.now);
    } catch (error) {
      await converting.close();
      throw error;
    }
  }

  /** Whether the service could not be opened: another session has to try it. */
  get hasFailed(): boolean {
    return this.#converting.hasFailed;
  }

  /** Makes a file of a GLB that is published, without the service. */
  async makeOfPublished(
    key: ArticleKey,
    master: Uint8Array,
    wanted: AssetForm,
  ): Promise<MadeAsset> {
    const { form } = wanted;
    const { digest: sha256, bytes } = await this.#converting.run.output.objects.put(master);
    // Only these are asked for.
    const maker = makerOf(wanted) as GlbMaker;
    return { ...ownOf(key, form), ...(await this.#content(key, { sha256, bytes }, form, maker)) };
  }

  /**
   * Makes a file.
   *
   * @param allow - Throws if this configuration must not be made.
   * @returns The file, and how long the steps took, milliseconds.
   */
  async make(
    request: ConfigurationRequest,
    { form }: AssetForm,
    maker: FormMaker,
    allow: (key: ArticleKey) => Promise<void>,
  ): Promise<{ asset: MadeAsset; steps: Steps }> {
    const steps: Steps = {};
    const measured = async <T>(step: keyof Steps, work: () => Promise<T>): Promise<T> => {
      const startedMs = this.#now();
      const result = await work();
      steps[step] = this.#now() - startedMs;
      return result;
    };
    const resolved = await measured('resolve', () => this.#converting.resolve(request));
    const { key } = resolved;
    await allow(key);
    if (maker.kind === 'swatch') return { asset: await this.#swatch(resolved, maker), steps };
    const convert = () => measured('convert', () => this.#converting.convert(resolved));
    const own = ownOf(key, form);
    if (maker.kind === 'description') {
      const glb = await convert().catch((error: unknown) => {
        if (isConverterError(error, 'NOTHING_TO_DRAW')) return undefined;
        throw error;
      });
      const description = await measured('make', async () => {
        const { prices } = this.#converting.run.options.pipeline.assets;
        const article = await this.#converting.articleOf(resolved);
        return describeAsset(key, article, { prices, glb });
      });
      const bytes = new TextEncoder().encode(JSON.stringify(description));
      return { asset: { ...own, sha256: sha256Hex(bytes), bytes }, steps };
    }
    const glb = await convert();
    const content = await measured('make', () => this.#content(key, glb, form, maker));
    return { asset: { ...own, ...content }, steps };
  }

  #content(
    key: ArticleKey,
    glb: BuiltGlb,
    form: AssetForm['form'],
    maker: GlbMaker,
  ): Promise<Pick<MadeAsset, 'sha256' | 'bytes'>> {
    return maker.kind === 'master' ? this.#master(glb) : this.#delivered(key, glb, form, maker);
  }

  async #swatch(
    resolved: Parameters<OnDemandRun['articleOf']>[0],
    { property, value }: Extract<FormMaker, { kind: 'swatch' }>,
  ): Promise<MadeAsset> {
    const preview = previewOf(await this.#converting.articleOf(resolved), property, value);
    if (preview === undefined) {
      const message = `swatch: expected a value of a property of which the service has a picture, received ${property}=${value}`;
      throw new ConverterError('IMAGE_MISSING', message);
    }
    const bytes = await this.#converting.run.sources.session.preview(preview);
    // The name of a preview may have no ending.
    const mimeType = `image/${checkImage(bytes)}`;
    return {
      key: resolved.key,
      name: `${value}.swatch`,
      mimeType,
      sha256: sha256Hex(bytes),
      bytes,
    };
  }

  async #master(glb: BuiltGlb): Promise<Pick<MadeAsset, 'sha256' | 'bytes'>> {
    const { read } = storedMasters(this.#converting.run)(glb);
    return { sha256: glb.sha256, bytes: await read() };
  }

  async #delivered(
    key: ArticleKey,
    glb: BuiltGlb,
    form: AssetForm['form'],
    maker: Extract<FormMaker, { kind: 'delivery' }>,
  ): Promise<Pick<MadeAsset, 'sha256' | 'bytes'>> {
    const file = await this.#deliver(key, glb, maker);
    if (!file.name.endsWith(`.${form}`)) {
      const message = `profile: expected one of a single file, received "${maker.name}", whose files articles share`;
      throw new ConverterError('USAGE', message);
    }
    const bytes = (await this.#deliveries.contents.read(file, file.name))!;
    return { sha256: file.sha256, bytes };
  }

  async #deliver(
    key: ArticleKey,
    { sha256, bytes }: BuiltGlb,
    { name, section }: Extract<FormMaker, { kind: 'delivery' }>,
  ): Promise<Placed> {
    const opened =
      section === undefined ? this.#deliveries.deliveries : await this.#picturesBy(section);
    const delivery = opened.find((one) => one.name === name)!;
    const [[, link]] = [...assignPaths([configurationKey(key)])] as [[string, string]];
    const master: Master = {
      ...{ id: key, glb: objectKey(sha256), link, sha256, bytes },
      ...{ isDefault: false, isOnlyOfCarts: false },
    };
    const placed: Placed[] = [];
    const keep = async (file: Placed) => {
      placed.push(file);
      return file;
    };
    const subject = { label: configurationLabel(key), masters: [master], source: sha256 } as const;
    await delivery.make(subject, { keep, spend: () => {} });
    return placed[0]!;
  }

  #picturesBy(section: object) {
    const name = JSON.stringify(section);
    const known = this.#pictures.get(name);
    if (known !== undefined) return known;
    const opening = this.#deliveries.openMore(section);
    this.#pictures.set(name, opening);
    opening.catch(() => this.#pictures.delete(name));
    return opening;
  }

  async close(): Promise<void> {
    await closeDeliveries(this.#deliveries);
    await closeRenderer(this.#converting.run);
    await this.#converting.close();
  }
}

function ownOf(key: ArticleKey, form: AssetForm['form']) {
  const number = key.finalarticlenumber || key.basearticlenumber;
  return { key, name: `${number}.${form}`, mimeType: FORM_TYPES[form] };
}

/** A person waits: a service that does not answer is given up earlier than by a run. */
const FOR_A_PERSON = { timeoutMs: 15_000, giveUpAfterMs: 5_000 };

/** A pipeline whose run can make every profile, each with the options that the pipeline gives it. */
function onDemand(pipeline: Pipeline) {
  const chosen = sectionOf(pipeline)?.profiles ?? [];
  const names = new Set<string>(chosen.map((one) => (typeof one === 'string' ? one : one.profile)));
  const others = [...PROFILE_NAMES, USDZ_PROFILE].filter((name) => !names.has(name));
  const { service } = pipeline;
  return {
    ...pipeline,
    service: {
      ...service,
      timeoutMs: Math.min(service.timeoutMs, FOR_A_PERSON.timeoutMs),
      giveUpAfterMs: Math.min(service.giveUpAfterMs, FOR_A_PERSON.giveUpAfterMs),
    },
    deliver: { profiles: [...chosen, ...others] },
  };
}
