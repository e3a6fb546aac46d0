/** The converter of a page: a worker makes GLBs and USDZ files, and the page stays responsive. */

import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import type { WorkerMessages } from './convert-worker.ts';
import type { ConvertedModel, PlanningConverter } from './state/interfaces.ts';

type Result = ConvertedModel | Uint8Array<ArrayBuffer>;

/** A call that has no answer yet. */
interface Waiting {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Opens the converter: its worker starts at once, and again for the next call where it has ended.
 *
 * A GLB has the bytes that the command line writes with the same options, unless it contains an image that is encoded
 * again: roughness and metallic images that are packed into one, normal maps made of heights or turned, and images
 * that are too large or that viewers cannot read. The mean colour of a picture of metal comes from decoded pixels, too:
 * those of Chromium are the command line's, other browsers may round a few differently. Blocks and images that are
 * missing or unreadable become warnings (`allowMissingParts`).
 *
 * @param workerAddress - Of `convert-worker.js`, on the origin of the page.
 * @param options - The section `convert:` of a pipeline.
 * @throws ConverterError `USAGE` with `tangents: 'mikktspace'`: viewers compute tangents.
 * @example
 * ```ts
 * const converter = openConverter('convert-worker.js');
 * const { glb, sizeMetres } = await converter.convert(snapshot, new AbortController().signal);
 * sizeMetres; // → [1.6, 0.74, 0.8]
 * ```
 */
export function openConverter(
  workerAddress: string | URL,
  options: Partial<ConvertOptions> = {},
): PlanningConverter {
  if (options.tangents === 'mikktspace') throw noTangents();
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastNumber = 0;
  let endEarlier = () => {};

  const rejectAll = (error: unknown) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const end = () => {
    worker?.terminate();
    worker = undefined;
  };
  const open = (): Worker => {
    const opened = new Worker(workerAddress, { type: 'module' });
    opened.addEventListener('message', ({ data }: MessageEvent<WorkerMessages['answer']>) => {
      const { number } = data;
      if ('result' in data) waiting.get(number)?.resolve(data.result);
      else waiting.get(number)?.reject(asError(data.error));
      waiting.delete(number);
    });
    // A program that was found catches all errors.
    opened.addEventListener('error', () => {
      if (worker === opened) end();
      rejectAll(noProgram());
    });
    post(opened, { options });
    return opened;
  };
  const call = (request: { snapshot: unknown } | { glb: Uint8Array }) => {
    worker ??= open();
    const number = ++lastNumber;
    post(worker, { number, ...request } as WorkerMessages['request']);
    const result = new Promise<Result>((resolve, reject) => {
      waiting.set(number, { resolve, reject });
    });
    return { number, result };
  };

  worker = open();
  return {
    async convert(snapshot, signal) {
      signal.throwIfAborted();
      endEarlier();
      const { number, result } = call({ snapshot });
      const stop = () => {
        if (!waiting.has(number)) return;
        waiting.get(number)!.reject(ended());
        waiting.delete(number);
        if (worker) post(worker, { endedUpTo: number });
      };
      endEarlier = stop;
      signal.addEventListener('abort', stop, { once: true });
      try {
        return (await result) as ConvertedModel;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    usdz: async (glb) => (await call({ glb }).result) as Uint8Array<ArrayBuffer>,
    close() {
      end();
      rejectAll(ended());
    },
  };
}

function post(worker: Worker, message: WorkerMessages['request']): void {
  worker.postMessage(message);
}

function ended(): DOMException {
  return new DOMException('the conversion was ended', 'AbortError');
}

function noProgram(): ConverterError {
  const message = 'converter: expected the program convert-worker.js, received none that starts';
  const help = 'load the page again; if it happens again, report it to the operator of the page';
  return new ConverterError('FILE_MISSING', message, { help });
}

function noTangents(): ConverterError {
  const message = "openConverter, tangents: expected 'none', received 'mikktspace'";
  return new ConverterError('USAGE', message, { help: 'leave tangents to the viewer' });
}

/** The other side has redacted its sentences. */
function asError({ code, message, help }: Record<'code' | 'message' | 'help', string>) {
  return new ConverterError(code as ErrorCode, message, { help });
}
