/** The section `deliver:` of a pipeline file, put together from the keys of the kinds of deliveries. */
import { z } from 'zod';
import { afterPublishSchema, feedsSchema } from './feeds/feeds-schema.ts';
import { gallerySchema } from './gallery/gallery-schema.ts';
import { kindSchemas } from './kinds.ts';

/** The schema is created on first use: few files have the section, and each start would create it. */
export const deliverSchema = z.lazy(() =>
  z.strictObject({
    ...kindSchemas(),
    gallery: gallerySchema(),
    feeds: feedsSchema().optional(),
    afterPublish: afterPublishSchema().optional(),
  }),
);

export type DeliverSection = z.output<typeof deliverSchema>;

/** The section of a pipeline; undefined if there is none. The schema of the file has checked it. */
export function sectionOf(pipeline: { deliver?: object | undefined }): DeliverSection | undefined {
  return pipeline.deliver as DeliverSection | undefined;
}
