/** Identity of articles and configurations: keys, order and labels. */
import type { ArticleRequest } from './article.ts';

/** The fields that identify a configuration, in the order in which configurations are sorted. */
export const ID_FIELDS = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'finalarticlenumber',
  'reinitstring',
  'metareinitstring',
] as const satisfies readonly (keyof ArticleRequest)[];

/** Ids that the service compares without regard to case; all other fields are opaque. */
const CASELESS: ReadonlySet<keyof ArticleRequest> = new Set(['manufacturer', 'program'] as const);

/** The fields that identify the base article of a configuration. */
export type ArticleId = Pick<ArticleRequest, 'manufacturer' | 'program' | 'basearticlenumber'>;

/**
 * Makes the key of a configuration or of a request for one, in database, manifest and selection.
 *
 * @example
 * ```ts
 * configurationKey({ manufacturer: 'acme', program: 'DESK', basearticlenumber: 'D1', finalarticlenumber: '', reinitstring: '', metareinitstring: '' });
 * // → '["ACME","DESK","D1","","",""]'
 * ```
 */
export function configurationKey(id: ArticleRequest): string {
  // The key is made in one expression: an unchanged run makes 20 keys per configuration.
  return JSON.stringify([
    id.manufacturer.toUpperCase(),
    id.program.toUpperCase(),
    id.basearticlenumber,
    id.finalarticlenumber,
    id.reinitstring,
    id.metareinitstring,
  ]);
}

/** Parses a key of {@link configurationKey}. */
export function parseConfigurationKey(key: string): ArticleRequest {
  const [manufacturer, program, basearticlenumber, ...configuration] = JSON.parse(key);
  const [finalarticlenumber, reinitstring, metareinitstring] = configuration;
  const article = { manufacturer, program, basearticlenumber };
  return { ...article, finalarticlenumber, reinitstring, metareinitstring };
}

/** Whether a text is a key of {@link configurationKey} rather than a name. */
export function isConfigurationKey(text: string): boolean {
  return text.startsWith('["');
}

/** Makes the canonical key of a base article, in the form of {@link configurationKey}. */
export function articleKey(id: ArticleId): string {
  return JSON.stringify([
    id.manufacturer.toUpperCase(),
    id.program.toUpperCase(),
    id.basearticlenumber,
  ]);
}

/** Returns the identifying fields of an object that has more. */
export function configurationId(from: ArticleRequest): ArticleRequest {
  const { manufacturer, program, basearticlenumber } = from;
  const { finalarticlenumber, reinitstring, metareinitstring } = from;
  return {
    manufacturer,
    program,
    basearticlenumber,
    finalarticlenumber,
    reinitstring,
    metareinitstring,
  };
}

/** Orders two configurations field by field, by code units, so that the order depends on no locale. */
export function compareConfigurations(a: ArticleRequest, b: ArticleRequest): number {
  for (const field of ID_FIELDS) {
    if (a[field] === b[field]) continue;
    const isCaseless = CASELESS.has(field);
    const left = isCaseless ? a[field].toUpperCase() : a[field];
    const right = isCaseless ? b[field].toUpperCase() : b[field];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/**
 * Sorts keys of {@link configurationKey} in the order of {@link compareConfigurations}, by one text per key, so that
 * each key is parsed once instead of in each comparison. Mostly keys are sorted; checking takes a sixth of the time.
 */
export function sortConfigurationKeys(keys: Iterable<string>): string[] {
  const all = [...keys];
  if (areSorted(all)) return all;
  return Array.from(all, (key): [order: string, key: string] => [sortText(key), key])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, key]) => key);
}

function areSorted(keys: readonly string[]): boolean {
  let before = '';
  for (const key of keys) {
    const text = sortText(key);
    if (text < before) return false;
    before = text;
  }
  return true;
}

/** The fields of a key, separated by U+0000, which sorts before all characters that fields contain. */
function sortText(key: string): string {
  // Without a backslash no field contains a quotation mark or a control character.
  if (!key.includes('\\')) return key.slice(2, -2).replaceAll('","', '\0');
  const fields = JSON.parse(key) as string[];
  const escaped = (field: string) =>
    field.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
  return fields.map(escaped).join('\0');
}

/** Labels a base article for people: `ACME/DESK/D1`. */
export function articleLabel({ manufacturer, program, basearticlenumber }: ArticleId): string {
  return `${manufacturer}/${program}/${basearticlenumber}`;
}

/** Labels a configuration for people: by its final article number, or its base number without one. */
export function configurationLabel(id: ArticleId & { finalarticlenumber?: string }): string {
  const basearticlenumber = id.finalarticlenumber || id.basearticlenumber;
  return articleLabel({ ...id, basearticlenumber });
}
