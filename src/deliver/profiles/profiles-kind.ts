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
  accepted: (wanted) =>
    Object.fromEntries(
      wanted.flatMap((one) => (typeof one === 'object' ? [[one.profile, one.accept]] : [])),
    ),
  async open(wanted, run, masters) {
    // A browser is looked for only where it may be needed.
    if (wanted.length === 0) return [];
    const [{ createProfileMaker }, { createUsdzMaker }, { rendererOf }] = await Promise.all([
      import('./profile-maker.ts'),
      import('../usd/usdz-maker.ts'),
      import('../pictures/run-renderer.ts'),
    ]);
    const renderer = await rendererOf(run);
    const makers = wanted.map((one) => {
      const {
        profile: name,
        accept: _,
        ...chosen
      } = typeof one === 'string' ? { profile: one } : one;
      if (name === USDZ_PROFILE) return createUsdzMaker();
      const profile = name === 'web' ? webProfile(chosen) : undefined;
      return createProfileMaker(name, profile, renderer);
    });
    return makers.map((maker) => new MasterDelivery(run, maker, masters));
  },
});
