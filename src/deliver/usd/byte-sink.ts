/** Bytes that grow: numbers little-endian, one after the other. */
export class ByteSink {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written; valid until more is. @param from - The first byte. */
  written(from = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(from, this.#length);
  }

  /** Fills up to a multiple of 8. */
  align(): void {
    this.#extend(-this.#length & 7);
  }

  /** Takes back what was written after the first bytes. */
  truncate(length: number): void {
    this.#bytes.fill(0, length, this.#length);
    this.#length = length;
  }

  bytes(values: Uint8Array): void {
    const at = this.#extend(values.length);
    this.#bytes.set(values, at);
  }

  uint8(value: number): void {
    const at = this.#extend(1);
    this.#bytes[at] = value;
  }

  uint32(value: number): void {
    const at = this.#extend(4);
    this.#view.setUint32(at, value, true);
  }

  uint64(value: number | bigint): void {
    const at = this.#extend(8);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  /** Numbers of 32 or 64 bits. */
  floats(values: Iterable<number>, bits: 32 | 64): void {
    for (const value of values) {
      const at = this.#extend(bits / 8);
      if (bits === 32) this.#view.setFloat32(at, value, true);
      else this.#view.setFloat64(at, value, true);
    }
  }

  #extend(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}
