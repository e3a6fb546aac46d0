/** The delivery of USDZ, for AR on Apple's devices. */
import { cutText, TEXT_LIMITS } from '../../support/text-limits.ts';
import type { Maker } from '../making/maker.ts';
import { USDZ_PROFILE } from '../making/names.ts';
import { readDocument } from '../making/read-document.ts';

/** Increase this version if the same model gets another file. */
const VERSION = 2;

/** The maker has one thread; while one file is made, other masters are read and written. */
const AT_ONCE = 2;

/** Makes a USDZ of masters. Facts: triangles, textures, their bytes, the number of losses, and sentences about them. */
export function createUsdzMaker(): Maker {
  return {
    name: USDZ_PROFILE,
    files: [{ name: 'model.usdz', key: String(VERSION) }],
    atOnce: AT_ONCE,
    async make(master) {
      const { writeUsdz } = await import('./usdz.ts');
      const { document } = await readDocument(master);
      const { bytes, losses, ...counts } = writeUsdz(document);
      const lost = cutText(losses.join('; '), TEXT_LIMITS.message);
      return [{ bytes, facts: { ...counts, losses: losses.length, ...(lost && { lost }) } }];
    },
  };
}
