/** The program of a thread that encodes textures as KTX2, one after the other. */
import { parentPort } from 'node:worker_threads';
import { encodeToKTX2 } from 'ktx2-encoder';

/** Pixels, row by row from the top. */
export interface Ktx2Picture {
  rgba: Uint8Array;
  width: number;
  height: number;
}

export interface Ktx2Messages {
  request: {
    id: number;
    picture: Ktx2Picture;
    encoding: { isUASTC: boolean; isPerceptual: boolean; isSetKTX2SRGBTransferFunc: boolean };
  };
  answer: { id: number; bytes: Uint8Array } | { id: number; reason: string };
}

/** Quality of ETC1S: 1 to 255. */
const QUALITY = 160;

let turn = Promise.resolve();

parentPort?.on('message', (request: Ktx2Messages['request']) => {
  turn = turn.then(() => serve(request));
});

async function serve({ id, picture, encoding }: Ktx2Messages['request']): Promise<void> {
  const { rgba, width, height } = picture;
  const answer = (message: Ktx2Messages['answer']) => parentPort?.postMessage(message);
  try {
    const bytes = await encodeToKTX2(rgba, {
      ...encoding,
      isKTX2File: true,
      // A browser cannot compute mipmaps of a compressed texture.
      generateMipmap: true,
      needSupercompression: true,
      qualityLevel: QUALITY,
      imageDecoder: async () => ({ width, height, data: rgba }),
    });
    answer({ id, bytes });
  } catch (error) {
    answer({ id, reason: error instanceof Error ? error.message : String(error) });
  }
}
