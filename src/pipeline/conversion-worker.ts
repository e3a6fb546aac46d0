/** The entry of a worker: converts one article after another, and answers with what it made, or the error. */
import { parentPort, workerData } from 'node:worker_threads';
import { openFileStore } from '../cache/content-store.ts';
import { asConverterError } from '../support/errors.ts';
import { loadConverter, type WorkerMessages } from './conversion.ts';

const { bodies, options, cacheBytes } = workerData as WorkerMessages['data'];
const converter = await loadConverter(openFileStore(bodies), options, undefined, cacheBytes);

/** Secrets are unknown here: the main thread makes the error again, which redacts it. */
function answerOf(thrown: unknown): WorkerMessages['answer'] {
  const { code, message, help, isGeneralHelp, cause } = asConverterError(thrown);
  const stack = code === 'INTERNAL' ? (cause as Error | undefined)?.stack : undefined;
  return { error: { code, message, help: isGeneralHelp ? undefined : help, stack } };
}

parentPort?.on('message', async ({ step, input, file }: WorkerMessages['request']) => {
  try {
    const result = await converter[step](input, file);
    const answer: WorkerMessages['answer'] = { result };
    // A file is moved rather than copied; parts of a scene may stay in the cache of meshes.
    const moved = 'glb' in result ? [result.glb.buffer as ArrayBuffer] : [];
    parentPort?.postMessage(answer, moved);
  } catch (thrown) {
    parentPort?.postMessage(answerOf(thrown));
  }
});
