/**
 * Damages the JSON of an answer in one to four places, as a broken server might: values of other kinds,
 * extremes, fields missing, moved, doubled, or nested as deep as a stack.
 */
import { jsonText } from '../generated-articles/json-text.ts';
import type { Chance } from './chance.ts';

type Container = Record<string, unknown> | unknown[];
/** Changes the value at a key of a container. */
type Mutation = (into: Container, key: string, chance: Chance, root: Container) => void;

const RAW = '\u0001raw:';
/** Text that goes into the JSON as it is, valid or not. */
const raw = (text: string): string => RAW + text;

const NUMBERS = [
  ...[0, -1, 1, 0.5, 1e-7, 5e-324, 1e15, 1e16, -1e15, 1e38, 3.5e38, 1e300, -1e308],
  ...[2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, 65_535, 65_536, 1e9, 1_000_000],
];
const SPELLINGS = ['NaN', 'Infinity', '-0', '1e999', '-1e999', '01', '1.', '.5', '+1', '0x10', ''];
const TEXTS = [
  ...['', ' ', '0', '1,5', '-1e308', 'NaN', '$', ';', '::'],
  '$tex image x y z; scale 0; rot nan',
  '::acme::desk::leg; tra -5; refr 1e300; scaleu 0',
  ...['__proto__', 'constructor', '../../../etc/passwd', 'http://elsewhere.example/x.jpg'],
  ...['\u0000\ud800\uffff', 'a'.repeat(10_000), '0xZZZZZZ', '0xffffffffff'],
];
/** Characters that one change adds at most. */
const MOST_TEXT = 60_000;
const DEPTHS = [10, 1_000, 12_000, 60_000];

const MUTATIONS: readonly Mutation[] = [
  (into, key, chance) => put(into, key, chance.pick(NUMBERS)),
  (into, key, chance) => put(into, key, raw(chance.pick(SPELLINGS))),
  (into, key, chance) => put(into, key, chance.pick(TEXTS)),
  (into, key, chance) => put(into, key, chance.pick([null, true, false, [], {}, [[]], [null]])),
  (into, key, chance) => put(into, key, [get(into, key), chance.pick(NUMBERS)]),
  (into, key) => put(into, key, { prop: get(into, key) }),
  (into, key) => {
    if (Array.isArray(into)) into.splice(Number(key), 1);
    else delete into[key];
  },
  function renamed(into, key, chance) {
    if (Array.isArray(into)) return put(into, key, { [chance.pick(TEXTS)]: into[Number(key)] });
    const value = into[key];
    delete into[key];
    put(into, chance.pick([key.toUpperCase(), '__proto__', 'childs', 'params', 'x']), value);
  },
  function movedFromElsewhere(into, key, chance, root) {
    const [from, name] = placeIn(root, chance);
    put(into, key, copy(get(from, name)));
  },
  function twice(into, key) {
    if (Array.isArray(into)) into.push(copy(into[Number(key)]));
    else put(into, `${key} `, copy(into[key]));
  },
  function many(into, key, chance) {
    const one = jsonText(get(into, key) ?? null);
    const most = Math.ceil(MOST_TEXT / one.length);
    const length = Math.min(most, chance.pick([100, 3_000]));
    const copies = Array.from({ length }, () => JSON.parse(one));
    put(into, key, copies);
  },
  function deep(into, key, chance) {
    const depth = chance.pick(DEPTHS);
    const [open, close] = chance.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['{"prop":{"childs":[', ']}}'],
      ['{"type":"top","childs":[', ']}'],
      ['{"id":"1","rootid":"1","children":[', ']}'],
    ]) as [string, string];
    const innermost = open.endsWith(':') ? '0' : '';
    put(into, key, raw(open.repeat(depth) + innermost + close.repeat(depth)));
  },
];

/** A value of the same kind, such as a decoder lets in. */
const LIKE: Readonly<Record<string, Mutation>> = {
  number: (into, key, chance) => put(into, key, chance.pick(NUMBERS)),
  string: (into, key, chance) => put(into, key, chance.pick(TEXTS)),
  boolean: (into, key) => put(into, key, !get(into, key)),
};

/** Changes a text; one that is no JSON comes back as it is. */
export function mutateJson(text: string, chance: Chance): string {
  const root = parsed(text);
  if (root === undefined) return text;
  for (let left = 1 + chance.below(1 + chance.below(4)); left > 0; left--) {
    const [into, key] = placeIn(root, chance);
    const like = chance.oneIn(2) ? LIKE[typeof get(into, key)] : undefined;
    (like ?? chance.pick(MUTATIONS))(into, key, chance, root);
  }
  // JSON cannot hold these itself: the mark and its quotes give way to the bare text.
  return jsonText(root).replace(/"\\u0001raw:((?:[^"\\]|\\.)*)"/g, (_, inner) =>
    JSON.parse(`"${inner}"`),
  );
}

function parsed(text: string): Container | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Container) : undefined;
  } catch {
    return undefined;
  }
}

/** A random place, found from the top, so that ten thousand vertices do not hide the other fields. */
function placeIn(root: Container, chance: Chance): [into: Container, key: string] {
  let into = root;
  for (;;) {
    const keys = Object.keys(into);
    const key = keys.length === 0 ? '0' : chance.pick(keys);
    const value = get(into, key);
    const isLeaf = typeof value !== 'object' || value === null;
    if (isLeaf || chance.oneIn(5)) return [into, key];
    into = value as Container;
  }
}

function get(container: Container, key: string): unknown {
  return (container as Record<string, unknown>)[key];
}

/** Defined, not assigned: `__proto__` is a key like any other on the wire. */
function put(container: Container, key: string, value: unknown): void {
  const flags = { writable: true, enumerable: true, configurable: true };
  Object.defineProperty(container, key, { value, ...flags });
}

function copy(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(jsonText(value));
}
