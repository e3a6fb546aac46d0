/** The interface of a run to deliveries; the code of each is loaded when a pipeline needs it. */

import { join } from 'node:path';
import { OUTBOX_FILE } from '../run/output/delivered-files.ts';
import type { Deliveries } from '../run/publishing/deliveries.ts';
import { exists } from '../support/files.ts';
import { addressAt } from './feeds/product.ts';
import { DELIVERY_FOLDERS } from './kinds.ts';
import { sectionOf } from './section.ts';

/** The deliveries of this program. */
export const DELIVERIES: Deliveries = {
  folders: DELIVERY_FOLDERS,
  async check(pipeline, { env }) {
    const deliver = sectionOf(pipeline);
    if (deliver?.pictures === undefined && deliver?.profiles === undefined) return;
    const { findBrowser } = await import('./pictures/browser.ts');
    await findBrowser(env, pipeline.cacheDir);
  },
  urlOf(pipeline) {
    const { feeds } = sectionOf(pipeline) ?? {};
    return feeds && ((path) => addressAt(feeds.baseUrl, path));
  },
  comparePictures: async (...pairs) =>
    (await import('./picture-gate.ts')).comparePictures(...pairs),
  begin: async (run) => (await import('./begin.ts')).beginDeliveries(run),
  deliver: async (...run) => (await import('./deliver.ts')).deliver(...run),
  async sender(run) {
    const { pipeline } = run.options;
    // Once there is an outbox, changes are kept also while the pipeline file names no webhook.
    const hasWebhook = sectionOf(pipeline)?.afterPublish !== undefined;
    const isKept = hasWebhook || exists(join(pipeline.outputDir, OUTBOX_FILE));
    if (!(await isKept)) return undefined;
    return (await import('./after-publish.ts')).openSender(run);
  },
  reportPictures: async (...report) =>
    (await import('./report-pictures.ts')).reportPictures(...report),
  leftOut: async (...line) => (await import('./after-publish.ts')).leftOutOf(...line),
};
