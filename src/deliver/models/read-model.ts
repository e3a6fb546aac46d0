/** Reads models of any origin from disk: their content may be hostile. */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { readBytesIfExists, readBytes as readFile } from '../../support/files.ts';
import { listEntries } from '../../support/folders.ts';
import { type Gltf, type Glb as Parts, readGlb, writeGlb } from '../making/glb-container.ts';
import { modelUnreadable, NO_GLB } from '../making/glb-figures.ts';
import { plainModel } from './plain-model.ts';

/** A `.glb` begins with these four letters. */
const MAGIC = 'glTF';
const HEADER_BYTES = 12;

/** What a file of any origin may have of what is read here; masters have less. */
interface AnyGltf {
  asset?: object;
  buffers?: Source[];
  bufferViews?: (Place & { extensions?: Record<string, Place | undefined> })[];
  images?: (Source & { bufferView?: number; mimeType?: string })[];
  nodes?: { children?: number[] }[];
}
interface Source {
  uri?: string;
  byteLength?: number;
  extensions?: Record<string, { fallback?: boolean } | undefined>;
}
interface Place {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
}

const COMPRESSED = ['EXT_meshopt_compression', 'KHR_meshopt_compression'] as const;

/**
 * Reads a model as one GLB, with the files to which it refers.
 *
 * @param path - A `.glb`, or a `.gltf` with buffers and images in its folder, or below it.
 * @param how - `plain`: as `plainModel` makes it.
 * @returns The file itself if it is one GLB; otherwise the same JSON and content in one.
 * @throws {@link ConverterError} `MODEL_UNREADABLE` if it is no model, refers to a file that is not there or in another
 *   folder, or has a node below itself; `FILE_MISSING`.
 * @example
 * ```ts
 * await readModel('chair.gltf');   // → the bytes of a GLB
 * ```
 */
export async function readModel(
  path: string,
  how: 'as it is' | 'plain' = 'as it is',
): Promise<Uint8Array> {
  const bytes = await readFile(path);
  try {
    const glb = await read(path, bytes);
    return how === 'plain' ? await plainModel(glb) : glb;
  } catch (cause) {
    const { code, message } = isConverterError(cause) ? cause : modelUnreadable(cause);
    throw new ConverterError(code, message.replace(/^model/, path), { cause });
  }
}

async function read(path: string, bytes: Uint8Array): Promise<Uint8Array> {
  const isGlb = expectGlb(bytes);
  if (!isGlb && !/\.gltf$/i.test(path)) throw new Error(NO_GLB);
  const parts: Parts = isGlb ? readGlb(bytes) : { json: jsonOf(bytes), binary: new Uint8Array() };
  const json = parts.json as unknown as AnyGltf | null;
  if (json?.asset === undefined) throw new Error('its JSON is not that of a model');
  const sources = [...(json.buffers ?? []), ...(json.images ?? [])];
  const isOne = isGlb && sources.every(({ uri }) => uri === undefined);
  const glb = isOne ? bytes : await inOneFile(parts, dirname(path));
  expectTree(json.nodes ?? []);
  return glb;
}

/** Whether the bytes begin as those of a GLB. @throws Error if they are not as many as they say. */
function expectGlb(bytes: Uint8Array): boolean {
  const isGlb = new TextDecoder('latin1').decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
  if (!isGlb) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < HEADER_BYTES ? HEADER_BYTES : view.getUint32(8, true);
  if (bytes.length < length) throw new Error(`it ends after ${bytes.length} bytes of ${length}`);
  return true;
}

function jsonOf(bytes: Uint8Array): Gltf {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Gltf;
  } catch {
    throw new Error('it is no JSON');
  }
}

