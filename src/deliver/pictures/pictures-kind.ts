/** Pictures as a kind of delivery. */
import { z } from 'zod';
import { eachMaster } from '../making/each-master.ts';
import { acceptSchema, kind } from '../making/kind.ts';
import { PICTURES } from '../making/names.ts';
import { drawnSize, PICTURE_CHOICES, PICTURE_DEFAULTS } from './picture-options.ts';
import { backgroundSchema, formatSchema, sideSchema } from './picture-schema.ts';

const { cameras, floors, mostPixelsASide } = PICTURE_CHOICES;

const whole = (min: number, max: number) => z.int().min(min).max(max);

const picturesSchema = () =>
  z
    .strictObject({
      cameras: z
        .array(z.enum(cameras))
        .default([...PICTURE_DEFAULTS.cameras])
        .describe('views: hero is three-quarter, top a floor plan, closeup the main material'),
      width: sideSchema().default(PICTURE_DEFAULTS.width).describe('pixels'),
      height: sideSchema().default(PICTURE_DEFAULTS.height).describe('pixels'),
      sizes: z
        .array(sideSchema())
        .default([...PICTURE_DEFAULTS.sizes])
        .describe('widths in which each view is there too, such as 400, 800 and 1600; not of top'),
      format: formatSchema(),
      background: backgroundSchema().describe(
        'colour behind the model, such as #f4f4f4, or transparent',
      ),
      floor: z
        .enum(floors)
        .default(PICTURE_DEFAULTS.floor)
        .describe('shadow on the floor; auto: of what stands on one by bounds and layers'),
      pixelsPerMetre: whole(1, Number.MAX_SAFE_INTEGER)
        .default(PICTURE_DEFAULTS.pixelsPerMetre)
        .describe('scale of the camera top'),
      frames: whole(0, 360)
        .default(PICTURE_DEFAULTS.frames)
        .describe('pictures of a turn about the model'),
      accept: acceptSchema(),
    })
    .refine(({ cameras, frames }) => cameras.length + frames > 0, {
      error: 'expected at least one view, or frames: of a turn, received none',
      path: ['cameras'],
    })
    .refine((options) => drawnSize(options).height <= mostPixelsASide, {
      error: `expected heights of at most ${mostPixelsASide} pixels, which follow from width and height`,
      path: ['sizes'],
    });

/** `deliver: pictures:`. */
export const picturesKind = kind({
  schema: () => picturesSchema().optional().describe('pictures of each article, below pictures/'),
  names: [PICTURES],
  async open(wanted, opening) {
    const [{ createPictureMaker }, { rendererOf, withoutBrowser }] = await Promise.all([
      import('./pictures.ts'),
      import('./run-renderer.ts'),
    ]);
    const maker = createPictureMaker(
      (await rendererOf(opening.run)) ?? withoutBrowser(opening.run),
      wanted,
    );
    return [eachMaster(maker, wanted.accept, opening)];
  },
});
