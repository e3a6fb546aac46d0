/** Parts that a person moves with pointer, touch or keys; each is an element that the keyboard reaches. */
import {
  DoubleSide,
  type Mesh,
  MeshBasicMaterial,
  type Object3D,
  Raycaster,
  Vector2,
  type Vector3,
  type WebGLRenderer,
} from 'three';
import { element } from '../deliver/page/elements.ts';
import type { ModelStage } from '../deliver/page/model-stage.ts';
import type { ViewTexts } from './interfaces.ts';
import { createPartLabel } from './part-label.ts';
import { createPartMotion, type FoundMotion, type PartMotion, screenPoint } from './part-motion.ts';
import { type Motion, type PartShape, shapeOf, usualKind } from './part-shape.ts';

/** A pointer that has gone less far has only pressed. */
const DRAG_PIXELS = 5;
/** Two taps are one double tap within this time and distance. */
const DOUBLE_TAP = { milliseconds: 400, pixels: 30 };
/** A key moves by so much. */
const STEPS = { move: 0.05, turn: Math.PI / 18 } satisfies Record<Motion['kind'], number>;
/** Layer of the camera with the parts that are marked. */
const MARKED = 1;
/** Light, so that no finish looks greyed out. */
const MARK = { color: 0x7ab8ff, opacity: 0.28 };

const ARROWS: Readonly<Record<string, Vector2 | undefined>> = {
  ArrowLeft: new Vector2(-1, 0),
  ArrowRight: new Vector2(1, 0),
  ArrowUp: new Vector2(0, -1),
  ArrowDown: new Vector2(0, 1),
};

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

interface Drag {
  part: Part;
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
  /** Moves all back. */
  reset(): void;
  /** Marks a part over the model, and puts the elements where their parts are. */
  place(renderer: WebGLRenderer, width: number, height: number): void;
  dispose(): void;
}

