/** Answers of GET btg: a parts list, decoded with a stack because it may be nested tens of thousands deep. */

import type { Warning } from '../../model/warning.ts';
import type { ConverterError } from '../../support/errors.ts';
import type { PartsList, PartsListNode, Vec3 } from '../model/graphics.ts';
import { collectDrift, type DriftReporter, type NoteDrift } from './fields.ts';
import { decodeMaterials, imageReferences, readName } from './material.ts';
import {
  canonicalName,
  describe,
  isMissing,
  isRecord,
  type JsonRecord,
  LARGEST_NUMBER,
  mismatch,
  parseRecord,
  readVector,
} from './value.ts';

/** Most warnings of one list, which may be wrong in every node; a person needs only a few of the places. */
const MAX_WARNINGS = 100;

/** Vector shared by all nodes without one, since a list may have a million of them. */
const ZEROS: Vec3 = [0, 0, 0];
const ONES: Vec3 = [1, 1, 1];

/** The fields of a node that are names. */
const NAME_FIELDS = ['btgname', 'mat', 'lay'] as const;

type Findings = { warnings: Warning[]; note: NoteDrift };

interface Pending {
  raw: JsonRecord;
  /** Where the decoded node goes. */
  siblings: PartsListNode[];
  index: number;
  parent: Pending | undefined;
  depth: number;
}

/**
 * Decodes the body of GET btg: offsets in metres, rotations in degrees; missing values are filled in by D-106.
 *
 * @throws {@link ConverterError} `PARTS_LIST_INVALID` naming the place.
 * @see Spec 2.3; D-112b, D-113, D-784 (drift).
 */
export function decodePartsList(bytes: Uint8Array, onDrift?: DriftReporter): PartsList {
  const body = parseRecord(bytes, 'PARTS_LIST_INVALID');
  if (!Array.isArray(body.btg)) throw invalid('btg', 'an array', body.btg);
  const { note, report } = collectDrift(onDrift);
  const warnings: Warning[] = [];
  const findings = { warnings, note };
  const nodes = decodeNodes(body.btg, findings);
  const blockNames = entriesOf(body.blocks, 'blocks', 'a text', isText, findings);
  const records = entriesOf(body.mats, 'mats', 'an object', isRecord, findings);
  const materials = decodeMaterials(records, (warning) => warnings.push(warning), note);
  const partsList = { ...nodes, blockNames, materials, warnings };
  report();
  return partsList;
}

function decodeNodes(
  roots: unknown[],
  findings: Findings,
): Pick<PartsList, 'nodes' | 'depth' | 'nodeCount'> {
  let depth = 0;
  let nodeCount = 0;
  const nodes: PartsListNode[] = new Array(roots.length);
  const stack: Pending[] = [];
  pushAll(stack, roots, nodes, undefined);
  for (let pending = stack.pop(); pending; pending = stack.pop()) {
    depth = Math.max(depth, pending.depth);
    nodeCount += 1;
    const { raw } = pending;
    const fields = fieldsOf(raw);
    const childs = fields.childs ?? [];
    if (!Array.isArray(childs)) throw invalid(`${pathOf(pending)}.childs`, 'an array', childs);
    checkNode(raw, fields, findings.note);
    const node = decodeNode(fields, pending, findings);
    const unreadable = unreadableFields(raw, fields);
    if (unreadable) node.unreadable = unreadable;
    node.children = new Array(childs.length);
    pending.siblings[pending.index] = node;
    pushAll(stack, childs, node.children, pending);
  }
  return { nodes, depth, nodeCount };
}

function pushAll(
  stack: Pending[],
  raws: unknown[],
  siblings: PartsListNode[],
  parent: Pending | undefined,
): void {
  // The list is checked before any entry is pushed: a list of ten million numbers is refused by its first.
  const odd = raws.findIndex((raw) => !isRecord(raw));
  if (odd >= 0) throw invalid(pathOf({ index: odd, parent }), 'an object', raws[odd]);
  const depth = (parent?.depth ?? 0) + 1;
  for (let index = raws.length - 1; index >= 0; index--) {
    stack.push({ raw: raws[index] as JsonRecord, siblings, index, parent, depth });
  }
}

/** The fields inside `prop` and beside it; a null field inside does not count. */
function fieldsOf(raw: JsonRecord): JsonRecord {
  if (!isRecord(raw.prop)) return raw;
  const fields: Record<string, unknown> = { ...raw };
  for (const [name, value] of Object.entries(raw.prop)) {
    if (value !== null) fields[name] = value;
  }
  return raw.type === undefined ? fields : { ...fields, type: raw.type };
}

/** Reports texts that are missing or of another type: only a part must name a block. */
function checkNode({ type, prop }: JsonRecord, fields: JsonRecord, note: NoteDrift): void {
  if (!isMissing(prop) && !isRecord(prop)) note('partsList.btg[].prop', 'an object', prop);
  if (!isText(type)) note('partsList.btg[].type', 'a text', type);
  for (const field of NAME_FIELDS) {
    const value = fields[field];
    const mayBeMissing = field !== 'btgname' || type !== 'imp';
    if (isText(value) || (mayBeMissing && isMissing(value))) continue;
    note(`partsList.btg[].${field}`, 'a text', value);
  }
}

