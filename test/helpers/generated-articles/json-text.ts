/** JSON text of values nested as deep as one likes: written with a stack of its own. */

/** The text of a JSON value; undefined entries of objects are left out. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return deepText(value); // Nested too deep for the stack.
  }
}

function deepText(value: unknown): string {
  const out: string[] = [];
  const stack: ({ text: string } | { value: unknown })[] = [{ value }];
  for (let item = stack.pop(); item; item = stack.pop()) {
    if ('text' in item) out.push(item.text);
    else if (typeof item.value !== 'object' || item.value === null)
      out.push(JSON.stringify(item.value) ?? 'null');
    else stack.push(...pieces(item.value).reverse());
  }
  return out.join('');
}

function pieces(value: object): ({ text: string } | { value: unknown })[] {
  const list = Array.isArray(value);
  const entries = Object.entries(value).filter(([, entry]) => list || entry !== undefined);
  const inner = entries.flatMap(([key, entry], index) => {
    const comma = index > 0 ? ',' : '';
    return [{ text: list ? comma : `${comma}${JSON.stringify(key)}:` }, { value: entry }];
  });
  return [{ text: list ? '[' : '{' }, ...inner, { text: list ? ']' : '}' }];
}
