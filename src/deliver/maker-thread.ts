/** The program of a thread of `maker-threads.ts`: does functions of deliveries, which it opens itself. */

import { parentPort, workerData } from 'node:worker_threads';
import { receivedError, type SentError, sentError } from '../support/errors.ts';
import { openFunctions } from './kinds.ts';
import type { MakerThreadMessages } from './maker-threads.ts';
import { readMasterFile } from './making/delivery.ts';
import { storeFiles } from './making/file-contents.ts';
import type { Once } from './making/once.ts';

type Request = MakerThreadMessages['request'];
type Answer = Extract<Request, { kind: 'answer' }>;

const { wanted, objects } = workerData as MakerThreadMessages['opening'];
const asked = new Map<number, (answer: Answer) => void>();
let last = 0;

const post = (answer: MakerThreadMessages['answer']) => parentPort?.postMessage(answer);

function ask(question: (ask: number) => MakerThreadMessages['answer']): Promise<Answer> {
  const number = ++last;
  return new Promise((resolve) => {
    asked.set(number, resolve);
    post(question(number));
  });
}

const once = (async (key: string, work: () => Promise<unknown>) => {
  const answer = await ask((ask) => ({ kind: 'once', ask, key }));
  const { ask: number, result, error: unreadable, isYours } = answer;
  if (unreadable !== undefined) throw receivedError(unreadable);
  if (!isYours) return result;
  try {
    const own = await work();
    post({ kind: 'result', ask: number, result: own });
    return own;
  } catch (thrown) {
    const error: SentError = sentError(thrown);
    post({ kind: 'result', ask: number, error });
    throw thrown;
  }
}) as Once;

const opened = openFunctions(wanted, once);
// Each call throws it.
opened.catch(() => undefined);

async function call(request: Extract<Request, { kind: 'call' }>) {
  const { delivery, name, given, file, stores, hasReader } = request;
  const readMaster = async (place: number) => {
    const { result, error } = await ask((ask) => ({ kind: 'read', ask, place }));
    if (error !== undefined) throw receivedError(error);
    return result as Uint8Array;
  };
  try {
    const functions = await opened;
    const all = [
      ...(file ? [await readMasterFile(file)] : []),
      ...given,
      ...(hasReader ? [readMaster] : []),
    ];
    const result = await functions.get(delivery)![name]!(...all);
    const isStored = stores !== undefined && objects !== undefined;
    post({ kind: 'done', result: isStored ? await storeFiles(objects, result, stores) : result });
  } catch (thrown) {
    post({ kind: 'failed', error: sentError(thrown) });
  }
}

parentPort?.on('message', (request: Request) => {
  if (request.kind === 'call') return void call(request);
  asked.get(request.ask)?.(request);
  asked.delete(request.ask);
});
