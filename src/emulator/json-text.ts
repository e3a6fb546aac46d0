/**
 * JSON text of any depth: parts lists may be nested deeper than the runtime's own writer can go.
 */

type Frame = { values: unknown[]; keys: string[] | undefined; next: number };

const spellings = new WeakMap<object, string>();

/**
 * Remembers how a value was spelled, so that {@link jsonText} writes it byte for byte alike.
 *
 * What was recorded goes out as it came in: blanks, and numbers with all their digits.
 */
export function spelledAs<T extends object>(value: T, text: string): T {
  spellings.set(value, text);
  return value;
}

/**
 * Finds how a member of an object is spelled.
 *
 * @param text - JSON text of an object; it must be valid.
 * @returns With the blanks around it; undefined where there is no such member; of several the last,
 *   as `JSON.parse` does.
 *
 * @example
 * ```ts
 * memberText('{"a": {"b": 1.50}}', 'a'); // → ' {"b": 1.50}'
 * ```
 */
export function memberText(text: string, name: string): string | undefined {
  let depth = 0;
  let key: unknown;
  let start = -1;
  let found: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      const end = stringEnd(text, at);
      if (depth === 1 && start < 0) key = JSON.parse(text.slice(at, end));
      at = end - 1;
      continue;
    }
    if (depth === 1 && character === ':') start = at + 1;
    if (depth === 1 && (character === ',' || character === '}')) {
      if (key === name && start >= 0) found = text.slice(start, at);
      start = -1;
    }
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
  }
  return found;
}

/** Index behind the closing quote of a string that begins at an index. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * Writes plain JSON data as text, however deep it is nested.
 *
 * The runtime's writer overflows its stack at about 2,000 levels of a parts list, so that one is
 * tried first for its speed and a loop of our own takes over.
 *
 * @example
 * ```ts
 * jsonText({ btg: [], blocks: ['A::B::C'] });
 * // → '{"btg":[],"blocks":["A::B::C"]}'
 * ```
 *
 * @see D-113.
 */
export function jsonText(value: unknown): string {
  const spelled = typeof value === 'object' && value !== null ? spellings.get(value) : undefined;
  if (spelled !== undefined) return spelled;
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJsonText(value);
  }
}

/** The loop behind {@link jsonText}: plain objects, arrays and scalars. */
export function deepJsonText(root: unknown): string {
  const out: string[] = [];
  const stack: Frame[] = [];
  const put = (value: unknown): void => {
    const frame = frameOf(value);
    if (frame === undefined) {
      out.push(JSON.stringify(value) ?? 'null');
      return;
    }
    out.push(frame.keys === undefined ? '[' : '{');
    stack.push(frame);
  };
  put(root);
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]!;
    if (frame.next === frame.values.length) {
      out.push(frame.keys === undefined ? ']' : '}');
      stack.pop();
      continue;
    }
    if (frame.next > 0) out.push(',');
    if (frame.keys !== undefined) out.push(JSON.stringify(frame.keys[frame.next]), ':');
    put(frame.values[frame.next++]);
  }
  return out.join('');
}

function frameOf(value: unknown): Frame | undefined {
  if (Array.isArray(value)) return { values: value, keys: undefined, next: 0 };
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return { values: entries.map((e) => e[1]), keys: entries.map((e) => e[0]), next: 0 };
}
