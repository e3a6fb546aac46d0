/**
 * JSON text of any depth: parts lists may be nested deeper than the runtime's own writer can go.
 */

type Frame = { values: unknown[]; keys: string[] | undefined; next: number };

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
