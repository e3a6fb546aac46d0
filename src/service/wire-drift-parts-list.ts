/**
 * Drift of parts lists: where the body of GET btg is not what the specification says.
 *
 * In: a raw body that could be read. Out: one report for each mismatch. The tree is walked with a
 * stack, because it may be nested tens of thousands deep; what stands beside `prop` counts as in it.
 */
import type { z } from 'zod';
import type { ServiceMaterial } from '../model/graphics.ts';
import { type DriftReporter, expecting, findDrift, mayLack } from './wire-drift.ts';
import { anything, list, number, object, text } from './wire-fields.ts';
import { isRecord, type JsonRecord } from './wire-value.ts';

type MaterialField = Exclude<keyof ServiceMaterial, 'source' | 'overridden' | 'mname'>;

const TEXTS = ['pic', 'bump', 'roughness_image', 'metallic_image', 'map'] as const;
const COLORS = ['amb', 'dif', 'spe'] as const;
const NUMBERS = [
  ...['roughness', 'metallic', 'scaleu', 'scalev', 'offsetx', 'offsety', 'rot'],
  ...['bump_scaleu', 'bump_scalev', 'bump_offsetx', 'bump_offsety', 'bump_rot'],
  ...['shi', 'tra', 'luminance', 'refr', 'pho', 'mirror', 'refl'],
] as MaterialField[];

const color = () =>
  expecting(text(), {
    expected: 'a colour 0xRRGGBB',
    fits: (value) => typeof value === 'string' && /^0x[\da-f]{6}$/i.test(value),
  });

/** Every field of a material but its name may be left out. */
function eachOf(names: readonly string[], field: () => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(names.map((name) => [name, mayLack(field())]));
}

const material = object({
  mname: text(),
  ...eachOf(TEXTS, text),
  ...eachOf(COLORS, color),
  ...eachOf(NUMBERS, number),
});
const vector = () => mayLack(list(number()));

const NODE = {
  type: text(),
  btgname: mayLack(text()),
  offs: vector(),
  rot: vector(),
  scale: vector(),
  mat: mayLack(text()),
  lay: mayLack(text()),
  params: anything(),
  childs: mayLack(list(anything())),
};
const node = object(NODE);
const part = object({ ...NODE, btgname: text() });
const body = object({ btg: list(anything()), blocks: list(text()), mats: list(material) });

/**
 * Reports where a parts list is not what the specification says.
 *
 * @param bytes - A body that {@link decodePartsList} could read.
 *
 * @example
 * ```ts
 * findPartsListDrift(utf8('{"btg":[],"blocks":[],"mats":[{"mname":"OAK","shi":"0,5"}]}'), console.log);
 * // { field: 'partsList.mats[].shi', expected: 'a finite number', found: 'string "0,5"' }
 * ```
 *
 * @see Spec 2.3; D-784.
 */
export function findPartsListDrift(bytes: Uint8Array, report: DriftReporter): void {
  const wire: unknown = JSON.parse(new TextDecoder().decode(bytes));
  findDrift(body, wire, 'partsList', report);
  const pending = [...entriesOf(isRecord(wire) ? wire.btg : undefined)];
  for (let raw = pending.pop(); raw !== undefined; raw = pending.pop()) {
    const fields = fieldsOf(raw);
    findDrift(fields.type === 'imp' ? part : node, fields, 'partsList.btg[]', report);
    for (const child of entriesOf(fields.childs)) pending.push(child);
  }
}

function entriesOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function fieldsOf(raw: JsonRecord): JsonRecord {
  return isRecord(raw.prop) ? { ...raw, ...raw.prop, type: raw.type } : raw;
}
