/** Parts that a person moves with pointer, touch or keys; each is an element that the keyboard reaches. */
import { type Mesh, type Object3D, Raycaster, Vector2, Vector3, type WebGLRenderer } from 'three';
import { element } from '../../../deliver/pictures/page/elements.ts';
import type { ModelStage } from '../../../deliver/pictures/page/model-stage.ts';
import type { ViewTexts } from '../state/interfaces.ts';
import { createGlides } from './part-glides.ts';
import { type Joint, jointOf } from './part-joint.ts';
import { createPartLabel } from './part-label.ts';
import { createPartMark } from './part-mark.ts';
import { createPartMotion, type FoundMotion, type PartMotion, screenPoint } from './part-motion.ts';
import { fixedBoxes, isUpright, type Motion, shapeOf, usualKind } from './part-shape.ts';
import { findParts, holderOf, meshesBelow } from './part-tree.ts';

/** A pointer that has gone less far has only pressed. */
const DRAG_PIXELS = 5;
/** A move that goes up or down on the screen by this share of its length is upright. */
const UPRIGHT = 0.3;
/** Two taps are one double tap within this time and distance. */
const DOUBLE_TAP = { milliseconds: 400, pixels: 30 };
/** A key moves by so much. */
const STEPS = { move: 0.05, turn: Math.PI / 18 } satisfies Record<Motion['kind'], number>;
/** Keys that move a part: which way on the screen, or, where it has a joint, to open or to close it. */
const KEYS: Readonly<Record<string, { direction: Vector2; opens: 1 | -1 } | undefined>> = {
  ArrowLeft: { direction: new Vector2(-1, 0), opens: -1 },
  ArrowRight: { direction: new Vector2(1, 0), opens: 1 },
  PageUp: { direction: new Vector2(0, -1), opens: 1 },
  PageDown: { direction: new Vector2(0, 1), opens: -1 },
};
/** Keys that choose another part. */
const NEIGHBOURS: Readonly<Record<string, number | undefined>> = { ArrowUp: -1, ArrowDown: 1 };

interface Part extends PartMotion {
  name: string;
  /** The same in the next model that has this part. */
  key: string;
  /** What a drag does with it. */
  kind: Motion['kind'];
  meshes: readonly Mesh[];
  handle: HTMLElement;
  /** What a screen reader says its amount of. */
  last: Motion;
}

/** A pointer that is down on a part. */
interface Drag {
  part: Part;
  /** It moves the part; else the view turns, and the part is only pressed. */
  isHeld: boolean;
  /** It is the second press of a double click. */
  isSecond: boolean;
  pointer: number;
  from: Vector2;
  /** Where it was taken, world, metres. */
  point: Vector3;
  motion?: FoundMotion & { start: number };
}

/** The movable parts of what is shown. */
export interface MovableParts {
  /** Begins with a model: parts that the one before had, too, stay moved. @param reachMetres - How far they may go. */
  take(root: Object3D, reachMetres: number): void;
  /** There is no model. */
  clear(): void;
  /** A pointer holds a part that goes up and down. */
  takesUpright(): boolean;
  /** Moves all back. */
  reset(): void;
  /** Marks a part over the model, and puts the elements where their parts are. */
  place(renderer: WebGLRenderer, width: number, height: number): void;
  dispose(): void;
}

/** Where the parts of a view are. */
export interface MovablePartsOptions {
  /** Contains the canvas. */
  root: ShadowRoot;
  /** Lies over it. */
  over: HTMLElement;
  texts: ViewTexts;
  /** The first part is moved, or the last is moved back. */
  onMoved(isMoved: boolean): void;
}

/**
 * Opens the parts of a stage. A drag moves the part that is selected and, by a pointer that shows before what it will
 * hold, any part with a joint; every other drag turns the view. A click opens or closes what has a joint with stops.
 */
