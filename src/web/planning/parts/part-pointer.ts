/** Handles a pointer or a finger on parts: presses and drags. */
import { type Object3D, Raycaster, Vector2, type Vector3 } from 'three';
import type { ModelStage } from '../../../deliver/pictures/page/model-stage.ts';
import type { Part } from './part.ts';
import { type FoundMotion, viewOf } from './part-motion.ts';
import { isUpright } from './part-shape.ts';
import { holderOf } from './part-tree.ts';

/** A pointer that has moved less than this has only pressed. */
const DRAG_PIXELS = 5;
/** A move that goes up or down on the screen by this share of its length is upright. */
const UPRIGHT = 0.3;
/** Two taps are one double tap within this time and distance. */
const DOUBLE_TAP = { milliseconds: 400, pixels: 30 };

interface Drag {
  part: Part;
  /** Whether the pointer moves the part; otherwise the view turns, and the part is only pressed. */
  isHeld: boolean;
  /** Whether this is the second press of a double click. */
  isSecond: boolean;
  pointer: number;
  from: Vector2;
  /** The point at which the part was taken, world, metres. */
  point: Vector3;
  motion?: FoundMotion & { start: number };
}

interface Selection {
  isSelected(part: Part): boolean;
  select(part: Part): void;
}

/**
 * The pointer of a stage. A drag moves the selected part; a mouse, whose cursor shows in advance what it can hold, also
 * moves any part with a joint. Every other drag turns the view. A click opens or closes a part that has stops.
 */
export class PartPointer {
  readonly #stage: ModelStage;
  readonly #selection: Selection;
  readonly #ray = new Raycaster();
  readonly #listening = new AbortController();
  #model: Object3D | undefined;
  #parts: readonly Part[] = [];
  #hovered: Part | undefined;
  #drag: Drag | undefined;
  #tap: { part: Part; at: Vector2; time: number; isTouch: boolean } | undefined;
  #pickRequest = 0;

