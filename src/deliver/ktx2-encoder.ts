/** Encodes textures as KTX2, in a thread: one takes a second. */
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import type { Ktx2Messages, Ktx2Picture } from './ktx2-thread.ts';
import type { TextureMeaning } from './texture-encoder.ts';

/** In the package and beside the sources: a thread needs a program that Node reads as it is. */
const THREAD = new URL('../../dist/deliver/ktx2-thread.js', import.meta.url);

/** Encodes pixels with what is known of their meaning. */
export type EncodeKtx2 = (picture: Ktx2Picture, meaning: TextureMeaning) => Promise<Uint8Array>;

/**
 * Colours are ETC1S, which is small. Normals and numbers are UASTC, whose channels do not depend on one another;
 * neither is an sRGB value.
 */
const ENCODINGS = {
  colour: { isUASTC: false, isPerceptual: true, isSetKTX2SRGBTransferFunc: true },
  normal: { isUASTC: true, isPerceptual: false, isSetKTX2SRGBTransferFunc: false },
  data: { isUASTC: true, isPerceptual: false, isSetKTX2SRGBTransferFunc: false },
} as const satisfies Record<TextureMeaning, Ktx2Messages['request']['encoding']>;

/** Opens an encoder, whose thread starts with the first texture. `encode` rejects with what the library says. */
export function openKtx2Encoder() {
  let worker: Promise<Worker> | undefined;
  let last = 0;
  const waiting = new Map<number, (answer: Ktx2Messages['answer']) => void>();
  const fail = (reason: string) => {
    for (const [id, settle] of waiting) settle({ id, reason });
    waiting.clear();
    worker = undefined;
  };
  const start = async () => {
    const { Worker } = await import('node:worker_threads');
    const started = new Worker(fileURLToPath(THREAD), { stdout: true, stderr: true });
    // The library prints its progress.
    started.stdout.resume();
    started.stderr.resume();
    started.on('message', (answer: Ktx2Messages['answer']) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
      // A program whose other work has ended may end.
      if (waiting.size === 0) started.unref();
    });
    started.on('error', (error) => fail(error.message));
    started.on('exit', () => fail('the thread has ended'));
    return started;
  };
  return {
    encode: (async (picture, meaning) => {
      worker ??= start();
      const started = await worker;
      const id = ++last;
      const answer = await new Promise<Ktx2Messages['answer']>((settle) => {
        waiting.set(id, settle);
        started.ref();
        const request = { id, picture, encoding: ENCODINGS[meaning] };
        started.postMessage(request satisfies Ktx2Messages['request']);
      });
      if ('reason' in answer) throw new Error(`KTX2: ${answer.reason}`);
      return answer.bytes;
    }) satisfies EncodeKtx2,
    async close(): Promise<void> {
      await (await worker)?.terminate();
      worker = undefined;
    },
  };
}
