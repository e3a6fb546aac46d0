/**
 * The planning frontend: one page in three modes, which restores an article or a whole planning.
 *
 * The frontend plans nothing. It shows what a frontend would start with, so that links, embedding and the cart
 * post can be tested.
 *
 * @see Spec 4.5, 4.6; D-794.
 */

import { jsonText } from './json-text.ts';
import {
  type Answer,
  ARTICLE,
  type Call,
  found,
  Refusal,
  type Route,
  type RouteContext,
} from './route.ts';
import type { Json, Query } from './sample/range.ts';

/** Headers of the page. Its address contains a token, which must reach neither a cache nor another site. */
const HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

const PARAMETERS = [
  ...ARTICLE,
  // A migrated address may carry the final number (9.3); the page ignores it.
  'finalarticlenumber',
  ...['showprice', 'disablecatalogue', 'opencatalogue'],
  ...['ocdreinit', 'permanentid', 'parentnode', 'urlwarenkorb'],
];

/** Names of v1 and their replacements. @see Spec 9.3 */
const RENAMED: Readonly<Record<string, string>> = {
  manuid: 'manufacturer',
  seriesid: 'program',
  baseartnmbr: 'basearticlenumber',
  finalartnmbr: 'finalarticlenumber',
  reinitstring: 'ocdreinit',
};

/** Rows of `{frontend_url}`: the page, and the entry points of v1, which the page replaces. @see Spec 9.4 */
export const FRONTEND_ROUTES: readonly Route[] = [
  { operation: 'planning', path: '/planning', optional: PARAMETERS, answer: plan },
  ...['index.php', 'configurator.php', 'article.php'].map(
    (name): Route => ({
      operation: 'planningv1',
      path: `/${name}`,
      // The page checks the token.
      token: 'passed',
      optional: [...PARAMETERS, ...Object.keys(RENAMED)],
      answer: redirect,
    }),
  ),
];

/**
 * The row of a stored planning, which the page reads to restore it. No operation of the service resolves an
 * identifier, so this row is below `{base_url}` only if a page is served.
 */
export const STORED_PLANNING: Route = {
  operation: 'storedplanning',
  path: '/planning/permanentid/:id',
  answer({ segments }, { findPlanning }) {
    const json = findPlanning(segments.id!);
    if (json !== undefined) return { kind: 'json', json };
    const expected = 'expected one of a planning that was stored here, received an unknown one';
    throw new Refusal(404, `permanentid: ${expected}`);
  },
};

/** Redirects to the page. Every value is passed on unchanged; only names change. */
function redirect({ query }: Call): Answer {
  const pairs = Object.entries(query).map(([old, value]) => {
    const name = RENAMED[old] ?? old;
    if (name !== old && query[name] !== undefined) {
      throw new Refusal(400, `${old}: not together with ${name}`);
    }
    return `${name}=${encodeURIComponent(value)}`;
  });
  return { kind: 'redirect', location: `planning?${pairs.join('&')}`, headers: HEADERS };
}

function plan({ query }: Call, context: RouteContext): Answer {
  const mode = modeOf(query);
  const article = articleOf(query, context);
  if (mode === 'configurator' && article === undefined) {
    throw new Refusal(400, 'disablecatalogue: expected a base article or a permanentid beside it');
  }
  const { parentnode = '', lang } = query;
  const title = ((article?.ocd ?? {}) as Json).shorttext ?? 'Planning';
  const hasCatalogue = mode !== 'configurator';
  const nodes = hasCatalogue && found(context.range.nodes(parentnode, query), 'parentnode');
  // `<html data-mode>` is the mode of the page, the element `#article` the article as JSON.
  const html = `<!doctype html>
<html lang="${escaped(lang || 'de')}" data-mode="${mode}">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body>
${nodes ? catalogueHtml(nodes) : ''}
${articleHtml(article, switchOf(query, 'showprice') ?? true, cartUrlOf(query))}
</body>
</html>
`;
  const bytes = new TextEncoder().encode(html);
  return { kind: 'bytes', bytes, contentType: 'text/html; charset=utf-8', headers: HEADERS };
}

