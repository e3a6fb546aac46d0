/**
 * JPEG: whether a file is intact and grey. A plain one (baseline, one scan) shows that without computing its pixels and
 * without a library; a decoder decides on all others. With a decoder for all, one article of 5,000 triangles and eight
 * images takes 23 % more processor time, and one of 50,000 triangles 12 %.
 */
import { segmentsOf } from './images.ts';

const SOF0 = 0xc0;
const DHT = 0xc4;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const [APP0, APP2, APP14] = [0xe0, 0xe2, 0xee];
const COM = 0xfe;

const uint16 = (bytes: Uint8Array, at: number) => (bytes[at]! << 8) | bytes[at + 1]!;

class Unsure extends Error {}

function expect(condition: boolean): void {
  if (!condition) throw new Unsure();
}

/** Bounds of the mean of |R − G| + |G − B| over the pixels that sharp decodes. */
interface ColorBounds {
  least: number;
  most: number;
}

/**
 * Reads all data of a plain JPEG: a baseline frame, grey or YCbCr, in one scan.
 *
 * The function follows every Huffman code and marker to the end, computes no pixel, and needs the memory of the file.
 * Its speed is 55 MB/s; sharp, asked for an eighth of the size, reaches 33 and needs 80 ms to load.
 *
 * @returns Undefined for any other file, and if anything is irregular: a decoder decides. Any file that this function
 *   accepts, sharp accepts too (`failOn: 'error'`).
 */
export function readJpegData(bytes: Uint8Array): ColorBounds | undefined {
  return unlessUnsure(() => {
    const { frame, from } = readHeaders(bytes);
    return boundsOf(readScan(bytes, from, frame), frame);
  });
}

/**
 * Whether a plain JPEG is intact up to the marker of its end. Its codes are not read, since a decoder accepts any.
 *
 * @returns False for any other file, and if anything is irregular, as {@link readJpegData}.
 */
export function isIntactJpeg(bytes: Uint8Array): boolean {
  const isIntact = unlessUnsure(() => {
    const { frame, from } = readHeaders(bytes);
    let restarts = 0;
    for (let at = bytes.indexOf(0xff, from); ; at = bytes.indexOf(0xff, at + 2)) {
      const marker = at < 0 ? undefined : bytes[at + 1];
      if (marker === 0) continue;
      if (marker === EOI) return true;
      expect(frame.restartInterval > 0 && marker === 0xd0 + (restarts++ & 7));
    }
  });
  return isIntact ?? false;
}

function unlessUnsure<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

interface Component {
  id: number;
  /** Blocks across and down in each unit of the scan (an MCU). */
  across: number;
  down: number;
  /** Quantisation factor of the mean. */
  factor: number;
  /** Squares of the other factors, in zigzag order; 0 for the mean, and beyond the 64 of a block. */
  squares: Float64Array;
  dc: HuffmanTable;
  ac: HuffmanTable;
}

interface Frame {
  width: number;
  height: number;
  components: Component[];
  /** Units between two restart markers; 0 for none. */
  restartInterval: number;
}

/** Number of bits that are looked up at once. */
const LOOKUP_BITS = 10;
const LOOKUP_SHIFT = 32 - LOOKUP_BITS;

/** Number of places by which the end-of-block code advances: more than any other code. */
const END_OF_BLOCK = 192;
const NO_CODE = 96 << 9;

/** Numbers larger than the square of any value of each size. */
const LARGEST_SQUARES = Float64Array.from({ length: 16 }, (_, size) => 1 << (2 * size));

/** Number of bytes that is larger than 64 codes with their values. */
const PADDING = 256;

/**
 * The meaning of each code: its length, the number of bits of the following value, and by how many places of the block
 * the code advances, in 5, 4 and 8 bits from the lowest.
 */
interface HuffmanTable {
  /** Meanings by the next bits; 0 for a longer code. */
  lookup: Uint32Array;
  /** Meanings in the order of the codes. */
  meanings: Uint32Array;
  /** By length: the first code beyond this length, in 16 bits, and the place in `meanings` of the code 0. */
  limits: Int32Array;
  offsets: Int32Array;
}

