/** Checks a GLB with two independent readers: gltf-validator and glTF-Transform. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { validateBytes } from 'gltf-validator';

/** The one warning that is accepted: tangents are left to the viewer (D-309). */
export const TANGENT_WARNING = 'MESH_PRIMITIVE_GENERATED_TANGENT_SPACE';

/** Infos and hints that are accepted, each for the reason in D-751. */
const ACCEPTED_NOTES = ['UNUSED_OBJECT', 'IMAGE_NPOT_DIMENSIONS'];

/**
 * Everything that gltf-validator says of a GLB, infos and hints too, without what is accepted.
 *
 * @param acceptedWarnings - None where tangents were asked for.
 */
export async function complaintsAbout(
  bytes: Uint8Array,
  acceptedWarnings: readonly string[] = [TANGENT_WARNING],
): Promise<string[]> {
  const { issues } = await validateBytes(bytes, { maxIssues: 0 });
  const accepted = [...acceptedWarnings, ...ACCEPTED_NOTES];
  return issues.messages
    .filter(({ code }) => !accepted.includes(code))
    .map(({ code, pointer }) => `${code} ${pointer ?? ''}`);
}

/** Figures of a GLB as glTF-Transform reads it; world space, metres. */
export async function readGlb(bytes: Uint8Array): Promise<{
  triangles: number;
  boundsMetres: { min: number[]; max: number[] };
}> {
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
  const document = await io.readBinary(bytes);
  const bounds = {
    min: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    max: [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  };
  let triangles = 0;
  for (const node of document.getRoot().listNodes()) {
    const m = node.getWorldMatrix();
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      triangles += primitive.getIndices()!.getCount() / 3;
      const positions = primitive.getAttribute('POSITION')!.getArray()!;
      for (let i = 0; i < positions.length; i += 3) {
        const [x, y, z] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
        for (let axis = 0; axis < 3; axis++) {
          const value = m[axis]! * x + m[axis + 4]! * y + m[axis + 8]! * z + m[axis + 12]!;
          bounds.min[axis] = Math.min(bounds.min[axis]!, value);
          bounds.max[axis] = Math.max(bounds.max[axis]!, value);
        }
      }
    }
  }
  return { triangles, boundsMetres: bounds };
}

/** The errors of gltf-validator alone: what makes a file invalid. */
export async function errorsIn(bytes: Uint8Array): Promise<string[]> {
  const { issues } = await validateBytes(bytes, { maxIssues: 0 });
  return issues.messages
    .filter(({ severity }) => severity === 0)
    .map(({ code, pointer }) => `${code} ${pointer ?? ''}`);
}

/** Everything that gltf-validator says of a `.gltf` and the files that it refers to, without what is accepted. */
export async function complaintsAboutFiles(path: string): Promise<string[]> {
  const { issues } = await validateBytes(new Uint8Array(await readFile(path)), {
    maxIssues: 0,
    externalResourceFunction: async (uri: string) =>
      new Uint8Array(await readFile(join(dirname(path), decodeURIComponent(uri)))),
  });
  return issues.messages
    .filter(({ code }) => ![TANGENT_WARNING, ...ACCEPTED_NOTES].includes(code))
    .map(({ code, pointer }) => `${code} ${pointer ?? ''}`);
}
