/** Target profiles as a kind of delivery. */
import { MasterDelivery } from '../making/each-master.ts';
import { kind } from '../making/kind.ts';
import { USDZ_PROFILE } from '../usd/usdz-maker.ts';
import { PROFILE_NAMES, webProfile } from './profiles.ts';
import { profilesSchema } from './profiles-schema.ts';

/** `deliver: profiles:`. */
export const profilesKind = kind({
  schema: () => profilesSchema().optional(),
  names: [...PROFILE_NAMES, USDZ_PROFILE],
  async open(wanted, run, masters) {
    // A browser is searched, and code loaded, only if it may be needed.
    if (wanted.length === 0) return [];
    const [{ createProfileMaker }, { createUsdzMaker }, { rendererOf }] = await Promise.all([
      import('./profile-maker.ts'),
      import('../usd/usdz-maker.ts'),
      import('../pictures/run-renderer.ts'),
    ]);
    const { checkPictures: count } = run.options;
    const pictures = count === undefined ? undefined : { renderer: await rendererOf(run), count };
    return wanted.map((one) => {
      const {
        profile: name,
        accept = [],
        ...chosen
      } = typeof one === 'string' ? { profile: one } : one;
      const profile = name === 'web' ? webProfile(chosen) : undefined;
      const maker =
        name === USDZ_PROFILE ? createUsdzMaker() : createProfileMaker(name, profile, pictures);
      return new MasterDelivery(run, maker, masters, accept);
    });
  },
});
