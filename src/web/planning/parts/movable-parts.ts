/** Parts that a person moves by pointer, touch or keys; each part is an element that the keyboard reaches. */
import {
  DoubleSide,
  type Mesh,
  MeshBasicMaterial,
  type Object3D,
  Vector2,
  Vector3,
  type WebGLRenderer,
} from 'three';
import { element } from '../../../deliver/pictures/page/elements.ts';
import type { ModelStage } from '../../../deliver/pictures/page/model-stage.ts';
import type { ViewTexts } from '../state/interfaces.ts';
import { Part } from './part.ts';
import { PartLabel } from './part-label.ts';
import { PartMotion, screenPoint, viewOf } from './part-motion.ts';
import { PartPointer } from './part-pointer.ts';
import { fixedBoxes, jointOf, type Motion, shapeOf, usualKind } from './part-shape.ts';
import { findParts, holderOf } from './part-tree.ts';

/** Distance or angle of one key press. */
const STEPS = { move: 0.05, turn: Math.PI / 18 } satisfies Record<Motion['kind'], number>;
/** Keys that move a part: the direction on the screen, or, for a part with a joint, whether the key opens it. */
const KEYS: Readonly<Record<string, { direction: Vector2; opens: 1 | -1 } | undefined>> = {
  ArrowLeft: { direction: new Vector2(-1, 0), opens: -1 },
  ArrowRight: { direction: new Vector2(1, 0), opens: 1 },
  PageUp: { direction: new Vector2(0, -1), opens: 1 },
  PageDown: { direction: new Vector2(0, 1), opens: -1 },
};
const NEIGHBOURS: Readonly<Record<string, number | undefined>> = { ArrowUp: -1, ArrowDown: 1 };

/** The layer of the camera in which only marked parts are. */
const MARKED = 1;
/** A light tint, so that no finish looks disabled. */
const MARK = { color: 0x7ab8ff, opacity: 0.28 };

interface MovablePartsOptions {
  /** Contains the canvas. */
  root: ShadowRoot;
  over: HTMLElement;
  texts: ViewTexts;
  onMoved(isMoved: boolean): void;
}

/** The movable parts of the model on a stage. */
export class MovableParts {
  readonly #stage: ModelStage;
  readonly #texts: ViewTexts;
  readonly #onMoved: (isMoved: boolean) => void;
  /** The list is one stop of the keyboard; keys select a part in it. */
  readonly #list: HTMLElement;
  readonly #label: PartLabel;
  readonly #mark;
  readonly #pointer: PartPointer;
  #parts: Part[] = [];
  #focused: Part | undefined;
  #wasMoved = false;

