/** The 3D view of an inspected model, which is in the page itself, and the buttons that show one part of it. */
import type { Mesh, Object3D } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { createRenderer, ModelStage } from '../../pictures/page/model-stage.ts';
import { studioTexture } from '../../pictures/page/studio-texture.ts';

const element = (id: string) => document.getElementById(id)!;

/** The bytes of a script that is no program, as Base64. */
function bytesOf(id: string): Uint8Array<ArrayBuffer> {
  const script = element(id);
  const text = atob(script.textContent);
  // The text is as large as the model.
  script.remove();
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

async function open(): Promise<void> {
  const stageElement = element('stage');
  const texels = new Blob([bytesOf('studio')])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'));
  const environment = studioTexture(new Uint16Array(await new Response(texels).arrayBuffer()));
  const gltf = await new GLTFLoader().parseAsync(bytesOf('model').buffer, '');
  const label = stageElement.dataset.label!;
  const stage = new ModelStage({
    ...{ renderer: createRenderer(), element: stageElement, sized: stageElement, label },
  });
  stage.scene.environment = environment;
  stage.show(gltf.scene);
  element('loading').remove();
  listen(gltf, stage);
}

/** The buttons of parts: each shows its part alone, or everything again. */
function listen(gltf: GLTF, stage: ModelStage): void {
  const objects = new Map<number, Object3D>();
  for (const [object, { nodes }] of gltf.parser.associations as Map<Object3D, { nodes?: number }>)
    if (nodes !== undefined && object.isObject3D) objects.set(nodes, object);
  const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-node]');
  const show = (chosen?: HTMLButtonElement) => {
    const part = chosen && objects.get(Number(chosen.dataset.node));
    gltf.scene.traverse((object) => {
      // Not `visible`, which would also hide what is below it. The camera shows layer 0.
      if ((object as Mesh).isMesh) object.layers.set(part && !isBelow(object, part) ? 1 : 0);
    });
    for (const button of buttons) button.ariaPressed = String(button === chosen);
    element('shown').hidden = chosen === undefined;
    element('shown-name').textContent = chosen?.textContent ?? '';
    stage.reshape();
  };
  for (const button of buttons) {
    button.disabled = false;
    button.addEventListener('click', () => {
      show(button.ariaPressed === 'true' ? undefined : button);
    });
  }
  element('show-all').addEventListener('click', () => {
    show();
    stage.canvas.focus();
  });
}

function isBelow(object: Object3D, part: Object3D): boolean {
  for (let at: Object3D | null = object; at !== null; at = at.parent) if (at === part) return true;
  return false;
}

open().catch((error: Error) => {
  element('loading').textContent = `This browser does not show it: ${error.message}`;
});
