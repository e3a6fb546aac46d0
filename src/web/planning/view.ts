/** The 3D view of the planning page: the model in the light of the pictures, its dimensions, and its movable parts. */
import {
  BoxGeometry,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  type Texture,
  Vector3,
  type WebGLRenderer,
} from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { Vec3 } from '../../convert/model/graphics.ts';
import { element } from '../../deliver/pictures/page/elements.ts';
import { createRenderer, ModelStage } from '../../deliver/pictures/page/model-stage.ts';
import { studioTexture } from '../../deliver/pictures/page/studio-texture.ts';
import { MovableParts } from './parts/movable-parts.ts';
import { DimensionLines } from './stage/dimension-lines.ts';
import { letPageScroll } from './stage/page-scroll.ts';
import { VIEW_STYLE } from './stage/view-style.ts';
import type { ModelFacts, PlanningView, ViewOptions } from './state/interfaces.ts';
import { type ModelImages, readImages } from './state/shared-images.ts';

/** A picture is drawn with this many pixels per pixel, along and across. */
const SUPERSAMPLING = 2;

/** Share of the half picture for lines and texts at each side of the model. */
const DIMENSION_MARGIN = 0.24;

/** Side of the mark of a missing part, as a share of the model. */
const MARK_SHARE = 0.045;
/** Its limits: from the foot of a small article to a size that does not hide a large one. */
const MARK_METRES = { least: 0.01, most: 0.1 };
/** More marks would only slow the view down. */
const MOST_MARKS = 500;

/**
 * Opens the 3D view in an element, which it fills.
 *
 * @throws Error if the browser cannot draw.
 * @example
 * ```ts
 * const view = openView({ stage, studio, texts });
 * await view.show(glb);
 * ```
 */
export function openView(options: ViewOptions): PlanningView {
  return new ModelView(options);
}

class ModelView implements PlanningView {
  readonly #renderer = createDrawing();
  readonly #host = element('div');
  readonly #dimensions: DimensionLines;
  readonly #model: ModelStage;
  readonly #parts: MovableParts;
  readonly #environment: Promise<Texture>;
  /** Counts the models to be shown: an earlier model that is still being read is not shown. */
  #order = 0;
  #showing: Promise<void> = Promise.resolve();
  #isOpen = true;
  #onMoved: (isMoved: boolean) => void = () => undefined;

