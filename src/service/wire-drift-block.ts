/**
 * Drift of blocks: where the body of GET block is not what the specification says.
 *
 * In: a raw body that could be read. Out: one report for each field that holds something else; a
 * vertex array counts once, by its first odd entry.
 */
import { scanBlock } from './wire-block-scanner.ts';
import type { DriftReporter } from './wire-drift.ts';
import { describe, isRecord, type JsonRecord } from './wire-value.ts';

const NUMBERS = 'a list of numbers';

/**
 * Reports where a block is not what the specification says.
 *
 * @param bytes - A body that {@link decodeBlock} could read.
 *
 * @example
 * ```ts
 * findBlockDrift(utf8('{"N":"A","P":[0,0,0],"R":[0,0,0],"V":[null],"T":[],"A":[]}'), console.log);
 * // { field: 'block.V[]', expected: 'a list of numbers', found: 'nothing' }
 * ```
 *
 * @see Spec 2.4; D-784.
 */
export function findBlockDrift(bytes: Uint8Array, report: DriftReporter): void {
  // What the scanner takes holds what it should; a flag C may be missing (D-304).
  if (scanBlock(bytes)) return;
  const wire: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isRecord(wire)) return;
  if (typeof wire.N !== 'string')
    report({ field: 'block.N', expected: 'a text', found: describe(wire.N) });
  for (const field of ['P', 'R', 'V', 'T']) reportOdd(wire, field, 'block', report);
  const surfaces = Array.isArray(wire.A) ? wire.A.filter(isRecord) : [];
  for (const surface of surfaces) {
    for (const field of ['F', 'TI']) reportOdd(surface, field, 'block.A[]', report);
    if (surface.C === undefined || typeof surface.C === 'boolean') continue;
    report({ field: 'block.A[].C', expected: 'true or false', found: describe(surface.C) });
  }
}

function reportOdd(record: JsonRecord, field: string, where: string, report: DriftReporter): void {
  const list = record[field];
  if (!Array.isArray(list)) {
    report({ field: `${where}.${field}`, expected: NUMBERS, found: describe(list) });
    return;
  }
  const odd = list.findIndex((entry) => typeof entry !== 'number');
  if (odd < 0) return;
  report({ field: `${where}.${field}[]`, expected: NUMBERS, found: describe(list[odd]) });
}
