import fc from 'fast-check';
import { unzipSync } from 'three/addons/libs/fflate.module.js';
import { expect, it } from 'vitest';
import { storedZip } from '../../../../src/deliver/usd/stored-zip.ts';

/** From a name of any length: the padding depends on it. */
const entry = fc.record({
  name: fc.integer({ min: 1, max: 140 }).map((length) => 'n'.repeat(length)),
  bytes: fc.uint8Array({ maxLength: 200 }),
});

it('holds files as they are, each from a multiple of 64 bytes on', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 5 }),
      (entries) => {
        const zip = storedZip(entries);
        const read = unzipSync(zip);
        expect(Object.keys(read)).toEqual(entries.map(({ name }) => name));
        for (const { name, bytes } of entries) expect(read[name]).toEqual(bytes);
        const view = new DataView(zip.buffer);
        let at = 0;
        for (const { bytes } of entries) {
          expect(view.getUint16(at + 8, true)).toBe(0);
          const data = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
          expect(data % 64).toBe(0);
          at = data + bytes.length;
        }
      },
    ),
  );
});
