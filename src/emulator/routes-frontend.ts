/**
 * The planning frontend: one page in three modes, which restores an article or a whole planning.
 *
 * It plans nothing: it shows what a frontend would start with, so that links, embedding and the cart
 * post can be tested.
 *
 * @see Spec 4.5, 4.6; D-794.
 */

import type { Json, Query } from '../sample/range.ts';
import { type PlanningMode, planningPage } from './planning-page.ts';
import {
  type Answer,
  type Call,
  Refusal,
  type Route,
  type RouteContext,
  refusedAs422,
} from './route.ts';

const ARTICLE = ['manufacturer', 'program', 'basearticlenumber'] as const;
const SWITCHES = ['showprice', 'disablecatalogue', 'opencatalogue'] as const;

/** Rows of `{frontend_url}`. */
export const FRONTEND_ROUTES: readonly Route[] = [
  {
    operation: 'planning',
    method: 'GET',
    path: '/planning',
    token: { in: 'query', group: 'ofml' },
    required: [],
    // A migrated address may carry the final number (9.3); the page has no use for it.
    optional: [
      ...ARTICLE,
      'finalarticlenumber',
      ...SWITCHES,
      'ocdreinit',
      'permanentid',
      'parentnode',
      'urlwarenkorb',
    ],
    answer: plan,
  },
];

/** The token stands in this page's address: it must reach neither a cache nor another site. */
const HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function plan({ query }: Call, context: RouteContext): Answer {
  const mode = modeOf(query);
  const article = articleOf(query, context);
  if (mode === 'configurator' && article === undefined) {
    throw new Refusal(400, 'disablecatalogue: expected a base article or a permanentid beside it');
  }
  const html = planningPage({
    mode,
    article,
    nodes: mode === 'configurator' ? undefined : nodesOf(query, context),
    showPrice: switchOf(query, 'showprice') ?? true,
    cartUrl: cartUrlOf(query),
    lang: query.lang || 'de',
  });
  const bytes = new TextEncoder().encode(html);
  return { kind: 'bytes', bytes, contentType: 'text/html; charset=utf-8', headers: HEADERS };
}

function modeOf(query: Query): PlanningMode {
  const configurator = switchOf(query, 'disablecatalogue') ?? false;
  const catalogue = switchOf(query, 'opencatalogue') ?? false;
  if (configurator && catalogue) {
    throw new Refusal(400, 'opencatalogue: not together with disablecatalogue');
  }
  if (configurator) return 'configurator';
  return catalogue ? 'catalogue' : 'hybrid';
}

function switchOf(query: Query, name: (typeof SWITCHES)[number]): boolean | undefined {
  const value = query[name] ?? '';
  if (value === '') return undefined;
  if (value !== 'true' && value !== 'false') {
    throw new Refusal(400, `parameter ${name}: expected true or false`);
  }
  return value === 'true';
}

/** The stored planning, whole; else the base article, or the configuration of `ocdreinit`. */
function articleOf(query: Query, { range, permanentIds }: RouteContext): Json | undefined {
  const { ocdreinit = '', permanentid = '' } = query;
  const given = ARTICLE.filter((name) => (query[name] ?? '') !== '');
  if (permanentid !== '') {
    const beside = ocdreinit === '' ? given[0] : 'ocdreinit';
    if (beside !== undefined) throw new Refusal(400, `permanentid: not together with ${beside}`);
    const stored = permanentIds.restore(permanentid) ?? range.planning?.(permanentid);
    return found(stored, 'permanentid');
  }
  const missing = ARTICLE.find((name) => !given.includes(name));
  if (given.length === 0 && ocdreinit === '') return undefined;
  if (missing !== undefined) throw new Refusal(400, `parameter ${missing}: required`);
  const asked = { ...query, ...(ocdreinit !== '' && { ocdreinitstring: ocdreinit }) };
  return found(
    refusedAs422(() => range.article(asked)),
    'article',
  );
}

function nodesOf(query: Query, { range }: RouteContext): Json[] {
  return found(range.nodes(query.parentnode ?? '', query), 'parentnode');
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Refusal(404, `${what} not found`);
  return value;
}

/** Only web addresses: the page posts to what it is given. */
function cartUrlOf({ urlwarenkorb = '' }: Query): string | undefined {
  if (urlwarenkorb === '') return undefined;
  const isWeb = URL.canParse(urlwarenkorb) && /^https?:$/.test(new URL(urlwarenkorb).protocol);
  if (!isWeb) throw new Refusal(400, 'parameter urlwarenkorb: expected an http or https address');
  return urlwarenkorb;
}
