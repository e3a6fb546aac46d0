/**
 * Planning page: what the emulated frontend shows, as HTML.
 *
 * In: an article, catalogue nodes, a mode. Out: a page. It holds the article as JSON in the element
 * `#article`, and sends exactly that to the cart. It must not know where any of it came from.
 */

import type { Json } from '../sample/range.ts';
import { jsonText } from './json-text.ts';

/** How the page was opened. @see Spec 4.5. */
export type PlanningMode = 'catalogue' | 'configurator' | 'hybrid';

/** What a page is made of. */
export interface PlanningPage {
  mode: PlanningMode;
  /** The top-level article; undefined where none was asked for. */
  article: Json | undefined;
  /** Children of the folder at which the catalogue opens; undefined where none is shown. */
  nodes: Json[] | undefined;
  showPrice: boolean;
  /** Web address of the cart; without one there is no cart. */
  cartUrl: string | undefined;
  lang: string;
}

/** Posts what the page holds, as the cart post has it. @see Spec 4.6. */
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

/**
 * Writes the page.
 *
 * @returns HTML; `<html data-mode>` tells the mode.
 */
export function planningPage(page: PlanningPage): string {
  const { mode, article, nodes, lang } = page;
  return `<!doctype html>
<html lang="${escaped(lang)}" data-mode="${mode}">
<head><meta charset="utf-8"><title>${escaped(titleOf(article))}</title></head>
<body>
${nodes === undefined ? '' : catalogueHtml(nodes)}
${article === undefined ? '' : articleHtml(article, page)}
</body>
</html>
`;
}

function titleOf(article: Json | undefined): string {
  return String(((article?.ocd ?? {}) as Json).shorttext ?? 'Planning');
}

function catalogueHtml(nodes: Json[]): string {
  const items = nodes.map(
    ({ nodeid, nodetype, text }) =>
      `<li data-nodeid="${escaped(nodeid)}" data-nodetype="${escaped(nodetype)}">${escaped(text)}</li>`,
  );
  return `<nav id="catalogue"><ul>${items.join('')}</ul></nav>`;
}

function articleHtml(article: Json, { showPrice, cartUrl }: PlanningPage): string {
  const ocd = (article.ocd ?? {}) as Json;
  const price = showPrice ? `<p id="price">${escaped(ocd.price)} ${escaped(ocd.currency)}</p>` : '';
  return `<main>
<h1>${escaped(ocd.shorttext)}</h1>
<p id="finalarticlenumber">${escaped(ocd.finalarticlenumber)}</p>
<pre>${escaped(ocd.varianttext)}</pre>
${price}
${cartUrl === undefined ? '' : cartHtml(cartUrl, ocd.obligatory2c === true)}
<script type="application/json" id="article">${scriptSafe(jsonText(article))}</script>
<script>${CART_SCRIPT}</script>
</main>`;
}

/** An article that still lacks a value is not valid, so it is not for the cart. @see Spec 3 rule 2. */
function cartHtml(url: string, isOpen: boolean): string {
  const disabled = isOpen ? ' disabled' : '';
  return `<button id="cart" data-url="${escaped(url)}"${disabled}>Cart</button><output id="answer"></output>`;
}

/** Nothing in JSON text may end the element that holds it. */
function scriptSafe(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

function escaped(value: unknown): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return String(value ?? '').replace(/[&<>"]/g, (sign) => signs[sign]!);
}
