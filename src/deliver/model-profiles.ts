/** Files of profiles of any model, without a pipeline. */
import { SHARED_FOLDER } from '../run/output/delivered-files.ts';
import { ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import { workerCount } from '../support/worker-count.ts';
import { openThreads } from './maker-threads.ts';
import { type GlbFigures, readFigures, readSeparateFigures } from './making/glb-figures.ts';
import { type MadeFile, makeIn } from './making/maker.ts';
import { USDZ_PROFILE } from './making/names.ts';
import { createOnce } from './making/once.ts';
import { plainModel } from './models/plain-model.ts';
import { PROFILE_NAMES, PROFILES, type ProfileName } from './profiles/profiles.ts';

/** A name of `deliver: profiles:`. */
type ModelProfile = ProfileName | typeof USDZ_PROFILE;

/** Every profile. */
export const MODEL_PROFILES: readonly ModelProfile[] = [...PROFILE_NAMES, USDZ_PROFILE];

/** JavaScript memory of one thread, MiB: twice that of a run, because these models are of any origin. */
const HEAP_MB = 2048;

/** A file of a profile. */
export interface ProfileFile extends Pick<MadeFile, 'bytes' | 'facts'> {
  /** The ending of its name, such as `.glb`. */
  ending: '.glb' | '.gltf' | '.usdz';
  /** Files to which it refers, by their paths from its folder. */
  others: ReadonlyMap<string, Uint8Array>;
  /** Undefined for a USDZ. */
  figures: GlbFigures | undefined;
  /** Extensions of the model that change what it looks like, or what can be done with it, and that the file lacks. */
  dropped: readonly string[];
}

/** Makes files of some profiles. */
interface ProfileMaker {
  profiles: readonly ModelProfile[];
  /** How many files should be made at the same time. */
  atOnce: number;
  /**
   * Makes the file of a profile.
   *
   * @param glb - As `readModel` returns it.
   * @throws {@link ConverterError} as makers do, such as `BUDGET_EXCEEDED`; `MODEL_UNREADABLE`; `OUT_OF_MEMORY`.
   */
  make(profile: ModelProfile, glb: Uint8Array): Promise<ProfileFile>;
}

/**
 * Opens makers of files, with a thread for each processor; the threads end with the work.
 *
 * @param names - Names of profiles, or `all`.
 * @throws {@link ConverterError} `USAGE` for a name that is none.
 * @example
 * ```ts
 * const web = await withProfileMaker(['web'], io, async ({ make }) => make('web', await readModel('chair.glb')));
 * web.ending;   // → '.glb'
 * ```
 */
export async function withProfileMaker<Result>(
  names: readonly string[],
  { now, signal }: { now: () => number; signal: AbortSignal },
  work: (maker: ProfileMaker) => Promise<Result>,
): Promise<Result> {
  const profiles = [...new Set(names.flatMap(profilesOf))];
  const settings = { count: workerCount(undefined), isApart: true, heapMb: HEAP_MB, now };
  const threads = await openThreads({ profiles }, { ...settings, once: createOnce() });
  const stop = () => void threads.close();
  signal.addEventListener('abort', stop);
  /** Several profiles are made of one model. */
  const plain = new WeakMap<Uint8Array, Promise<Uint8Array>>();
  const maker: ProfileMaker = {
    profiles,
    atOnce: threads.atOnce,
    async make(profile, glb) {
      const ready = plain.get(glb) ?? plainModel(glb);
      plain.set(glb, ready);
      const name = `model${endingOf(profile)}`;
      const [made] = await makeIn(threads, profile).make(await ready, [name]);
      return profileFile(profile, made!, await readFigures(glb));
    },
  };
  return work(maker).finally(() => {
    signal.removeEventListener('abort', stop);
    return threads.close();
  });
}

function profilesOf(name: string): readonly ModelProfile[] {
  if (name === 'all') return MODEL_PROFILES;
  const known = MODEL_PROFILES.find((one) => one === name);
  if (known !== undefined) return [known];
  const message = `there is no profile "${name}"${didYouMean(name, MODEL_PROFILES)}`;
  const help = `the profiles are ${MODEL_PROFILES.join(', ')}; all stands for every one`;
  throw new ConverterError('USAGE', message, { help });
}

function endingOf(profile: ModelProfile): ProfileFile['ending'] {
  if (profile === USDZ_PROFILE) return '.usdz';
  return PROFILES[profile].files === 'shared' ? '.gltf' : '.glb';
}

/** Extensions that only say how content is stored: a file without them may look the same. */
const STORAGE =
  /^(?:EXT|KHR)_(?:meshopt_compression|draco_mesh_compression|mesh_quantization|mesh_gpu_instancing|texture_(?:webp|avif|basisu|transform)|materials_pbrSpecularGlossiness)$/;

async function profileFile(
  profile: ModelProfile,
  { bytes, facts, shared = [] }: MadeFile,
  given: GlbFigures,
): Promise<ProfileFile> {
  const ending = endingOf(profile);
  const others = new Map(shared.map((file) => [`${SHARED_FOLDER}/${file.name}`, file.bytes]));
  const readers = {
    '.glb': () => readFigures(bytes),
    '.gltf': () => readSeparateFigures(bytes, (uri) => others.get(uri)!),
    '.usdz': () => undefined,
  };
  const figures = await readers[ending]();
  const kept = figures?.extensionsUsed ?? given.extensionsUsed;
  const dropped = given.extensionsUsed.filter(
    (name) => !kept.includes(name) && !STORAGE.test(name),
  );
  return { bytes, facts, ending, others, figures, dropped };
}