export function openMovableParts(
  stage: ModelStage,
  { root, over, texts, onMoved }: MovablePartsOptions,
): MovableParts {
  const { canvas, camera } = stage;
  const ray = new Raycaster();
  const mark = createPartMark(stage);
  const label = createPartLabel(texts, (kind) => {
    if (focused) setKind(focused, kind);
  });
  // One stop of the keyboard, in which keys choose the part.
  const list = element('div', { role: 'group', 'aria-label': texts.movableParts });
  list.append(label.element);
  over.append(list);
  const glides = createGlides<Part>();
  let wasMoved = false;
  let model: Object3D | undefined;
  let parts: Part[] = [];
  let hovered: Part | undefined;
  let focused: Part | undefined;
  let drag: Drag | undefined;
  let pickRequest = 0;
  let tap: { part: Part; at: Vector2; time: number; isTouch: boolean } | undefined;

  const viewed = () => ({ camera, width: canvas.clientWidth, height: canvas.clientHeight });
  const inCanvas = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = canvas.getBoundingClientRect();
    return new Vector2(clientX - left, clientY - top);
  };
  const pick = (event: MouseEvent): { part: Part; point: Vector3 } | undefined => {
    if (parts.length === 0 || !model) return undefined;
    const { width, height } = viewed();
    const { x, y } = inCanvas(event);
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
    const [hit] = ray.intersectObject(model, true);
    const part = hit && holderOf(hit.object, parts);
    return part && { part, point: hit.point };
  };
  const setHovered = (part: Part | undefined) => {
    if (part === hovered) return;
    hovered = part;
    canvas.style.cursor = !part ? '' : stopsOf(part) ? 'pointer' : isHolding(part) ? 'move' : '';
    stage.redraw();
  };
  const isHolding = (part: Part) => part === focused || part.kind === 'turn' || !!stopsOf(part);
  const report = (part: Part, amount = part.amount(part.last)) => {
    const { last, joint } = part;
    const isReverse = joint?.kind === last.kind && joint.open < 0;
    const inUnits = (value: number) =>
      Math.round((last.kind === 'turn' ? 180 / Math.PI : 1000) * (isReverse ? -value : value)) + 0;
    const { least, most } = part.limits(last);
    const [from, to] = [inUnits(least), inUnits(most)].sort((a, b) => a - b);
    const value = inUnits(amount);
    part.handle.setAttribute('aria-valuemin', String(from));
    part.handle.setAttribute('aria-valuemax', String(to));
    part.handle.setAttribute('aria-valuenow', String(value));
    const spoken = last.kind === 'turn' ? `${value}°` : texts.millimetres(value);
    part.handle.setAttribute('aria-valuetext', spoken);
  };
  const notify = () => {
    const isMoved = parts.some((part) => part.isMoved());
    if (isMoved !== wasMoved) onMoved(isMoved);
    wasMoved = isMoved;
  };
  const set = (part: Part, motion: Motion, amount: number) => {
    part.set(motion, amount);
    stage.reshape();
    notify();
  };
  const change = (part: Part, motion: Motion, amount: number) => {
    glides.stop(part);
    part.last = motion;
    set(part, motion, amount);
    report(part);
  };
  const glide = (part: Part, joint: Joint, to: number) => {
    part.last = joint;
    // Not each step of it.
    report(part, to);
    glides.start(part, part.amount(joint), to, (amount) => set(part, joint, amount));
  };
  const putBack = (part: Part) => {
    glides.stop(part);
    part.putTo();
    report(part);
    stage.reshape();
    notify();
  };
  const toggle = (part: Part) => {
    const joint = stopsOf(part);
    if (!joint) return;
    const end = glides.endOf(part);
    const isClosed = end === undefined ? !part.isMoved() : end === 0;
    // Else it was moved by its other kind of motion.
    if (isClosed || end !== undefined || part.amount(joint) !== 0)
      glide(part, joint, isClosed ? joint.open : 0);
    else putBack(part);
  };
  const isByKeys = ({ handle }: Part) => handle.classList.contains('by-keys');
  const showLabel = () => {
    const part = drag?.part ?? hovered ?? focused;
    const order = part && isByKeys(part) ? `${parts.indexOf(part) + 1}/${parts.length}` : '';
    if (part)
      label.show(part.name, order, part === focused && !drag?.motion ? part.kind : undefined);
    else label.hide();
    return part;
  };
  /** What it has done until now was not meant. */
  const setKind = (part: Part, kind: Motion['kind']) => {
    if (part.kind === kind) return;
    part.kind = kind;
    part.last = stopsOf(part) ?? { kind, axis: 0 };
    putBack(part);
    showLabel();
  };
  /** Who has moved a part with the pointer wants to see its finish: only keys show the focus. */
  const setFocused = (part: Part | undefined, byKeys: boolean) => {
    focused?.handle.classList.remove('by-keys');
    focused = part;
    part?.handle.classList.toggle('by-keys', byKeys);
    if (part) for (const { handle } of parts) handle.tabIndex = handle === part.handle ? 0 : -1;
    // The next stop of the keyboard is the choice of its motion.
    if (part && part.handle.nextSibling !== label.element) part.handle.after(label.element);
    showLabel();
    stage.redraw();
  };
  const blurred = ({ relatedTarget }: FocusEvent) => {
    const isOfFocused =
      relatedTarget === focused?.handle || label.element.contains(relatedTarget as Node | null);
    if (!isOfFocused) setFocused(undefined, false);
  };
  label.element.addEventListener('focusout', blurred);
  const press = (part: Part, event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    setFocused(part, true);
    const move = KEYS[event.key];
    const neighbour = NEIGHBOURS[event.key];
    const kind = kindOf(part, event);
    const joint = part.joint?.kind === kind ? part.joint : undefined;
    if (event.key === 'Escape') canvas.focus();
    else if (event.key === 'Delete' || event.key === 'Backspace') putBack(part);
    else if (event.key === 'Enter' || event.key === ' ') toggle(part);
    else if (joint && event.key === 'Home') glide(part, joint, 0);
    else if (joint && event.key === 'End') glide(part, joint, joint.open);
    else if (neighbour) parts[parts.indexOf(part) + neighbour]?.handle.focus();
    else if (move && joint) {
      const step = STEPS[joint.kind] * Math.sign(joint.open) * move.opens;
      change(part, joint, part.amount(joint) + step);
    } else if (move) {
      // From where it rests: the same key goes on with the same motion.
      const motion = part.find(undefined, move.direction, viewed(), kind);
      if (!motion) return;
      const step = STEPS[motion.kind] * Math.sign(motion.speed.dot(move.direction));
      change(part, motion, part.amount(motion) + step);
    } else return;
    event.preventDefault();
    // The camera has the same keys.
    event.stopPropagation();
  };

  const listeners = {
    pointerdown(event: PointerEvent) {
      // Of two fingers none has pressed a part.
      if (!event.isPrimary && drag && !drag.isHeld) drag = undefined;
      if (!event.isPrimary || event.button !== 0 || event.target !== canvas) return;
      const found = pick(event);
      if (!found) tap = undefined;
      if (!found) return;
      const { pointerId: pointer, timeStamp } = event;
      const from = inCanvas(event);
      const first = tap;
      const isSecond =
        !!first && timeStamp - first.time < DOUBLE_TAP.milliseconds && isNear(from, first.at);
      // The first press may have closed the part, and another one lies there now.
      const { part } = isSecond ? first : found;
      const isHeld = part === focused || (event.pointerType !== 'touch' && isHolding(part));
      drag = { ...found, part, isHeld, isSecond, pointer, from };
      if (!isHeld) return;
      canvas.setPointerCapture(event.pointerId);
      // Else the camera would turn.
      event.stopPropagation();
    },
    mousedown(event: MouseEvent) {
      // Else the canvas would take the focus; a finger has a mouse after its tap.
      const isOfTap = tap?.isTouch && isNear(inCanvas(event), tap.at);
      if (drag ? drag.isHeld : isOfTap) event.preventDefault();
    },
    pointermove(event: PointerEvent) {
      if (!drag) {
        if (event.buttons !== 0 || event.pointerType === 'touch' || event.target !== canvas) return;
        // At most once a repaint, where the pointer is by then: it takes a look at each triangle.
        cancelAnimationFrame(pickRequest);
        pickRequest = requestAnimationFrame(() => setHovered(pick(event)?.part));
        return;
      }
      if (event.pointerId !== drag.pointer) return;
      const { part, point, from } = drag;
      const way = inCanvas(event).sub(from);
      if (!drag.isHeld) {
        if (way.length() >= DRAG_PIXELS) drag = undefined;
        return;
      }
      event.stopPropagation();
      if (!drag.motion) {
        if (way.length() < DRAG_PIXELS) return;
        const motion = part.find(point, way.clone().normalize(), viewed(), kindOf(part, event));
        if (!motion) return;
        drag.motion = { ...motion, start: part.amount(motion) };
      }
      const { start, speed, ...motion } = drag.motion;
      change(part, motion, start + way.dot(speed) / speed.lengthSq());
    },
    pointerup(event: PointerEvent) {
      if (event.pointerId !== drag?.pointer) return;
      const { part, motion, from: at, isHeld, isSecond } = drag;
      drag = undefined;
      if (isHeld) event.stopPropagation();
      part.handle.focus({ preventScroll: true });
      setFocused(part, false);
      const { timeStamp: time, pointerType } = event;
      tap = motion ? undefined : { part, at, time, isTouch: pointerType === 'touch' };
      // Not every browser has double clicks of fingers.
      if (isSecond && !motion) putBack(part);
      else if (!motion) toggle(part);
    },
    pointercancel(event: PointerEvent) {
      if (event.pointerId === drag?.pointer) drag = undefined;
    },
    pointerout() {
      cancelAnimationFrame(pickRequest);
      if (!drag) setHovered(undefined);
    },
    dblclick(event: MouseEvent) {
      if (event.target === canvas && tap) putBack(tap.part);
    },
  };
  for (const [name, listener] of Object.entries(listeners))
    root.addEventListener(name, listener as EventListener, { capture: true });

  const clear = () => {
    cancelAnimationFrame(pickRequest);
    for (const part of parts) glides.stop(part);
    // Else it would go with the element of its part.
    list.append(label.element);
    for (const { handle } of parts) handle.remove();
    parts = [];
    model = hovered = focused = drag = tap = undefined;
    label.hide();
    canvas.style.cursor = '';
  };
  const movable = (node: Object3D, kind: Motion['kind'], motion: PartMotion): Part => {
    const name = String(node.userData.name || node.name);
    const handle = element('div', {
      ...{ class: 'part', role: 'slider', tabindex: '-1' },
      ...{ 'aria-label': name, 'aria-orientation': 'horizontal' },
    });
    const last = motion.joint ?? { kind, axis: kind === 'turn' ? 1 : 2 };
    const part: Part = {
      ...motion,
      name,
      key: name,
      kind,
      meshes: meshesBelow(node),
      handle,
      last,
    };
    report(part);
    handle.addEventListener('keydown', (event) => press(part, event));
    handle.addEventListener('focus', () => setFocused(part, true));
    handle.addEventListener('blur', blurred);
    list.append(handle);
    return part;
  };
  return {
    take(next, reachMetres) {
      const before = new Map(parts.map((part) => [part.key, part]));
      clear();
      model = next;
      next.updateMatrixWorld(true);
      const found = findParts(next);
      const nodes = new Set(found.map(({ node }) => node));
      const isPart = (other: Object3D) => nodes.has(other);
      const shapes = found.map(({ node, article }) => ({ article, shape: shapeOf(node, isPart) }));
      for (const [i, { node, article }] of found.entries()) {
        const { shape } = shapes[i]!;
        const others = shapes.filter((other) => other.article === article && other.shape !== shape);
        const plates = others.map((other) => other.shape).filter(({ isPlate }) => isPlate);
        const kind = usualKind(shape, plates, holderOf(node, parts)?.kind);
        const body = fixedBoxes(article, shape.place, isPart);
        const front = new Vector3(0, 0, 1).transformDirection(article.matrixWorld);
        const joint = jointOf(shape, kind, { body, front, plates });
        parts.push(movable(node, kind, createPartMotion(node, shape, joint, reachMetres)));
      }
      if (parts[0]) parts[0].handle.tabIndex = 0;
      numberKeys(parts);
      for (const part of parts) {
        const same = before.get(part.key);
        if (!same) continue;
        part.kind = same.kind;
        part.last = stopsOf(part) ?? same.last;
        part.putTo(same.place());
        report(part);
      }
      notify();
    },
    clear() {
      clear();
      notify();
    },
    takesUpright() {
      if (!drag?.isHeld) return false;
      const { part, point } = drag;
      const found = part.find(point, new Vector2(0, 1), viewed(), part.kind);
      if (found?.kind === 'turn') return !isUpright({ place: part.node.matrixWorld }, found.axis);
      return !!found && Math.abs(found.speed.y) > UPRIGHT * found.speed.length();
    },
    reset() {
      for (const part of parts) putBack(part);
    },
    place(renderer, width, height) {
      const byKeys = focused && isByKeys(focused) ? focused : undefined;
      const marked = drag?.part ?? hovered ?? byKeys;
      const labelled = showLabel();
      if (marked && !drag?.isHeld) mark.draw(renderer, marked.meshes);
      const by = { camera, width, height };
      for (const part of parts) {
        const { x, y } = screenPoint(part.node.localToWorld(part.centre.clone()), by);
        part.handle.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        if (part === labelled) label.place({ x, y }, width, height);
      }
    },
    dispose() {
      clear();
      for (const [name, listener] of Object.entries(listeners))
        root.removeEventListener(name, listener as EventListener, { capture: true });
      mark.dispose();
      list.remove();
    },
  };
}

function isNear(a: Vector2, b: Vector2): boolean {
  return a.distanceTo(b) < DOUBLE_TAP.pixels;
}

/** The joint of a part, where a drag does what it is for. */
function stopsOf({ joint, kind }: Part): Joint | undefined {
  return joint?.kind === kind ? joint : undefined;
}

/** Shift is for the kind that a drag does not do. */
function kindOf({ kind }: Part, { shiftKey }: MouseEvent | KeyboardEvent): Motion['kind'] {
  return shiftKey === (kind === 'turn') ? 'move' : 'turn';
}

/** Parts of one name differ by their order. */
function numberKeys(parts: readonly Part[]): void {
  const counts = new Map<string, number>();
  for (const part of parts) {
    const count = counts.get(part.name) ?? 0;
    counts.set(part.name, count + 1);
    part.key = `${count} ${part.name}`;
  }
}
