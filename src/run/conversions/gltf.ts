/** glTF with separate files: a scene becomes a `.gltf` file, its buffer and its images. */

import type { Scene, SceneImage } from '../../convert/model/scene.ts';
import { writeGltfParts } from '../../convert/write/glb.ts';
import { urlName } from '../../support/file-names.ts';

/** A file of a folder. */
export interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

const EXTENSIONS = { 'image/jpeg': 'jpg', 'image/png': 'png' } as const;

/**
 * Writes a scene as glTF with separate files (D-307).
 *
 * @param stem - Name of the `.gltf` file without its ending; the names of all other files begin with it.
 * @returns The files of one folder, the `.gltf` file last; equal scenes give equal bytes.
 *
 * @example `writeGltf(scene, 'desk').map(({ name }) => name); // → ['desk-OAK.jpg', 'desk.bin', 'desk.gltf']`
 */
export function writeGltf(scene: Scene, stem: string): NamedFile[] {
  const buffer = `${stem}.bin`;
  const names = imageNames(scene.images, stem);
  const uris = { buffer: encodeURIComponent(buffer), images: names.map(encodeURIComponent) };
  const { json, buffer: bytes } = writeGltfParts(scene, uris);
  return [
    ...scene.images.map(({ bytes }, index) => ({ name: names[index]!, bytes })),
    { name: buffer, bytes },
    { name: `${stem}.gltf`, bytes: json },
  ];
}

/** A number distinguishes names that some file systems treat as equal. */
function imageNames(images: readonly SceneImage[], stem: string): string[] {
  const taken = new Set<string>();
  return images.map(({ name, mimeType }) => {
    const plain = `${stem}-${urlName(name.replace(/\.\w{1,4}$/, ''))}`;
    for (let copy = 1; ; copy++) {
      const unique = `${copy === 1 ? plain : `${plain}-${copy}`}.${EXTENSIONS[mimeType]}`;
      if (taken.size < taken.add(unique.toLowerCase()).size) return unique;
    }
  });
}
