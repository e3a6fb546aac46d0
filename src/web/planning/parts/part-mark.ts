/** The mark of the part that a pointer or the keyboard is on: its surfaces, tinted. */
import { DoubleSide, type Mesh, MeshBasicMaterial, type WebGLRenderer } from 'three';
import type { ModelStage } from '../../../deliver/pictures/page/model-stage.ts';

const MARKED = 1;
/** A light tint, so that no finish looks disabled. */
const MARK = { color: 0x7ab8ff, opacity: 0.28 };

/** The mark of a stage. */
export class PartMark {
  readonly #stage: ModelStage;
  readonly #material = new MeshBasicMaterial({
    ...MARK,
    transparent: true,
    side: DoubleSide,
    depthWrite: false,
    toneMapped: false,
    // The tint is drawn over the surfaces of the part.
    polygonOffset: true,
    polygonOffsetFactor: -1,
    polygonOffsetUnits: -1,
  });

  constructor(stage: ModelStage) {
    this.#stage = stage;
    stage.canvas.addEventListener('webglcontextlost', () => this.dispose());
  }

  draw(renderer: WebGLRenderer, meshes: readonly Mesh[]): void {
    const { camera, scene } = this.#stage;
    for (const mesh of meshes) mesh.layers.enable(MARKED);
    camera.layers.set(MARKED);
    scene.overrideMaterial = this.#material;
    renderer.autoClear = false;
    renderer.render(scene, camera);
    renderer.autoClear = true;
    scene.overrideMaterial = null;
    camera.layers.set(0);
    for (const mesh of meshes) mesh.layers.disable(MARKED);
  }

  dispose(): void {
    this.#material.dispose();
  }
}