/** Puts buffers and images into one GLB. What is not known of the JSON stays as it is. */
async function inOneFile({ json, binary }: Parts, folder: string): Promise<Uint8Array> {
  const any = json as unknown as AnyGltf;
  const contents = new Map<string, { at: number; byteLength: number }>();
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (bytes: Uint8Array) => {
    const at = length;
    const padded = new Uint8Array((bytes.length + 3) & ~3);
    padded.set(bytes);
    parts.push(padded);
    length += padded.length;
    return { at, byteLength: bytes.length };
  };
  const contentOf = async (uri: string, where: string) => {
    const known = contents.get(uri) ?? add(await readSource(uri, folder, where));
    contents.set(uri, known);
    return known;
  };
  const buffers: Source[] = [{}];
  const places: { buffer: number; at: number }[] = [];
  for (const [i, buffer] of (any.buffers ?? []).entries()) {
    const isInside = buffer.uri === undefined;
    const isFallback = COMPRESSED.some((name) => buffer.extensions?.[name]?.fallback === true);
    // The place of what a reader without the extension would decode; it has no content.
    if (isInside && isFallback) places.push({ buffer: buffers.push(buffer) - 1, at: 0 });
    else if (isInside && i > 0) throw new Error(`buffer ${i} has no content`);
    else {
      const content = isInside ? add(binary) : await contentOf(buffer.uri!, `buffer ${i}`);
      places.push({ buffer: 0, at: content.at });
    }
  }
  const moved = <P extends Place>(place: P): P => {
    const { buffer, at } = places[place.buffer]!;
    return { ...place, buffer, byteOffset: at + (place.byteOffset ?? 0) };
  };
  const bufferViews = (any.bufferViews ?? []).map((view) => {
    const extensions = Object.entries(view.extensions ?? {}).map(([name, own]) => {
      const isPlace = COMPRESSED.some((one) => one === name) && own !== undefined;
      return [name, isPlace ? moved(own) : own];
    });
    const hasSome = extensions.length > 0;
    return { ...moved(view), ...(hasSome && { extensions: Object.fromEntries(extensions) }) };
  });
  const images = [];
  for (const [i, image] of (any.images ?? []).entries()) {
    const { uri, ...others } = image;
    if (uri === undefined) images.push(image);
    else {
      const { at: byteOffset, byteLength } = await contentOf(uri, `image ${i}`);
      const bufferView = bufferViews.push({ buffer: 0, byteOffset, byteLength }) - 1;
      images.push({ ...others, bufferView, mimeType: others.mimeType ?? mimeTypeOf(uri) });
    }
  }
  buffers[0] = { byteLength: length };
  const made = {
    ...json,
    buffers,
    ...(bufferViews.length > 0 && { bufferViews }),
    ...(images.length > 0 && { images }),
  };
  return writeGlb(made as unknown as Gltf, parts);
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  ktx2: 'image/ktx2',
};

function mimeTypeOf(uri: string): string | undefined {
  const [, given] = /^data:([^;,]+)/.exec(uri) ?? [];
  const [, ending = ''] = /\.(\w+)$/.exec(uri) ?? [];
  return given ?? MIME_TYPES[ending.toLowerCase()];
}

/** The content of an address: in the address itself, or a file in the folder of the model, or below it. */
async function readSource(uri: string, folder: string, where: string): Promise<Uint8Array> {
  const [, encoding, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(uri) ?? [];
  if (uri.startsWith('data:'))
    return Buffer.from(decodeURIComponent(data), encoding === undefined ? 'latin1' : 'base64');
  const name = decodeURIComponent(uri);
  const path = resolve(folder, name);
  const below = relative(folder, path);
  const isOutside = isAbsolute(below) || below.split(sep)[0] === '..' || /^[\w+.-]+:/.test(name);
  if (isOutside) throw new Error(`${where} is ${name}, which is not in the folder of the model`);
  await expectNoLink(folder, below, where);
  const bytes = await readBytesIfExists(path);
  if (bytes === undefined) throw new Error(`${where} is ${basename(name)}, which does not exist`);
  return bytes;
}

/** A link could lead out of the folder, to what is not to be published. */
async function expectNoLink(folder: string, below: string, where: string): Promise<void> {
  let at = folder;
  for (const step of below.split(sep)) {
    const entry = (await listEntries(at)).find(({ name }) => name === step);
    at = join(at, step);
    if (entry?.kind === 'link') throw new Error(`${where} is ${below}, which is a symbolic link`);
  }
}

/** A node that is below itself would be visited for ever. */
function expectTree(nodes: readonly { children?: number[] }[]): void {
  const parents = nodes.map(() => 0);
  for (const { children = [] } of nodes) for (const child of children) parents[child]!++;
  const open = [...nodes.keys()].filter((node) => parents[node] === 0);
  let visited = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    visited++;
    for (const child of nodes[at]!.children ?? []) if (--parents[child]! === 0) open.push(child);
  }
  if (visited < nodes.length) throw new Error('a node is below itself');
}
