/**
 * Takes pictures of GLBs as a photographer of a catalogue would: three.js with a lens, a light and a tone of its own. It
 * uses nothing of the program.
 */

import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openPage } from './browser.ts';

/** Where a camera stands, and what is behind the article. */
export interface Shot {
  /** 0 is the front, 90 the right side. */
  azimuthDegrees: number;
  elevationDegrees: number;
  /** The vertical angle of the lens. */
  fieldOfViewDegrees: number;
  /** A colour of CSS. */
  background: string;
}

/** Says in an address that a room is reflected. */
const ROOM = '?room';
const SIZE = { width: 480, height: 360 };
const ADDRESS = 'http://studio.test';
const THREE = fileURLToPath(new URL('../../node_modules/three', import.meta.url));

const HTML = `<!doctype html><meta charset="utf-8">
<script type="importmap">{ "imports": { "three": "/build/three.module.js", "three/addons/": "/examples/jsm/" } }</script>
<script type="module">
import * as three from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const renderer = new three.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(${SIZE.width}, ${SIZE.height});
renderer.toneMapping = three.NeutralToneMapping;
renderer.shadowMap.enabled = true;
const scene = new three.Scene();
if (location.search === '${ROOM}')
  scene.environment = new three.PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture;
scene.environmentIntensity = 0.5;
const light = new three.DirectionalLight('#fff4e6', 2.2);
light.castShadow = true;
light.shadow.mapSize.set(1024, 1024);
light.shadow.normalBias = 0.01;
scene.add(light, light.target, new three.AmbientLight('#e8f0ff', 0.4));
const radians = (degrees) => (degrees * Math.PI) / 180;

globalThis.takePicture = async (glb, { azimuthDegrees, elevationDegrees, fieldOfViewDegrees, background }) => {
  const bytes = await (await fetch('data:application/octet-stream;base64,' + glb)).arrayBuffer();
  const { scene: article } = await new GLTFLoader().parseAsync(bytes, '');
  article.traverse((part) => { part.castShadow = true; part.receiveShadow = true; });
  scene.add(article);
  scene.background = new three.Color(background);
  const { center, radius } = new three.Box3().setFromObject(article, true).getBoundingSphere(new three.Sphere());
  light.target.position.copy(center);
  light.position.copy(center).add(new three.Vector3(1.1, 1.6, 1.3).normalize().multiplyScalar(3 * radius));
  Object.assign(light.shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: radius, far: 5 * radius });
  light.shadow.camera.updateProjectionMatrix();
  const far = (1.02 * radius) / Math.sin(radians(fieldOfViewDegrees / 2));
  const camera = new three.PerspectiveCamera(fieldOfViewDegrees, ${SIZE.width / SIZE.height}, far / 100, 4 * far);
  const [azimuth, elevation] = [radians(azimuthDegrees), radians(elevationDegrees)];
  const level = Math.cos(elevation);
  camera.position.copy(center).addScaledVector(new three.Vector3(Math.sin(azimuth) * level, Math.sin(elevation), Math.cos(azimuth) * level), far);
  camera.lookAt(center);
  renderer.render(scene, camera);
  scene.remove(article);
  return renderer.domElement.toDataURL('image/jpeg', 0.9).split(',')[1];
};
</script>`;

declare global {
  var takePicture: ((glb: string, shot: Shot) => Promise<string>) | undefined;
}

/** A photographer, in a page of the shared browser. */
export class Studio {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** @param hasRoom - Whether what shines reflects a room, which takes ten seconds of a processor. */
  static async open(hasRoom: boolean): Promise<Studio> {
    const page = await openPage();
    await page.route(`${ADDRESS}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      return pathname === '/'
        ? route.fulfill({ contentType: 'text/html', body: HTML })
        : route.fulfill({ contentType: 'text/javascript', path: `${THREE}${pathname}` });
    });
    await page.goto(`${ADDRESS}/${hasRoom ? ROOM : ''}`);
    await page.waitForFunction(() => globalThis.takePicture !== undefined);
    return new Studio(page);
  }

  /** Takes a picture of a GLB; returns a JPEG of 480 × 360 pixels. */
  async picture(glb: Uint8Array, shot: Shot): Promise<Uint8Array> {
    const [text, own] = [Buffer.from(glb).toString('base64'), shot] as const;
    const taken = await this.#page.evaluate(([glb, shot]) => globalThis.takePicture!(glb, shot), [
      text,
      own,
    ] as const);
    return Buffer.from(taken, 'base64');
  }

  close(): Promise<void> {
    return this.#page.context().close();
  }
}
