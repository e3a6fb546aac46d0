/**
 * `btg2gltf serve`: the emulator, for whoever develops against the service.
 */
import { resolve } from 'node:path';
import type { CacheDatabase } from '../cache/database.ts';
import { type Command, textOf } from './command.ts';
import {
  type Listening,
  listenOn,
  listenOptions,
  reachOf,
  readListening,
  untilInterrupted,
} from './listen.ts';
import { startEmulatorOf } from './start-emulator.ts';

const DEFAULT_PORT = 4810;

/** The command. */
export const serveCommand: Command = {
  positionals: [],
  options: {
    ...listenOptions(DEFAULT_PORT),
    recording: {
      type: 'string',
      describe: 'serve the recording in this folder, not the sample range',
    },
    cache: {
      type: 'string',
      describe: 'cache that remembers the plannings behind permanent identifiers',
    },
  },
  examples: ['btg2gltf serve --port 4810', 'btg2gltf serve --recording recordings/showroom'],
  async run(args, io) {
    const recording = textOf(args, 'recording');
    const range = recording === undefined ? {} : { recording: resolve(recording) };
    const at = readListening(args, DEFAULT_PORT);
    const state = await openCache(textOf(args, 'cache'));
    try {
      const emulator: Login = await listenOn(at, () =>
        startEmulatorOf(range, {
          ...at,
          onPermanentId: (id, article) => state?.permanentIds.put(emulator.baseUrl, id, article),
        }),
      );
      io.print(instructions(emulator, recording, at));
      await untilInterrupted(io);
      await emulator.close();
    } finally {
      state?.close();
    }
    // For a server Ctrl-C is the way to end.
    return 0;
  },
};

async function openCache(folder: string | undefined): Promise<CacheDatabase | undefined> {
  if (folder === undefined) return undefined;
  const { openCacheDatabase } = await import('../cache/database.ts');
  return openCacheDatabase(resolve(folder));
}

type Login = Awaited<ReturnType<typeof startEmulatorOf>>;

function instructions(emulator: Login, recording: string | undefined, at: Listening): string {
  return `
  The service, emulated: ${recording ?? 'the sample range'}

  export BTG2GLTF_AUTH_URL='${emulator.authUrl}'
  export BTG2GLTF_BASE_URL='${emulator.baseUrl}'
  export BTG2GLTF_FRONTEND_URL='${emulator.frontendUrl}'
  export BTG2GLTF_USERNAME='${emulator.username}'
  export BTG2GLTF_PASSWORD='${emulator.password}'
  export BTG2GLTF_APP_KEY='${emulator.appKey}'

  With these in another shell:  btg2gltf catalogue ls
                                btg2gltf run pipelines/nightly.yaml
  ${reachOf(at)}
  Ctrl-C ends it.

`;
}
