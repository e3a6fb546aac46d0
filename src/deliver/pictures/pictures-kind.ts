/** Pictures as a kind of delivery. */
import { MasterDelivery } from '../making/each-master.ts';
import { kind } from '../making/kind.ts';
import { PICTURES } from '../making/names.ts';
import { picturesSchema } from './pictures-schema.ts';

/** `deliver: pictures:`. */
export const picturesKind = kind({
  schema: () => picturesSchema().optional().describe('pictures of each article, below pictures/'),
  names: [PICTURES],
  accepted: ({ accept }) => ({ [PICTURES]: accept }),
  async open(wanted, run, masters) {
    const { openPictureMaker } = await import('./run-renderer.ts');
    return [new MasterDelivery(run, await openPictureMaker(wanted, run), masters)];
  },
});
