/** The folder of each delivery that there is: one that was cut off, and is not asked for any more, is in no list. */
import { PICTURES, VARIANTS } from './making/names.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { USDZ_PROFILE } from './usd/usdz-maker.ts';

/** Names of folders of the output folder, beside `articles`. */
export const DELIVERY_FOLDERS: readonly string[] = [
  ...PROFILE_NAMES,
  USDZ_PROFILE,
  PICTURES,
  VARIANTS,
];
