/** Target profiles as a kind of delivery. */
import { z } from 'zod';
import { eachMaster } from '../making/each-master.ts';
import { acceptSchema, kind } from '../making/kind.ts';
import { makeIn } from '../making/maker.ts';
import { USDZ_PROFILE } from '../making/names.ts';
import type { Threads } from '../making/threads.ts';
import type { ProfileTools } from './profile-maker.ts';
import { PROFILE_NAMES, WEB_DEFAULTS, webProfile } from './profiles.ts';

const NAMES = [...PROFILE_NAMES, USDZ_PROFILE] as const;
const ONE_OF = `expected one of ${NAMES.join(', ')}`;
const SPELLINGS = `${ONE_OF}; or { profile: NAME } with accept:, for web also with files: one or shared, textures: webp or ktx2, geometry: meshopt or draco, instancing: true or false`;

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
    .array(
      z.union([z.enum(NAMES), webSchema(), otherSchema()], {
        error: ({ input }) => (typeof input === 'string' ? ONE_OF : SPELLINGS),
      }),
    )
    .refine((all) => {
      const names = all.map((each) => (typeof each === 'string' ? each : each.profile));
      return new Set(names).size === names.length;
    }, 'expected each profile once')
    .describe('files for web pages, phones, shops and planners, each below a folder of its name');

/** `deliver: profiles:`. */
export const profilesKind = kind({
  schema: () => profilesSchema().optional(),
  names: NAMES,
  async open(wanted, opening) {
    // A browser is searched, and code loaded, only if it may be needed.
    if (wanted.length === 0) return [];
    const { run, threads } = opening;
    const { rendererOf } = await import('../pictures/run-renderer.ts');
    const { checkPictures: count } = run.options;
    const pictures = count === undefined ? undefined : { renderer: await rendererOf(run), count };
    const makers = await openMakers(wanted, { pictures, threads });
    return makers.map(({ maker, accept }) => {
      const atOnce = Math.max(maker.atOnce, threads.atOnce);
      return eachMaster({ ...maker, atOnce }, accept, opening);
    });
  },
  async functions(wanted, once) {
    const makers = await openMakers(wanted, { once });
    return new Map(
      makers.map(({ maker: { name, make, close = async () => {} } }) => [name, { make, close }]),
    );
  },
});

type Wanted = NonNullable<z.output<ReturnType<typeof profilesSchema>>>;

interface Tools extends Omit<ProfileTools, 'inThread'> {
  /** Makes the files; without it, the makers do. */
  threads?: Threads;
}

async function openMakers(wanted: Wanted, { threads, ...tools }: Tools) {
  const [{ createProfileMaker }, { createUsdzMaker }] = await Promise.all([
    import('./profile-maker.ts'),
    import('../usd/usdz-maker.ts'),
  ]);
  return wanted.map((one) => {
    const {
      profile: name,
      accept = [],
      ...chosen
    } = typeof one === 'string' ? { profile: one } : one;
    const profile = name === 'web' ? webProfile(chosen) : undefined;
    const inThread = threads && makeIn(threads, name);
    const maker =
      name === USDZ_PROFILE
        ? { ...createUsdzMaker(), ...inThread }
        : createProfileMaker(name, profile, { ...tools, inThread });
    return { maker, accept };
  });
}