/** The segments before the data; `from` is where the data begins. */
function readHeaders(bytes: Uint8Array): { frame: Frame; from: number } {
  const quantization: Uint8Array[] = [];
  const huffman = new Map<number, Uint8Array>();
  let frameHeader: Uint8Array | undefined;
  let segments = 0;
  let restartInterval = 0;
  let isJfif = false;
  let transform: number | undefined;
  for (const { marker, from, to } of segmentsOf(bytes)) {
    // A file with more segments is meant to take time.
    expect(to >= from && to <= bytes.length && segments++ < 1000);
    const content = bytes.subarray(from, to);
    if (marker === DQT) readQuantization(content, quantization);
    else if (marker === DHT) readHuffman(content, huffman);
    else if (marker === DRI) {
      expect(content.length === 2);
      restartInterval = uint16(content, 0);
    } else if (marker === SOF0) {
      expect(!frameHeader);
      frameHeader = content;
    } else if (marker === SOS) {
      expect(frameHeader !== undefined);
      const components = readComponents(frameHeader!, content, quantization, huffman);
      const [first, second, third] = components;
      // libjpeg decides so: JFIF is YCbCr, then Adobe's marker decides, then the names of the components.
      const ids = [first?.id, second?.id, third?.id].join(' ');
      const isYcc = isJfif || (transform === undefined ? ids === '1 2 3' : transform === 1);
      expect(components.length === 1 || isYcc);
      const [height, width] = [uint16(frameHeader!, 1), uint16(frameHeader!, 3)];
      expect(width > 0 && height > 0);
      return { frame: { width, height, components, restartInterval }, from: to };
    } else if (marker === APP0) isJfif ||= content.length >= 12 && startsWith(content, 'JFIF\0');
    else if (marker === APP14) {
      if (content.length >= 12 && startsWith(content, 'Adobe')) transform = content[11];
    } else if (marker === APP2) {
      expect(startsWith(content, 'ICC_PROFILE'));
    } else expect(marker === COM || (marker & 0xf0) === APP0);
  }
  throw new Unsure();
}

function startsWith(bytes: Uint8Array, ascii: string): boolean {
  return Array.from(ascii).every((character, i) => bytes[i] === character.charCodeAt(0));
}

function readQuantization(content: Uint8Array, tables: Uint8Array[]): void {
  expect(content.length % 65 === 0);
  for (let at = 0; at < content.length; at += 65) {
    const index = content[at]!;
    expect(index < 4);
    tables[index] = content.subarray(at + 1, at + 65);
  }
}

/** Finds the definitions of tables. A table is made when it is used: a file may define thousands. */
function readHuffman(content: Uint8Array, definitions: Map<number, Uint8Array>): void {
  let at = 0;
  while (at < content.length) {
    expect(at + 17 <= content.length);
    const index = content[at]!;
    expect(index >>> 4 <= 1 && (index & 15) < 4);
    let end = at + 17;
    for (let i = at + 1; i < at + 17; i++) end += content[i]!;
    expect(end <= content.length);
    definitions.set(index, content.subarray(at + 1, end));
    at = end;
  }
}

/** @param definition - The number of codes of each length from 1 to 16, then their symbols. */
function makeTable(definition: Uint8Array | undefined, isAc: boolean): HuffmanTable {
  expect(definition !== undefined);
  const counts = definition!.subarray(0, 16);
  const symbols = definition!.subarray(16);
  expect(symbols.length > 0 && symbols.length <= 256);
  const lookup = new Uint32Array(1 << LOOKUP_BITS);
  const meanings = new Uint32Array(symbols.length);
  const limits = new Int32Array(17);
  const offsets = new Int32Array(17);
  let code = 0;
  let next = 0;
  for (let length = 1; length <= 16; length++) {
    offsets[length] = next - code;
    for (let i = counts[length - 1]!; i > 0; i--) {
      const meaning = meaningOf(symbols[next]!, isAc) | length;
      meanings[next++] = meaning;
      const free = LOOKUP_BITS - length;
      if (free >= 0) lookup.fill(meaning, code << free, (code + 1) << free);
      code++;
    }
    // No code consists of ones only.
    expect(code < 1 << length);
    limits[length] = code << (16 - length);
    code <<= 1;
  }
  return { lookup, meanings, limits, offsets };
}

/** Run and size of an AC symbol, the size of a DC symbol; larger ones are not baseline. */
function meaningOf(symbol: number, isAc: boolean): number {
  const size = isAc ? symbol & 15 : symbol;
  const run = isAc ? symbol >>> 4 : 0;
  expect(size <= (isAc ? 10 : 11) && (!isAc || size > 0 || run === 0 || run === 15));
  const advance = isAc && symbol === 0 ? END_OF_BLOCK : run + 1;
  return (advance << 9) | (size << 5);
}

