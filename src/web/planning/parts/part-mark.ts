/** The mark of the part that a pointer or the keyboard is on: its surfaces, tinted. */
import { DoubleSide, type Mesh, MeshBasicMaterial, type WebGLRenderer } from 'three';
import type { ModelStage } from '../../../deliver/pictures/page/model-stage.ts';

/** Layer of the camera with the parts that are marked. */
const MARKED = 1;
/** Light, so that no finish looks greyed out. */
const MARK = { color: 0x7ab8ff, opacity: 0.28 };

/** The mark of a stage. */
export interface PartMark {
  /** Tints these meshes in what has been drawn. */
  draw(renderer: WebGLRenderer, meshes: readonly Mesh[]): void;
  dispose(): void;
}

/** Makes the mark. */
export function createPartMark({ canvas, camera, scene }: ModelStage): PartMark {
  const material = new MeshBasicMaterial({
    ...MARK,
    transparent: true,
    side: DoubleSide,
    depthWrite: false,
    toneMapped: false,
    // Over the surfaces of the part themselves.
    polygonOffset: true,
    polygonOffsetFactor: -1,
    polygonOffsetUnits: -1,
  });
  const dispose = material.dispose.bind(material);
  canvas.addEventListener('webglcontextlost', dispose);
  return {
    draw(renderer, meshes) {
      for (const mesh of meshes) mesh.layers.enable(MARKED);
      camera.layers.set(MARKED);
      scene.overrideMaterial = material;
      renderer.autoClear = false;
      renderer.render(scene, camera);
      renderer.autoClear = true;
      scene.overrideMaterial = null;
      camera.layers.set(0);
      for (const mesh of meshes) mesh.layers.disable(MARKED);
    },
    dispose,
  };
}
