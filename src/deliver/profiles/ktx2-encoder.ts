/** Encodes textures as KTX2 in a thread, because a texture takes a second. */
import type { Worker } from 'node:worker_threads';
import { requireInstalled } from '../../support/optional.ts';
import { packageFile } from '../../support/package-file.ts';
import type { Ktx2Messages, Ktx2Picture } from './ktx2-thread.ts';

/** The program of the thread, in the package and beside the sources: Node must be able to read it without a build. */
const THREAD = packageFile('dist/deliver/profiles/ktx2-thread.js');

/** The meaning of a texture: directions; an sRGB colour; or numbers, such as roughness. */
export type TextureMeaning = 'normal' | 'colour' | 'data';

export type EncodeKtx2 = (picture: Ktx2Picture, meaning: TextureMeaning) => Promise<Uint8Array>;

const LINEAR = { isPerceptual: false, isSetKTX2SRGBTransferFunc: false };

/**
 * Colours are ETC1S, which is small, but has one brightness for all channels of a texel. Normals and different numbers
 * are UASTC; one number a texel needs no more than ETC1S. Neither is an sRGB value.
 */
const ENCODINGS = {
  colour: { isUASTC: false, isPerceptual: true, isSetKTX2SRGBTransferFunc: true },
  normal: { isUASTC: true, ...LINEAR },
  data: { isUASTC: true, ...LINEAR },
  number: { isUASTC: false, ...LINEAR },
} as const satisfies Record<TextureMeaning | 'number', Ktx2Messages['request']['encoding']>;

/** Largest difference, of 256 levels, between channels that JPEG has stored as equal. */
const EQUAL = 4;

/** Whether one channel of red, green and blue varies, or all that vary are equal, as in a map of roughness alone. */
function isOneNumber({ rgba }: Ktx2Picture): boolean {
  const first = rgba.subarray(0, 3);
  const varies = [false, false, false];
  let differs = false;
  for (let i = 0; i < rgba.length; i += 4) {
    for (let k = 0; k < 3; k++) {
      if (Math.abs(rgba[i + k]! - first[k]!) > EQUAL) varies[k] = true;
      if (Math.abs(rgba[i + k]! - rgba[i + 1]!) > EQUAL) differs = true;
    }
  }
  return !differs || varies.filter(Boolean).length <= 1;
}

/** Opens an encoder, whose thread starts with the first texture. `encode` rejects with the error of the library. */
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
    requireInstalled('textures as KTX2');
    const { Worker } = await import('node:worker_threads');
    const started = new Worker(THREAD, { stdout: true, stderr: true });
    // The library prints its progress.
    started.stdout.resume();
    started.stderr.resume();
    started.on('message', (answer: Ktx2Messages['answer']) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
      // The thread must not keep a program open whose other work has ended.
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
        const kind = meaning === 'data' && isOneNumber(picture) ? 'number' : meaning;
        const request = { id, picture, encoding: ENCODINGS[kind] };
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