/** Opens the parts of a stage. @param root - Contains the canvas. @param over - Lies over it. */
export function openMovableParts(
  stage: ModelStage,
  root: ShadowRoot,
  over: HTMLElement,
  texts: ViewTexts,
): MovableParts {
  const { canvas, camera, scene } = stage;
  const ray = new Raycaster();
  const mark = new MeshBasicMaterial({
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
  const label = createPartLabel(texts, (kind) => {
    if (focused) setKind(focused, kind);
  });
  over.append(label.element);
  let model: Object3D | undefined;
  let parts: Part[] = [];
  let hovered: Part | undefined;
  let focused: Part | undefined;
  let drag: Drag | undefined;
  let pickRequest = 0;
  let tap: { part: Part; at: Vector2; time: number } | undefined;

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
    canvas.style.cursor = part ? 'move' : '';
    stage.redraw();
  };
  const report = (part: Part) => {
    const { last } = part;
    const amount = part.amount(last);
    const inUnits = (value: number) =>
      Math.round(last.kind === 'turn' ? (value * 180) / Math.PI : value * 1000) + 0;
    const value = inUnits(amount);
    const most = inUnits(part.limit(last));
    part.handle.setAttribute('aria-valuemin', String(-most));
    part.handle.setAttribute('aria-valuemax', String(most));
    part.handle.setAttribute('aria-valuenow', String(value));
    const spoken = last.kind === 'turn' ? `${value}°` : texts.millimetres(value);
    part.handle.setAttribute('aria-valuetext', spoken);
  };
  const change = (part: Part, motion: Motion, amount: number) => {
    part.last = motion;
    part.set(motion, amount);
    report(part);
    stage.reshape();
  };
  const putBack = (part: Part) => {
    part.putTo();
    report(part);
    stage.reshape();
  };
  const showLabel = () => {
    const part = drag?.part ?? hovered ?? focused;
    if (part) label.show(part.name, part === focused && !drag?.motion ? part.kind : undefined);
    else label.hide();
    return part;
  };
  /** What it has done until now was not meant. */
  const setKind = (part: Part, kind: Motion['kind']) => {
    if (part.kind === kind) return;
    part.kind = kind;
    part.last = { kind, axis: 0 };
    putBack(part);
    showLabel();
  };
  /** Who has moved a part with the pointer wants to see its finish: only keys show the focus. */
  const setFocused = (part: Part | undefined, byKeys: boolean) => {
    focused?.handle.classList.remove('by-keys');
    focused = part;
    part?.handle.classList.toggle('by-keys', byKeys);
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
    const direction = ARROWS[event.key];
    if (event.key === 'Escape') return part.handle.blur();
    if (event.key === 'Delete' || event.key === 'Backspace') putBack(part);
    else if (direction) {
      // From where it rests: the same key goes on with the same motion.
      const motion = part.find(undefined, direction, viewed(), kindOf(part, event));
      if (!motion) return;
      const step = STEPS[motion.kind] * Math.sign(motion.speed.dot(direction));
      change(part, motion, part.amount(motion) + step);
    } else return;
    event.preventDefault();
    // The camera has the same keys.
    event.stopPropagation();
  };

  const listeners = {
    pointerdown(event: PointerEvent) {
      if (!event.isPrimary || event.button !== 0 || event.target !== canvas) return;
      const found = pick(event);
      if (!found) return;
      drag = { ...found, pointer: event.pointerId, from: inCanvas(event) };
      canvas.setPointerCapture(event.pointerId);
      // Else the camera would turn, and the canvas take the focus.
      event.stopPropagation();
    },
    mousedown(event: MouseEvent) {
      if (drag) event.preventDefault();
    },
    pointermove(event: PointerEvent) {
      if (!drag) {
        if (event.buttons !== 0 || event.pointerType === 'touch' || event.target !== canvas) return;
        // At most once a repaint: it takes a look at each triangle.
        pickRequest ||= requestAnimationFrame(() => {
          pickRequest = 0;
          setHovered(pick(event)?.part);
        });
        return;
      }
      if (event.pointerId !== drag.pointer) return;
      event.stopPropagation();
      const { part, point, from } = drag;
      const way = inCanvas(event).sub(from);
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
      const { part, motion, from: at } = drag;
      drag = undefined;
      event.stopPropagation();
      part.handle.focus({ preventScroll: true });
      setFocused(part, false);
      const { timeStamp: time } = event;
      // Not every browser has double clicks of fingers.
      const isSecond =
        tap?.part === part &&
        time - tap.time < DOUBLE_TAP.milliseconds &&
        at.distanceTo(tap.at) < DOUBLE_TAP.pixels;
      tap = motion ? undefined : { part, at, time };
      if (isSecond && !motion) putBack(part);
    },
    pointercancel(event: PointerEvent) {
      if (event.pointerId === drag?.pointer) drag = undefined;
    },
    pointerout() {
      if (!drag) setHovered(undefined);
    },
    dblclick(event: MouseEvent) {
      const found = event.target === canvas ? pick(event) : undefined;
      if (found) putBack(found.part);
    },
  };
  for (const [name, listener] of Object.entries(listeners))
    root.addEventListener(name, listener as EventListener, { capture: true });
  canvas.addEventListener('webglcontextlost', mark.dispose.bind(mark));

  const handleOf = (name: string) =>
    element('div', { class: 'part', role: 'slider', tabindex: '0', 'aria-label': name });
  const clear = () => {
    cancelAnimationFrame(pickRequest);
    // Else it would go with the element of its part.
    over.append(label.element);
    for (const { handle } of parts) handle.remove();
    parts = [];
    model = hovered = focused = drag = tap = undefined;
    pickRequest = 0;
    label.hide();
    canvas.style.cursor = '';
  };
  const movable = (node: Object3D, shape: PartShape, kind: Motion['kind'], reach: number): Part => {
    const name = String(node.userData.name || node.name);
    const handle = handleOf(name);
    const part: Part = {
      ...createPartMotion(node, shape, reach),
      ...{ name, key: name, kind, meshes: meshesBelow(node), handle },
      last: { kind, axis: kind === 'turn' ? 1 : 2 },
    };
    report(part);
    handle.addEventListener('keydown', (event) => press(part, event));
    handle.addEventListener('focus', () => setFocused(part, true));
    handle.addEventListener('blur', blurred);
    over.append(handle);
    return part;
  };
  return {
    take(next, reachMetres) {
      const before = new Map(parts.map((part) => [part.key, part]));
      clear();
      model = next;
      const nodes = movableNodes(next);
      const all = new Set(nodes);
      const shapes = nodes.map((node) => shapeOf(node, (other) => all.has(other)));
      const plates = shapes.filter(({ isPlate }) => isPlate);
      // Parents come first.
      for (const [i, node] of nodes.entries()) {
        const shape = shapes[i]!;
        const others = plates.filter((other) => other !== shape);
        const kind = usualKind(shape, others, holderOf(node, parts)?.kind);
        parts.push(movable(node, shape, kind, reachMetres));
      }
      numberKeys(parts);
      for (const part of parts) {
        const same = before.get(part.key);
        if (!same) continue;
        Object.assign(part, { kind: same.kind, last: same.last });
        part.putTo(same.place());
        report(part);
      }
    },
    clear,
    reset() {
      for (const part of parts) putBack(part);
    },
    place(renderer, width, height) {
      const byKeys = focused?.handle.classList.contains('by-keys') ? focused : undefined;
      const marked = drag?.part ?? hovered ?? byKeys;
      const labelled = showLabel();
      if (marked && !drag) {
        for (const mesh of marked.meshes) mesh.layers.enable(MARKED);
        camera.layers.set(MARKED);
        scene.overrideMaterial = mark;
        renderer.autoClear = false;
        renderer.render(scene, camera);
        renderer.autoClear = true;
        scene.overrideMaterial = null;
        camera.layers.set(0);
        for (const mesh of marked.meshes) mesh.layers.disable(MARKED);
      }
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
      label.element.remove();
    },
  };
}

/** Shift is for the kind that a drag does not do. */
function kindOf({ kind }: Part, { shiftKey }: MouseEvent | KeyboardEvent): Motion['kind'] {
  return shiftKey === (kind === 'turn') ? 'move' : 'turn';
}

/** The part to which an object belongs. */
function holderOf(object: Object3D, parts: readonly Part[]): Part | undefined {
  for (let at: Object3D | null = object; at; at = at.parent) {
    const part = parts.find(({ node }) => node === at);
    if (part) return part;
  }
  return undefined;
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

/** The nodes that are parts: what contains the whole model is the article itself. */
function movableNodes(root: Object3D): Object3D[] {
  const found: Object3D[] = [];
  const all = meshesBelow(root).length;
  root.traverse((node) => {
    if (node.userData.movable === true && meshesBelow(node).length < all) found.push(node);
  });
  return found;
}

function meshesBelow(node: Object3D): Mesh[] {
  const found: Mesh[] = [];
  node.traverse((object) => {
    if ((object as Mesh).isMesh) found.push(object as Mesh);
  });
  return found;
}
