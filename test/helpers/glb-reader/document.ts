/** Document: the JSON of a GLB as far as the reader understands it, and its two chunks. */
import type { GLTF } from '@gltf-transform/core';
import { must } from './refusal.ts';

/** The types are those of the standard, as glTF-Transform has them. */
export type AccessorJson = GLTF.IAccessor & { bufferView: number };

export interface GlbJson extends GLTF.IGLTF {
  accessors?: AccessorJson[];
}

export interface Glb {
  json: GlbJson;
  bin: Uint8Array;
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/** Parses header and chunks; refuses what the container format does not allow. */
export function parseChunks(file: Uint8Array): Glb {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  must(file.byteLength >= 20, 'header: file is too short');
  must(view.getUint32(0, true) === MAGIC, 'header: wrong magic');
  must(view.getUint32(4, true) === 2, 'header: version is not 2');
  must(view.getUint32(8, true) === file.byteLength, 'header: length is not the length of the file');
  const chunks: { type: number; bytes: Uint8Array }[] = [];
  for (let at = 12; at < file.byteLength; ) {
    const size = view.getUint32(at, true);
    must(size % 4 === 0, 'chunk: length is not a multiple of four');
    must(at + 8 + size <= file.byteLength, 'chunk: runs past the end');
    chunks.push({
      type: view.getUint32(at + 4, true),
      bytes: file.subarray(at + 8, at + 8 + size),
    });
    at += 8 + size;
  }
  must(chunks.length <= 2, 'chunks: expected at most two');
  must(chunks[0]?.type === JSON_CHUNK, 'chunks: the first is not JSON');
  if (chunks[1]) must(chunks[1].type === BIN_CHUNK, 'chunks: the second is not binary');
  const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(chunks[0]!.bytes));
  return { json, bin: checkedBuffer(json, chunks[1]?.bytes ?? new Uint8Array()) };
}

function checkedBuffer(json: GlbJson, bin: Uint8Array): Uint8Array {
  must(json.asset?.version === '2.0', 'asset: version is not 2.0');
  const buffers = json.buffers ?? [];
  must(buffers.length <= 1, 'buffers: expected at most one');
  const declared = buffers[0]?.byteLength ?? 0;
  must(buffers[0]?.uri === undefined, 'buffers: a GLB buffer has no uri');
  must(
    declared <= bin.length && bin.length - declared < 4,
    'buffers: length does not fit the chunk',
  );
  must(
    bin.subarray(declared).every((byte) => byte === 0),
    'chunk: padding is not zero',
  );
  return bin.subarray(0, declared);
}
