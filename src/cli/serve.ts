/** `btg2gltf serve`: the emulator, for developing against the service. */
import { resolve } from 'node:path';
import type { CacheDatabase } from '../cache/database.ts';
import { startEmulatorOf } from '../emulator/start-emulator.ts';
import { type Command, textOf } from './command.ts';
import { listenOptions, readListening, serveUntilInterrupted } from './listen.ts';

const DEFAULT_PORT = 4810;

/** The command. */
export const serveCommand: Command = {
  options: {
    ...listenOptions(DEFAULT_PORT),
    recording: { type: 'string', describe: 'folder of a recording [default: the sample range]' },
    cache: { type: 'string', describe: 'cache folder to store permanent identifiers in' },
  },
  examples: ['btg2gltf serve', 'btg2gltf serve --recording recording'],
  async run(args, io) {
    const recording = textOf(args, 'recording');
    const range = recording === undefined ? {} : { recording: resolve(recording) };
    const at = await readListening(args, DEFAULT_PORT);
    const database = await openCache(textOf(args, 'cache'));
    const start = async () => {
      const emulator: Emulator = await startEmulatorOf(range, {
        ...at,
        onPermanentId: (id, article) => database?.permanentIds.put(emulator.baseUrl, id, article),
      });
      return emulator;
    };
    try {
      return await serveUntilInterrupted(at, io, start, (emulator) =>
        instructions(emulator, recording),
      );
    } finally {
      database?.close();
    }
  },
};

async function openCache(folder: string | undefined): Promise<CacheDatabase | undefined> {
  if (folder === undefined) return undefined;
  const { openCacheDatabase } = await import('../cache/database.ts');
  return openCacheDatabase(resolve(folder));
}

type Emulator = Awaited<ReturnType<typeof startEmulatorOf>>;

function instructions(emulator: Emulator, recording: string | undefined): string {
  return `  The emulator serves ${recording ?? 'the sample range'}.

  export BTG2GLTF_AUTH_URL='${emulator.authUrl}'
  export BTG2GLTF_BASE_URL='${emulator.baseUrl}'
  export BTG2GLTF_FRONTEND_URL='${emulator.frontendUrl}'
  export BTG2GLTF_USERNAME='${emulator.username}'
  export BTG2GLTF_PASSWORD='${emulator.password}'
  export BTG2GLTF_APP_KEY='${emulator.appKey}'

  With these variables, in another shell:  btg2gltf catalogue ls
                                           btg2gltf init
`;
}
