/** The store of a pipeline as a run uses it. */

import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { SharedStore } from '../run/open/shared-store.ts';
import { findUnfinishedRun } from './chunk-objects.ts';
import { seriesOf } from './chunks.ts';
import { SharedContents } from './contents.ts';
import { takeLease } from './leases.ts';
import { openMembers } from './members.ts';
import { openSharedOutput } from './output.ts';
import { pipelineStore } from './pipeline-store.ts';
import { oldStoreRuns, planStorePrune, removeFromStore } from './published.ts';
import { openSharedDerivedData, openSharedResponses, SharedSnapshots } from './rows.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Key of the list of unreferenced objects, with the time since when. */
const UNREFERENCED_KEY = 'unreferenced.json';

/** The store with its objects, for the other files of this wing. */
interface OpenStore extends SharedStore {
  readonly objects: ObjectStore;
}

/** Opens the store of a pipeline. @throws {@link ConverterError} `USAGE`, `PIPELINE_VARIABLE_UNSET`. */
export async function openSharedStore(
  pipeline: Pipeline,
  environment: RunEnvironment,
): Promise<OpenStore> {
  return sharedStore(await pipelineStore(pipeline, environment), environment.now);
}

/** The functions of a store that a run uses. @param now - Milliseconds since 1970. */
export function sharedStore(objects: ObjectStore, now: () => number): OpenStore {
  return {
    objects,
    name: objects.name,
    responses: openSharedResponses(objects),
    derived: openSharedDerivedData(objects),
    bodies: (own) => new SharedContents(own, objects),
    lease: (name) => takeLease(objects, name, now),
    members: (member) => openMembers(objects, member, now),
    loadSnapshots: (database, service, request) =>
      new SharedSnapshots(objects, database, service).load(seriesOf({ article: { request } })),
    openOutput: (...output) => openSharedOutput(objects, ...output),
    async place(outputDir, signal) {
      if ((await findUnfinishedRun(objects)) !== undefined) return undefined;
      let etag: string | undefined;
      return {
        async lists(files) {
          const infos = await Promise.all(files.map((file) => objects.head(file)));
          return infos.map((info) => info?.etag).join(', ');
        },
        // This run has the lock: no object is younger than its publication.
        plan: () => planStorePrune(objects, outputDir, () => false),
        oldRuns: (keepRuns) => oldStoreRuns(objects, keepRuns),
        remove: (plan) => removeFromStore(objects, plan, () => signal.throwIfAborted()),
        async read() {
          const found = await objects.get(UNREFERENCED_KEY);
          etag = found?.etag;
          return found && new TextDecoder().decode(found.content);
        },
        async write(text) {
          await objects.replace(UNREFERENCED_KEY, new TextEncoder().encode(text), etag);
        },
      };
    },
  };
}

/** The store that a run has open: only this wing opens one. */
export function storeIn({ shared }: { shared: SharedStore | undefined }): ObjectStore | undefined {
  return (shared as OpenStore | undefined)?.objects;
}
