import { Document } from '@gltf-transform/core';
import { KHRTextureTransform } from '@gltf-transform/extensions';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  placementOf,
  relativePlacement,
  stWriter,
  transformNode,
} from '../../../../src/deliver/usd/usd-placement.ts';

const length = fc.double({ min: -5, max: 5, noNaN: true });
const pair = fc.tuple(length, length);
const transform = fc.record({
  offset: pair,
  scale: pair,
  rotation: fc.oneof(fc.constantFrom(0, Math.PI / 2, -Math.PI), length),
});

interface Given {
  offset: [number, number];
  scale: [number, number];
  rotation: number;
}

function placed({ offset, scale, rotation }: Given) {
  const document = new Document();
  const texture = document.createTexture();
  const info = document.createMaterial().setBaseColorTexture(texture).getBaseColorTextureInfo()!;
  const extension = document.createExtension(KHRTextureTransform).createTransform();
  extension.setOffset(offset).setScale(scale).setRotation(rotation);
  info.setExtension('KHR_texture_transform', extension);
  return placementOf(info);
}

/** The matrices of KHR_texture_transform: translation · rotation · scale. */
function transformed(
  { offset, scale, rotation }: Given,
  [u, v]: [number, number],
): [number, number] {
  const [x, y] = [u * scale[0], v * scale[1]];
  const [c, s] = [Math.cos(rotation), Math.sin(rotation)];
  return [c * x + s * y + offset[0], -s * x + c * y + offset[1]];
}

function written(placement: ReturnType<typeof placed>, uv: [number, number]) {
  const st: number[] = [];
  stWriter(placement)(...uv, st, 0);
  return st;
}

it('puts a point of an image where KHR_texture_transform does, counted from the bottom', () => {
  fc.assert(
    fc.property(transform, pair, (given, uv) => {
      const st = written(placed(given), uv);
      const [u, v] = transformed(given, uv);
      expect(st[0]).toBeCloseTo(u, 9);
      expect(st[1]).toBeCloseTo(1 - v, 9);
    }),
  );
});

it('is the same as a node of USD: scaled, turned counter-clockwise in degrees, moved', () => {
  fc.assert(
    fc.property(transform, pair, (given, uv) => {
      const placement = placed(given);
      const { properties } = transformNode(placement, 'node', '/m/reader.outputs:result');
      const numbers = (name: string): number[] => {
        const property = properties.find((each) => each.name === `inputs:${name}`);
        return [(property as { value: number | number[] }).value].flat();
      };
      const [angle] = numbers('rotation').map((degrees) => (degrees * Math.PI) / 180);
      const [scale, translation] = [numbers('scale'), numbers('translation')];
      const [x, y] = [uv[0] * scale[0]!, (1 - uv[1]) * scale[1]!];
      const [c, s] = [Math.cos(angle!), Math.sin(angle!)];
      const st = written(placement, uv);
      expect(c * x - s * y + translation[0]!).toBeCloseTo(st[0]!, 3);
      expect(s * x + c * y + translation[1]!).toBeCloseTo(st[1]!, 3);
    }),
  );
});

it('of one texture follows from that of another, unless that is turned and stretched otherwise', () => {
  const extent = length.filter((value) => Math.abs(value) > 0.2);
  const stretched = fc.record({
    offset: pair,
    scale: fc.tuple(extent, extent),
    rotation: fc.constantFrom(0, 0.5),
  });
  fc.assert(
    fc.property(stretched, stretched, pair, (own, other, uv) => {
      const [placement, base] = [placed(own), placed(other)];
      const relative = relativePlacement(placement, base);
      if (relative === undefined) {
        expect(other.rotation).not.toBe(0);
        return;
      }
      const through = written(relative, transformed(other, uv));
      const direct = written(placement, uv);
      expect(through[0]).toBeCloseTo(direct[0]!, 9);
      expect(through[1]).toBeCloseTo(direct[1]!, 9);
    }),
  );
  const turned: Given = { offset: [1, 2], scale: [2, 2], rotation: 0.5 };
  expect(relativePlacement(placed({ ...turned, scale: [3, 3] }), placed(turned))).toBeDefined();
  const flat: Given = { offset: [0, 0], scale: [0, 1], rotation: 0 };
  expect(relativePlacement(placed(turned), placed(flat))).toBeUndefined();
});
