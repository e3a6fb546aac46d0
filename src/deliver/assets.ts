/** Files of exactly the configuration that is asked for, made when they are asked for: as a run makes them, in its cache. */

import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { ArticleKey } from '../model/article.ts';
import { configurationKey, configurationLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { type ConfigurationRequest, OnDemandRun } from '../run/on-demand-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { assignPaths, objectKey } from '../run/output/article-path.ts';
import type { BuiltGlb } from '../run/publishing/deliveries.ts';
import type { Master } from '../run/publishing/masters.ts';
import { ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import type { Placed } from './making/delivery.ts';
import { PICTURES } from './making/names.ts';
import { closeDeliveries, type OpenDeliveries, openRunDeliveries } from './open-deliveries.ts';
import { PICTURE_FORMATS } from './pictures/picture-options.ts';
import { closeRenderer } from './pictures/run-renderer.ts';
import { createSharedWork } from './pictures/shared-work.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { deliverSchema, sectionOf } from './section.ts';
import { USDZ_PROFILE } from './usd/usdz-maker.ts';

/** What is made of a configuration, by the ending of its file; without a profile, a GLB is the one that a run publishes. */
export type AssetForm =
  | { form: 'glb'; profile?: string }
  | { form: 'usdz' }
  | ({ form: keyof typeof PICTURE_FORMATS } & Partial<Shown>);

/** How a picture shows a model; the defaults are those of the pictures of a run. */
interface Shown {
  camera: string;
  /** Pixels. */
  width: number;
  height: number;
  /** `transparent`, or `#` and six hexadecimal digits, sRGB. */
  background: string;
}

/** A file of a configuration. */
export interface Asset {
  /** The configuration as the service resolved it. */
  key: ArticleKey;
  /** Name for people: the final article number with the ending of its form. */
  name: string;
  mimeType: string;
  sha256: Digest;
  bytes: Uint8Array;
}

/** Makes files of configurations. */
export interface Assets {
  /**
   * Makes a file, unless it was made before. Equal calls at the same time share it.
   *
   * @param signal - Ends the call. What has begun goes on, for the next one.
   * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`, `PROPERTY_UNKNOWN`, `PROPERTY_VALUE_REFUSED`,
   *   `CONFIGURATION_REFUSED`; `NOTHING_TO_DRAW` for an article without parts; `USAGE` for an unknown profile or camera, and for a profile of several files;
   *   `RATE_LIMITED` while too many are made; any other code that fails an article or a delivery.
   */
  asset(request: ConfigurationRequest, form: AssetForm, signal?: AbortSignal): Promise<Asset>;
  close(): Promise<void>;
}

export interface AssetsOptions {
  /** How long an answer of the service is used before it is asked again, milliseconds. @defaultValue 600000 */
  resolveMaxAgeMs?: number;
}

const RESOLVE_MAX_AGE_MS = 600_000;

/** Files that are made at the same time, and those that may wait for that. */
const MADE_AT_ONCE = 4;
const MOST_WAITING = 64;

/**
 * Opens what makes files of any configuration of the articles of a service. What is made stays in the cache of the pipeline, by
 * last use, where a run finds it; nothing is published. The store of a pipeline with `store:` is not used.
 *
 * @example
 * ```ts
 * const assets = await openAssets(pipeline, environment);
 * const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M', values: { 'OBERFLÄCHE.DEKOR': 'EI' } };
 * await assets.asset(desk, { form: 'usdz' });   // → { name: 'LN-M-V.EI….usdz', mimeType: 'model/vnd.usdz+zip', bytes, … }
 * ```
 */
export function openAssets(
  pipeline: Pipeline,
  environment: RunEnvironment,
  { resolveMaxAgeMs = RESOLVE_MAX_AGE_MS }: AssetsOptions = {},
): Assets {
  const once = createSharedWork<Asset>(MADE_AT_ONCE, MOST_WAITING, 'too many files are being made');
  const never = new AbortController().signal;
  let current: Opened | undefined;
  const closing = new Set<Promise<void>>();
  const end = () => {
    const former = current;
    current = undefined;
    if (former === undefined) return;
    const ended = closeWhenDone(former).finally(() => closing.delete(ended));
    closing.add(ended);
    ended.catch((error: Error) => environment.log.warn(error.message));
  };
  const renewed = (): Opened => {
    const now = environment.now();
    if (current !== undefined && now < current.untilMs) return current;
    end();
    const session = Session.open(pipeline, environment);
    const opened = {
      session,
      untilMs: now + resolveMaxAgeMs,
      working: new Set<Promise<unknown>>(),
    };
    session.catch(() => {
      if (current === opened) current = undefined;
    });
    current = opened;
    return opened;
  };
  return {
    async asset(request, form, signal = never) {
      const wanted = wantedFor(form);
      const key = JSON.stringify([request, form]);
      return once(key, signal, async () => {
        const { session, working } = renewed();
        const making = session.then((open) => open.make(request, form, wanted));
        working.add(making);
        try {
          return await making;
        } finally {
          working.delete(making);
        }
      });
    },
    async close() {
      end();
      await Promise.all(closing);
    },
  };
}

interface Opened {
  session: Promise<Session>;
  /** When the service is asked anew. */
  untilMs: number;
  /** What it makes. */
  working: Set<Promise<unknown>>;
}

async function closeWhenDone({ session, working }: Opened): Promise<void> {
  await Promise.allSettled(working);
  await (await session.catch(() => undefined))?.close();
}

/** The delivery that makes a form, and its section; undefined for the GLB that a run publishes. */
type Wanted = { name: string; section?: object } | undefined;

/** @throws {@link ConverterError} `USAGE` */
function wantedFor(form: AssetForm): Wanted {
  if (form.form === 'usdz') return { name: USDZ_PROFILE };
  if (form.form === 'glb') {
    const { profile } = form;
    if (profile === undefined) return undefined;
    if (PROFILE_NAMES.some((name) => name === profile)) return { name: profile };
    const expected = `profile: expected one of ${PROFILE_NAMES.join(', ')}`;
    const received = `received ${JSON.stringify(profile)}${didYouMean(profile, PROFILE_NAMES)}`;
    throw new ConverterError('USAGE', `${expected}, ${received}`);
  }
  const { form: format, camera, ...shown } = form;
  const pictures = { format, ...shown, ...(camera !== undefined && { cameras: [camera] }) };
  const read = deliverSchema.safeParse({ pictures });
  if (read.success) return { name: PICTURES, section: { pictures: read.data.pictures } };
  const [{ path, message }] = read.error.issues as [z.core.$ZodIssue];
  const name = path[1] === 'cameras' ? 'camera' : String(path[1] ?? 'picture');
  throw new ConverterError('USAGE', `${name}: ${message}`);
}

/** Opened deliveries of pictures that are kept: each has other options. */
const MOST_OPENED = 100;

/** An open run with its deliveries, which does what is asked for until it is closed. */
class Session {
  readonly #converting: OnDemandRun;
  readonly #deliveries: OpenDeliveries;
  readonly #pictures = new LRUCache<string, ReturnType<OpenDeliveries['openMore']>>({
    max: MOST_OPENED,
  });

  private constructor(converting: OnDemandRun, deliveries: OpenDeliveries) {
    this.#converting = converting;
    this.#deliveries = deliveries;
  }

  static async open(pipeline: Pipeline, environment: RunEnvironment): Promise<Session> {
    const { progress: _, ...quiet } = environment;
    const own = { ...quiet, startedAt: environment.now() };
    const converting = await OnDemandRun.open({ pipeline: onDemand(pipeline) }, own);
    try {
      return new Session(converting, await openRunDeliveries(converting.run, { again: false }));
    } catch (error) {
      await converting.close();
      throw error;
    }
  }

  async make(request: ConfigurationRequest, { form }: AssetForm, wanted: Wanted): Promise<Asset> {
    const { key, glb } = await this.#converting.convert(request);
    const number = key.finalarticlenumber || key.basearticlenumber;
    const own = { key, name: `${number}.${form}`, mimeType: MIME_TYPES[form] };
    if (wanted === undefined) {
      const bytes = await this.#converting.run.output.objects.get(glb.sha256);
      return { ...own, sha256: glb.sha256, bytes };
    }
    const file = await this.#deliver(key, glb, wanted);
    if (!file.name.endsWith(`.${form}`)) {
      const message = `profile: expected one of a single file, received "${wanted.name}", whose files articles share`;
      throw new ConverterError('USAGE', message);
    }
    const bytes = (await this.#deliveries.contents.read(file, file.name))!;
    return { ...own, sha256: file.sha256, bytes };
  }

  async #deliver(
    key: ArticleKey,
    { sha256, bytes }: BuiltGlb,
    { name, section }: NonNullable<Wanted>,
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

const MIME_TYPES: Readonly<Record<AssetForm['form'], string>> = {
  glb: 'model/gltf-binary',
  usdz: 'model/vnd.usdz+zip',
  jpg: PICTURE_FORMATS.jpg.mimeType,
  png: PICTURE_FORMATS.png.mimeType,
  webp: PICTURE_FORMATS.webp.mimeType,
  avif: PICTURE_FORMATS.avif.mimeType,
};

/** A pipeline whose run can make every profile, each with the options that the pipeline gives it. */
function onDemand(pipeline: Pipeline) {
  const chosen = sectionOf(pipeline)?.profiles ?? [];
  const names = new Set<string>(chosen.map((one) => (typeof one === 'string' ? one : one.profile)));
  const others = [...PROFILE_NAMES, USDZ_PROFILE].filter((name) => !names.has(name));
  const { store: _, ...rest } = pipeline;
  return {
    ...rest,
    deliver: { profiles: [...chosen, ...others] },
  };
}
