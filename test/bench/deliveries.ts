/** The group of deliveries: how long a file of each profile takes, and the profile `web` beside two others. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { USDZ_PROFILE } from '../../src/deliver/making/names.ts';
import { PROFILES } from '../../src/deliver/profiles/profiles.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { inMs } from './details.ts';
import { installPeers, PEER_FOLDER } from './peers.ts';
import { median, runProcess } from './process.ts';
import type { GroupInput } from './results.ts';
import { DEMO, inWorkspace, listIn, PROGRAM, settleDisk } from './workspace.ts';

/** The demo has several finishes of most articles, as a range has. One file of so many is made. */
const EVERY = 2;

/** What is used of gltfpack, which has no types. */
interface Gltfpack {
  pack(
    words: readonly string[],
    files: { read(path: string): Uint8Array; write(path: string, data: Uint8Array): void },
  ): Promise<string>;
}

interface Make {
  make(master: Uint8Array): Promise<{ length: number }>;
  close?(): Promise<void>;
}

/** Opens a maker of each kind, as a run does. */
type Makers = Readonly<Record<string, () => Make>>;

/** Makes files of every profile in this process, each after each other one; the first round warms up. */
export function deliveries({ results, isQuick }: GroupInput): Promise<void> {
  return inWorkspace(async ({ folder }) => {
    const masters = await mastersIn(folder);
    const makers = { ...(await ourMakers()), ...(await otherMakers()) };
    settleDisk();
    const times = new Map<string, number[]>();
    const bytes = new Map<string, number>();
    for (let round = 0; round <= (isQuick ? 1 : 3); round++) {
      for (const [name, open] of Object.entries(makers)) {
        const began = performance.now();
        const maker = open();
        let sum = 0;
        for (const master of masters) sum += (await maker.make(master)).length;
        await maker.close?.();
        const ms = (performance.now() - began) / masters.length;
        if (round > 0) times.set(name, [...(times.get(name) ?? []), ms]);
        bytes.set(name, sum);
      }
    }
    const kilobytes = (name: string) =>
      `${Math.round(bytes.get(name)! / masters.length / 1000)} kB`;
    for (const name of [...Object.keys(PROFILES), USDZ_PROFILE]) {
      const detail = `${masters.length} GLBs of the demo, ${kilobytes(name)} a file`;
      results.add('deliveries', name, { value: median(times.get(name)!), detail });
    }
    const masterBytes = masters.reduce((sum, { length }) => sum + length, 0);
    results.add('deliveries', 'bytes of ar-ios', {
      value: bytes.get(USDZ_PROFILE)! / masterBytes,
      detail: `${masters.length} GLBs of the demo, ${kilobytes(USDZ_PROFILE)} a file`,
    });
    for (const name of Object.keys(await otherMakers())) {
      const [theirs, ours] = [times.get(name)!, times.get('web')!];
      const value = median(theirs.map((time, i) => time / ours[i]!));
      const [own, other] = [ours, theirs].map((all) => inMs(median(all) / 1000));
      const detail = `${other} and ${kilobytes(name)} against ${own} and ${kilobytes('web')}`;
      results.add('deliveries', name, { value, detail });
    }
  });
}

async function mastersIn(folder: string): Promise<Uint8Array[]> {
  const file = join(folder, 'pipeline.yaml');
  const pipeline = { name: 'deliveries', service: { emulator: true }, ...DEMO };
  await writeFile(file, JSON.stringify({ ...pipeline, output: { dir: 'out' } }));
  await runProcess([...PROGRAM, 'run', file, '--quiet']);
  const lines = await listIn<ManifestLine>(join(folder, 'out'), 'manifest.jsonl');
  const glbs = lines.map(({ glb }) => glb!);
  const chosen = glbs.filter((_, i) => i % EVERY === 0);
  return Promise.all(
    chosen.map(async (glb) => new Uint8Array(await readFile(join(folder, 'out', glb)))),
  );
}

async function ourMakers(): Promise<Makers> {
  const url = pathToFileURL(resolve('dist', 'deliver', 'profiles', 'profile-maker.js')).href;
  const { createProfileMaker } = (await import(
    url
  )) as typeof import('../../src/deliver/profiles/profile-maker.ts');
  const usdz = (await import(
    pathToFileURL(resolve('dist', 'deliver', 'usd', 'usdz-maker.js')).href
  )) as typeof import('../../src/deliver/usd/usdz-maker.ts');
  const names = Object.keys(PROFILES) as (keyof typeof PROFILES)[];
  const ofProfiles = Object.fromEntries(
    names.map((name) => {
      const open = (): Make => {
        const maker = createProfileMaker(name);
        return {
          async make(master) {
            // Some targets take only larger textures than the sample range has.
            const [file] = await maker.make(master, []).catch((error: { code?: string }) => {
              if (error.code === 'BUDGET_EXCEEDED') return [];
              throw error;
            });
            return file?.bytes ?? [];
          },
          close: () => maker.close!(),
        };
      };
      return [name, open] as const;
    }),
  );
  const openUsdz = (): Make => {
    const maker = usdz.createUsdzMaker();
    return {
      async make(master) {
        const [file] = await maker.make(master, ['model.usdz']);
        return file!.bytes;
      },
    };
  };
  return { ...ofProfiles, [USDZ_PROFILE]: openUsdz };
}

/** The functions of glTF-Transform with the settings of `web`, and gltfpack, which keeps textures as they are. */
async function otherMakers(): Promise<Makers> {
  const [{ NodeIO, Logger }, { ALL_EXTENSIONS }, functions, { MeshoptEncoder }, sharp] =
    await Promise.all([
      import('@gltf-transform/core'),
      import('@gltf-transform/extensions'),
      import('@gltf-transform/functions'),
      import('meshoptimizer/encoder'),
      import('sharp'),
    ]);
  await MeshoptEncoder.ready;
  const io = new NodeIO()
    .setLogger(new Logger(Logger.Verbosity.SILENT))
    .registerExtensions(ALL_EXTENSIONS)
    .registerDependencies({ 'meshopt.encoder': MeshoptEncoder });
  await installPeers();
  const { textures } = PROFILES.web;
  const side = Number.isFinite(textures.largest) ? textures.largest : 4096;
  const pack = (await import(
    pathToFileURL(resolve(PEER_FOLDER, 'node_modules', 'gltfpack', 'library.js')).href
  )) as Gltfpack;
  const transformed = async (master: Uint8Array) => {
    const document = await io.readBinary(master);
    await document.transform(
      functions.dedup(),
      functions.meshopt({ encoder: MeshoptEncoder, level: 'medium' }),
      functions.textureCompress({
        ...{ encoder: sharp.default, targetFormat: 'webp', quality: 80, effort: 80 },
        resize: [side, side],
      }),
    );
    return io.writeBinary(document);
  };
  const packed = async (master: Uint8Array) => {
    let written = master;
    await pack.pack(['-i', 'a.glb', '-o', 'b.glb', '-cc', '-kn', '-km'], {
      read: () => master,
      write: (_path, data) => {
        written = data;
      },
    });
    return written;
  };
  return {
    'glTF-Transform': () => ({ make: transformed }),
    gltfpack: () => ({ make: packed }),
  };
}
