/** The 3D view of the gallery: one model in the light of the studio, turned by pointer or keys. */
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import type { Material, Mesh, Texture, WebGLRenderer } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { createRenderer, ModelStage } from '../../pictures/page/model-stage.ts';
import { studioTexture } from '../../pictures/page/studio-texture.ts';
import type { ModelView, OpenModelView, ShownModel } from '../gallery-data.ts';

// Files of the profile `web` are compressed.
const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
/** The light of the studio is beside this script, wherever the page is. */
const STUDIO = new URL('studio.bin', (document.currentScript as HTMLScriptElement).src);
let renderer: WebGLRenderer | undefined;
let studio: Promise<Texture> | undefined;

const openModelView: OpenModelView = async (into, shown, label, finish) => {
  const stage = into as HTMLElement;
  const { model, studio: light }: ShownModel = typeof shown === 'string' ? { model: shown } : shown;
  studio ??= light === undefined ? loadStudio() : studioIn(new Response(light));
  const loading =
    typeof model === 'string' ? loader.loadAsync(model) : loader.parseAsync(model, '');
  const [environment, gltf] = await Promise.all([studio, loading]);
  // One renderer for all models: a browser has few graphics contexts.
  renderer ??= rendererOrReason();
  const finishes = finishesOf(gltf);
  const first = Math.max(0, finishes.names.indexOf(finish ?? ''));
  if (first > 0) await finishes.choose(first);
  return { ...show(renderer, stage, gltf, environment, label, finishes), first };
};
Object.assign(globalThis, { openModelView });

/** @throws Error with a sentence for people; that of three.js is for programmers, and on the console too. */
function rendererOrReason(): WebGLRenderer {
  if (document.createElement('canvas').getContext('webgl2') === null)
    throw new Error('this browser has no WebGL 2');
  return createRenderer();
}

async function loadStudio(): Promise<Texture> {
  const response = await fetch(STUDIO);
  if (!response.ok) throw new Error(`studio.bin: status ${response.status}`);
  return studioIn(response);
}

async function studioIn(response: Response): Promise<Texture> {
  const texels = response.body!.pipeThrough(new DecompressionStream('deflate'));
  return studioTexture(new Uint16Array(await new Response(texels).arrayBuffer()));
}

function show(
  gl: WebGLRenderer,
  element: HTMLElement,
  gltf: GLTF,
  environment: Texture,
  label: string,
  finishes: ReturnType<typeof finishesOf>,
): Omit<ModelView, 'first'> {
  const stage = new ModelStage({ renderer: gl, element, sized: element, label });
  stage.scene.environment = environment;
  try {
    stage.show(gltf.scene);
  } catch (error) {
    stage.close();
    throw error;
  }
  return {
    finishes: finishes.names,
    async choose(finish) {
      if (await finishes.choose(finish)) stage.redraw();
    },
    close() {
      stage.clear(finishes.end());
      stage.close();
    },
  };
}

const VARIANTS = 'KHR_materials_variants';

function finishesOf({ parser, scene }: GLTF) {
  const { variants = [] } = parser.json.extensions?.[VARIANTS] ?? {};
  const used = new Set<Material>();
  let choices = 0;
  /** The material of a mesh for a finish; without a mapping for the finish, its own material. */
  const materialOf = async (mesh: Mesh, finish: number): Promise<Material | undefined> => {
    const place = parser.associations.get(mesh) as
      | { meshes?: number; primitives?: number }
      | undefined;
    if (place?.meshes === undefined) return undefined;
    const primitive = parser.json.meshes[place.meshes].primitives[place.primitives ?? 0];
    const mappings: { material: number; variants: number[] }[] =
      primitive.extensions?.[VARIANTS]?.mappings ?? [];
    const mapping = mappings.find((each) => each.variants.includes(finish));
    const material = mapping?.material ?? primitive.material;
    return material === undefined ? undefined : parser.getDependency('material', material);
  };
  return {
    names: (variants as { name?: unknown }[]).map(({ name }, i) => String(name ?? i + 1)),
    /** @returns False if another finish was chosen while its pictures were loading. */
    async choose(finish: number): Promise<boolean> {
      const mine = ++choices;
      const meshes: Mesh[] = [];
      scene.traverse((object) => {
        if ((object as Mesh).isMesh) meshes.push(object as Mesh);
      });
      const materials = await Promise.all(meshes.map((mesh) => materialOf(mesh, finish)));
      if (mine !== choices) return false;
      for (const [i, mesh] of meshes.entries()) {
        for (const before of [mesh.material].flat()) used.add(before);
        if (materials[i] === undefined) continue;
        mesh.material = materials[i];
        parser.assignFinalMaterial(mesh);
      }
      return true;
    },
    /** Ends the view: a finish that is still loading is not shown. @returns All materials that were shown. */
    end(): Iterable<Material> {
      choices++;
      return used;
    },
  };
}
