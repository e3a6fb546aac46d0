/** Writes JSON of any depth, since parts lists may be nested deeper than `JSON.stringify` can go. */

const spellings = new WeakMap<object, string>();

/**
 * Sets the text that {@link jsonText} writes for a value: recorded blanks, and numbers with all digits.
 */
export function spelledAs<T extends object>(value: T, text: string): T {
  spellings.set(value, text);
  return value;
}

/**
 * Extracts the text of a member of an object.
 *
 * @param text - Valid JSON text of an object.
 * @returns The text with the blanks around it; of several members of this name the last, as in
 *   `JSON.parse`; undefined if there is none.
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

/** Index after the closing quote of a string that begins at an index. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * Writes plain JSON data as text, however deep it is nested.
 *
 * `JSON.stringify` is faster and is tried first; it overflows its stack at about 2,000 levels of a
 * parts list, which {@link deepJsonText} then writes.
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

/** Writes plain objects, arrays and scalars by a loop. */
export function deepJsonText(root: unknown): string {
  const out: string[] = [];
  const stack: ({ text: string } | { value: unknown })[] = [{ value: root }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('text' in next) {
      out.push(next.text);
    } else if (typeof next.value !== 'object' || next.value === null) {
      out.push(JSON.stringify(next.value) ?? 'null');
    } else {
      const isArray = Array.isArray(next.value);
      const entries = Object.entries(next.value).filter(
        ([, entry]) => isArray || entry !== undefined,
      );
      out.push(isArray ? '[' : '{');
      stack.push({ text: isArray ? ']' : '}' });
      for (let i = entries.length - 1; i >= 0; i--) {
        const [key, value] = entries[i]!;
        const name = isArray ? '' : `${JSON.stringify(key)}:`;
        stack.push({ value }, { text: i === 0 ? name : `,${name}` });
      }
    }
  }
  return out.join('');
}
