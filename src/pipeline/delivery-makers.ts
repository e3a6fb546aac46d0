/** The makers of the deliveries that a pipeline asks for. */
import { BROWSER_VARIABLE, findBrowser, INSTALL_HELP } from '../deliver/browser.ts';
import type { Maker } from '../deliver/maker.ts';
import { createPictureMaker } from '../deliver/pictures.ts';
import { createProfileMaker } from '../deliver/profile-maker.ts';
import { openRenderer } from '../deliver/renderer.ts';
import { createUsdzMaker, USDZ_PROFILE } from '../deliver/usdz-maker.ts';
import type { Environment } from './environment.ts';
import type { Pipeline } from './pipeline-file.ts';

type Wanted = Pick<NonNullable<Pipeline['deliver']>, 'pictures' | 'profiles'>;

/** Opens them, in the order in which they work; `omitted` says which cannot, and what to do. */
export async function openMakers({ pictures, profiles = [] }: Wanted, env: Environment) {
  const makers: Maker[] = [];
  const omitted: { name: string; reason: string }[] = [];
  if (pictures !== undefined) {
    const browser = await findBrowser(undefined, env[BROWSER_VARIABLE]);
    if (browser === undefined)
      omitted.push({
        name: 'pictures',
        reason: `no new pictures, since there is no browser: ${INSTALL_HELP}`,
      });
    else makers.push(createPictureMaker(openRenderer({ browser }), pictures));
  }
  makers.push(
    ...profiles.map((name) =>
      name === USDZ_PROFILE ? createUsdzMaker() : createProfileMaker(name),
    ),
  );
  return { makers, omitted };
}