  constructor(stage: ModelStage, { root, over, texts, onMoved }: MovablePartsOptions) {
    this.#stage = stage;
    this.#texts = texts;
    this.#onMoved = onMoved;
    this.#mark = createMark(stage);
    this.#label = new PartLabel(texts, (kind) => {
      this.#focused?.setKind(kind);
      this.#showLabel();
    });
    this.#label.element.addEventListener('focusout', (event) => this.#blurred(event));
    this.#list = element('div', { role: 'group', 'aria-label': texts.movableParts });
    this.#list.append(this.#label.element);
    over.append(this.#list);
    this.#pointer = new PartPointer(stage, root, {
      isSelected: (part) => part === this.#focused,
      select: (part) => {
        part.handle.focus({ preventScroll: true });
        this.#focus(part, false);
      },
    });
  }

  /**
   * Starts with a model: parts that the previous model also had stay moved.
   *
   * @param reachMetres - How far the parts may move.
   */
  take(model: Object3D, reachMetres: number): void {
    const before = byKey(this.#parts);
    this.#clear();
    model.updateMatrixWorld(true);
    for (const { motion, kind } of motionsOf(model, reachMetres)) {
      const part = new Part(motion, kind, this.#texts, () => this.#partMoved());
      this.#parts.push(part);
      this.#addHandle(part);
    }
    if (this.#parts[0]) this.#parts[0].handle.tabIndex = 0;
    for (const [key, part] of byKey(this.#parts)) {
      const same = before.get(key);
      if (same) part.takeOver(same);
    }
    this.#pointer.take(model, this.#parts);
    this.#notify();
  }

  clear(): void {
    this.#clear();
    this.#notify();
  }

  /** Whether a pointer holds a part that moves up and down. */
  takesUpright(): boolean {
    return this.#pointer.takesUpright();
  }

  reset(): void {
    for (const part of this.#parts) part.putBack();
  }

  place(renderer: WebGLRenderer, width: number, height: number): void {
    const byKeys = this.#focused && isByKeys(this.#focused) ? this.#focused : undefined;
    const marked = this.#pointer.part ?? byKeys;
    const labelled = this.#showLabel();
    if (marked && !this.#pointer.isHolding) this.#mark.draw(renderer, marked.meshes);
    const by = { camera: this.#stage.camera, width, height };
    for (const part of this.#parts) {
      const centre = part.motion.centre.clone();
      const { x, y } = screenPoint(part.node.localToWorld(centre), by);
      part.handle.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      if (part === labelled) this.#label.place({ x, y }, width, height);
    }
  }

  dispose(): void {
    this.#clear();
    this.#pointer.dispose();
    this.#mark.dispose();
    this.#list.remove();
  }

  #clear(): void {
    for (const part of this.#parts) part.stop();
    // Otherwise the label would be removed with the element of its part.
    this.#list.append(this.#label.element);
    for (const { handle } of this.#parts) handle.remove();
    this.#parts = [];
    this.#focused = undefined;
    this.#pointer.clear();
    this.#label.hide();
  }

  #addHandle(part: Part): void {
    const { handle } = part;
    handle.addEventListener('keydown', (event) => this.#press(part, event));
    handle.addEventListener('focus', () => this.#focus(part, true));
    handle.addEventListener('blur', (event) => this.#blurred(event));
    this.#list.append(handle);
  }

  #partMoved(): void {
    this.#stage.reshape();
    this.#notify();
  }

  #notify(): void {
    const isMoved = this.#parts.some(({ motion }) => motion.isMoved());
    if (isMoved !== this.#wasMoved) this.#onMoved(isMoved);
    this.#wasMoved = isMoved;
  }

  /**
   * Selects a part, or none.
   *
   * @param byKeys - Whether the focus is visible: a person who moved a part by pointer wants to see its finish.
   */
  #focus(part: Part | undefined, byKeys: boolean): void {
    this.#focused?.handle.classList.remove('by-keys');
    this.#focused = part;
    part?.handle.classList.toggle('by-keys', byKeys);
    if (part)
      for (const { handle } of this.#parts) handle.tabIndex = handle === part.handle ? 0 : -1;
    // The next stop of the keyboard is the choice of the motion of the part.
    const label = this.#label.element;
    if (part && part.handle.nextSibling !== label) part.handle.after(label);
    this.#showLabel();
    this.#stage.redraw();
  }

  #blurred({ relatedTarget }: FocusEvent): void {
    const isOfFocused =
      relatedTarget === this.#focused?.handle ||
      this.#label.element.contains(relatedTarget as Node | null);
    if (!isOfFocused) this.#focus(undefined, false);
  }

  #showLabel(): Part | undefined {
    const { part: pointed, isDragging } = this.#pointer;
    const part = pointed ?? this.#focused;
    if (!part) {
      this.#label.hide();
      return undefined;
    }
    const { length } = this.#parts;
    const order = isByKeys(part) ? `${this.#parts.indexOf(part) + 1}/${length}` : '';
    const hasChoice = part === this.#focused && !isDragging;
    this.#label.show(part.name, order, hasChoice ? part.kind : undefined);
    return part;
  }

  #press(part: Part, event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    this.#focus(part, true);
    const move = KEYS[event.key];
    const neighbour = NEIGHBOURS[event.key];
    const kind = part.kindFor(event);
    const joint = part.motion.joint?.kind === kind ? part.motion.joint : undefined;
    if (event.key === 'Escape') this.#stage.canvas.focus();
    else if (event.key === 'Delete' || event.key === 'Backspace') part.putBack();
    else if (event.key === 'Enter' || event.key === ' ') part.toggle();
    else if (joint && event.key === 'Home') part.glide(joint, 0);
    else if (joint && event.key === 'End') part.glide(joint, joint.open);
    else if (neighbour) this.#parts[this.#parts.indexOf(part) + neighbour]?.handle.focus();
    else if (move && joint) {
      const step = STEPS[joint.kind] * Math.sign(joint.open) * move.opens;
      part.change(joint, part.motion.amount(joint) + step);
    } else if (move) {
      // The motion is found from the rest position, so that the same key continues the same motion.
      const motion = part.motion.find(undefined, move.direction, viewOf(this.#stage), kind);
      if (!motion) return;
      const step = STEPS[motion.kind] * Math.sign(motion.speed.dot(move.direction));
      part.change(motion, part.motion.amount(motion) + step);
    } else return;
    event.preventDefault();
    // The camera uses the same keys.
    event.stopPropagation();
  }
}

/** The mark of the part that a pointer or the keyboard is on: its surfaces, tinted. */
function createMark({ camera, scene, canvas }: ModelStage) {
  const material = new MeshBasicMaterial({
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
  const dispose = () => material.dispose();
  canvas.addEventListener('webglcontextlost', dispose);
  const draw = (renderer: WebGLRenderer, meshes: readonly Mesh[]) => {
    for (const mesh of meshes) mesh.layers.enable(MARKED);
    camera.layers.set(MARKED);
    scene.overrideMaterial = material;
    renderer.autoClear = false;
    renderer.render(scene, camera);
    renderer.autoClear = true;
    scene.overrideMaterial = null;
    camera.layers.set(0);
    for (const mesh of meshes) mesh.layers.disable(MARKED);
  };
  return { draw, dispose };
}

function isByKeys({ handle }: Part): boolean {
  return handle.classList.contains('by-keys');
}

interface FoundPart {
  node: Object3D;
  motion: PartMotion;
  kind: Motion['kind'];
}

/** Finds how the parts of a model move, parents first, and the motion of each when it is dragged. */
function motionsOf(model: Object3D, reachMetres: number): FoundPart[] {
  const found = findParts(model);
  const nodes = new Set(found.map(({ node }) => node));
  const isPart = (other: Object3D) => nodes.has(other);
  const shaped = found.map((part) => ({ ...part, shape: shapeOf(part.node, isPart) }));
  const motions: FoundPart[] = [];
  for (const { node, article, shape } of shaped) {
    const others = shaped.filter((other) => other.article === article && other.shape !== shape);
    const plates = others.map((other) => other.shape).filter(({ isPlate }) => isPlate);
    const kind = usualKind(shape, plates, holderOf(node, motions)?.kind);
    const body = fixedBoxes(article, shape.place, isPart);
    const front = new Vector3(0, 0, 1).transformDirection(article.matrixWorld);
    const joint = jointOf(shape, kind, { body, front, plates });
    motions.push({ node, motion: new PartMotion(node, shape, joint, reachMetres), kind });
  }
  return motions;
}

/** The parts by the properties that they keep in the next model: name, and order among parts of the same name. */
function byKey(parts: readonly Part[]): Map<string, Part> {
  const counts = new Map<string, number>();
  const found = new Map<string, Part>();
  for (const part of parts) {
    const count = counts.get(part.name) ?? 0;
    counts.set(part.name, count + 1);
    found.set(`${count} ${part.name}`, part);
  }
  return found;
}
