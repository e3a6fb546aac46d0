/// <reference lib="dom" />
/** Files of every profile in three's loader and in model-viewer, with the lines for decoders that a page shows. */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DECODERS, PACKAGES, threeLines } from '../../src/deliver/embed/decoders.ts';
import { snippetOf } from '../../src/deliver/embed/snippet.ts';
import { readFigures } from '../../src/deliver/making/glb-figures.ts';
import { createProfileMaker } from '../../src/deliver/profiles/profile-maker.ts';
import {
  PROFILE_NAMES,
  PROFILES,
  type ProfileName,
  webProfile,
} from '../../src/deliver/profiles/profiles.ts';
import { closePages, openPage, withoutDrawing } from '../helpers/browser.ts';
import { command } from '../helpers/command.ts';
import { boundsOf, drawnVertices } from '../helpers/drawn-vertices.ts';
import { servePackages } from '../helpers/npm-packages.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { similarity } from '../helpers/similarity.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Files of the first four have the form of those of `planner`; the last choice of `web` shares files, too. */
const AS_OTHERS: readonly ProfileName[] = [
  ...(['khronos-commerce', 'google', 'shopify', 'amazon'] as const),
  'shared',
];

/** The choices of `web`, and every other profile but those that refuse the article or move it. */
const CASES = [
  ...PROFILE_NAMES.filter((name) => !(IS_LONG ? ['amazon'] : AS_OTHERS).includes(name)).map(
    (name) => [name, name, PROFILES[name]] as const,
  ),
  ...(IS_LONG
    ? ([
        ['web, shared files', 'web', webProfile({ files: 'shared' })],
        ['web, Draco', 'web', webProfile({ geometry: 'draco' })],
        ['web, instancing', 'web', webProfile({ instancing: true })],
      ] as const)
    : []),
  [
    'web, Draco and KTX2, shared files',
    'web',
    {
      ...webProfile({ geometry: 'draco', textures: 'ktx2', files: 'shared' }),
      // It takes time for each pixel.
      ...(!IS_LONG && { textures: { smallest: 64, largest: 64 } }),
    },
  ],
] as const;

/** What model-viewer 4 says of each instanced mesh, which it draws: it could not change its variant. */
const OF_INSTANCES = 'Mesh is missing primitive index association';

/** The extensions of all decoders. */
const COMPRESSED = Object.values(DECODERS).map(({ extension }) => extension);

