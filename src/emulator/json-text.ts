/** Reads JSON with every digit of an identifier, and writes it however deep it is nested. */

const spellings = new WeakMap<object, string>();

/** Sets the text that {@link jsonText} writes for a value: recorded blanks, and numbers with all digits. */
export function spelledAs<T extends object>(value: T, text: string): T {
  spellings.set(value, text);
  return value;
}

const TEXT_OR_SIGN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]/g;

/**
 * Extracts the text of a member of an object, with the blanks around it. If several members have this
 * name, the last one counts, as in `JSON.parse`.
 *
 * @example `memberText('{"a": {"b": 1.50}}', 'a'); // → ' {"b": 1.50}'`
 */
export function memberText(text: string, name: string): string | undefined {
  let depth = 0;
  let key: unknown;
  let start = -1;
  let found: string | undefined;
  for (const { 0: token, index } of text.matchAll(TEXT_OR_SIGN)) {
    if (depth === 1 && start < 0 && token.startsWith('"')) key = JSON.parse(token);
    if (depth === 1 && token === ':') start = index + 1;
    if (depth === 1 && (token === ',' || token === '}')) {
      if (key === name && start >= 0) found = text.slice(start, index);
      start = -1;
    }
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
  }
  return found;
}

/** The number of such a field. Inside a text no field matches, because its quotes follow backslashes. */
const WHOLE_NUMBER = /(?<!\\)("(?:id|rootid|newvalue)"\s*:\s*)(-?\d+)(?=\s*[,}])/g;

/**
 * Parses JSON. A whole number beyond 2^53 becomes its text if it is an id or a new value, since otherwise
 * two ids would become one.
 *
 * @throws SyntaxError if the text is not JSON.
 * @example `parseJsonExactly('{"id":9007199254740993}'); // → { id: '9007199254740993' }`
 */
export function parseJsonExactly(text: string): unknown {
  const exact = text.replace(WHOLE_NUMBER, (all, before: string, digits: string) =>
    Number.isSafeInteger(Number(digits)) ? all : `${before}"${digits}"`,
  );
  return JSON.parse(exact);
}

/**
 * Writes plain JSON data as text, however deep it is nested.
 *
 * `JSON.stringify` is faster and is tried first, but overflows its stack at about 2,000 levels.
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

function deepJsonText(root: unknown): string {
  const out: string[] = [];
  const stack: ({ text: string } | { value: unknown })[] = [{ value: root }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('text' in next) {
      out.push(next.text);
    } else if (typeof next.value !== 'object' || next.value === null) {
      out.push(JSON.stringify(next.value) ?? 'null');
    } else {
      const isArray = Array.isArray(next.value);
      const members = Object.entries(next.value);
      const written = members.filter(([, member]) => isArray || member !== undefined);
      out.push(isArray ? '[' : '{');
      stack.push({ text: isArray ? ']' : '}' });
      for (const [i, [key, value]] of [...written.entries()].reverse()) {
        const name = isArray ? '' : `${JSON.stringify(key)}:`;
        stack.push({ value }, { text: i === 0 ? name : `,${name}` });
      }
    }
  }
  return out.join('');
}
