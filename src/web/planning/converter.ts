/** The converter of a page: a worker makes GLBs and USDZ files, and the page stays responsive. */

import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import type { WorkerMessages } from './convert-worker.ts';
import type { ConvertedModel, PlanningConverter } from './state/interfaces.ts';

const NO_PROGRAM = 'converter: expected the program convert-worker.js, received none that starts';
const NO_PROGRAM_HELP =
  'load the page again; if it happens again, report it to the operator of the page';

type Result = ConvertedModel | Uint8Array<ArrayBuffer>;

interface Waiting {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Opens the converter: its worker starts immediately, and starts again for the next call if it has ended.
 *
 * A GLB has the bytes that the command line writes with the same options, unless it contains an image that is encoded
 * again: roughness and metallic images that are packed into one, normal maps made of heights or turned, and images
 * that are too large or that viewers cannot read. The mean colour of a picture of metal comes from decoded pixels, too:
 * those of Chromium are the command line's, other browsers may round a few differently. Blocks and images that are
 * missing or unreadable become warnings (`allowMissingParts`).
 *
 * @param workerAddress - Address of `convert-worker.js`, on the origin of the page.
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
  if (options.tangents === 'mikktspace') {
    const message = "openConverter, tangents: expected 'none', received 'mikktspace'";
    throw new ConverterError('USAGE', message, { help: 'leave tangents to the viewer' });
  }
  const worker = new ConverterWorker(workerAddress, options);
  let endEarlier = () => {};
  return {
    async convert(snapshot, signal) {
      signal.throwIfAborted();
      endEarlier();
      const { number, result } = worker.call({ snapshot });
      const stop = () => worker.end(number);
      endEarlier = stop;
      signal.addEventListener('abort', stop, { once: true });
      try {
        return (await result) as ConvertedModel;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    usdz: async (glb) => (await worker.call({ glb }).result) as Uint8Array<ArrayBuffer>,
    close: () => worker.close(),
  };
}

class ConverterWorker {
  readonly #address: string | URL;
  readonly #options: Partial<ConvertOptions>;
  readonly #waiting = new Map<number, Waiting>();
  #lastNumber = 0;
  #worker: Worker | undefined;

  constructor(address: string | URL, options: Partial<ConvertOptions>) {
    this.#address = address;
    this.#options = options;
    this.#worker = this.#open();
  }

  call(request: { snapshot: unknown } | { glb: Uint8Array }) {
    this.#worker ??= this.#open();
    const number = ++this.#lastNumber;
    post(this.#worker, { number, ...request } as WorkerMessages['request']);
    const result = new Promise<Result>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    return { number, result };
  }

  /** Cancels a conversion and all earlier ones. */
  end(number: number): void {
    const call = this.#waiting.get(number);
    if (call === undefined) return;
    call.reject(ended());
    this.#waiting.delete(number);
    if (this.#worker) post(this.#worker, { endedUpTo: number });
  }

  close(): void {
    this.#terminate();
    this.#rejectAll(ended());
  }

  #open(): Worker {
    const opened = new Worker(this.#address, { type: 'module' });
    opened.addEventListener('message', ({ data }: MessageEvent<WorkerMessages['answer']>) => {
      const call = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      if ('result' in data) return call?.resolve(data.result);
      const { code, message, help } = data.error;
      call?.reject(new ConverterError(code as ErrorCode, message, { help }));
    });
    // The program itself catches all its errors: this one means that it was not found.
    opened.addEventListener('error', () => {
      if (this.#worker === opened) this.#terminate();
      this.#rejectAll(new ConverterError('FILE_MISSING', NO_PROGRAM, { help: NO_PROGRAM_HELP }));
    });
    post(opened, { options: this.#options });
    return opened;
  }

  #terminate(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #rejectAll(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function post(worker: Worker, message: WorkerMessages['request']): void {
  worker.postMessage(message);
}

function ended(): DOMException {
  return new DOMException('the conversion was ended', 'AbortError');
}
