/**
 * Redact: the one place that takes secrets out of strings.
 *
 * In: any text on its way to a person or a disk. Out: the text without secrets.
 * It knows the secrets that were registered and the places where a token stands by the specification.
 */

/** Each spelling with how often it was registered. */
const registered = new Map<string, number>();
/** Longest first: one secret may begin with another. */
let secrets: string[] = [];
const MASK = '***';
/** Masking what is shorter would garble every text. */
const SHORTEST = 4;

/**
 * Registers a value that must never be printed, in each spelling in which a URL may carry it.
 *
 * Values shorter than 4 characters are ignored.
 */
export function registerSecret(value: string): void {
  count(value, 1);
}

/**
 * Forgets a registered value, as often as it was registered: for a process that handles the secrets
 * of others without end, and only once no string of it is left.
 */
export function forgetSecret(value: string): void {
  count(value, -1);
}

function count(value: string, change: 1 | -1): void {
  if (value.length < SHORTEST) return;
  for (const spelling of spellingsOf(value)) {
    const times = (registered.get(spelling) ?? 0) + change;
    if (times > 0) registered.set(spelling, times);
    else registered.delete(spelling);
  }
  secrets = [...registered.keys()].sort((a, b) => b.length - a.length);
}

function spellingsOf(value: string): Set<string> {
  return new Set([
    value,
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams({ s: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
  ]);
}

/**
 * Takes every secret out of a text: registered values, tokens in queries and in logout paths.
 *
 * @example
 * ```ts
 * redact('GET https://h/api/odb.dll/odb/btg?token=abc&lang=en');
 * // → 'GET https://h/api/odb.dll/odb/btg?token=***&lang=en'
 * ```
 *
 * @see Spec 4 (token in every query, last segment of both logouts); D-610.
 */
export function redact(text: string): string {
  let out = text;
  for (const secret of secrets) {
    if (out.includes(secret)) out = out.replaceAll(secret, MASK);
  }
  return out
    .replace(/([?&;](?:token|password|appkey)=)[^&\s"'#]*/gi, `$1${MASK}`)
    .replace(/(\/logout\/)[^/?\s"'#]+/gi, `$1${MASK}`)
    .replace(/(:\/\/)[^/\s:@]+:[^/\s@]+@/g, `$1${MASK}@`);
}

/** The same value, as JSON can say it, without a secret in any text, at any depth. */
export function redactAll<T>(value: T): T {
  const text = JSON.stringify(value, (_, inside: unknown) =>
    typeof inside === 'string' ? redact(inside) : inside,
  );
  return JSON.parse(text) as T;
}
