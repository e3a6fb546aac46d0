/** The deliveries that a pipeline asks for. */

import { extname } from 'node:path';
import { configurationLabel } from '../model/configuration-id.ts';
import type { Run } from '../run/open/open-run.ts';
import { flatPath, sharedPath } from '../run/output/delivered-files.ts';
import { beside, type Master, readMaster } from '../run/publishing/masters.ts';
import { ConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import type { Delivery, Subject } from './making/delivery.ts';
import { openMadeFiles } from './making/made-files.ts';
import type { Maker } from './making/maker.ts';
import { BROWSER_VARIABLE, findBrowser, installHelp, NONE } from './pictures/browser.ts';
import type { PictureOptions } from './pictures/picture-options.ts';
import { createPictureMaker } from './pictures/pictures.ts';
import { openRenderer, type Renderer } from './pictures/renderer.ts';
import { createProfileMaker } from './profiles/profile-maker.ts';
import { webProfile } from './profiles/profiles.ts';
import { sectionOf } from './section.ts';
import { createUsdzMaker, USDZ_PROFILE } from './usd/usdz-maker.ts';
import { openVariants } from './variants/publish-variants.ts';

/** Opens them, in the order in which they work. */
export async function openDeliveries(run: Run, masters: readonly Master[]): Promise<Delivery[]> {
  const { pictures, profiles = [], variants } = sectionOf(run.options.pipeline) ?? {};
  const makers: Maker[] = [];
  if (pictures !== undefined) makers.push(await openPictureMaker(pictures, run));
  const renderer = profiles.length > 0 ? await rendererOf(run) : undefined;
  makers.push(
    ...profiles.map((wanted) => {
      const {
        profile: name,
        accept: _,
        ...chosen
      } = typeof wanted === 'string' ? { profile: wanted } : wanted;
      if (name === USDZ_PROFILE) return createUsdzMaker();
      const profile = name === 'web' ? webProfile(chosen) : undefined;
      return createProfileMaker(name, profile, renderer);
    }),
  );
  const deliveries = makers.map((maker) => ofEachMaster(run, maker, masters));
  if (variants) deliveries.push(await openVariants(run, masters));
  return deliveries;
}

/** Why there are no pictures, and what to do. */
export const NO_BROWSER = `there is no browser: ${installHelp()}`;

/** Whether a run may do without a browser: by {@link NONE}, or as the demo. @see D-992 */
export function isBrowserOptional({ environment, options }: Run): boolean {
  return options.browserOptional === true || environment.env[BROWSER_VARIABLE] === NONE;
}

/** Whether a run has a browser, which may not start. */
export const hasBrowser = async (run: Run) => (await browserOf(run)) !== undefined;

const browserOf = ({ environment, options }: Run) =>
  findBrowser(undefined, environment.env[BROWSER_VARIABLE], options.pipeline.cacheDir);

/** Opens the maker of pictures: without a browser it throws `BROWSER_MISSING` for each. */
export async function openPictureMaker(wanted: PictureOptions, run: Run): Promise<Maker> {
  return createPictureMaker((await rendererOf(run)) ?? WITHOUT_BROWSER, wanted);
}

const WITHOUT_BROWSER: Renderer = {
  takePictures: () => Promise.reject(new ConverterError('BROWSER_MISSING', NO_BROWSER)),
  close: async () => {},
};

/** Of each run one, so that a browser that does not start is tried once. */
const renderers = new WeakMap<Run, Renderer>();

/** It starts with the first picture. */
async function rendererOf(run: Run): Promise<Renderer | undefined> {
  const browser = await browserOf(run);
  if (browser === undefined) return undefined;
  const warn = (text: string) => run.environment.log.warn(text);
  const renderer = renderers.get(run) ?? openRenderer({ browser, givesUp: true, warn });
  renderers.set(run, renderer);
  return renderer;
}

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
      const pathOf = (name: string) =>
        maker.isFlat
          ? flatPath(maker.name, master.link, extname(name).slice(1))
          : `${folder}/${name}`;
      const files = made.map((file, at) => {
        const { name } = maker.files[at]!;
        return { ...file, name, path: pathOf(name) };
      });
      const parts = made.flatMap(({ shared = [] }) =>
        shared.map((part) => ({ ...part, facts: {}, path: sharedPath(maker.name, part.name) })),
      );
      return [{ files: await Promise.all([...files, ...parts].map(keep)) }];
    },
    limitation: maker.limitation && (() => maker.limitation!()),
    close: maker.close && (() => maker.close!()),
  };
}
