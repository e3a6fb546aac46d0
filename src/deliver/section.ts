/** The section `deliver:` of a pipeline file, put together from the keys of the kinds of deliveries. */
import { z } from 'zod';
import { afterPublishSchema, feedsSchema } from './feeds/feeds-schema.ts';
import { kindSchemas } from './kinds.ts';

/** Few files have it, and each start makes the schemas. */
export const deliverSchema = z.lazy(() =>
  z.strictObject({
    ...kindSchemas(),
    gallery: z
      .boolean()
      .default(false)
      .describe('a page that shows everything published, below gallery/'),
    feeds: feedsSchema().optional(),
    afterPublish: afterPublishSchema().optional(),
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
