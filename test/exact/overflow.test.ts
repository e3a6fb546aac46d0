import { describe, expect, it } from 'vitest';
import { IDENTITY3 } from '../../src/convert/math/vec.ts';
import { prepareBlock } from '../../src/convert/transform/block-mesh.ts';
import { CONVERT_DEFAULTS } from '../../src/convert/transform/convert-options.ts';
import { placementsOf } from '../../src/convert/transform/uv.ts';
import { buildVertexData } from '../../src/convert/transform/vertex-data.ts';
import { decodeBlock } from '../../src/convert/wire/block.ts';
import { decodePartsList } from '../../src/convert/wire/parts-list.ts';
import { body } from '../helpers/graphics.ts';

describe('numbers beyond float32', () => {
  it('in stored UVs leave the file valid', () => {
    const block = {
      V: [0, 0, 0, 1, 0, 0, 0, 1, 0],
      T: [1e39, 0, 1, -1e300, 0, 1],
      A: [{ F: [0, 1, 2], TI: [0, 1, 2] }],
    };
    const mesh = prepareBlock(decodeBlock(body(block)), CONVERT_DEFAULTS);
    const data = buildVertexData(mesh, {
      useStoredUvs: true,
      swapProjected: false,
      uvSets: [undefined],
      flipV: true,
      doubleSided: 'open',
      mirrorOppositeSides: false,
      projectAt: IDENTITY3,
      shape: IDENTITY3,
    });
    expect([...data.doubleSided!.uvs[0]!].every(Number.isFinite)).toBe(true);
  });

  it("in a block's P, or in offsets, are refused by name", () => {
    expect(() => decodeBlock(body({ P: [1e39, 0, 0], V: [], A: [] }))).toThrow(
      /^P\[0\]: expected a finite number/,
    );
    const list = { btg: [{ type: 'top', prop: { offs: [0, 1e300, 0] } }] };
    expect(() => decodePartsList(body(list))).toThrow(
      /^btg\[0\]\.offs\[1\]: expected a finite number/,
    );
  });

  it('in a material are left out and reported', () => {
    const mats = [{ mname: 'A', scaleu: 1e308, offsetx: '-1e16', rot: 1e15 }];
    const { materials, warnings } = decodePartsList(body({ btg: [], mats }));
    const unreadable = { scaleu: 1e308, offsetx: '-1e16' };
    expect(materials[0]).toEqual({ mname: 'A', rot: 1e15, source: mats[0], unreadable });
    expect(warnings.map(({ message }) => message)).toEqual([
      'material A: scaleu: expected a number, received number "1e+308"',
      'material A: offsetx: expected a number, received string "-1e16"',
    ]);
  });

  it('are none that a scale next to zero could make', () => {
    const material = { mname: 'A', source: {}, scaleu: 5e-324 };
    const { base } = placementsOf(material, { textureScale: 'metres' });
    expect(base.scale).toEqual([1, 1]);
  });

  it('odd entries of blocks[] and mats[] are left out and reported', () => {
    const list = decodePartsList(body({ btg: [], blocks: ['A', 3], mats: [null] }));
    expect(list.blockNames).toEqual(['A']);
    expect(list.warnings.map(({ message }) => message)).toEqual([
      'blocks[1]: received number "3", left out',
      'mats[0]: received nothing, left out',
    ]);
  });
});
