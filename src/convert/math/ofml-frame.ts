/**
 * OFML frames: the only file with axes, rotation order and rotation sign. The frame of glTF is the same:
 * +X right, +Y up, +Z front (D-101).
 */

import { cos, sin } from '../../support/elementary.ts';
import type { Vec3 } from '../model/graphics.ts';
import { IDENTITY3, type Mat3, multiplyMat3, transformVec3, transposeMat3 } from './vec.ts';

/** A rigid frame: turn, then move. */
export interface Frame {
  /** 3×3 rotation, column-major. */
  rotation: Mat3;
  translationMetres: Vec3;
}

/** The values of each part of a rotation rule, its default first: D-102. */
export const ROTATION_CHOICES = {
  rotationOrder: ['xyz', 'xzy', 'yxz', 'yzx', 'zxy', 'zyx'],
  rotationDirection: ['counter-clockwise', 'clockwise'],
} as const;

interface RotationRule {
  /** Order of the axes, each in the frame turned so far. */
  rotationOrder: (typeof ROTATION_CHOICES.rotationOrder)[number];
  /** The sense of positive angles, seen from the tip of the axis. */
  rotationDirection: (typeof ROTATION_CHOICES.rotationDirection)[number];
}

const ROTATION_DEFAULTS: RotationRule = {
  rotationOrder: ROTATION_CHOICES.rotationOrder[0],
  rotationDirection: ROTATION_CHOICES.rotationDirection[0],
};

/** The article's own frame. */
export const WORLD_FRAME: Frame = { rotation: IDENTITY3, translationMetres: [0, 0, 0] };

/** Cosine of an angle in degrees, exact at every quarter turn. */
export function cosDegrees(degrees: number): number {
  const turned = Math.abs(degrees % 360);
  if (turned === 90 || turned === 270) return 0;
  if (turned === 180) return -1;
  return turned === 0 ? 1 : cos((turned * Math.PI) / 180);
}

/** Sine of an angle in degrees, exact at every quarter turn. */
export function sinDegrees(degrees: number): number {
  const turned = degrees % 360;
  if (turned % 180 === 0) return 0;
  if (turned === 90 || turned === -270) return 1;
  if (turned === 270 || turned === -90) return -1;
  return sin((turned * Math.PI) / 180);
}

/**
 * Turns `[x, y, z]` degrees into a rotation matrix: about X, then about the turned Y, then about the
 * twice turned Z, each counter-clockwise; with column vectors Rx·Ry·Rz (D-102).
 *
 * @param rule - Another order or sense.
 * @returns 3×3, column-major; exact where all angles are multiples of 90°.
 *
 * @example `rotationFromDegrees([0, 90, 0]); // → [0, 0, -1, 0, 1, 0, 1, 0, 0]`
 */
export function rotationFromDegrees(
  rotationDegrees: Vec3,
  { rotationOrder, rotationDirection }: RotationRule = ROTATION_DEFAULTS,
): Mat3 {
  const [x, y, z] = rotationDegrees;
  if (x === 0 && y === 0 && z === 0) return IDENTITY3;
  const sign = rotationDirection === 'clockwise' ? -1 : 1;
  const cx = cosDegrees(x);
  const sx = sign * sinDegrees(x);
  const cy = cosDegrees(y);
  const sy = sign * sinDegrees(y);
  const cz = cosDegrees(z);
  const sz = sign * sinDegrees(z);
  if (rotationOrder !== 'xyz') {
    const turns: Record<string, Mat3> = {
      x: [1, 0, 0, 0, cx, sx, 0, -sx, cx],
      y: [cy, 0, -sy, 0, 1, 0, sy, 0, cy],
      z: [cz, sz, 0, -sz, cz, 0, 0, 0, 1],
    };
    return [...rotationOrder].map((axis) => turns[axis]!).reduce(multiplyMat3);
  }
  // The written-out product keeps the signs of zeros, and with them the bytes of a GLB.
  return [
    cy * cz,
    sx * sy * cz + cx * sz,
    sx * sz - cx * sy * cz,
    -cy * sz,
    cx * cz - sx * sy * sz,
    cx * sy * sz + sx * cz,
    sy,
    -sx * cy,
    cx * cy,
  ];
}

/** The frame of a child: its parent's frame times its own T(offset)·R(rotation) (D-103). */
export function childFrame(
  parent: Frame,
  offsetMetres: Vec3,
  rotationDegrees: Vec3,
  rule: RotationRule = ROTATION_DEFAULTS,
): Frame {
  const moved = movePoint(parent, offsetMetres);
  const turn = rotationFromDegrees(rotationDegrees, rule);
  const rotation = turn === IDENTITY3 ? parent.rotation : multiplyMat3(parent.rotation, turn);
  return { rotation, translationMetres: moved };
}

/** A point of the frame, in the frame's parent. */
export function movePoint(frame: Frame, pointMetres: Vec3): Vec3 {
  const [x, y, z] = transformVec3(frame.rotation, pointMetres);
  const [tx, ty, tz] = frame.translationMetres;
  return [x + tx, y + ty, z + tz];
}

/** `frame` relative to `base`: base⁻¹ · frame. */
export function relativeFrame(base: Frame, frame: Frame): Frame {
  if (base === WORLD_FRAME) return frame;
  const back = transposeMat3(base.rotation);
  const [bx, by, bz] = base.translationMetres;
  const [x, y, z] = frame.translationMetres;
  return {
    rotation: multiplyMat3(back, frame.rotation),
    translationMetres: transformVec3(back, [x - bx, y - by, z - bz]),
  };
}