  constructor({ stage, studio, texts }: ViewOptions) {
    const renderer = this.#renderer;
    const root = this.#host.attachShadow({ mode: 'open' });
    const style = new CSSStyleSheet();
    style.replaceSync(VIEW_STYLE);
    root.adoptedStyleSheets = [style];
    const over = element('div', { class: 'over' });
    root.append(over);
    stage.append(this.#host);
    this.#dimensions = new DimensionLines(over, texts.millimetres);
    this.#model = new ModelStage({
      ...{ renderer, element: root, sized: this.#host, label: texts.view, hasFloor: true },
      afterDraw: () => this.#place(),
    });
    // This listener must come before that of the parts, which otherwise would move until the browser scrolls.
    letPageScroll(root, this.#model.canvas, () => this.#parts.takesUpright());
    const onMoved = (isMoved: boolean) => this.#onMoved(isMoved);
    this.#parts = new MovableParts(this.#model, { root, over, texts, onMoved });
    this.#environment = studio.then((texels) => studioTexture(new Uint16Array(texels)));
    // `show` reports the error.
    this.#environment.catch(() => undefined);
  }

  show(glb: Uint8Array<ArrayBuffer>, facts: ModelFacts = {}): Promise<void> {
    this.#showing = this.#show(glb, facts);
    return this.#showing;
  }

  clear(): void {
    this.#order++;
    this.#parts.clear();
    this.#dimensions.measure(undefined);
    this.#model.clear();
  }

  fit(): void {
    this.#model.frame();
  }

  zoom(factor: number): void {
    this.#model.turn({ zoom: 1 / factor });
  }

  showDimensions(visible: boolean): void {
    this.#dimensions.setVisible(visible);
    this.#model.setMargin(visible ? DIMENSION_MARGIN : undefined);
    this.#model.redraw();
  }

  resetParts(): void {
    this.#parts.reset();
  }

  watchParts(listener: (isMoved: boolean) => void): void {
    this.#onMoved = listener;
  }

  async picture(widthPixels: number, heightPixels: number): Promise<Blob> {
    // The previous model is still shown if that failed.
    await this.#showing.catch(() => undefined);
    const renderer = this.#renderer;
    const picture = element('canvas');
    Object.assign(picture, { width: widthPixels, height: heightPixels });
    const pen = picture.getContext('2d')!;
    pen.imageSmoothingQuality = 'high';
    const most = renderer.capabilities.maxTextureSize / Math.max(widthPixels, heightPixels);
    const [width, height] = [widthPixels, heightPixels].map((side) =>
      Math.floor(side * Math.min(SUPERSAMPLING, most)),
    ) as [number, number];
    renderer.setClearColor(0xffffff, 1);
    this.#model.drawAt(width, height, (drawn) => {
      pen.drawImage(drawn, 0, 0, widthPixels, heightPixels);
      renderer.setClearColor(0, 0);
    });
    const blob = await new Promise<Blob | null>((done) => picture.toBlob(done));
    if (blob) return blob;
    const received = `${widthPixels} × ${heightPixels}`;
    throw new Error(`picture: expected a size that can be drawn, received ${received}`);
  }

  dispose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.clear();
    this.#parts.dispose();
    this.#model.close();
    this.#environment.then(
      (light) => light.dispose(),
      () => undefined,
    );
    this.#renderer.dispose();
    // A page has few graphics contexts.
    this.#renderer.forceContextLoss();
    this.#host.remove();
  }

  async #show(
    glb: Uint8Array<ArrayBuffer>,
    { holesMetres = [], sizeMetres }: ModelFacts,
  ): Promise<void> {
    const mine = ++this.#order;
    const { root, own } = await read(glb);
    try {
      const light = await this.#environment;
      if (mine !== this.#order || !this.#isOpen) {
        own.close();
        return;
      }
      this.#model.scene.environment = light;
      const box = this.#model.show(root);
      own.keep();
      const reachMetres = Math.max(...box.getSize(new Vector3()).toArray());
      this.#parts.take(root, reachMetres);
      this.#dimensions.measure(box, sizeMetres);
      markHoles(root, holesMetres, reachMetres);
    } catch (error) {
      own.close();
      throw error;
    }
  }

  #place(): void {
    const { clientWidth, clientHeight } = this.#host;
    this.#parts.place(this.#renderer, clientWidth, clientHeight);
    this.#dimensions.place(this.#model.camera, clientWidth, clientHeight);
  }
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

async function read(glb: Uint8Array<ArrayBuffer>): Promise<{ root: Object3D; own: ModelImages }> {
  const isWhole = glb.byteOffset === 0 && glb.byteLength === glb.buffer.byteLength;
  let own: ModelImages | undefined;
  const loader = new GLTFLoader().register((parser) => {
    own = readImages(parser);
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

/**
 * Puts a small grey box at each place; the model owns and frees them. The size of the missing parts is not known.
 *
 * @param placesMetres - In the frame of the model.
 */
function markHoles(root: Object3D, placesMetres: readonly Vec3[], reachMetres: number): void {
  if (placesMetres.length === 0) return;
  const { least, most } = MARK_METRES;
  const side = Math.min(Math.max(reachMetres * MARK_SHARE, least), most);
  const box = new BoxGeometry(side, side, side);
  // The mark is visible through other parts: the place of a part may be inside another.
  const look = { color: 0x8a9099, transparent: true, opacity: 0.8, depthTest: false };
  const grey = new MeshStandardMaterial({ ...look, roughness: 1 });
  for (const [x, y, z] of placesMetres.slice(0, MOST_MARKS)) {
    const mark = new Mesh(box, grey);
    mark.position.set(x, y, z);
    root.add(mark);
  }
}
