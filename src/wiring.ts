/** The parts that the wings above a run bring to it: only here, and where a command begins, they meet. */

import type { Assets, AssetsOptions } from './deliver/assets.ts';
import { DELIVERIES } from './deliver/hooks.ts';
import { SHARING } from './distribute/sharing.ts';
import type { RunParts } from './run/executor.ts';
import type { Pipeline } from './run/file/pipeline-file.ts';
import type { RunEnvironment } from './run/open/run-environment.ts';
import { SURVEYS } from './survey/hooks.ts';

/** Everything that a pipeline may ask for. */
export const PARTS: RunParts = {
  deliveries: DELIVERIES,
  sharing: SHARING,
  surveys: SURVEYS,
  page: async (...content) =>
    (await import('./run/report/html.ts')).reportHtmlWithPictures(...content),
};

/** Opens what makes files on demand, with the store of a pipeline that has one. @throws as `openAssets` of `deliver/assets.ts` */
export async function openAssetsOf(
  pipeline: Pipeline,
  environment: RunEnvironment,
  options: AssetsOptions,
): Promise<Assets> {
  const { openAssets } = await import('./deliver/assets.ts');
  if (pipeline.store === undefined) return openAssets(pipeline, environment, options);
  const { openPublished } = await import('./distribute/published.ts');
  const published = await openPublished(pipeline, environment);
  return openAssets(pipeline, environment, options, { open: SHARING.open, published });
}