  /** @param root - Contains the canvas. */
  constructor(stage: ModelStage, root: ShadowRoot, selection: Selection) {
    this.#stage = stage;
    this.#selection = selection;
    const listeners = {
      pointerdown: (event: PointerEvent) => this.#press(event),
      mousedown: (event: MouseEvent) => this.#keepFocus(event),
      pointermove: (event: PointerEvent) => this.#move(event),
      pointerup: (event: PointerEvent) => this.#release(event),
      pointercancel: (event: PointerEvent) => this.#cancel(event),
      pointerout: () => this.#leave(),
      dblclick: (event: MouseEvent) => this.#putBack(event),
    };
    const options = { capture: true, signal: this.#listening.signal };
    for (const [name, listener] of Object.entries(listeners))
      root.addEventListener(name, listener as EventListener, options);
  }

  /** The part that the pointer holds, presses or points at. */
  get part(): Part | undefined {
    return this.#drag?.part ?? this.#hovered;
  }

  /** Whether the pointer is down on a part that a drag moves. */
  get isHolding(): boolean {
    return this.#drag?.isHeld === true;
  }

  get isDragging(): boolean {
    return this.#drag?.motion !== undefined;
  }

  /** Whether the pointer holds a part that moves up and down. */
  takesUpright(): boolean {
    if (!this.#drag?.isHeld) return false;
    const { part, point } = this.#drag;
    const { motion, kind } = part;
    const found = motion.find(point, new Vector2(0, 1), viewOf(this.#stage), kind);
    if (found?.kind === 'turn') return !isUpright({ place: part.node.matrixWorld }, found.axis);
    return !!found && Math.abs(found.speed.y) > UPRIGHT * found.speed.length();
  }

  take(model: Object3D, parts: readonly Part[]): void {
    this.#model = model;
    this.#parts = parts;
  }

  clear(): void {
    cancelAnimationFrame(this.#pickRequest);
    this.#parts = [];
    this.#model = this.#hovered = this.#drag = this.#tap = undefined;
    this.#stage.canvas.style.cursor = '';
  }

  dispose(): void {
    this.#listening.abort();
  }

  #press(event: PointerEvent): void {
    // If there are two fingers, neither of them has pressed a part.
    if (!event.isPrimary && !this.#drag?.isHeld) this.#drag = undefined;
    const { canvas } = this.#stage;
    if (!event.isPrimary || event.button !== 0 || event.target !== canvas) return;
    const found = this.#pick(event);
    if (!found) this.#tap = undefined;
    if (!found) return;
    const { pointerId: pointer, timeStamp } = event;
    const from = this.#inCanvas(event);
    const first = this.#tap;
    const isSecond =
      !!first && timeStamp - first.time < DOUBLE_TAP.milliseconds && isNear(from, first.at);
    // The first press may have closed the part, and another part may be there now.
    const { part } = isSecond ? first : found;
    const isHeld =
      this.#selection.isSelected(part) || (event.pointerType !== 'touch' && this.#canHold(part));
    this.#drag = { ...found, part, isHeld, isSecond, pointer, from };
    if (!isHeld) return;
    canvas.setPointerCapture(event.pointerId);
    // Otherwise the camera would turn.
    event.stopPropagation();
  }

  #keepFocus(event: MouseEvent): void {
    // Otherwise the canvas would take the focus; after a tap of a finger, the browser sends mouse events.
    const isOfTap = this.#tap?.isTouch && isNear(this.#inCanvas(event), this.#tap.at);
    if (this.#drag ? this.#drag.isHeld : isOfTap) event.preventDefault();
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag) this.#hoverLater(event);
    if (event.pointerId !== drag?.pointer) return;
    const { part, point, from } = drag;
    const way = this.#inCanvas(event).sub(from);
    if (!drag.isHeld) {
      if (way.length() >= DRAG_PIXELS) this.#drag = undefined;
      return;
    }
    event.stopPropagation();
    if (!drag.motion) {
      if (way.length() < DRAG_PIXELS) return;
      const direction = way.clone().normalize();
      const by = viewOf(this.#stage);
      const motion = part.motion.find(point, direction, by, part.kindFor(event));
      if (!motion) return;
      drag.motion = { ...motion, start: part.motion.amount(motion) };
    }
    const { start, speed, ...motion } = drag.motion;
    part.change(motion, start + way.dot(speed) / speed.lengthSq());
  }

  #hoverLater(event: PointerEvent): void {
    const isTouch = event.pointerType === 'touch';
    if (event.buttons !== 0 || isTouch || event.target !== this.#stage.canvas) return;
    // The part is searched at most once per repaint, at the latest position: the search tests each triangle.
    cancelAnimationFrame(this.#pickRequest);
    this.#pickRequest = requestAnimationFrame(() => this.#hover(this.#pick(event)?.part));
  }

  #release(event: PointerEvent): void {
    if (event.pointerId !== this.#drag?.pointer) return;
    const { part, motion, from: at, isHeld, isSecond } = this.#drag;
    this.#drag = undefined;
    if (isHeld) event.stopPropagation();
    this.#selection.select(part);
    const { timeStamp: time, pointerType } = event;
    this.#tap = motion ? undefined : { part, at, time, isTouch: pointerType === 'touch' };
    // Not every browser supports double clicks by touch.
    if (isSecond && !motion) part.putBack();
    else if (!motion) part.toggle();
  }

  #cancel(event: PointerEvent): void {
    if (event.pointerId === this.#drag?.pointer) this.#drag = undefined;
  }

  #leave(): void {
    cancelAnimationFrame(this.#pickRequest);
    if (!this.#drag) this.#hover(undefined);
  }

  #putBack(event: MouseEvent): void {
    if (event.target === this.#stage.canvas) this.#tap?.part.putBack();
  }

  #hover(part: Part | undefined): void {
    if (part === this.#hovered) return;
    this.#hovered = part;
    const held = part && this.#canHold(part) ? 'move' : '';
    this.#stage.canvas.style.cursor = part?.stops ? 'pointer' : held;
    this.#stage.redraw();
  }

  /** Whether a pointer whose cursor shows in advance what it can hold can hold the part. */
  #canHold(part: Part): boolean {
    return this.#selection.isSelected(part) || part.kind === 'turn' || !!part.stops;
  }

  #pick(event: MouseEvent): { part: Part; point: Vector3 } | undefined {
    if (this.#parts.length === 0 || !this.#model) return undefined;
    const { camera, width, height } = viewOf(this.#stage);
    const { x, y } = this.#inCanvas(event);
    this.#ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
    const [hit] = this.#ray.intersectObject(this.#model, true);
    const part = hit && holderOf(hit.object, this.#parts);
    return part && { part, point: hit.point };
  }

  #inCanvas({ clientX, clientY }: MouseEvent): Vector2 {
    const { left, top } = this.#stage.canvas.getBoundingClientRect();
    return new Vector2(clientX - left, clientY - top);
  }
}

function isNear(a: Vector2, b: Vector2): boolean {
  return a.distanceTo(b) < DOUBLE_TAP.pixels;
}
