/**
 * Planning URL: links to the planning frontend, in its three modes.
 *
 * In: an article or a permanent identifier, a token, and how the page is to open. Out: an address.
 * It must not know how a token is obtained, and it sends nothing.
 */
import { encodeStrictly, readAddress } from '../service/target.ts';
import { ConverterError } from '../support/errors.ts';

/** A base article, in one configuration of it where `ocdreinit` is given. */
export interface PlannedArticle {
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Configuration string of this one article; children of a planning are not restored by it. */
  ocdreinit?: string;
}

/** A stored meta planning, which comes back whole. */
export interface StoredPlanning {
  permanentid: string;
}

/** What a link has in every mode. */
interface LinkBase {
  /** `{frontend_url}`: the base address, without `/planning`. */
  frontendUrl: string;
  /** A live session token of the system that the frontend belongs to. */
  token: string;
  showprice?: boolean;
  lang?: string;
  langalt?: string;
  /** Absolute address that receives the cart post. */
  urlwarenkorb?: string;
}

/** A link, by mode; hybrid is the catalogue and the configurator together. */
export type PlanningLink = LinkBase &
  (
    | { mode: 'catalogue'; open?: PlannedArticle | StoredPlanning; parentnode?: string }
    | { mode: 'hybrid'; open?: PlannedArticle | StoredPlanning; parentnode?: string }
    | { mode: 'configurator'; open: PlannedArticle | StoredPlanning }
  );

/** The parameters by which the frontend knows its mode. */
const MODES = {
  catalogue: { opencatalogue: 'true' },
  configurator: { disablecatalogue: 'true' },
  hybrid: {},
} as const satisfies Record<PlanningLink['mode'], Readonly<Record<string, string>>>;

/** What names a base article; the three belong together. */
const ARTICLE_NAMES = ['manufacturer', 'program', 'basearticlenumber'] as const;
const OPEN_NAMES = [...ARTICLE_NAMES, 'ocdreinit'] as const;

/**
 * Builds a link to the planning frontend, to be loaded in an iframe.
 *
 * Call it on your server: the link holds a token, and whoever builds it in a browser needs the
 * credentials there. Every value arrives byte for byte, whatever it holds.
 *
 * @returns An absolute address; parameters that were not given, or are empty, are left out.
 * @throws {@link ConverterError} `USAGE` where a value is missing or does not go with the others.
 *
 * @example
 * ```ts
 * planningUrl({ frontendUrl: 'https://plan.example', token: 'T', mode: 'configurator',
 *   open: { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D 160/80' } });
 * // → 'https://plan.example/planning?token=T&manufacturer=ACME&program=DESK&basearticlenumber=D%20160%2F80&disablecatalogue=true'
 * ```
 *
 * @see Spec 4.5; D-814.
 */
export function planningUrl(link: PlanningLink): string {
  const { token, lang, langalt, urlwarenkorb, showprice } = link;
  const entry = planningEntry(link.frontendUrl);
  checkLink(link);
  const parameters: Record<string, string | undefined> = {
    token,
    ...opened(link.open ?? {}),
    ...MODES[link.mode],
    showprice: showprice === undefined ? undefined : String(showprice),
    parentnode: 'parentnode' in link ? link.parentnode : undefined,
    lang,
    langalt,
    urlwarenkorb,
  };
  return `${entry}?${Object.entries(parameters).flatMap(pair).join('&')}`;
}

/** Only what the frontend knows: whoever hands in a whole article key puts no more into the link. */
function opened(open: Partial<PlannedArticle & StoredPlanning>): Partial<typeof open> {
  return Object.fromEntries([...OPEN_NAMES, 'permanentid' as const].map((n) => [n, open[n]]));
}

/** An empty value means the same as none. */
function pair([name, value = '']: [string, string | undefined]): string[] {
  if (value === '') return [];
  if (!value.isWellFormed()) throw unusable(`${name}: holds half a character (a lone surrogate)`);
  return [`${name}=${encodeStrictly(value)}`];
}

/**
 * The page of a frontend that every link leads to.
 *
 * @throws {@link ConverterError} `USAGE` where the base is no plain address, or ends with `/planning` itself.
 *
 * @example
 * ```ts
 * planningEntry('https://plan.example/base/'); // → 'https://plan.example/base/planning'
 * ```
 */
export function planningEntry(frontendUrl: string): string {
  const { origin, path } = readAddress(frontendUrl, 'frontendUrl');
  if (/\/planning$/i.test(path)) {
    throw unusable('frontendUrl: expected the base address, without /planning at its end');
  }
  return `${origin}${path}/planning`;
}

function checkLink(link: PlanningLink): void {
  if (!Object.hasOwn(MODES, link.mode)) {
    throw unusable(`mode: expected ${Object.keys(MODES).join(', ')}`);
  }
  if (!link.token) throw unusable('token: expected a session token; the frontend needs one');
  if (link.mode === 'configurator') {
    if (link.open === undefined) {
      throw unusable('open: expected an article or a permanentid; a configurator shows one');
    }
    if ('parentnode' in link && link.parentnode !== undefined) {
      throw unusable('parentnode: a configurator shows no catalogue');
    }
  }
  if (link.open !== undefined) checkOpen(link.open);
  if (link.urlwarenkorb !== undefined && !isWebAddress(link.urlwarenkorb)) {
    throw unusable('urlwarenkorb: expected an address that starts with http:// or https://');
  }
}

/** One of both, never a mixture: the types say so, but a caller in JavaScript does not see them. */
function checkOpen(open: PlannedArticle | StoredPlanning): void {
  const given = open as Partial<PlannedArticle & StoredPlanning>;
  const ofArticle = OPEN_NAMES.filter((name) => given[name] !== undefined);
  if (given.permanentid !== undefined) {
    if (ofArticle.length > 0) {
      throw unusable(`open: permanentid stands instead of ${ofArticle.join(', ')}`);
    }
    if (given.permanentid === '') throw unusable('permanentid: expected an identifier');
    return;
  }
  const missing = ARTICLE_NAMES.filter((name) => !given[name]);
  if (missing.length > 0) throw unusable(`open: ${missing.join(', ')} missing`);
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function unusable(sentence: string): ConverterError {
  return new ConverterError('USAGE', `planningUrl: ${sentence}`);
}
