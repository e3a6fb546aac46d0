/** Checks a GLB with two independent readers: gltf-validator and glTF-Transform. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getBounds, NodeIO } from '@gltf-transform/core';
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
export function complaintsAbout(
  bytes: Uint8Array,
  acceptedWarnings: readonly string[] = [TANGENT_WARNING],
): Promise<string[]> {
  return messagesAbout(bytes, notIn(acceptedWarnings));
}

/** The errors of gltf-validator alone: what makes a file invalid. */
export function errorsIn(bytes: Uint8Array): Promise<string[]> {
  return messagesAbout(bytes, ({ severity }) => severity === 0);
}

/** Everything that gltf-validator says of a `.gltf` and the files that it refers to, without what is accepted. */
export async function complaintsAboutFiles(path: string): Promise<string[]> {
  const read = async (file: string) => new Uint8Array(await readFile(file));
  return messagesAbout(await read(path), notIn([TANGENT_WARNING]), (uri) =>
    read(join(dirname(path), decodeURIComponent(uri))),
  );
}

const notIn = (accepted: readonly string[]) => (message: { code: string }) =>
  ![...accepted, ...ACCEPTED_NOTES].includes(message.code);

async function messagesAbout(
  bytes: Uint8Array,
  isWanted: (message: { code: string; severity: number }) => boolean,
  externalResourceFunction?: (uri: string) => Promise<Uint8Array>,
): Promise<string[]> {
  const options = { maxIssues: 0, ...(externalResourceFunction && { externalResourceFunction }) };
  const { issues } = await validateBytes(bytes, options);
  const wanted = issues.messages.filter(isWanted);
  return wanted.map(({ code, pointer }) => `${code} ${pointer ?? ''}`);
}

/** Figures of a GLB as glTF-Transform reads it; world space, metres. */
export async function readGlb(bytes: Uint8Array) {
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
  const root = (await io.readBinary(bytes)).getRoot();
  const drawn = root.listNodes().flatMap((node) => node.getMesh()?.listPrimitives() ?? []);
  const triangles = drawn.reduce(
    (sum, primitive) => sum + primitive.getIndices()!.getCount() / 3,
    0,
  );
  return { triangles, boundsMetres: getBounds(root.listScenes()[0]!) };
}
