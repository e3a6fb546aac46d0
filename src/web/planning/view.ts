/** The 3D view of the planning page: the model in the light of the pictures, its dimensions, and its movable parts. */
import { type Object3D, Vector3, type WebGLRenderer } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { element } from '../../deliver/pictures/page/elements.ts';
import { createRenderer, openModelStage } from '../../deliver/pictures/page/model-stage.ts';
import { studioTexture } from '../../deliver/pictures/page/studio-texture.ts';
import type { Vec3 } from '../../model/graphics.ts';
import { MovableParts } from './parts/movable-parts.ts';
import { createDimensionLines } from './stage/dimension-lines.ts';
import { markHoles } from './stage/hole-marks.ts';
import { letPageScroll } from './stage/page-scroll.ts';
import { VIEW_STYLE } from './stage/view-style.ts';
import type { PlanningView, ViewOptions } from './state/interfaces.ts';
import { type ModelImages, openSharedImages } from './state/shared-images.ts';

/** A picture is drawn with so many pixels for one, along and across. */
const SUPERSAMPLING = 2;

/** Share of the half picture for lines and texts at each side of the model. */
const DIMENSION_MARGIN = 0.24;

/** One for all views of a page. */
const images = openSharedImages();

/**
 * Opens the 3D view in an element, which it fills.
 *
 * @throws Error where the browser cannot draw.
 * @example
 * ```ts
 * const view = openView({ stage, studio, texts });
 * await view.show(glb);
 * ```
 */
export function openView({ stage, studio, texts }: ViewOptions): PlanningView {
  const renderer = createDrawing();
  const host = element('div');
  const root = host.attachShadow({ mode: 'open' });
  const style = new CSSStyleSheet();
  style.replaceSync(VIEW_STYLE);
  root.adoptedStyleSheets = [style];
  const over = element('div', { class: 'over' });
  root.append(over);
  stage.append(host);
  const dimensions = createDimensionLines(over, texts.millimetres);
  const stageOptions = { renderer, element: root, sized: host, label: texts.view, hasFloor: true };
  const model = openModelStage({ ...stageOptions, afterDraw: () => place() });
  // Before the parts, which else would move until the browser scrolls.
  letPageScroll(root, model.canvas, () => parts.takesUpright());
  let onMoved: (isMoved: boolean) => void = () => undefined;
  const moved = (isMoved: boolean) => onMoved(isMoved);
  const parts = new MovableParts(model, { root, over, texts, onMoved: moved });
  const environment = studio.then((texels) => studioTexture(new Uint16Array(texels)));
  // `show` reports the error.
  environment.catch(() => undefined);
  let order = 0;
  let showing: Promise<void> = Promise.resolve();
  let isOpen = true;
  function place(): void {
    parts.place(renderer, host.clientWidth, host.clientHeight);
    dimensions.place(model.camera, host.clientWidth, host.clientHeight);
  }
  const clear = () => {
    order++;
    parts.clear();
    dimensions.measure(undefined);
    model.clear();
  };
  const show = async (glb: Uint8Array<ArrayBuffer>, holesMetres: readonly Vec3[]) => {
    const mine = ++order;
    const { root, own } = await read(glb);
    try {
      const light = await environment;
      if (mine !== order || !isOpen) return own.close();
      model.scene.environment = light;
      const box = model.show(root);
      own.keep();
      const reachMetres = Math.max(...box.getSize(new Vector3()).toArray());
      parts.take(root, reachMetres);
      dimensions.measure(box);
      markHoles(root, holesMetres, reachMetres);
    } catch (error) {
      own.close();
      throw error;
    }
  };
  return {
    show(glb, holesMetres = []) {
      showing = show(glb, holesMetres);
      return showing;
    },
    clear,
    fit: model.frame,
    zoom: (factor) => model.turn({ zoom: 1 / factor }),
    showDimensions(visible) {
      dimensions.setVisible(visible);
      model.setMargin(visible ? DIMENSION_MARGIN : undefined);
      model.redraw();
    },
    resetParts: () => parts.reset(),
    watchParts(listener) {
      onMoved = listener;
    },
    async picture(widthPixels, heightPixels) {
      // The one before is still there where that failed.
      await showing.catch(() => undefined);
      const picture = element('canvas');
      Object.assign(picture, { width: widthPixels, height: heightPixels });
      const pen = picture.getContext('2d')!;
      pen.imageSmoothingQuality = 'high';
      const most = renderer.capabilities.maxTextureSize / Math.max(widthPixels, heightPixels);
      const [width, height] = [widthPixels, heightPixels].map((side) =>
        Math.floor(side * Math.min(SUPERSAMPLING, most)),
      ) as [number, number];
      renderer.setClearColor(0xffffff, 1);
      model.drawAt(width, height, (drawn) => {
        pen.drawImage(drawn, 0, 0, widthPixels, heightPixels);
        renderer.setClearColor(0, 0);
      });
      return new Promise((done, fail) => {
        picture.toBlob((blob) => {
          if (blob) done(blob);
          else
            fail(
              new Error(
                `picture: expected a size that can be drawn, received ${widthPixels} × ${heightPixels}`,
              ),
            );
        });
      });
    },
    dispose() {
      if (!isOpen) return;
      isOpen = false;
      clear();
      parts.dispose();
      model.close();
      environment.then(
        (light) => light.dispose(),
        () => undefined,
      );
      renderer.dispose();
      // A page has few contexts of graphics.
      renderer.forceContextLoss();
      host.remove();
    },
  };
}

function createDrawing(): WebGLRenderer {
  try {
    return createRenderer();
  } catch (cause) {
    const expected =
      '3D view: expected a browser with WebGL 2, received none; switch on its graphics acceleration';
    throw new Error(expected, { cause });
  }
}

/** A model that is not shown yet, and its images. */
async function read(glb: Uint8Array<ArrayBuffer>): Promise<{ root: Object3D; own: ModelImages }> {
  const isWhole = glb.byteOffset === 0 && glb.byteLength === glb.buffer.byteLength;
  let own: ModelImages | undefined;
  const loader = new GLTFLoader().register((parser) => {
    own = images.readFor(parser);
    return { name: 'images' };
  });
  try {
    const { scene } = await loader.parseAsync(isWhole ? glb.buffer : glb.slice().buffer, '');
    return { root: scene, own: own! };
  } catch (cause) {
    own?.close();
    const message = `3D view: expected a GLB file, received ${glb.byteLength} bytes that cannot be read as one; load the page again`;
    throw new Error(message, { cause });
  }
}