/** How the page was opened. @see Spec 4.5. */
function modeOf(query: Query): 'catalogue' | 'configurator' | 'hybrid' {
  const configurator = switchOf(query, 'disablecatalogue') ?? false;
  const catalogue = switchOf(query, 'opencatalogue') ?? false;
  if (configurator && catalogue) {
    throw new Refusal(400, 'opencatalogue: not together with disablecatalogue');
  }
  if (configurator) return 'configurator';
  return catalogue ? 'catalogue' : 'hybrid';
}

function switchOf(query: Query, name: string): boolean | undefined {
  const value = query[name] ?? '';
  if (value === '') return undefined;
  if (value !== 'true' && value !== 'false') {
    throw new Refusal(400, `parameter ${name}: expected true or false`);
  }
  return value === 'true';
}

/** The stored planning, whole; else the base article, or the configuration of `ocdreinit`. */
function articleOf(query: Query, { range, findPlanning }: RouteContext): Json | undefined {
  const { ocdreinit = '', permanentid = '' } = query;
  const given = ARTICLE.filter((name) => (query[name] ?? '') !== '');
  if (permanentid !== '') {
    const beside = ocdreinit === '' ? given[0] : 'ocdreinit';
    if (beside !== undefined) throw new Refusal(400, `permanentid: not together with ${beside}`);
    return found(findPlanning(permanentid), 'permanentid');
  }
  const missing = ARTICLE.find((name) => !given.includes(name));
  if (given.length === 0 && ocdreinit === '') return undefined;
  if (missing !== undefined) throw new Refusal(400, `parameter ${missing}: required`);
  const configured = { ...query, ...(ocdreinit !== '' && { ocdreinitstring: ocdreinit }) };
  return found(range.article(configured), 'article');
}

/** The address of the cart, to which the page posts: only web addresses are allowed. */
function cartUrlOf({ urlwarenkorb = '' }: Query): string | undefined {
  if (urlwarenkorb === '') return undefined;
  const isWeb = URL.canParse(urlwarenkorb) && /^https?:$/.test(new URL(urlwarenkorb).protocol);
  if (!isWeb) throw new Refusal(400, 'parameter urlwarenkorb: expected an http or https address');
  return urlwarenkorb;
}

/** Posts the content of `#article`, in the form of the cart post. @see Spec 4.6. */
const CART_SCRIPT = `
const button = document.getElementById('cart');
button?.addEventListener('click', async () => {
  const article = JSON.parse(document.getElementById('article').textContent);
  const answer = await fetch(button.dataset.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ json: article }),
  });
  document.getElementById('answer').textContent = answer.status + ' ' + (await answer.text());
});`;

function catalogueHtml(nodes: Json[]): string {
  const items = nodes.map(
    ({ nodeid, nodetype, text }) =>
      `<li data-nodeid="${escaped(nodeid)}" data-nodetype="${escaped(nodetype)}">${escaped(text)}</li>`,
  );
  return `<nav id="catalogue"><ul>${items.join('')}</ul></nav>`;
}

function articleHtml(article: Json | undefined, showPrice: boolean, cartUrl?: string): string {
  if (article === undefined) return '';
  const ocd = (article.ocd ?? {}) as Json;
  // Less-than signs are escaped, so that no text can end the script element.
  const json = jsonText(article).replaceAll('<', '\\u003c');
  // An article without all its values is not valid, so it cannot be put into the cart (Spec 3 rule 2).
  const disabled = ocd.obligatory2c === true ? ' disabled' : '';
  const button = `<button id="cart" data-url="${escaped(cartUrl)}"${disabled}>Cart</button>`;
  const cart = cartUrl === undefined ? '' : `${button}<output id="answer"></output>`;
  const price = showPrice ? `<p id="price">${escaped(ocd.price)} ${escaped(ocd.currency)}</p>` : '';
  return `<main>
<h1>${escaped(ocd.shorttext)}</h1>
<p id="finalarticlenumber">${escaped(ocd.finalarticlenumber)}</p>
<pre>${escaped(ocd.varianttext)}</pre>
${price}
${cart}
<script type="application/json" id="article">${json}</script>
<script>${CART_SCRIPT}</script>
</main>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(value: unknown): string {
  return String(value ?? '').replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}
