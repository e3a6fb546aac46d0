/** The interface of a run to other machines; most of the code is loaded when a pipeline needs it. */
import type { Sharing } from '../run/executor.ts';

/** The work of several machines together. */
export const SHARING: Sharing = {
  open: async (...pipeline) => (await import('./shared-store.ts')).openSharedStore(...pipeline),
  async prepare(options, environment) {
    const { pipeline, executor = 'local' } = options;
    const isAlone = pipeline.store === undefined && executor === 'local';
    if (isAlone) return { environment, close: async () => {} };
    const { openSharedRun } = await import('./lifecycle.ts');
    return openSharedRun(options, environment);
  },
  executor: async (...run) => (await import('./coordinator.ts')).openWorkers(...run),
};
