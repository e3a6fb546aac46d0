/** What was compressed, compared with what it was. */
import type { Document, Primitive } from '@gltf-transform/core';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import {
  compareGeometry,
  geometryOf,
  LARGEST_ERRORS,
} from '../../../../src/deliver/profiles/check-back.ts';
import { type Libraries, loadLibraries } from '../../../../src/deliver/profiles/libraries.ts';
import { BOX_BODY, sceneOf } from '../../../helpers/snapshot.ts';

let libraries: Libraries;
let box: Uint8Array;
beforeAll(async () => {
  libraries = await loadLibraries();
  box = writeGlb(
    await sceneOf({
      btg: [{ type: 'imp', btgname: 'A::B::BOX', mat: 'M' }],
      mats: [{ mname: 'M' }],
      blocks: { 'A::B::BOX': BOX_BODY },
    }),
  );
});

const read = () => new NodeIO().registerExtensions(ALL_EXTENSIONS).readBinary(box);
const partOf = (document: Document): Primitive =>
  document.getRoot().listMeshes()[0]!.listPrimitives()[0]!;

function comparison(before: Document, after: Document): () => void {
  const [reference, result] = [before, after].map((document) => geometryOf(document, libraries));
  return () => compareGeometry(reference!, result!);
}

/** Adds to the numbers of a vertex. */
async function changed(semantic: string, vertex: number, by: number[]): Promise<() => void> {
  const [before, after] = [await read(), await read()];
  const list = partOf(after).getAttribute(semantic)!;
  const at = vertex % list.getCount();
  const element = list.getElement(at, [] as number[]).map((value, k) => value + by[k]!);
  list.setElement(at, element);
  return comparison(before, after);
}

const failing = (message: RegExp) =>
  expect.objectContaining({ code: 'COMPRESSION_FAILED', message: expect.stringMatching(message) });
const vertex = fc.nat({ max: 1000 });

describe('a model that was compressed', () => {
  it('passes as it was, in any order of its vertices, and with errors that cannot be seen', async () => {
    await fc.assert(
      fc.asyncProperty(vertex, fc.double({ min: -1, max: 1, noNaN: true }), async (at, part) => {
        const by = 0.4 * part * LARGEST_ERRORS.position;
        expect(await changed('POSITION', at, [by, -by, by])).not.toThrow();
      }),
      { numRuns: 20 },
    );
    const [before, after] = [await read(), await read()];
    const part = partOf(after);
    const count = part.getAttribute('POSITION')!.getCount();
    for (const accessor of part.listAttributes()) {
      const copy = accessor.clone();
      for (let i = 0; i < count; i++) accessor.setElement(i, copy.getElement(count - 1 - i, []));
    }
    expect(comparison(before, after)).not.toThrow();
  });

  it('fails where a vertex has moved, with the error', async () => {
    await fc.assert(
      fc.asyncProperty(vertex, fc.double({ min: 0.001, max: 0.2, noNaN: true }), async (at, by) => {
        expect(await changed('POSITION', at, [by, 0, 0])).toThrow(
          failing(/^(?:bounds|.*: (?:position|normal)): expected an error of at most .*, received/),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('fails where a normal has turned', async () => {
    await fc.assert(
      fc.asyncProperty(vertex, async (at) => {
        expect(await changed('NORMAL', at, [0.3, 0.3, 0.3])).toThrow(
          failing(/: normal: expected an error of at most 0\.500 degrees, received \d/),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('fails where triangles or a whole list are gone', async () => {
    const [box, fewer, flat] = [await read(), await read(), await read()];
    const indices = partOf(fewer).getIndices()!;
    indices.setArray(indices.getArray()!.slice(3));
    expect(comparison(box, fewer)).toThrow(failing(/: triangles: expected 12, received 11$/));
    partOf(flat).setAttribute('NORMAL', null);
    expect(comparison(box, flat)).toThrow(failing(/: normals: expected true, received false$/));
  });
});
