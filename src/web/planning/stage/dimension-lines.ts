/** Width, height and depth of a model: lines beside its edges, with texts that follow the camera. */
import { type Box3, type PerspectiveCamera, Vector2, Vector3 } from 'three';
import type { Vec3 } from '../../../convert/model/graphics.ts';
import { element } from '../../../deliver/pictures/page/elements.ts';
import { screenPoint } from '../parts/part-motion.ts';

/** Distance of a line from its edge, as a share of the model's diagonal. */
const GAP = 0.045;
/** Half the length of the strokes at the ends of a line. */
const TICK_PIXELS = 5;
/** A line that appears shorter is left out: its text would cover others. */
const LEAST_PIXELS = 44;
/** A line that points to the viewer is left out, too: it would look like a line of another direction. */
const LEAST_SEEN = 0.45;
const LABEL_MARGIN_PIXELS = 4;

const SVG = 'http://www.w3.org/2000/svg';

type Axis = 'x' | 'y' | 'z';

/** An edge of the model's box, and the side on which its line is drawn. */
interface Edge {
  from: Vector3;
  to: Vector3;
  away: Vector3;
}

/** The lines of a stage and their texts, hidden at first. */
export class DimensionLines {
  readonly #millimetres: (length: number) => string;
  readonly #drawing = document.createElementNS(SVG, 'svg');
  readonly #strokes: readonly SVGPathElement[];
  readonly #labels = {
    x: element('span', { class: 'length' }),
    y: element('span', { class: 'length' }),
    z: element('span', { class: 'length' }),
  } satisfies Record<Axis, HTMLElement>;
  #box: Box3 | undefined;
  #isVisible = false;

  constructor(into: ParentNode, millimetres: (length: number) => string) {
    this.#millimetres = millimetres;
    this.#drawing.setAttribute('aria-hidden', 'true');
    this.#drawing.setAttribute('class', 'lines');
    // The light stroke is drawn below the other, which is then visible on any colour.
    this.#strokes = ['halo', 'line'].map((name) => {
      const path = document.createElementNS(SVG, 'path');
      path.setAttribute('class', name);
      return path;
    });
    this.#drawing.append(...this.#strokes);
    into.append(this.#drawing, ...Object.values(this.#labels));
    this.#show();
  }

  /** @param sizeMetres - What the texts say, if it is not exactly the size of the box. */
  measure(box: Box3 | undefined, sizeMetres?: Vec3): void {
    this.#box = box;
    const size = sizeMetres ? new Vector3(...sizeMetres) : box?.getSize(new Vector3());
    for (const axis of ['x', 'y', 'z'] as const) {
      // Coordinates are single floats: a tenth of a millimetre is exact.
      const length = Math.round((size?.[axis] ?? 0) * 1e4) / 10;
      this.#labels[axis].textContent = size ? this.#millimetres(length) : '';
    }
    this.#show();
  }

  setVisible(visible: boolean): void {
    this.#isVisible = visible;
    this.#show();
  }

  place(camera: PerspectiveCamera, width: number, height: number): void {
    const box = this.#box;
    if (!this.#isVisible || !box) return;
    const by = { camera, width, height };
    const gap = box.getSize(new Vector3()).length() * GAP;
    let lines = '';
    for (const [axis, edge] of Object.entries(edgesOf(box, camera.position))) {
      const beside = edge.away.clone().multiplyScalar(gap);
      const corners = [edge.from, edge.to] as const;
      const [from, to] = corners.map((end) => screenPoint(end.clone().add(beside), by));
      const length = from!.distanceTo(to!);
      const label = this.#labels[axis as Axis];
      const whole = edge.from.distanceTo(edge.to) * pixelsPerMetre(edge, camera, height);
      const isShown = length >= Math.max(LEAST_PIXELS, LEAST_SEEN * whole);
      label.toggleAttribute('hidden', !isShown);
      if (!isShown) continue;
      const [a, b] = corners.map((corner) => screenPoint(corner, by));
      lines += strokesOf(from!, to!, [a!, b!]);
      const middle = from!.clone().add(to!).divideScalar(2);
      putAt(label, middle, width, height);
    }
    for (const stroke of this.#strokes) stroke.setAttribute('d', lines);
  }

  #show(): void {
    for (const each of [this.#drawing, ...Object.values(this.#labels)])
      each.toggleAttribute('hidden', !this.#isVisible || !this.#box);
  }
}

function pixelsPerMetre({ from, to }: Edge, camera: PerspectiveCamera, height: number): number {
  const middle = from.clone().add(to).divideScalar(2).applyMatrix4(camera.matrixWorldInverse);
  return (camera.projectionMatrix.elements[5]! * height) / (2 * Math.max(-middle.z, 1e-6));
}

/** The edges nearest to the camera among those that bound the visible box; the camera is never below the box. */
function edgesOf({ min, max }: Box3, camera: Vector3): Record<Axis, Edge> {
  const centre = min.clone().add(max).divideScalar(2);
  const [isRight, isFront] = [camera.x >= centre.x, camera.z >= centre.z];
  const out = { x: isRight ? 1 : -1, z: isFront ? 1 : -1 };
  const [nearX, farX] = isRight ? [max.x, min.x] : [min.x, max.x];
  const [nearZ, farZ] = isFront ? [max.z, min.z] : [min.z, max.z];
  const point = (x: number, y: number, z: number) => new Vector3(x, y, z);
  // The upright edge at the end of the wider visible side, on its outside.
  const places = [
    { x: farX, z: nearZ, away: point(-out.x, 0, out.z) },
    { x: nearX, z: farZ, away: point(out.x, 0, -out.z) },
  ];
  const distance = ({ x, z }: { x: number; z: number }) => camera.distanceTo(point(x, centre.y, z));
  const [upright] = places.sort((a, b) => distance(a) - distance(b));
  const { x, z, away } = upright!;
  return {
    x: {
      from: point(min.x, min.y, nearZ),
      to: point(max.x, min.y, nearZ),
      away: point(0, 0, out.z),
    },
    y: { from: point(x, min.y, z), to: point(x, max.y, z), away },
    z: {
      from: point(nearX, min.y, min.z),
      to: point(nearX, min.y, max.z),
      away: point(out.x, 0, 0),
    },
  };
}

/** A line with a stroke across at each end, and lines from the corners of the model. */
function strokesOf(from: Vector2, to: Vector2, corners: readonly [Vector2, Vector2]): string {
  const along = to.clone().sub(from).normalize();
  const across = new Vector2(-along.y, along.x).multiplyScalar(TICK_PIXELS);
  const stroke = (a: Vector2, b: Vector2) =>
    `M${a.x.toFixed(1)} ${a.y.toFixed(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}`;
  const ends = [from, to].map((end, i) => {
    const corner = corners[i]!;
    const reach = end.clone().sub(corner);
    // The line from a corner begins a little beside it.
    const begin = corner.clone().addScaledVector(reach, 0.25);
    return stroke(end.clone().add(across), end.clone().sub(across)) + stroke(begin, end);
  });
  return stroke(from, to) + ends.join('');
}

function putAt(label: HTMLElement, { x, y }: Vector2, width: number, height: number): void {
  const [halfWidth, halfHeight] = [label.offsetWidth / 2, label.offsetHeight / 2];
  const inside = (value: number, half: number, most: number) =>
    Math.min(Math.max(value, half + LABEL_MARGIN_PIXELS), most - half - LABEL_MARGIN_PIXELS);
  const left = Math.round(inside(x, halfWidth, width) - halfWidth);
  const top = Math.round(inside(y, halfHeight, height) - halfHeight);
  label.style.transform = `translate(${left}px, ${top}px)`;
}
