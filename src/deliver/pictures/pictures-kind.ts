/** Pictures as a kind of delivery. */
import { MasterDelivery } from '../making/each-master.ts';
import { kind } from '../making/kind.ts';
import { PICTURES } from '../making/names.ts';
import { picturesSchema } from './pictures-schema.ts';

/** `deliver: pictures:`. */
export const picturesKind = kind({
  schema: () => picturesSchema().optional().describe('pictures of each article, below pictures/'),
  names: [PICTURES],
  async open(wanted, run, masters) {
    const [{ createPictureMaker }, { rendererOf, WITHOUT_BROWSER }] = await Promise.all([
      import('./pictures.ts'),
      import('./run-renderer.ts'),
    ]);
    const maker = createPictureMaker((await rendererOf(run)) ?? WITHOUT_BROWSER, wanted);
    return [new MasterDelivery(run, maker, masters, wanted.accept)];
  },
});
