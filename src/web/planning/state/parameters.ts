/** The parameters of the page's address: each contradiction is a problem that the page explains in a sentence. */

import type { PlanningMode } from './mode.ts';
import type { Texts } from './texts.ts';

/** A base article or one configuration of it, or a stored planning. */
export type PlanningTarget =
  | { manufacturer: string; program: string; basearticlenumber: string; ocdreinit: string }
  | { permanentid: string };

export interface PlanningParameters {
  token: string;
  /** The stored planning that the page shows without a token, read-only. */
  publicId: string | undefined;
  mode: PlanningMode;
  /** The target that is opened first; undefined if a person chooses from the catalogue. */
  target: PlanningTarget | undefined;
  showPrice: boolean;
  /** Folder at which the catalogue opens; empty for the top. */
  parentnode: string;
  /** The language as given, or empty. */
  lang: string;
  langalt: string;
  /** Address that receives the cart post; undefined: no cart is offered. */
  cartUrl: string | undefined;
  /** Origin of the page around this one, for browsers that do not know it; empty if not given. */
  parentOrigin: string;
}

export interface NamedProblem {
  problem: keyof Texts['problems'];
  names: string;
}

const ARTICLE = ['manufacturer', 'program', 'basearticlenumber'] as const;

/**
 * Reads the parameters of an address; an empty value is the same as none, and an unknown parameter is ignored.
 *
 * @param search - `location.search`.
 * @param known.hasPublicLinks - Whether the server shows stored plannings without a token.
 * @param known.isKept - Whether the page is loaded again: it keeps folder and article, which the address may lack, since a
 *   person may have chosen the configurator before an article.
 * @example
 * ```ts
 * readParameters('?token=T&opencatalogue=true').parameters.mode; // → 'catalogue'
 * readParameters('?token=T&disablecatalogue=true').problems; // → [{ problem: 'articleMissing', names: '…' }]
 * ```
 * @see Spec 4.5
 */
export function readParameters(
  search: string,
  { hasPublicLinks = false, isKept = false } = {},
): {
  parameters: PlanningParameters;
  problems: NamedProblem[];
} {
  const query = new URLSearchParams(search);
  const problems: NamedProblem[] = [];
  const fail = (problem: NamedProblem['problem'], ...names: string[]) => {
    problems.push({ problem, names: names.join(', ') });
  };
  const text = (name: string) => query.get(name)?.trim() ?? '';
  const truth = (name: string): boolean | undefined => {
    const value = text(name).toLowerCase();
    if (value !== '' && value !== 'true' && value !== 'false') fail('notBoolean', name);
    return value === '' ? undefined : value === 'true';
  };
  for (const name of new Set(query.keys()))
    if (query.getAll(name).length > 1) fail('repeated', name);

  const token = text('token');
  const isPublic = token === '' && hasPublicLinks && text('permanentid') !== '';
  if (token === '' && !isPublic) fail('tokenMissing', 'token');
  const isConfigurator = (truth('disablecatalogue') ?? false) || isPublic;
  const isCatalogue = truth('opencatalogue') ?? false;
  if (isConfigurator && isCatalogue) fail('modesBoth', 'disablecatalogue', 'opencatalogue');
  const mode = isConfigurator ? 'configurator' : isCatalogue ? 'catalogue' : 'hybrid';

  const target = targetOf(text, fail);
  const parentnode = text('parentnode');
  if (mode === 'configurator' && !isKept) {
    if (target === undefined && problems.length === 0)
      fail('articleMissing', ...ARTICLE, 'permanentid');
    if (parentnode !== '') fail('parentnodeUnused', 'parentnode');
  }

  const cartUrl = text('urlwarenkorb');
  if (cartUrl !== '' && !isWebAddress(cartUrl)) fail('cartUrlInvalid', 'urlwarenkorb');
  const parentOrigin = text('parentorigin');
  const isOrigin = isWebAddress(parentOrigin) && new URL(parentOrigin).origin === parentOrigin;
  if (parentOrigin !== '' && !isOrigin) fail('originInvalid', 'parentorigin');
  const parameters: PlanningParameters = {
    token,
    publicId: isPublic ? text('permanentid') : undefined,
    mode,
    target,
    showPrice: truth('showprice') ?? true,
    parentnode,
    lang: text('lang'),
    langalt: text('langalt'),
    cartUrl: cartUrl === '' || isPublic ? undefined : cartUrl,
    parentOrigin,
  };
  return { parameters, problems };
}

function targetOf(
  text: (name: string) => string,
  fail: (problem: NamedProblem['problem'], ...names: string[]) => void,
): PlanningTarget | undefined {
  const permanentid = text('permanentid');
  const ocdreinit = text('ocdreinit');
  const given = ARTICLE.filter((name) => text(name) !== '');
  if (permanentid !== '') {
    const beside = [...given, ...(ocdreinit === '' ? [] : ['ocdreinit'])];
    if (beside.length > 0) fail('permanentidBeside', ...beside);
    return { permanentid };
  }
  if (given.length === 0) {
    if (ocdreinit !== '') fail('ocdreinitAlone', ...ARTICLE);
    return undefined;
  }
  if (given.length < ARTICLE.length)
    fail('articleIncomplete', ...ARTICLE.filter((name) => !given.includes(name)));
  return {
    manufacturer: text('manufacturer').toUpperCase(),
    program: text('program').toUpperCase(),
    basearticlenumber: text('basearticlenumber'),
    ocdreinit,
  };
}

/** Whether a text is a web address without user and password, which `fetch` refuses. */
function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
