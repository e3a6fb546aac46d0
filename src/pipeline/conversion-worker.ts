/** The entry of a worker: converts one article after another, and answers with the GLB or the error. */
import { parentPort, workerData } from 'node:worker_threads';
import { openFileStore } from '../cache/content-store.ts';
import type { ConversionInput } from '../model/snapshot.ts';
import { asConverterError } from '../support/errors.ts';
import { loadConverter, type WorkerAnswer, type WorkerInput } from './conversion.ts';

const { bodies, options, cacheBytes } = workerData as WorkerInput;
const { convert } = await loadConverter(openFileStore(bodies), options, undefined, cacheBytes);

/** Secrets are unknown here: the main thread makes the error again, which redacts it. */
function answerOf(thrown: unknown): WorkerAnswer {
  const { code, message, help, isGeneralHelp, cause } = asConverterError(thrown);
  const stack = code === 'INTERNAL' ? (cause as Error | undefined)?.stack : undefined;
  return { error: { code, message, help: isGeneralHelp ? undefined : help, stack } };
}

parentPort?.on('message', async (snapshot: ConversionInput) => {
  try {
    const conversion = await convert(snapshot);
    const answer: WorkerAnswer = { conversion };
    parentPort?.postMessage(answer, [conversion.glb.buffer as ArrayBuffer]);
  } catch (thrown) {
    parentPort?.postMessage(answerOf(thrown));
  }
});
