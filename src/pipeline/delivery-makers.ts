/** The deliveries that a pipeline asks for. */
import { BROWSER_VARIABLE, findBrowser, INSTALL_HELP } from '../deliver/browser.ts';
import type { Maker } from '../deliver/maker.ts';
import type { PictureOptions } from '../deliver/picture-options.ts';
import { createPictureMaker } from '../deliver/pictures.ts';
import { createProfileMaker } from '../deliver/profile-maker.ts';
import { webProfile } from '../deliver/profiles.ts';
import { openRenderer } from '../deliver/renderer.ts';
import { createUsdzMaker, USDZ_PROFILE } from '../deliver/usdz-maker.ts';
import { configurationLabel } from '../model/configuration-id.ts';
import { sha256Hex } from '../support/files.ts';
import { sharedPath } from './deliveries.ts';
import { beside, type Delivery, type Master, readMaster, type Subject } from './delivery.ts';
import { openMadeFiles } from './made-files.ts';
import type { Run } from './open-run.ts';
import { openVariants } from './variants.ts';

/** Opens them, in the order in which they work; `omitted` says which cannot, and what to do. */
export async function openDeliveries(run: Run, masters: readonly Master[]) {
  const { pictures, profiles = [], variants } = run.options.pipeline.deliver ?? {};
  const makers: Maker[] = [];
  const omitted: { name: string; reason: string }[] = [];
  if (pictures !== undefined) {
    const maker = await openPictureMaker(pictures, run);
    if (maker !== undefined) makers.push(maker);
    else omitted.push({ name: 'pictures', reason: `no new pictures, since ${NO_BROWSER}` });
  }
  const browser = profiles.length > 0 ? await browserOf(run) : undefined;
  // It starts with the first picture.
  const renderer = () => browser && openRenderer({ browser });
  makers.push(
    ...profiles.map((wanted) => {
      if (wanted === USDZ_PROFILE) return createUsdzMaker();
      if (typeof wanted === 'string') return createProfileMaker(wanted, undefined, renderer());
      const { profile, ...options } = wanted;
      return createProfileMaker(profile, webProfile(options), renderer());
    }),
  );
  const deliveries = makers.map((maker) => ofEachMaster(run, maker, masters));
  if (variants) deliveries.push(await openVariants(run, masters));
  return { deliveries, omitted };
}

/** Why there are no pictures, and what to do. */
export const NO_BROWSER = `there is no browser: ${INSTALL_HELP}`;

/** Opens the maker of pictures; undefined where there is no browser. */
export async function openPictureMaker(
  wanted: PictureOptions,
  run: Run,
): Promise<Maker | undefined> {
  const browser = await browserOf(run);
  return browser && createPictureMaker(openRenderer({ browser }), wanted);
}

const browserOf = ({ environment, options }: Run) =>
  findBrowser(undefined, environment.env[BROWSER_VARIABLE], options.pipeline.cacheDir);

/** What a maker makes of each master alone; equal masters are worked on once. */
function ofEachMaster(run: Run, maker: Maker, masters: readonly Master[]): Delivery {
  const { options, stores } = run;
  const madeOf = openMadeFiles(stores.derived, options.force);
  const asked = JSON.stringify([maker.name, maker.files]);
  const subjectOf = (master: Master): Subject => {
    const source = sha256Hex(`${master.sha256} ${master.glb} ${asked}`);
    return { label: configurationLabel(master.id), masters: [master], source };
  };
  return {
    name: maker.name,
    atOnce: maker.atOnce,
    subjects: masters.map(subjectOf),
    async make({ masters: [master] }, keep) {
      const made = await madeOf(maker, master.sha256, () => readMaster(run, master));
      const folder = beside(master, maker.name).replace(/\.glb$/, '');
      const files = made.map((file, at) => {
        const { name } = maker.files[at]!;
        return { ...file, name, path: `${folder}/${name}` };
      });
      const parts = made.flatMap(({ shared = [] }) =>
        shared.map((part) => ({ ...part, facts: {}, path: sharedPath(maker.name, part.name) })),
      );
      return [{ files: await Promise.all([...files, ...parts].map(keep)) }];
    },
    close: maker.close && (() => maker.close!()),
  };
}
