/** Target profiles as a kind of delivery. */
import { z } from 'zod';
import { eachMaster } from '../making/each-master.ts';
import { acceptSchema, kind } from '../making/kind.ts';
import { USDZ_PROFILE } from '../usd/usdz-maker.ts';
import { PROFILE_NAMES, WEB_DEFAULTS, webProfile } from './profiles.ts';

const NAMES = [...PROFILE_NAMES, USDZ_PROFILE] as const;
const SPELLINGS = `expected one of ${NAMES.join(', ')}; or { profile: NAME } with accept:, for web also with files: one or shared, textures: webp or ktx2, geometry: meshopt or draco, instancing: true or false`;

const webSchema = () =>
  z
    .strictObject({
      profile: z.literal('web'),
      files: z
        .enum(['one', 'shared'])
        .default(WEB_DEFAULTS.files)
        .describe('shared: a .gltf whose meshes and textures are files that articles share'),
      textures: z
        .enum(['webp', 'ktx2'])
        .default(WEB_DEFAULTS.textures)
        .describe(
          'ktx2: stays compressed in the memory of the graphics card, and takes more bytes',
        ),
      geometry: z.enum(['meshopt', 'draco']).default(WEB_DEFAULTS.geometry).describe('compression'),
      instancing: z
        .boolean()
        .default(WEB_DEFAULTS.instancing)
        .describe(
          'draws equal parts at once; they then have no names of their own, and model-viewer frames them wrongly',
        ),
      accept: acceptSchema(),
    })
    .describe('the profile web with other choices');

const otherSchema = () =>
  z
    .strictObject({
      profile: z.enum(NAMES).exclude(['web']),
      accept: acceptSchema(),
    })
    .describe('a profile with the failures that are known');

/** Names of profiles; `web` may have choices. */
const profilesSchema = () =>
  z
    .array(z.union([z.enum(NAMES), webSchema(), otherSchema()], { error: SPELLINGS }))
    .refine((all) => {
      const names = all.map((each) => (typeof each === 'string' ? each : each.profile));
      return new Set(names).size === names.length;
    }, 'expected each profile once')
    .describe('files for web pages, phones, shops and planners, each below a folder of its name');

/** `deliver: profiles:`. */
export const profilesKind = kind({
  schema: () => profilesSchema().optional(),
  names: NAMES,
  async open(wanted, run, masters, again) {
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
      return eachMaster(run, maker, masters, accept, again);
    });
  },
});
