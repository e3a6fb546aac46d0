/** Links to the planning frontend, in its three modes. */
import { encodeStrictly, readAddress } from '../../source/service/target.ts';
import { ConverterError } from '../../support/errors.ts';
import { MODES } from '../planning/state/mode.ts';

/** A base article, or one configuration of it if `ocdreinit` is given. */
export interface PlannedArticle {
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Configuration string of this one article; it does not restore the children of a planning. */
  ocdreinit?: string;
}

/** A stored meta planning, which is restored completely. */
export interface StoredPlanning {
  permanentid: string;
}

interface LinkBase {
  /** `{frontend_url}`: the base address, without `/planning`. */
  frontendUrl: string;
  /** A live session token of the system to which the frontend belongs. */
  token: string;
  showprice?: boolean;
  lang?: string;
  langalt?: string;
  /** Absolute address that receives the cart post. */
  urlwarenkorb?: string;
  /** Origin of the page with the iframe, for browsers that do not reveal it to the planning page, such as Firefox. */
  parentorigin?: string;
}

/** A link, by mode; hybrid is the catalogue and the configurator together. */
export type PlanningLink = LinkBase &
  (
    | { mode: 'catalogue' | 'hybrid'; open?: PlannedArticle | StoredPlanning; parentnode?: string }
    | { mode: 'configurator'; open: PlannedArticle | StoredPlanning }
  );

/** The three parameters that together identify a base article. */
export const ARTICLE_NAMES = ['manufacturer', 'program', 'basearticlenumber'] as const;
/** The parameters of an article; a `permanentid` replaces them. */
export const CONFIGURATION_NAMES = [...ARTICLE_NAMES, 'ocdreinit'] as const;

/**
 * Builds a link to the planning frontend, to be loaded in an iframe.
 *
 * Call it on your server: the link contains a token, and building it in a browser would need the
 * credentials there. Every value is percent-encoded and arrives byte for byte; manufacturer and program are
 * identifiers, which the service takes in upper case.
 *
 * @returns An absolute address; parameters that were not given, or are empty, are left out.
 * @throws {@link ConverterError} `USAGE` if a value is missing or contradicts another.
 *
 * @example
 * ```ts
 * planningUrl({ frontendUrl: 'https://plan.example', token: 'T', mode: 'configurator',
 *   open: { manufacturer: 'acme', program: 'DESK', basearticlenumber: 'D 160/80' } });
 * // → 'https://plan.example/planning?token=T&manufacturer=ACME&program=DESK&basearticlenumber=D%20160%2F80&disablecatalogue=true'
 * ```
 *
 * @see Spec 4.3, 4.5; D-814.
 */
export function planningUrl(link: PlanningLink): string {
  const entry = planningEntry(link.frontendUrl);
  checkLink(link);
  const { token, mode, showprice, lang, langalt, urlwarenkorb, parentorigin } = link;
  const { parentnode } = link as { parentnode?: string };
  const open: Partial<PlannedArticle & StoredPlanning> = link.open ?? {};
  // `open` may be a complete article key: only the parameters of the frontend are taken.
  const { manufacturer, program, basearticlenumber, ocdreinit, permanentid } = open;
  const parameters = {
    token,
    manufacturer: manufacturer?.toUpperCase(),
    program: program?.toUpperCase(),
    basearticlenumber,
    ocdreinit,
    permanentid,
    ...MODES[mode],
    showprice: showprice?.toString(),
    parentnode,
    lang,
    langalt,
    urlwarenkorb,
    parentorigin,
  };
  return `${entry}?${Object.entries(parameters).flatMap(pair).join('&')}`;
}

/** A parameter; an empty value means the same as none. */
function pair([name, value = '']: [string, string | undefined]): string[] {
  if (value === '') return [];
  if (!value.isWellFormed()) {
    const received = 'half a character (a lone surrogate)';
    throw unusable(`${name}: expected well-formed text, received ${received}`);
  }
  return [`${name}=${encodeStrictly(value)}`];
}

/**
 * The address of the planning page of a frontend.
 *
 * @throws {@link ConverterError} `USAGE` if the base is not a plain address, or ends with `/planning`.
 */
export function planningEntry(frontendUrl: string): string {
  const { origin, path } = readAddress(frontendUrl, 'frontendUrl');
  if (/\/planning$/i.test(path)) {
    throw unusable('frontendUrl: expected the base address, without /planning at its end');
  }
  return `${origin}${path}/planning`;
}

function checkLink(link: PlanningLink): void {
  const { mode, token, open, urlwarenkorb, parentorigin } = link;
  const modes = Object.keys(MODES);
  if (!modes.includes(mode)) throw unusable(`mode: expected ${modes.join(', ')}`);
  if (!token) throw unusable('token: expected a session token; the frontend needs one');
  if (mode === 'configurator' && open === undefined) {
    throw unusable('open: expected an article or a permanentid; a configurator shows one');
  }
  if (mode === 'configurator' && 'parentnode' in link && link.parentnode !== undefined) {
    throw unusable('parentnode: expected none for a configurator, which shows no catalogue');
  }
  if (open !== undefined) checkOpen(open);
  if (urlwarenkorb !== undefined && !isWebAddress(urlwarenkorb)) {
    throw unusable('urlwarenkorb: expected an address that starts with http:// or https://');
  }
  if (
    parentorigin &&
    (!URL.canParse(parentorigin) || new URL(parentorigin).origin !== parentorigin)
  )
    throw unusable('parentorigin: expected an origin such as https://shop.example');
}

/** Checks that there is an article or a permanent identifier, never both; callers in JavaScript have no type check. */
function checkOpen(open: Partial<PlannedArticle & StoredPlanning>): void {
  const ofArticle = CONFIGURATION_NAMES.filter((name) => open[name] !== undefined);
  const missing = ARTICLE_NAMES.filter((name) => !open[name]);
  if (open.permanentid === undefined) {
    if (missing.length > 0) throw unusable(`open: ${missing.join(', ')} missing`);
    return;
  }
  if (ofArticle.length > 0) {
    throw unusable(`open: expected permanentid or ${ofArticle.join(', ')}, received both`);
  }
  if (open.permanentid === '')
    throw unusable('permanentid: expected an identifier, received nothing');
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function unusable(sentence: string): ConverterError {
  return new ConverterError('USAGE', `planningUrl: ${sentence}`);
}
