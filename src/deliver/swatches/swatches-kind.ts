/** Swatches as a kind of delivery. */
import { z } from 'zod';
import { eachMaster } from '../making/each-master.ts';
import { acceptSchema, kind } from '../making/kind.ts';
import { SWATCHES } from '../making/names.ts';
import { backgroundSchema, formatSchema, sideSchema } from '../pictures/picture-schema.ts';
import { SAMPLE_SHAPES, type SampleShapeName } from './sample-shapes.ts';

const SHAPES = Object.keys(SAMPLE_SHAPES) as [SampleShapeName, ...SampleShapeName[]];

const swatchesSchema = () =>
  z.strictObject({
    shape: z
      .enum(SHAPES)
      .default('flat')
      .describe('flat: 0.2 m of a plane, seen from the front; ball: of 0.1 m, with its shadow'),
    width: sideSchema().default(256).describe('pixels, which is also the height'),
    format: formatSchema(),
    background: backgroundSchema().describe(
      'colour behind a ball, and through glass; or transparent',
    ),
    accept: acceptSchema(),
  });

/** `deliver: swatches:`. */
export const swatchesKind = kind({
  schema: () =>
    swatchesSchema().optional().describe('a picture of each finish, once for all articles'),
  names: [SWATCHES],
  async open({ accept, ...wanted }, opening) {
    const [{ createSwatchMaker }, { rendererOf, withoutBrowser }] = await Promise.all([
      import('./swatch-maker.ts'),
      import('../pictures/run-renderer.ts'),
    ]);
    const maker = createSwatchMaker(
      (await rendererOf(opening.run)) ?? withoutBrowser(opening.run),
      wanted,
    );
    return [eachMaster(maker, accept, opening)];
  },
});
