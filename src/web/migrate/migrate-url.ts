/**
 * Converts addresses of v1 and v2 to v2.5 by their delimiters alone: no value is decoded or re-encoded, except
 * manufacturer and program, which become upper case.
 *
 * @see Spec 4.3, 9.1 to 9.4, 9.6, 9.7; D-815.
 */
import { encodeStrictly } from '../../source/service/target.ts';
import { ConverterError } from '../../support/errors.ts';
import { ARTICLE_NAMES, CONFIGURATION_NAMES, planningEntry } from '../servers/planning-url.ts';

/** One difference between the old and the new form. */
export interface Change {
  before: string;
  after: string;
  /** Section of the specification. */
  why: string;
}

/** The subject of a hint; match on it, never on the text. */
export type HintCode =
  | keyof typeof FRONTEND_RULES
  | keyof typeof API_RULES
  | 'CONFLICTING_PARAMETERS'
  | 'REPEATED_PARAMETER'
  | 'CART_ID_MADE_UP'
  | 'CART_IS_A_CHILD';

/** A hint to something that no rule decides and that you have to check. */
export interface Hint {
  code: HintCode;
  message: string;
}

/** The result of a migration. */
export interface Migration<T> {
  /** Generation of the input. */
  from: 'v1' | 'v2' | 'v2.5';
  before: T;
  /** The result, which equals `before` if nothing had to change. */
  after: T;
  changes: Change[];
  hints: Hint[];
}

/** Names of v1 and their new names. @see Spec 9.3 */
export const V1_NAMES = {
  manuid: 'manufacturer',
  seriesid: 'program',
  baseartnmbr: 'basearticlenumber',
  finalartnmbr: 'finalarticlenumber',
  /** The name in the visual frontend; the operations of the API have other names for it. */
  reinitstring: 'ocdreinit',
} as const;

/** One parameter; `raw` is its encoded value, with the `=` if there is one. */
interface Parameter {
  name: string;
  raw: string;
}

const ENTRY_POINT = /(?:^|\/)(?<name>(?:index|configurator|article)\.php)$/i;
const PLANNING = /(?:^|\/)planning\/?$/i;
const API = /\/api\/(?:xcf|ofml|odb)\.dll\//i;
/** The entry point of an old page may have been the index of its folder. */
const FOLDER = /(?:^|\/)$/;
const ENTITIES: Change = { before: '&amp;', after: '&', why: 'an address outside of HTML' };

/**
 * Converts an address to v2.5; an address of v2.5 is returned unchanged, but for the case of manufacturer and program.
 *
 * @param url - Absolute or relative, as in a page (`&amp;` is accepted), or of the API.
 * @throws {@link ConverterError} `USAGE` if the URL is not an address of the service, or the base is missing.
 */
export function migrateUrl(url: string, frontendUrl?: string): Migration<string> {
  const before = url.trim();
  const { address, path, given, fragment, hasEntities } = splitAddress(before);
  const isApi = API.test(path);
  const { parameters, renamed, cased, conflicts } = convertParameters(given, isApi);
  const entryPoint = ENTRY_POINT.exec(path)?.groups?.name ?? '';
  const isOldPage = entryPoint !== '' || (renamed.length > 0 && FOLDER.test(path));
  if (!isApi && !isOldPage && !PLANNING.test(path)) {
    const expected = 'an address of index.php, configurator.php, article.php, /planning or the API';
    throw unusable(`expected ${expected}, received the path "${path}"`);
  }
  const moved = isApi ? [] : move(address, frontendUrl);
  const changes = [...moved, ...renamed, ...cased, ...(hasEntities ? [ENTITIES] : [])];
  const isV1 = (!isApi && isOldPage) || renamed.length > 0;
  const other = moved.length > 0 ? 'v2' : 'v2.5';
  const hints = hintsOf(isApi ? API_RULES : FRONTEND_RULES, {
    path,
    entryPoint,
    moved: moved.length > 0,
    names: [...new Set(parameters.map(({ name }) => name))],
    has: (name) => parameters.some((p) => p.name === name && p.raw.length > 1),
    isOn: (name) => parameters.some((p) => p.name === name && p.raw === '=true'),
  });
  const query = parameters.map(({ name, raw }) => `${name}${raw}`).join('&');
  const after = `${moved[0]?.after ?? address}${query === '' ? '' : `?${query}`}${fragment}`;
  return {
    from: isV1 ? 'v1' : other,
    before,
    after: changes.length === 0 ? before : after,
    changes,
    hints: [...conflicts, ...hints, ...repeated(parameters)],
  };
}