/** Fields that cannot be read but do not fail the article, with their values; undefined if there are none. */
function unreadableFields({ prop }: JsonRecord, fields: JsonRecord): PartsListNode['unreadable'] {
  const unreadable: Record<string, unknown> = {};
  if (!isMissing(prop) && !isRecord(prop)) unreadable.prop = prop;
  if (!isMissing(fields.type) && !isText(fields.type)) unreadable.type = fields.type;
  for (const field of NAME_FIELDS) {
    const value = fields[field];
    if (!isMissing(value) && value !== '' && readName(value) === '') unreadable[field] = value;
  }
  return Object.keys(unreadable).length > 0 ? unreadable : undefined;
}

function decodeNode(fields: JsonRecord, at: Pending, findings: Findings): PartsListNode {
  return {
    type: isText(fields.type) ? fields.type.toLowerCase() : '',
    blockName: readName(fields.btgname),
    offsetMetres: vectorOf(fields, 'offs', ZEROS, at, findings),
    rotationDegrees: vectorOf(fields, 'rot', ZEROS, at, findings),
    scale: vectorOf(fields, 'scale', ONES, at, findings),
    material: readName(fields.mat),
    layer: readName(fields.lay),
    params: fields.params,
    children: [],
  };
}

function vectorOf(
  fields: JsonRecord,
  field: string,
  missing: Vec3,
  at: Pending,
  { warnings, note }: Findings,
): Vec3 {
  const value = fields[field];
  if (isMissing(value)) return missing;
  const elements: unknown[] = Array.isArray(value) ? value : [];
  if (elements.length === 3 && elements.every(isUsualNumber)) return value as Vec3;
  // A path is as long as the node is deep, so it is made only if it is shown.
  const where = (step: string) => `${pathOf(at)}.${field}${step}`;
  const vector = readVector(value, missing[0], (step, ...found) => invalid(where(step), ...found));
  for (const [i, element] of elements.entries()) {
    if (typeof element !== 'number') note(`partsList.btg[].${field}[]`, 'a finite number', element);
    if (!isText(element) || !element.includes(',') || warnings.length >= MAX_WARNINGS) continue;
    const message = `${where(`[${i}]`)}: expected a number, received string "${element}", read as ${vector[i]}`;
    warnings.push({ code: 'DRIFT', message });
  }
  return vector;
}

function isUsualNumber(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= LARGEST_NUMBER;
}

/** A path such as `btg[0].childs[2]`, shortened in the middle if it is long. */
function pathOf({ index, parent }: Pick<Pending, 'index' | 'parent'>): string {
  const steps = [index];
  for (let p = parent; p; p = p.parent) steps.push(p.index);
  const names = steps.reverse().map((step, i) => (i === 0 ? `btg[${step}]` : `childs[${step}]`));
  if (names.length > 12) names.splice(6, names.length - 11, '…');
  return names.join('.');
}

/** The usable entries of a list; the others are reported and left out. */
function entriesOf<T>(
  value: unknown,
  field: string,
  expected: string,
  isUsable: (entry: unknown) => entry is T,
  { warnings, note }: Findings,
): T[] {
  if (isMissing(value)) {
    note(`partsList.${field}`, 'an array', value);
    return [];
  }
  if (!Array.isArray(value)) throw invalid(field, 'an array', value);
  return value.filter((entry, i) => {
    if (isUsable(entry)) return true;
    note(`partsList.${field}[]`, expected, entry);
    if (warnings.length < MAX_WARNINGS) {
      const message = `${field}[${i}]: received ${describe(entry)}, left out`;
      warnings.push({ code: 'DRIFT', message });
    }
    return false;
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function invalid(where: string, expected: string, received: unknown): ConverterError {
  return mismatch('PARTS_LIST_INVALID', where, expected, received);
}

/**
 * What a parts list refers to, each once, in order of first use: blocks by canonical name, spelled as a request names
 * them (D-111), and images as materials spell them.
 */
export function referencesIn(partsList: PartsList) {
  const listed = new Map<string, string>();
  for (const name of partsList.blockNames) {
    const canonical = canonicalName(name);
    if (!listed.has(canonical)) listed.set(canonical, name);
  }
  const blocks = new Map<string, string>();
  const warnings: Warning[] = [];
  for (const [canonical, spelled] of usedNames(partsList.nodes)) {
    const name = listed.get(canonical) ?? unlistedName(spelled);
    blocks.set(canonical, name);
    if (listed.has(canonical)) continue;
    const message = `block ${spelled} is not in blocks[]: asked for as ${name}`;
    warnings.push({ code: 'BLOCK_UNLISTED', message });
  }
  return { blocks, images: imageReferences(partsList), warnings };
}

/** The names of nodes by canonical name, in order of first use. */
function usedNames(roots: readonly PartsListNode[]): Map<string, string> {
  const names = new Map<string, string>();
  const stack = roots.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const canonical = canonicalName(node.blockName);
    if (canonical !== '' && !names.has(canonical)) names.set(canonical, node.blockName);
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i]!);
  }
  return names;
}

/** The name of a block that `blocks[]` does not list: without a leading `::`, manufacturer and program in upper case. */
function unlistedName(spelled: string): string {
  const segments = spelled.replace(/^::/, '').split('::');
  const ids = Math.min(2, segments.length - 1);
  return segments.map((part, index) => (index < ids ? part.toUpperCase() : part)).join('::');
}