/** The components of a frame, as the only scan uses them. */
function readComponents(
  frame: Uint8Array,
  scan: Uint8Array,
  quantization: readonly Uint8Array[],
  huffman: ReadonlyMap<number, Uint8Array>,
): Component[] {
  const count = frame[5]!;
  expect(frame[0] === 8 && (count === 1 || count === 3) && frame.length === 6 + 3 * count);
  expect(scan[0] === count && scan.length === 4 + 2 * count);
  const [first, last, approximation] = scan.subarray(1 + 2 * count);
  expect(first === 0 && last === 63 && approximation === 0);
  return Array.from({ length: count }, (_, i): Component => {
    const [id, sampling, quantizationIndex] = frame.subarray(6 + 3 * i);
    const [scanId, tables] = scan.subarray(1 + 2 * i);
    const factors = quantization[quantizationIndex!];
    const dc = makeTable(huffman.get(tables! >>> 4), false);
    const ac = makeTable(huffman.get(0x10 | (tables! & 15)), true);
    expect(id === scanId && factors !== undefined);
    const across = sampling! >>> 4;
    const down = sampling! & 15;
    const most = i === 0 ? 2 : 1;
    expect(across >= 1 && across <= most && down >= 1 && down <= most);
    const squares = new Float64Array(256);
    for (let k = 1; k < 64; k++) squares[k] = factors![k]! * factors![k]!;
    // A single component has one block per unit, whatever its sampling.
    const blocks = count === 1 ? { across: 1, down: 1 } : { across, down };
    return { id: id!, ...blocks, factor: factors![0]!, squares, dc, ac };
  });
}

/** Sums over the blocks, by component; values are sample values less 128. */
interface Totals {
  /** Mean of the last block, in units of the quantisation. */
  means: Int32Array;
  /** Sum of the means of the blocks that are entirely visible. */
  sums: Float64Array;
  /** Upper bound of how much clamping each sample to 8 bits may have changed the sum. */
  clamped: Float64Array;
  /** Magnitude; 0 if every coefficient is 0, so that all samples are 0. */
  magnitudes: Float64Array;
}

/** Reads the data from its first byte to the marker of the end. */
function readScan(bytes: Uint8Array, from: number, frame: Frame): Totals {
  const { width, height, components, restartInterval } = frame;
  const { across, down } = components[0]!;
  const unitsAcross = width / (8 * across);
  const unitsDown = height / (8 * down);
  const reader = new ScanReader(bytes, from);
  const perComponent = () => new Float64Array(components.length);
  const means = new Int32Array(components.length);
  const totals = {
    means,
    sums: perComponent(),
    clamped: perComponent(),
    magnitudes: perComponent(),
  };
  let untilRestart = restartInterval;
  let restarts = 0;
  for (let row = 0; row < unitsDown; row++) {
    for (let column = 0; column < unitsAcross; column++) {
      if (restartInterval > 0 && untilRestart-- === 0) {
        reader.passMarker(0xd0 + (restarts++ & 7));
        means.fill(0);
        untilRestart = restartInterval - 1;
      }
      readUnit(reader, components, totals, column + 1 <= unitsAcross && row + 1 <= unitsDown);
    }
  }
  reader.passMarker(EOI);
  return totals;
}

/** Reads one unit. The function is separate, so that the engine optimises it before the first image ends. */
function readUnit(
  reader: ScanReader,
  components: readonly Component[],
  totals: Totals,
  isVisible: boolean,
): void {
  const { means } = totals;
  for (let i = 0; i < components.length; i++) {
    const component = components[i]!;
    for (let block = component.across * component.down; block > 0; block--) {
      expect(reader.readBlock(component));
      means[i]! += reader.difference;
      expect(Math.abs(means[i]!) <= 0x7fff);
    }
    if (i > 0) addBlock(totals, i, (means[i]! * component.factor) / 8, reader.energy, isVisible);
  }
}

/**
 * The squared distances of the samples of a block from its mean add up to the energy (Parseval). With a room r between
 * the mean and the clamp, clamping takes d − r of a distance d: at most d² / 4r.
 */
function addBlock(
  { sums, clamped, magnitudes }: Totals,
  i: number,
  mean: number,
  energy: number,
  isVisible: boolean,
): void {
  magnitudes[i]! += Math.abs(mean) + energy;
  if (!isVisible) return;
  const room = 127 - Math.abs(mean);
  sums[i]! += mean;
  clamped[i]! += room > 0 ? energy / (64 * 4 * room) : Number.POSITIVE_INFINITY;
}