const PARTS =
  /^(?<base>(?:https?:)?\/\/[^/?#]+)?(?<path>[^?#]*)(?:\?(?<query>[^#]*))?(?<fragment>#.*)?$/is;

function splitAddress(url: string) {
  const { base = '', path = '', query = '', fragment = '' } = PARTS.exec(url)?.groups ?? {};
  const isAddress = URL.canParse(url, 'https://relative.invalid/');
  if (url === '' || !isAddress || (base === '' && /^[a-z][a-z0-9+.-]*:/i.test(path))) {
    throw unusable('expected an address that starts with http:// or https://');
  }
  const texts = query.replace(/&(?:amp;)+/g, '&').split('&');
  const given = texts.filter(Boolean).map((text): Parameter => {
    const [name = ''] = text.split('=', 1);
    return { name, raw: text.slice(name.length) };
  });
  const hasEntities = query.includes('&amp;');
  return { address: `${base}${path}`, path, given, fragment, hasEntities };
}

/** The new base, unless the address has it already. @see Spec 9.1, 9.2, 9.4 */
function move(address: string, frontendUrl: string | undefined): Change[] {
  if (frontendUrl === undefined) {
    const expected = 'expected the base address of the frontend of v2.5, received nothing';
    throw unusable(`frontendUrl (--frontend-url or BTG2GLTF_FRONTEND_URL): ${expected}`);
  }
  const entry = planningEntry(frontendUrl);
  const isThere = URL.canParse(address) && new URL(address).href === new URL(entry).href;
  return isThere ? [] : [{ before: address, after: entry, why: 'Spec 9.1, 9.4' }];
}

/**
 * Replaces v1 names; where both names are given, the value of the new name is kept. The service takes
 * manufacturer and program in upper case (Spec 4.3).
 */
function convertParameters(given: readonly Parameter[], isApi: boolean) {
  const parameters: Parameter[] = [];
  const [renamed, cased]: [Change[], Change[]] = [[], []];
  const conflicts: Hint[] = [];
  for (const { name: old, raw } of given) {
    const name = newName(old, isApi) ?? old;
    if (name !== old) renamed.push({ before: old, after: name, why: 'Spec 9.3' });
    const existing = name === old ? undefined : given.find((other) => other.name === name);
    if (existing !== undefined) {
      const message = `${old} and ${name} have different values; ${name} was kept`;
      if (existing.raw !== raw) conflicts.push({ code: 'CONFLICTING_PARAMETERS', message });
      continue;
    }
    const isCaseless = ['manufacturer', 'program'].includes(name.toLowerCase());
    const value = isCaseless ? raw.replace(/(?:%[\da-f]{2})+|[^%]+/gi, rawUpperCase) : raw;
    if (value !== raw)
      cased.push({ before: `${name}${raw}`, after: `${name}${value}`, why: 'Spec 4.3' });
    parameters.push({ name, raw: value });
  }
  return { parameters, renamed, cased, conflicts };
}

/** Encoded bytes are changed as the text that they encode; a part that is upper case, or no text, is not changed. */
function rawUpperCase(part: string): string {
  if (!part.startsWith('%')) return part.toUpperCase();
  try {
    const text = decodeURIComponent(part);
    return text === text.toUpperCase() ? part : encodeStrictly(text.toUpperCase());
  } catch {
    return part;
  }
}

function newName(name: string, isApi: boolean): string | undefined {
  const old = name.toLowerCase();
  // The API itself still uses the name `reinitstring`.
  if (!Object.hasOwn(V1_NAMES, old) || (isApi && old === 'reinitstring')) return undefined;
  return V1_NAMES[old as keyof typeof V1_NAMES];
}

const CREDENTIALS = ['username', 'password', 'rememberme', 'user', 'appkey'];
/** Every parameter of the planning page (Spec 4.5), and the credentials, which have their own hint. */
const KNOWN: readonly string[] = [
  ...CONFIGURATION_NAMES,
  ...['token', 'permanentid', 'showprice', 'disablecatalogue', 'opencatalogue'],
  ...['parentnode', 'lang', 'langalt', 'urlwarenkorb', ...CREDENTIALS],
];

interface Subject {
  path: string;
  /** File name of the v1 page; empty if the address was not that of a page. */
  entryPoint: string;
  moved: boolean;
  names: readonly string[];
  has(name: string): boolean;
  isOn(name: string): boolean;
}

/** The message of a hint; false if the hint does not apply. */
type Rule = (subject: Subject) => string | false;

const FRONTEND_RULES = {
  PREFER_PERMANENTID: ({ has }) =>
    has('ocdreinit') &&
    !has('permanentid') &&
    'ocdreinit restores this one article; to restore a whole planning, store it (POST reinit) and use its permanentid instead (Spec 9.2)',
  PERMANENTID_OF_ITS_SYSTEM: ({ has, moved }) =>
    has('permanentid') &&
    moved &&
    'only the system that issued a permanentid can resolve it: check that both addresses are of the test system, or both are not (Spec 9.7)',
  TOKEN_MISSING: ({ has }) =>
    !has('token') && 'the page needs a token: add one on your server (Spec 4.5)',
  MODE_NOT_CARRIED: ({ entryPoint, has }) =>
    entryPoint !== '' &&
    !has('opencatalogue') &&
    !has('disablecatalogue') &&
    `${entryPoint} is gone, and the address opens catalogue and configurator together; add disablecatalogue=true for the configurator alone or opencatalogue=true for the catalogue (Spec 4.5)`,
  TWO_MODES: ({ isOn }) =>
    isOn('opencatalogue') &&
    isOn('disablecatalogue') &&
    'opencatalogue and disablecatalogue are both true; keep one of them',
  TWO_SUBJECTS({ has, names }) {
    const article = CONFIGURATION_NAMES.filter((name) => names.includes(name));
    if (!has('permanentid') || article.length === 0) return false;
    return `permanentid replaces ${article.join(', ')}; remove these (Spec 4.5)`;
  },
  ARTICLE_INCOMPLETE({ has }) {
    const missing = ARTICLE_NAMES.filter((name) => !has(name));
    if (missing.length === 0 || missing.length === ARTICLE_NAMES.length) return false;
    return `${missing.join(' and ')} missing: the three that name an article must be used together (Spec 4.5)`;
  },
  CREDENTIALS_IN_URL({ names }) {
    const found = names.filter((name) => CREDENTIALS.includes(name)).join(', ');
    return found !== '' && `${found}: an address must not contain credentials; remove them`;
  },
  NOT_A_PLANNING_PARAMETER({ names }) {
    const found = names.filter((name) => !KNOWN.includes(name)).join(', ');
    return found !== '' && `${found}: kept, but no parameter of the planning page (Spec 4.5)`;
  },
} as const satisfies Record<string, Rule>;

/** Rules for the API, whose base and entry points do not change. @see Spec 9.1, 9.6 */
const API_RULES = {
  REINIT_OF_ARTICLES: ({ path, names }) =>
    /\/ofml\/articles$/i.test(path) &&
    names.includes('reinitstring') &&
    'articles takes this string as ocdreinitstring (Spec 4.3)',
  IMAGE_DEPRECATED: ({ path }) =>
    /\/articlesimage\.jpg$/i.test(path) &&
    'articlesimage.jpg may be removed in a later version (Spec 9.6)',
} as const satisfies Record<string, Rule>;

function hintsOf(rules: Readonly<Record<string, Rule>>, subject: Subject): Hint[] {
  return Object.entries(rules).flatMap(([code, rule]) => {
    const message = rule(subject);
    return message === false ? [] : [{ code: code as HintCode, message }];
  });
}

function repeated(parameters: readonly Parameter[]): Hint[] {
  const names = parameters.map(({ name }) => name);
  const twice = new Set(names.filter((name, i) => names.indexOf(name) < i));
  return [...twice].map((name) => ({
    code: 'REPEATED_PARAMETER',
    message: `${name} is given more than once; keep one`,
  }));
}

function unusable(sentence: string): ConverterError {
  return new ConverterError('USAGE', `migrate: ${sentence}`);
}
