/**
 * A zip archive as USDZ needs it: nothing compressed, and the data of each file aligned. The library fflate can align, too,
 * but writes version 2.0 of the format and repeats the padding in its directory.
 */

/** Alignment that the USDZ specification requires, bytes: files are mapped into memory directly. */
const ALIGNMENT = 64;

export interface ZipEntry {
  /** Name in ASCII, with `/`. */
  name: string;
  bytes: Uint8Array;
}

const LOCAL = { signature: 0x04034b50, length: 30 };
const CENTRAL = { signature: 0x02014b50, length: 46 };
const END = { signature: 0x06054b50, length: 22 };
/** The version of the format that stored files in folders need: 1.0. */
const VERSION = 10;
/** The first day of the format, 1 January 1980: an archive has no clock. */
const DATE = 0x0021;
/** Identifier of the extra field that fills up to the alignment, as the USD library writes it. */
const PADDING_ID = 0x1986;
const PADDING_HEADER = 4;

/** A place for a file: its header, with the padding that brings the data to the alignment. */
interface Placed extends ZipEntry {
  encodedName: Uint8Array;
  offset: number;
  padding: number;
  crc: number;
}

/**
 * Packs files, in their order.
 *
 * @example
 * ```ts
 * storedZip([{ name: 'model.usdc', bytes }]).length;   // → 64 + bytes.length + 56 + 22
 * ```
 */
export function storedZip(entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer> {
  const placed: Placed[] = [];
  let end = 0;
  for (const { name, bytes } of entries) {
    const encodedName = new TextEncoder().encode(name);
    const padding = paddingAfter(end + LOCAL.length + encodedName.length);
    placed.push({ name, bytes, encodedName, offset: end, padding, crc: crc32(bytes) });
    end += LOCAL.length + encodedName.length + padding + bytes.length;
  }
  const directory = end;
  for (const { encodedName } of placed) end += CENTRAL.length + encodedName.length;
  const zip = new Uint8Array(end + END.length);
  const view = new DataView(zip.buffer);
  for (const file of placed) writeLocal(zip, view, file);
  let at = directory;
  for (const file of placed) at = writeCentral(zip, view, file, at);
  view.setUint32(at, END.signature, true);
  view.setUint16(at + 8, placed.length, true);
  view.setUint16(at + 10, placed.length, true);
  view.setUint32(at + 12, at - directory, true);
  view.setUint32(at + 16, directory, true);
  return zip;
}

/** Bytes of an extra field, which is absent or has at least its header. */
function paddingAfter(position: number): number {
  const missing = (ALIGNMENT - (position % ALIGNMENT)) % ALIGNMENT;
  return missing === 0 || missing >= PADDING_HEADER ? missing : missing + ALIGNMENT;
}

function writeLocal(zip: Uint8Array, view: DataView, file: Placed): void {
  const { offset, encodedName, padding, bytes } = file;
  view.setUint32(offset, LOCAL.signature, true);
  writeCommon(view, offset + 4, file, padding);
  const name = offset + LOCAL.length;
  zip.set(encodedName, name);
  const extra = name + encodedName.length;
  if (padding > 0) {
    view.setUint16(extra, PADDING_ID, true);
    view.setUint16(extra + 2, padding - PADDING_HEADER, true);
  }
  zip.set(bytes, extra + padding);
}

function writeCentral(zip: Uint8Array, view: DataView, file: Placed, at: number): number {
  view.setUint32(at, CENTRAL.signature, true);
  view.setUint16(at + 4, VERSION, true);
  writeCommon(view, at + 6, file, 0);
  view.setUint32(at + 42, file.offset, true);
  zip.set(file.encodedName, at + CENTRAL.length);
  return at + CENTRAL.length + file.encodedName.length;
}

/** Writes the fields of both headers, from the version on; method 0 is not compressed. */
function writeCommon(view: DataView, at: number, file: Placed, extra: number): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 8, DATE, true);
  view.setUint32(at + 10, file.crc, true);
  view.setUint32(at + 14, file.bytes.length, true);
  view.setUint32(at + 18, file.bytes.length, true);
  view.setUint16(at + 22, file.encodedName.length, true);
  view.setUint16(at + 24, extra, true);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!;
  return (crc ^ 0xffffffff) >>> 0;
}
