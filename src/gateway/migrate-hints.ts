/**
 * Migrate hints: what somebody should look at in a migrated address, because no rule decides it.
 *
 * In: the parameters of the new address and where it came from. Out: hints. It changes nothing.
 */
import type { Hint, HintCode } from './migration.ts';
import type { Parameter } from './split-address.ts';

/** Where an address of the frontend came from. */
export interface Origin {
  /** File name of the v1 page; empty where it was none. */
  entryPoint: string;
  /** Whether its base is another now. */
  moved: boolean;
}

/** Every parameter of the planning page. @see Spec 4.5 */
const PLANNING_PARAMETERS: ReadonlySet<string> = new Set([
  'token',
  'manufacturer',
  'program',
  'basearticlenumber',
  'ocdreinit',
  'permanentid',
  'showprice',
  'disablecatalogue',
  'opencatalogue',
  'parentnode',
  'lang',
  'langalt',
  'urlwarenkorb',
]);
const ARTICLE = ['manufacturer', 'program', 'basearticlenumber'];
const CREDENTIALS = ['username', 'password', 'rememberme', 'user', 'appkey'];

/** The new address as the rules look at it. */
interface Subject extends Origin {
  names: readonly string[];
  has(name: string): boolean;
  /** Whether a boolean parameter is `true`. */
  isOn(name: string): boolean;
}

/** One rule: the sentence where it applies. */
type Rule = [HintCode, (subject: Subject) => string | undefined];

const RULES: readonly Rule[] = [
  [
    'PREFER_PERMANENTID',
    ({ has }) =>
      has('ocdreinit') && !has('permanentid')
        ? 'ocdreinit brings back this one article; to bring back a whole planning, store it (POST reinit) and use its permanentid instead (Spec 9.2)'
        : undefined,
  ],
  [
    'PERMANENTID_OF_ITS_SYSTEM',
    ({ has, moved }) =>
      has('permanentid') && moved
        ? 'a permanentid is known to the system alone that gave it: check that the new base is not the test system of the old one, nor the other way round (Spec 9.7)'
        : undefined,
  ],
  [
    'TOKEN_MISSING',
    ({ has }) =>
      has('token') ? undefined : 'the page needs a token: add one on your server (Spec 4.5)',
  ],
  [
    'MODE_NOT_CARRIED',
    ({ entryPoint, has }) =>
      entryPoint !== '' && !has('opencatalogue') && !has('disablecatalogue')
        ? `${entryPoint} is gone, and the address opens catalogue and configurator together; add disablecatalogue=true for the configurator alone or opencatalogue=true for the catalogue (Spec 4.5)`
        : undefined,
  ],
  [
    'TWO_MODES',
    ({ isOn }) =>
      isOn('opencatalogue') && isOn('disablecatalogue')
        ? 'opencatalogue and disablecatalogue are both true; keep one of them'
        : undefined,
  ],
  [
    'TWO_SUBJECTS',
    ({ has, names }) => {
      const article = [...ARTICLE, 'ocdreinit'].filter((name) => names.includes(name));
      return has('permanentid') && article.length > 0
        ? `permanentid stands instead of ${article.join(', ')}; take these out (Spec 4.5)`
        : undefined;
    },
  ],
  [
    'ARTICLE_INCOMPLETE',
    ({ has }) => {
      const missing = ARTICLE.filter((name) => !has(name));
      return missing.length === 1 || missing.length === 2
        ? `${missing.join(' and ')} missing: the three that name an article are used together (Spec 4.5)`
        : undefined;
    },
  ],
  [
    'CREDENTIALS_IN_URL',
    ({ names }) => {
      const found = names.filter((name) => CREDENTIALS.includes(name));
      return found.length > 0
        ? `${found.join(', ')}: an address is no place for credentials; take them out`
        : undefined;
    },
  ],
  [
    'NOT_A_PLANNING_PARAMETER',
    ({ names }) => {
      const known = (name: string) => PLANNING_PARAMETERS.has(name) || CREDENTIALS.includes(name);
      const unknown = names.filter((name) => !known(name));
      return unknown.length > 0
        ? `${unknown.join(', ')}: kept, but no parameter of the planning page (Spec 4.5)`
        : undefined;
    },
  ],
];

/** Hints about an address of the planning page. */
export function frontendHints(parameters: readonly Parameter[], origin: Origin): Hint[] {
  const has = (name: string) => parameters.some((p) => p.name === name && p.raw.length > 1);
  const isOn = (name: string) => parameters.some((p) => p.name === name && p.raw === '=true');
  const names = [...new Set(parameters.map(({ name }) => name))];
  const subject = { ...origin, names, has, isOn };
  const hints = RULES.flatMap(([code, rule]) => {
    const message = rule(subject);
    return message === undefined ? [] : [{ code, message }];
  });
  return [...hints, ...repeated(parameters)];
}

/** Hints about an address of the API, whose base and entry points stay. @see Spec 9.1, 9.6 */
export function apiHints(path: string, parameters: readonly Parameter[]): Hint[] {
  const hints: Hint[] = [];
  if (/\/ofml\/articles$/i.test(path) && parameters.some((p) => p.name === 'reinitstring')) {
    const message = 'articles takes this string as ocdreinitstring (Spec 4.3)';
    hints.push({ code: 'REINIT_OF_ARTICLES', message });
  }
  if (/\/articlesimage\.jpg$/i.test(path)) {
    const message = 'articlesimage.jpg may be removed in a later version (Spec 9.6)';
    hints.push({ code: 'IMAGE_DEPRECATED', message });
  }
  return [...hints, ...repeated(parameters)];
}

function repeated(parameters: readonly Parameter[]): Hint[] {
  const twice = parameters.filter(
    ({ name }, i) => parameters.findIndex((p) => p.name === name) < i,
  );
  return [...new Set(twice.map(({ name }) => name))].map((name) => ({
    code: 'REPEATED_PARAMETER',
    message: `${name} is given more than once; keep one`,
  }));
}
