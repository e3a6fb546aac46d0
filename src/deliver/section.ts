/** The section `deliver:` of a pipeline file, put together from the keys of the kinds of deliveries. */
import { z } from 'zod';
import { afterPublishSchema, feedsSchema } from './feeds/feeds-schema.ts';
import { acceptSchema } from './making/accept-schema.ts';
import { picturesSchema } from './pictures/pictures-schema.ts';
import { profilesSchema } from './profiles/profiles-schema.ts';

/** Few files have it, and each start makes the schemas. */
export const deliverSchema = z.lazy(() =>
  z.strictObject({
    pictures: picturesSchema().optional().describe('pictures of each article, below pictures/'),
    gallery: z
      .boolean()
      .default(false)
      .describe('a page that shows everything published, below gallery/'),
    variants: z
      .union([z.boolean(), z.strictObject({ accept: acceptSchema() })])
      .default(false)
      .describe(
        'one file with all finishes of an article, below variants/: true, or { accept: … }',
      ),
    feeds: feedsSchema().optional(),
    afterPublish: afterPublishSchema().optional(),
    profiles: profilesSchema().optional(),
  }),
);

/** What a pipeline file asks for. */
export type DeliverSection = z.output<typeof deliverSchema>;

/** What a pipeline asks for; undefined if it asks for nothing. The schema of its file has checked it. */
export function sectionOf({
  deliver,
}: {
  deliver?: object | undefined;
}): DeliverSection | undefined {
  return deliver as DeliverSection | undefined;
}
