/** The page about one model of any origin: what it consists of, and what each profile would change. */
import { basename } from 'node:path';
import { asConverterError, endsRun } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import { inspectModel } from './inspection/inspection.ts';
import { inspectionPage, type ProfileChange } from './inspection/inspection-page.ts';
import { USDZ_PROFILE } from './making/names.ts';
import { withProfileMaker } from './model-profiles.ts';
import { readModel } from './models/read-model.ts';
import { inspectGlb } from './profiles/profiles.ts';

/**
 * Makes the page, which is one file and works from a disk.
 *
 * @param path - As of `readModel`.
 * @param environment - `onProfile`: called with the number of profiles whose files have been made, and that of all.
 * @throws {@link ConverterError} `MODEL_UNREADABLE`, `FILE_MISSING`; the reason of the signal.
 */
export async function modelPage(
  path: string,
  environment: {
    now: () => number;
    signal: AbortSignal;
    onProfile(done: number, total: number): void;
  },
): Promise<string> {
  const glb = await readModel(path);
  const { breaches, ...figures } = await inspectGlb(glb);
  const changes = await withProfileMaker(['all'], environment, async (maker) => {
    const { profiles, atOnce, make } = maker;
    const made = new Map<string, ProfileChange['made']>();
    environment.onProfile(0, profiles.length);
    await inParallel(profiles, atOnce, async (profile) => {
      environment.signal.throwIfAborted();
      try {
        const { bytes, others, facts, figures, dropped } = await make(profile, glb);
        const sizes = [bytes, ...others.values()].map(({ length }) => length);
        const sum = sizes.reduce((total, each) => total + each, 0);
        const moved = Number(facts.movedMillimetres ?? 0);
        const lost = String(facts.lost ?? '');
        made.set(profile, { bytes: sum, figures, movedMillimetres: moved, dropped, lost });
      } catch (thrown) {
        const { code, message } = asConverterError(thrown);
        if (environment.signal.aborted || endsRun(code)) throw thrown;
        made.set(profile, { error: message });
      }
      environment.onProfile(made.size, profiles.length);
    });
    return profiles.map((profile): ProfileChange => {
      const own = profile === USDZ_PROFILE ? undefined : breaches[profile];
      const sentences = own?.map(({ sentence }) => sentence);
      return { profile, breaches: sentences, made: made.get(profile)! };
    });
  });
  return inspectionPage(basename(path), await inspectModel(glb, figures), changes);
}
