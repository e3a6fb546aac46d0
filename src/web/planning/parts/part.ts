/** A movable part: its motion, and the slider by which keyboards and screen readers reach it. */
import type { Mesh, Object3D } from 'three';
import { element } from '../../../deliver/pictures/page/elements.ts';
import type { ViewTexts } from '../state/interfaces.ts';
import type { PartMotion } from './part-motion.ts';
import type { Joint, Motion } from './part-shape.ts';
import { meshesBelow } from './part-tree.ts';

const GLIDE_MILLISECONDS = 350;

/** A part of the visible model. */
export class Part {
  readonly motion: PartMotion;
  readonly name: string;
  readonly meshes: readonly Mesh[];
  /** The slider; its value is the amount of the last motion. */
  readonly handle: HTMLElement;
  readonly #texts: ViewTexts;
  readonly #onMove: () => void;
  #kind: Motion['kind'];
  #last: Motion;
  /** The end of the animation that moves the part. */
  #glide: { to: number; request: number } | undefined;

  /**
   * @param kind - The motion of the part when it is dragged.
   * @param onMove - Called after each move, except by {@link Part.takeOver}.
   */
  constructor(motion: PartMotion, kind: Motion['kind'], texts: ViewTexts, onMove: () => void) {
    const { node, joint } = motion;
    this.motion = motion;
    this.name = String(node.userData.name || node.name);
    this.meshes = meshesBelow(node);
    this.handle = element('div', {
      ...{ class: 'part', role: 'slider', tabindex: '-1' },
      ...{ 'aria-label': this.name, 'aria-orientation': 'horizontal' },
    });
    this.#texts = texts;
    this.#onMove = onMove;
    this.#kind = kind;
    this.#last = joint ?? { kind, axis: kind === 'turn' ? 1 : 2 };
    this.#report();
  }

  get node(): Object3D {
    return this.motion.node;
  }

  get kind(): Motion['kind'] {
    return this.#kind;
  }

  /** The joint of the part, if a drag does the motion of the joint. */
  get stops(): Joint | undefined {
    const { joint } = this.motion;
    return joint?.kind === this.#kind ? joint : undefined;
  }

  /** The kind of motion for an event: Shift selects the kind that a drag does not do. */
  kindFor({ shiftKey }: MouseEvent | KeyboardEvent): Motion['kind'] {
    return shiftKey === (this.#kind === 'turn') ? 'move' : 'turn';
  }

  /** Sets the motion of a drag. The earlier motion was not intended: the part moves back. */
  setKind(kind: Motion['kind']): void {
    if (kind === this.#kind) return;
    this.#kind = kind;
    this.#last = this.stops ?? { kind, axis: 0 };
    this.putBack();
  }

  change(motion: Motion, amount: number): void {
    this.stop();
    this.#last = motion;
    this.#set(motion, amount);
    this.#report();
  }

  /** Opens the part if it is closed, else closes it; does nothing without a joint. */
  toggle(): void {
    const { motion, stops } = this;
    if (!stops) return;
    const end = this.#glide?.to;
    const isClosed = end === undefined ? !motion.isMoved() : end === 0;
    // Otherwise the part was moved by its other kind of motion.
    if (isClosed || end !== undefined || motion.amount(stops) !== 0)
      this.glide(stops, isClosed ? stops.open : 0);
    else this.putBack();
  }

  /** Moves the part to an amount of its joint smoothly, or immediately for a person who prefers reduced motion. */
  glide(joint: Joint, to: number): void {
    this.#last = joint;
    // The slider reports the end and not each step.
    this.#report(to);
    this.stop();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.#set(joint, to);
      return;
    }
    const from = this.motion.amount(joint);
    let begin: number | undefined;
    const step = (time: number) => {
      begin ??= time;
      const share = Math.min((time - begin) / GLIDE_MILLISECONDS, 1);
      this.#glide = share < 1 ? { to, request: requestAnimationFrame(step) } : undefined;
      this.#set(joint, from + (to - from) * share * share * (3 - 2 * share));
    };
    this.#glide = { to, request: requestAnimationFrame(step) };
  }

  stop(): void {
    cancelAnimationFrame(this.#glide?.request ?? 0);
    this.#glide = undefined;
  }

  putBack(): void {
    this.stop();
    this.motion.putTo();
    this.#report();
    this.#onMove();
  }

  takeOver(same: Part): void {
    this.#kind = same.#kind;
    this.#last = this.stops ?? same.#last;
    this.motion.putTo(same.motion);
    this.#report();
  }

  #set(motion: Motion, amount: number): void {
    this.motion.set(motion, amount);
    this.#onMove();
  }

  /** Writes the amount of the last motion and its limits to the slider. */
  #report(amount = this.motion.amount(this.#last)): void {
    const { handle, motion } = this;
    const { kind } = this.#last;
    const isReverse = motion.joint?.kind === kind && motion.joint.open < 0;
    const inUnits = (value: number) =>
      Math.round((kind === 'turn' ? 180 / Math.PI : 1000) * (isReverse ? -value : value)) + 0;
    const { least, most } = motion.limits(this.#last);
    const [from, to] = [inUnits(least), inUnits(most)].sort((a, b) => a - b);
    const value = inUnits(amount);
    handle.setAttribute('aria-valuemin', String(from));
    handle.setAttribute('aria-valuemax', String(to));
    handle.setAttribute('aria-valuenow', String(value));
    const spoken = kind === 'turn' ? `${value}°` : this.#texts.millimetres(value);
    handle.setAttribute('aria-valuetext', spoken);
  }
}
