/**
 * Parts lists on the wire: the body of GET btg becomes a {@link PartsList}.
 *
 * In: bytes. Out: nodes with their defaults filled in. Walks with a stack of its own: a parts list
 * may be nested tens of thousands deep.
 */
import type { PartsList, PartsListNode, Vec3 } from '../model/graphics.ts';
import type { Warning } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import { decodeMaterial } from './wire-material.ts';
import { describe, isRecord, type JsonRecord, LARGEST_NUMBER, readNumber } from './wire-value.ts';

/** One list may be wrong in every node; a person needs a few of the places. */
const MAX_WARNINGS = 100;

interface Pending {
  raw: unknown;
  /** Where the decoded node goes. */
  siblings: PartsListNode[];
  index: number;
  parent: Pending | undefined;
  depth: number;
}

/**
 * Decodes the body of GET btg.
 *
 * @param bytes - UTF-8 JSON.
 * @returns Offsets in metres, rotations in degrees; missing values are filled in as D-106 says.
 * @throws {@link ConverterError} `PARTS_LIST_INVALID` naming the place.
 *
 * @example
 * ```ts
 * decodePartsList(utf8('{"btg":[{"type":"top"}],"blocks":[],"mats":[]}')).nodes[0]?.scale;
 * // → [1, 1, 1]
 * ```
 *
 * @see Spec 2.3; D-106, D-112b, D-113.
 */
export function decodePartsList(bytes: Uint8Array): PartsList {
  const body = parseJson(bytes);
  if (!isRecord(body)) throw invalid('body', 'an object', body);
  if (!Array.isArray(body.btg)) throw invalid('btg', 'an array', body.btg);
  const warnings: Warning[] = [];
  return {
    ...decodeNodes(body.btg, warnings),
    blockNames: entriesOf(body.blocks, 'blocks', isText, warnings),
    materials: entriesOf(body.mats, 'mats', isRecord, warnings).map((record) =>
      decodeMaterial(record, (warning) => warnings.push(warning)),
    ),
    warnings,
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new ConverterError('PARTS_LIST_INVALID', 'body: expected JSON, received something else', {
      cause,
    });
  }
}

function decodeNodes(roots: unknown[], warnings: Warning[]): Pick<PartsList, 'nodes' | 'depth'> {
  let depth = 0;
  const nodes: PartsListNode[] = new Array(roots.length);
  const stack: Pending[] = [];
  pushAll(stack, roots, nodes, undefined);
  for (let pending = stack.pop(); pending; pending = stack.pop()) {
    depth = Math.max(depth, pending.depth);
    const { raw } = pending;
    if (!isRecord(raw)) throw invalid(pathOf(pending), 'an object', raw);
    const fields = fieldsOf(raw);
    const childs = fields.childs ?? [];
    if (!Array.isArray(childs)) throw invalid(`${pathOf(pending)}.childs`, 'an array', childs);
    const node = decodeNode(fields, pending, warnings);
    node.children = new Array(childs.length);
    pending.siblings[pending.index] = node;
    pushAll(stack, childs, node.children, pending);
  }
  return { nodes, depth };
}

function pushAll(
  stack: Pending[],
  raws: unknown[],
  siblings: PartsListNode[],
  parent: Pending | undefined,
): void {
  const depth = (parent?.depth ?? 0) + 1;
  for (let index = raws.length - 1; index >= 0; index--) {
    stack.push({ raw: raws[index], siblings, index, parent, depth });
  }
}

/** Fields stand inside `prop`, or beside it; one that is null stands nowhere. */
function fieldsOf(raw: JsonRecord): JsonRecord {
  if (!isRecord(raw.prop)) return raw;
  const fields: Record<string, unknown> = { ...raw };
  for (const [name, value] of Object.entries(raw.prop)) {
    if (value !== null) fields[name] = value;
  }
  return raw.type === undefined ? fields : { ...fields, type: raw.type };
}

function decodeNode(fields: JsonRecord, at: Pending, warnings: Warning[]): PartsListNode {
  return {
    type: textOf(fields.type).toLowerCase(),
    blockName: textOf(fields.btgname),
    offsetMetres: vectorOf(fields.offs, 0, at, 'offs', warnings),
    rotationDegrees: vectorOf(fields.rot, 0, at, 'rot', warnings),
    scale: vectorOf(fields.scale, 1, at, 'scale', warnings),
    material: textOf(fields.mat),
    layer: textOf(fields.lay),
    params: fields.params,
    children: [],
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function vectorOf(
  value: unknown,
  missing: number,
  at: Pending,
  field: string,
  warnings: Warning[],
): Vec3 {
  if (value === undefined || value === null) return [missing, missing, missing];
  if (!Array.isArray(value) || value.length !== 3)
    throw invalid(`${pathOf(at)}.${field}`, 'an array of three numbers', value);
  for (let i = 0; i < 3; i++) {
    const element: unknown = value[i];
    if (typeof element === 'number' && Math.abs(element) <= LARGEST_NUMBER) continue;
    return readVector(value, missing, at, field, warnings);
  }
  return value as unknown as Vec3;
}

function readVector(
  value: unknown[],
  missing: number,
  at: Pending,
  field: string,
  warnings: Warning[],
): Vec3 {
  // A path is as long as the node is deep: it is made only where it is told.
  const where = (i: number) => `${pathOf(at)}.${field}[${i}]`;
  return value.map((element, i) => {
    if (element === null || element === undefined) return missing;
    const read = readNumber(element);
    if (read === undefined || Math.abs(read) > LARGEST_NUMBER)
      throw invalid(where(i), 'a finite number', element);
    if (typeof element === 'string' && element.includes(',') && warnings.length < MAX_WARNINGS)
      warnings.push({
        code: 'DRIFT',
        message: `${where(i)}: expected a number, received string "${element}", read as ${read}`,
      });
    return read;
  }) as unknown as Vec3;
}

/** `btg[0].childs[2]`, shortened in the middle where it is long. */
function pathOf(at: Pending): string {
  const steps: number[] = [];
  for (let p: Pending | undefined = at; p; p = p.parent) steps.push(p.index);
  const names = steps.reverse().map((step, i) => (i === 0 ? `btg[${step}]` : `childs[${step}]`));
  return names.length > 12
    ? [...names.slice(0, 6), '…', ...names.slice(-5)].join('.')
    : names.join('.');
}

/** The usable entries of a list; the others are reported and left out. */
function entriesOf<T>(
  value: unknown,
  field: string,
  isUsable: (entry: unknown) => entry is T,
  warnings: Warning[],
): T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(field, 'an array', value);
  value.forEach((entry, i) => {
    if (isUsable(entry) || warnings.length >= MAX_WARNINGS) return;
    const message = `${field}[${i}]: received ${describe(entry)}, left out`;
    warnings.push({ code: 'DRIFT', message });
  });
  return value.filter(isUsable);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function invalid(where: string, expected: string, received: unknown): ConverterError {
  return new ConverterError(
    'PARTS_LIST_INVALID',
    `${where}: expected ${expected}, received ${describe(received)}`,
  );
}
