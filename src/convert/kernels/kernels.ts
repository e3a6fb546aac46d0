/**
 * Kernels: the loops over the numbers of a text, points, triangles and vertices, which WebAssembly runs.
 *
 * A process that converts one article never gets warm: the engine interprets such loops in JavaScript, with an
 * object for each intermediate number, until it has compiled them one by one. The engine compiles WebAssembly before it
 * starts to run. `assembly/` contains the code and describes each function.
 */

import type { Bounds } from '../../model/asset.ts';
import type { Mat3 } from '../math/vec.ts';
import type { Vec3 } from '../model/graphics.ts';
import { CODE, type Kernels } from './code.ts';

export type { Kernels };

/** A place in the memory of the kernels. */
export type Address = number;

type List = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** The constructor of a list: a view of a place in memory, or a new list of zeros. */
export interface ListType<T extends List> {
  new (buffer: ArrayBuffer, address: Address, length: number): T;
  new (length: number): T;
  readonly BYTES_PER_ELEMENT: number;
}

const TYPES = [Float64Array, Float32Array, Int32Array, Uint32Array, Uint16Array, Uint8Array];

/** The part of the standard API of JavaScript engines that is used here. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: Record<string, Record<string, (...numbers: number[]) => number>>,
  ) => { exports: Kernels & { memory: { buffer: ArrayBuffer } } };
};

/** Memory for a block of 300,000 triangles; a larger memory is released after its use. */
const LARGEST_KEPT_BYTES = 64 * 1024 * 1024;

let module: object | undefined;
let kernels: (Kernels & { memory: { buffer: ArrayBuffer } }) | undefined;
let depth = 0;

/**
 * Runs synchronous work with the kernels. Lists that the work places in their memory are released at its end, as are
 * the lists of nested work.
 */
export function withKernels<T>(work: (kernels: Kernels) => T): T {
  kernels ??= instantiate();
  const top = kernels.arenaTop();
  depth++;
  try {
    return work(kernels);
  } finally {
    depth--;
    kernels.setArenaTop(top);
    // Memory of an instance never shrinks.
    if (depth === 0 && kernels.memory.buffer.byteLength > LARGEST_KEPT_BYTES) {
      kernels = undefined;
      wholeBuffer = undefined;
      wholes.clear();
    }
  }
}

function instantiate() {
  module ??= new WebAssembly.Module(Uint8Array.from(atob(CODE), (char) => char.charCodeAt(0)));
  const numberOf = (at: Address, length: number) => {
    const digits = viewOf(Uint8Array, at, length);
    return Number(String.fromCharCode(...digits));
  };
  return new WebAssembly.Instance(module, { scan: { numberOf } }).exports;
}

/** The whole memory as a list of each type: making a list takes longer than copying a short one. */
let wholes = new Map<unknown, List>();
let wholeBuffer: ArrayBuffer | undefined;

function wholeOf<T extends List>(Type: unknown): T {
  const { buffer } = kernels!.memory;
  if (buffer !== wholeBuffer) {
    wholes = new Map(TYPES.map((Each) => [Each, new Each(buffer)]));
    wholeBuffer = buffer;
  }
  return wholes.get(Type) as T;
}

/** Copies a list into the memory. */
export function place<T extends List>(list: T): Address {
  const address = kernels!.allocate(list.byteLength);
  wholeOf<T>(list.constructor).set(list, address / list.BYTES_PER_ELEMENT);
  return address;
}

/** Memory for a list, with undefined content. */
export function allocateList<T extends List>(Type: ListType<T>, length: number): Address {
  return kernels!.allocate(length * Type.BYTES_PER_ELEMENT);
}

/** The list at a place; valid until the next list is placed or allocated. */
export function viewOf<T extends List>(Type: ListType<T>, address: Address, length: number): T {
  return new Type(kernels!.memory.buffer, address, length);
}

/** A copy of the list at a place. */
export function copyOf<T extends List>(Type: ListType<T>, address: Address, length: number): T {
  const first = address / Type.BYTES_PER_ELEMENT;
  return wholeOf<T>(Type).slice(first, first + length) as T;
}

/**
 * The box around points: exactly their smallest and largest components.
 *
 * @param positions - x y z of each point.
 * @param placed - A matrix, column by column, and an offset: the box of the points placed by it.
 */
export function boundsOf(positions: Float32Array, placed?: readonly [...Mat3, ...Vec3]): Bounds {
  return withKernels((kernels) => {
    const box = allocateList(Float64Array, 6);
    const matrix = placed ? place(Float64Array.from(placed)) : 0;
    kernels.boundsOf(place(positions), positions.length / 3, matrix, box);
    const found = viewOf(Float64Array, box, 6);
    const corner = (first: number): Bounds['min'] => [
      found[first]!,
      found[first + 1]!,
      found[first + 2]!,
    ];
    return { min: corner(0), max: corner(3) };
  });
}
