/** Width, height and depth at a model: lines beside its edges, with texts that follow the camera. */
import { type Box3, type PerspectiveCamera, Vector2, Vector3 } from 'three';
import { element } from '../../../deliver/pictures/page/elements.ts';

/** How far a line is from its edge, as a share of the model's diagonal. */
const GAP = 0.045;
/** Half the length of the strokes that end a line. */
const TICK_PIXELS = 5;
/** A line that is seen shorter is left out: its text would lie on others. */
const LEAST_PIXELS = 44;
/** A line that points to the viewer is left out, too: it would look like one of another direction. */
const LEAST_SEEN = 0.45;
const LABEL_MARGIN_PIXELS = 4;

type Axis = 'x' | 'y' | 'z';

/** An edge of the model's box, and the direction in which its line lies beside it. */
interface Edge {
  from: Vector3;
  to: Vector3;
  away: Vector3;
}

/** The lines and their texts. */
export interface DimensionLines {
  /** Begins with a model. */
  measure(box: Box3 | undefined): void;
  setVisible(visible: boolean): void;
  /** Puts all where the camera sees it. */
  place(camera: PerspectiveCamera, width: number, height: number): void;
}

/** Makes the lines of a stage, hidden at first. */
export function createDimensionLines(
  into: ParentNode,
  millimetres: (length: number) => string,
): DimensionLines {
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  drawing.setAttribute('aria-hidden', 'true');
  drawing.setAttribute('class', 'lines');
  const path = (name: string) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    made.setAttribute('class', name);
    drawing.append(made);
    return made;
  };
  // The light one lies below: the other is then seen before any colour.
  const strokes = [path('halo'), path('line')];
  const labels = {
    x: element('span', { class: 'length' }),
    y: element('span', { class: 'length' }),
    z: element('span', { class: 'length' }),
  } satisfies Record<Axis, HTMLElement>;
  into.append(drawing, labels.x, labels.y, labels.z);
  let box: Box3 | undefined;
  let isVisible = false;
  const show = () => {
    for (const each of [drawing, ...Object.values(labels)])
      each.toggleAttribute('hidden', !isVisible || !box);
  };
  show();
  return {
    measure(next) {
      box = next;
      const size = box?.getSize(new Vector3());
      for (const axis of ['x', 'y', 'z'] as const) {
        // Coordinates are single floats: a tenth of a millimetre is exact.
        const length = Math.round((size?.[axis] ?? 0) * 1e4) / 10;
        labels[axis].textContent = size ? millimetres(length) : '';
      }
      show();
    },
    setVisible(visible) {
      isVisible = visible;
      show();
    },
    place(camera, width, height) {
      if (!isVisible || !box) return;
      const project = (point: Vector3) => {
        const { x, y } = point.clone().project(camera);
        return new Vector2(((1 + x) / 2) * width, ((1 - y) / 2) * height);
      };
      const gap = box.getSize(new Vector3()).length() * GAP;
      let lines = '';
      for (const [axis, edge] of Object.entries(edgesOf(box, camera.position))) {
        const beside = edge.away.clone().multiplyScalar(gap);
        const [from, to] = [edge.from, edge.to].map((end) => project(end.clone().add(beside)));
        const length = from!.distanceTo(to!);
        const label = labels[axis as Axis];
        const whole = edge.from.distanceTo(edge.to) * pixelsPerMetre(edge, camera, height);
        const isShown = length >= Math.max(LEAST_PIXELS, LEAST_SEEN * whole);
        label.toggleAttribute('hidden', !isShown);
        if (!isShown) continue;
        const corners = [edge.from, edge.to].map(project) as [Vector2, Vector2];
        lines += strokesOf(from!, to!, corners);
        const middle = from!.clone().add(to!).divideScalar(2);
        putAt(label, middle, width, height);
      }
      for (const stroke of strokes) stroke.setAttribute('d', lines);
    },
  };
}

/** Across the view, at the middle of an edge. */
function pixelsPerMetre({ from, to }: Edge, camera: PerspectiveCamera, height: number): number {
  const middle = from.clone().add(to).divideScalar(2).applyMatrix4(camera.matrixWorldInverse);
  return (camera.projectionMatrix.elements[5]! * height) / (2 * Math.max(-middle.z, 1e-6));
}

/** Of the edges that bound what is seen of the box, those nearest to the camera, which is never below. */
function edgesOf({ min, max }: Box3, camera: Vector3): Record<Axis, Edge> {
  const centre = min.clone().add(max).divideScalar(2);
  const isFront = camera.z >= centre.z;
  const isRight = camera.x >= centre.x;
  const front = isFront ? max.z : min.z;
  const right = isRight ? max.x : min.x;
  const out = { z: isFront ? 1 : -1, x: isRight ? 1 : -1 };
  const point = (x: number, y: number, z: number) => new Vector3(x, y, z);
  // The upright edge at the end of the wider seen side, on its outside.
  const [near, far] = [isFront ? max.z : min.z, isFront ? min.z : max.z];
  const [nearX, farX] = [isRight ? max.x : min.x, isRight ? min.x : max.x];
  const places = [
    { x: farX, z: near, away: point(isRight ? -1 : 1, 0, isFront ? 1 : -1) },
    { x: nearX, z: far, away: point(isRight ? 1 : -1, 0, isFront ? -1 : 1) },
  ];
  const distance = ({ x, z }: { x: number; z: number }) => camera.distanceTo(point(x, centre.y, z));
  const [upright] = places.sort((a, b) => distance(a) - distance(b));
  const { x, z, away } = upright!;
  return {
    x: {
      from: point(min.x, min.y, front),
      to: point(max.x, min.y, front),
      away: point(0, 0, out.z),
    },
    y: { from: point(x, min.y, z), to: point(x, max.y, z), away },
    z: {
      from: point(right, min.y, min.z),
      to: point(right, min.y, max.z),
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

/** Centres a label, inside the stage. */
function putAt(label: HTMLElement, { x, y }: Vector2, width: number, height: number): void {
  const [halfWidth, halfHeight] = [label.offsetWidth / 2, label.offsetHeight / 2];
  const inside = (value: number, half: number, most: number) =>
    Math.min(Math.max(value, half + LABEL_MARGIN_PIXELS), most - half - LABEL_MARGIN_PIXELS);
  const left = Math.round(inside(x, halfWidth, width) - halfWidth);
  const top = Math.round(inside(y, halfHeight, height) - halfHeight);
  label.style.transform = `translate(${left}px, ${top}px)`;
}
