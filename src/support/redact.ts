/** Removes secrets from texts: registered values, and tokens where the specification places them. */

/** Each spelling of a secret, with the number of registrations. */
const registered = new Map<string, number>();
/** Secrets, the longest first, because one secret may begin with another; undefined after a registration. */
let secrets: string[] | undefined;
const MASK = '***';
/** Shortest secret: masking a shorter value would garble every text. */
const SHORTEST = 4;

/**
 * Registers a value that no message may contain, in every spelling of a URL or JSON; short values are ignored.
 *
 * @returns A function that undoes this registration: call it when no text contains the secret.
 */
export function registerSecret(value: string): () => void {
  count(value, 1);
  return () => forgetSecret(value);
}

/** Undoes one registration of a value. */
export function forgetSecret(value: string): void {
  count(value, -1);
}

function count(value: string, change: 1 | -1): void {
  if (value.length < SHORTEST) return;
  const spellings = [
    value,
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams({ s: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
  ];
  for (const spelling of new Set(spellings)) {
    const times = (registered.get(spelling) ?? 0) + change;
    if (times > 0) registered.set(spelling, times);
    else registered.delete(spelling);
  }
  secrets = undefined;
}

/** Finds any of the known sentences, however it is wrapped; undefined while there is none. */
let known: RegExp | undefined;
const sources: string[] = [];

/**
 * Registers sentences of this program, in which nothing is masked: they are the same whatever the secrets are, so a word
 * of them that equals a password says nothing about it. Its mask would, and it would garble the sentence.
 */
export function registerSentences(sentences: readonly string[]): void {
  for (const sentence of sentences) {
    const words = sentence.replace(/[^\w\s]/g, '\\$&').split(/\s+/);
    sources.push(words.join('\\s+'));
  }
  // One sentence may begin with another one.
  sources.sort((a, b) => b.length - a.length);
  known = new RegExp(sources.join('|'), 'g');
}

/** Masks a secret in a text, except within a registered sentence. */
function maskSecret(text: string, secret: string): string {
  if (!text.includes(secret)) return text;
  const kept = known === undefined ? [] : [...text.matchAll(known)];
  return text.replaceAll(secret, (_, at: number) => {
    const isKept = kept.some(
      ({ index, 0: { length } }) => at >= index && at + secret.length <= index + length,
    );
    return isKept ? secret : MASK;
  });
}

/**
 * Masks every secret in a text, or in all texts of JSON data: registered values, credentials in queries, tokens in
 * logout paths.
 *
 * @returns The data itself if no text has a secret, else a copy.
 * @example
 * ```ts
 * redact('GET https://h/api/odb.dll/odb/btg?token=abc&lang=en');
 * // → 'GET https://h/api/odb.dll/odb/btg?token=***&lang=en'
 * redact({ image: 'https://h/a.jpg?token=abc' }); // → { image: 'https://h/a.jpg?token=***' }
 * ```
 *
 * @see Spec 4 (token in every query, last segment of both logouts); D-610.
 */
export function redact<T extends object>(data: T): T;
export function redact(text: string): string;
export function redact(data: unknown): unknown {
  if (typeof data === 'string') return redactText(data);
  const text = JSON.stringify(data);
  if (redactText(text) === text) return data;
  // Each value is redacted by itself, because the text as a whole would not stay JSON.
  return JSON.parse(text, (_, value) => (typeof value === 'string' ? redactText(value) : value));
}

function redactText(text: string): string {
  secrets ??= [...registered.keys()].sort((a, b) => b.length - a.length);
  return secrets
    .reduce(maskSecret, text)
    .replace(/([?&;](?:token|password|appkey)=)[^&\s"'#]*/gi, `$1${MASK}`)
    .replace(/(\/logout\/)[^/?\s"'#]+/gi, `$1${MASK}`)
    .replace(/(:\/\/)[^/\s:@]+:[^/\s@]+@/g, `$1${MASK}@`);
}