/**
 * At any brightness, |R − G| + |G − B| of a pixel after clamping is at least 0.228 |Cb| and 0.598 |Cr|; both are convex,
 * so the means of Cb and Cr bound the mean. Rounding changes a chroma sample by less than 2 (transform, upsampling),
 * the sum of differences by less than 3. Blocks that reach beyond the picture give no information.
 */
function boundsOf({ sums, clamped, magnitudes }: Totals, frame: Frame): ColorBounds {
  const { width, height, components } = frame;
  if (magnitudes.every((magnitude) => magnitude === 0)) return { least: 0, most: 0 };
  const { across, down } = components[0]!;
  const wholeUnits = Math.floor(width / (8 * across)) * Math.floor(height / (8 * down));
  const unit = 64 * across * down;
  const unknown = 128 * (width * height - unit * wholeUnits);
  const [, cb, cr] = sums.map((sum, i) => {
    return (unit * (Math.abs(sum) - clamped[i]!) - unknown) / (width * height) - 2;
  });
  return { least: Math.max(0.228 * cb!, 0.598 * cr!) - 3, most: Number.POSITIVE_INFINITY };
}

/** Reads the data of a scan. Every position is known before it is read: a block takes at most `PADDING` bytes. */
class ScanReader {
  readonly #bytes: Uint8Array;
  /** The data up to the next marker, with each FF 00 replaced by FF. */
  readonly #data: Uint8Array;
  readonly #view: DataView;
  #bit = 0;
  #endBit = 0;
  #markerAt = 0;
  /** Mean of the last block less the mean of the block before, in units of the quantisation. */
  difference = 0;
  /** Upper bound of the sum of squares of the other coefficients of the last block. */
  energy = 0;

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#data = new Uint8Array(bytes.length - from + PADDING);
    this.#view = new DataView(this.#data.buffer);
    this.#open(from);
  }

  #open(from: number): void {
    const bytes = this.#bytes;
    let at = from;
    let length = 0;
    for (;;) {
      const stuffed = bytes.indexOf(0xff, at);
      expect(stuffed >= 0);
      const isData = bytes[stuffed + 1] === 0;
      const end = isData ? stuffed + 1 : stuffed;
      this.#data.set(bytes.subarray(at, end), length);
      length += end - at;
      at = end + 1;
      if (!isData) break;
    }
    this.#markerAt = at - 1;
    this.#bit = 0;
    this.#endBit = 8 * length;
  }

  /** Passes a marker, which must come next, after the rest of a byte at most. @throws Unsure. */
  passMarker(marker: number): void {
    expect(this.#endBit - this.#bit < 8 && this.#bytes[this.#markerAt + 1] === marker);
    if (marker !== EOI) this.#open(this.#markerAt + 2);
  }

  /**
   * Reads a block. For the mean the value is computed, for other coefficients the size only: it bounds the energy; a
   * branch on a value would double the time. @returns Whether the block is regular.
   */
  readBlock({ dc, ac, squares }: Component): boolean {
    const view = this.#view;
    let bit = this.#bit;
    let word = view.getInt32(bit >>> 3) << (bit & 7);
    let meaning = dc.lookup[word >>> LOOKUP_SHIFT]! || longCode(dc, word >>> 16);
    let size = (meaning >>> 5) & 15;
    bit += meaning & 31;
    word = view.getInt32(bit >>> 3) << (bit & 7);
    const value = size === 0 ? 0 : word >>> (32 - size);
    this.difference = value < (1 << size) / 2 ? value - (1 << size) + 1 : value;
    bit += size;
    let place = meaning >>> 9;
    let energy = 0;
    while (place < 64) {
      // At least 25 bits: a code of 16 is complete, and its value is only skipped.
      word = view.getInt32(bit >>> 3) << (bit & 7);
      meaning = ac.lookup[word >>> LOOKUP_SHIFT]! || longCode(ac, word >>> 16);
      size = (meaning >>> 5) & 15;
      bit += (meaning & 31) + size;
      place += meaning >>> 9;
      energy += LARGEST_SQUARES[size]! * squares[place - 1]!;
    }
    this.#bit = bit;
    this.energy = energy;
    return bit <= this.#endBit && (place === 64 || place > END_OF_BLOCK);
  }
}

/** The meaning of a code of more bits than are looked up at once. */
function longCode({ meanings, limits, offsets }: HuffmanTable, bits: number): number {
  for (let length = LOOKUP_BITS + 1; length <= 16; length++)
    if (bits < limits[length]!) return meanings[offsets[length]! + (bits >>> (16 - length))]!;
  return NO_CODE;
}
