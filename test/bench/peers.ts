/** Other converters of the same geometry: where they are, their versions, and how they are started. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runProcess } from './process.ts';

/** Beside the sources, so that checks and searches of the sources do not see thousands of files of others. */
export const PEER_FOLDER = join('.cache', 'bench', 'peers');

/** A converter of OBJ files. */
export interface Peer {
  /** Undefined where it is not installed. */
  version: string | undefined;
  /** Whether it is compared on geometry alone. */
  isPlain: boolean;
  command(input: string, output: string): string[];
}

/** All of them; the npm packages are installed where they are missing. */
export async function openPeers(): Promise<Readonly<Record<string, Peer>>> {
  await installPeers();
  const script = (...path: string[]) => [
    process.execPath,
    resolve(PEER_FOLDER, 'node_modules', ...path),
  ];
  return {
    obj2gltf: {
      version: await versionOf('obj2gltf'),
      isPlain: false,
      command: (input, output) => {
        return [...script('obj2gltf', 'bin', 'obj2gltf.js'), '-i', input, '-o', output];
      },
    },
    assimp: {
      version: assimpVersion(),
      isPlain: false,
      command: (input, output) => ['assimp', 'export', input, output, '-fglb2'],
    },
    gltfpack: {
      version: await versionOf('gltfpack'),
      isPlain: true,
      command: (input, output) => {
        const options = ['-noq', '-kn', '-km'];
        return [...script('gltfpack', 'cli.js'), '-i', input, '-o', output, ...options];
      },
    },
  };
}

/** Installs the npm packages where they are missing. */
export async function installPeers(): Promise<void> {
  if (existsSync(join(PEER_FOLDER, 'node_modules', '.package-lock.json'))) return;
  console.log(`installing obj2gltf and gltfpack into ${PEER_FOLDER}`);
  await mkdir(PEER_FOLDER, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(join('test', 'bench', file), join(PEER_FOLDER, file));
  }
  await runProcess(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: PEER_FOLDER,
  });
}

async function versionOf(name: string): Promise<string> {
  const text = await readFile(join(PEER_FOLDER, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function assimpVersion(): string | undefined {
  try {
    const text = execFileSync('assimp', ['version'], { encoding: 'utf8' });
    return /Version (\d[\w.]*)/.exec(text)?.[1] ?? 'of unknown version';
  } catch {
    return undefined;
  }
}