const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/" } }</script>
<script type="module">
import * as three from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
const renderer = new three.WebGLRenderer({ antialias: true });
renderer.setSize(256, 256, false);
renderer.setClearColor('#ffffff');
const loader = new GLTFLoader();
${threeLines(COMPRESSED).join('\n')}
globalThis.open3d = async (address) => {
  const { scene } = await loader.loadAsync(address);
  const box = new three.Box3().setFromObject(scene, true);
  const { min, max } = box;
  const light = new three.DirectionalLight('#ffffff', 2);
  light.position.set(1, 3, 2);
  scene.add(light, new three.AmbientLight('#ffffff', 1));
  scene.traverse((object) => { object.frustumCulled = false; });
  const camera = new three.PerspectiveCamera(30);
  const middle = box.getCenter(new three.Vector3());
  const away = box.getSize(new three.Vector3()).length() * 1.7;
  camera.position.copy(middle).add(new three.Vector3(0.6, 0.5, 0.8).normalize().multiplyScalar(away));
  camera.lookAt(middle);
  renderer.render(scene, camera);
  const textures = new Set();
  scene.traverse(({ material }) => {
    for (const value of Object.values(material ?? {})) if (value?.isTexture) textures.add(value);
  });
  const { triangles } = renderer.info.render;
  return {
    min: min.toArray(), max: max.toArray(), triangles, problem: renderer.getContext().getError(),
    isCompressed: [...textures].map((texture) => texture.isCompressedTexture === true),
    picture: renderer.domElement.toDataURL('image/png'),
    sides: [...textures].map(({ image }) => image.width),
  };
};
globalThis.isReady = true;
</script>`;

interface Opened {
  min: number[];
  max: number[];
  triangles: number;
  problem: number;
  isCompressed: boolean[];
  sides: number[];
  /** Address with the data of a PNG. */
  picture: string;
}

describe.runIf(HAS_BROWSER)('a viewer', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let page: Page;
  let shop: Page;
  let master: Uint8Array;
  let pictureOfMaster: Uint8Array;
  const trouble: string[] = [];
  beforeAll(async () => {
    folder = await temporaryFolder();
    const three = fileURLToPath(new URL('../../node_modules/three', import.meta.url));
    await symlink(three, join(folder, 'three'));
    await writeFile(join(folder, 'index.html'), PAGE);
    const file = join(folder, 'master.glb');
    const article = ['--manufacturer', 'FJEL', '--program', 'LINEA', '--basearticlenumber', 'LN-M'];
    await command(['convert', '--emulator', ...article, '--output', file]);
    master = new Uint8Array(await readFile(file));
    server = await serveFolder(folder);
    const open = async (path: string, options = {}) => {
      const opened = await openPage(options);
      opened.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
      opened.on('pageerror', (error) => trouble.push(error.message));
      opened.on('request', (request) => {
        const url = request.url();
        const isKnown = url.startsWith(server.address) || url.startsWith(PACKAGES);
        if (!/^(?:blob|data):/.test(url) && !isKnown) trouble.push(url);
      });
      // What the shop shows is loaded, and looked at in the other page.
      if (path === 'shop.html') await withoutDrawing(opened);
      await servePackages(opened);
      await opened.goto(`${server.address}/${path}`);
      return opened;
    };
    const pasted = snippetOf({ model: 'master.glb', requiredExtensions: COMPRESSED, alt: '' });
    await writeFile(join(folder, 'shop.html'), `<link rel="icon" href="data:,">${pasted}`);
    shop = await open('shop.html', { viewport: { width: 120, height: 120 } });
    page = await open('index.html');
    await page.waitForFunction(() => 'isReady' in globalThis);
    pictureOfMaster = pixelsOf(await openAt('master.glb'));
  });
  afterAll(async () => {
    await closePages();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const openAt = (path: string) =>
    page.evaluate(
      (from) => (globalThis as unknown as { open3d(from: string): unknown }).open3d(from),
      `${server.address}/${path}`,
    ) as Promise<Opened>;
  const pixelsOf = ({ picture }: Opened) =>
    new Uint8Array(Buffer.from(picture.split(',')[1]!, 'base64'));

  /** Shows a file in model-viewer, where it is pasted. */
  const isShown = (path: string) =>
    shop.evaluate((src) => {
      const viewer = document.querySelector('model-viewer') as HTMLElement & { loaded: boolean };
      return new Promise<boolean>((done) => {
        viewer.addEventListener('load', () => done(viewer.loaded), { once: true });
        viewer.addEventListener('error', () => done(false), { once: true });
        viewer.setAttribute('src', src);
      });
    }, path);

  it('draws the master', async () => {
    const { channels } = await sharp(pictureOfMaster).stats();
    expect(channels[0]!.stdev).toBeGreaterThan(20);
  });

  it.each(CASES)(
    'opens a file of %s, which looks like its master',
    async (title, name, profile) => {
      const maker = createProfileMaker(name, profile);
      const file = maker.files[0]!.name;
      const [made] = await maker.make(master, [file]);
      await maker.close?.();
      const delivery = title.replace(/\W+/g, '-');
      const path = `${delivery}/${file}`;
      const shared = (made!.shared ?? []).map(
        (part) => [`${delivery}/files/${part.name}`, part.bytes] as const,
      );
      for (const [at, bytes] of [[path, made!.bytes] as const, ...shared]) {
        await mkdir(dirname(join(folder, at)), { recursive: true });
        await writeFile(join(folder, at), bytes);
      }
      const opened = await openAt(path);
      expect(trouble).toEqual([]);
      expect(await isShown(path)).toBe(true);
      const said = trouble.splice(0);
      expect(said.filter((text) => !(profile.instancing && text === OF_INSTANCES))).toEqual([]);
      expect(opened.problem).toBe(0);
      expect(opened.triangles).toBe((await readFigures(master)).triangles);
      const { min, max } = boundsOf(await drawnVertices(master));
      const shift =
        profile.origin === 'floor'
          ? [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2]
          : [0, 0, 0];
      for (let k = 0; k < 3; k++) {
        expect(opened.min[k]! + shift[k]!).toBeCloseTo(min[k]!, 3);
        expect(opened.max[k]! + shift[k]!).toBeCloseTo(max[k]!, 3);
      }
      expect(await similarity(pixelsOf(opened), pictureOfMaster)).toBeGreaterThanOrEqual(0.97);
      expect(opened.sides.length).toBeGreaterThan(0);
      const least = Math.min(256, profile.textures.largest);
      for (const side of opened.sides) expect(side).toBeGreaterThanOrEqual(least);
      const isKtx2 = profile.format === 'ktx2';
      expect(new Set(opened.isCompressed)).toEqual(new Set([isKtx2]));
    },
  );
});
