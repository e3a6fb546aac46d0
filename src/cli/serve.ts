/**
 * `btg2gltf serve`: the emulator, for whoever develops against the service.
 */
import { resolve } from 'node:path';
import { type Command, type Io, numberOf, textOf } from './command.ts';
import { startEmulatorOf } from './start-emulator.ts';

const DEFAULT_PORT = 4810;

/** The command. */
export const serveCommand: Command = {
  positionals: [],
  options: {
    port: {
      type: 'number',
      min: 0,
      describe: 'port on 127.0.0.1; 0 is any free one',
      default: DEFAULT_PORT,
    },
    recording: {
      type: 'string',
      describe: 'serve the recording in this folder, not the sample range',
    },
  },
  examples: ['btg2gltf serve --port 4810', 'btg2gltf serve --recording recordings/showroom'],
  async run(args, io) {
    const recording = textOf(args, 'recording');
    const range = recording === undefined ? {} : { recording: resolve(recording) };
    const emulator = await startOn(numberOf(args, 'port') ?? DEFAULT_PORT, range);
    io.print(instructions(emulator, recording));
    await untilInterrupted(io);
    await emulator.close();
    // For a server Ctrl-C is the way to end.
    return 0;
  },
};

async function startOn(port: number, range: { recording?: string }) {
  const { usageError } = await import('./arguments.ts');
  if (port > 65_535) throw usageError(`--port: expected 0 to 65535, received ${port}`);
  try {
    return await startEmulatorOf(range, { port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw usageError(`--port: ${port} is taken; choose another, or 0 for any free one`);
  }
}

type Login = Awaited<ReturnType<typeof startEmulatorOf>>;

function instructions(emulator: Login, recording: string | undefined): string {
  return `
  The service, emulated: ${recording ?? 'the sample range'}

  export BTG2GLTF_AUTH_URL='${emulator.authUrl}'
  export BTG2GLTF_BASE_URL='${emulator.baseUrl}'
  export BTG2GLTF_USERNAME='${emulator.username}'
  export BTG2GLTF_PASSWORD='${emulator.password}'
  export BTG2GLTF_APP_KEY='${emulator.appKey}'

  With these in another shell:  btg2gltf catalogue ls
                                btg2gltf run pipelines/nightly.yaml
  Ctrl-C ends it.

`;
}

function untilInterrupted({ signal }: Io): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
