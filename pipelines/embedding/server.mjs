/**
 * A shop that shows the planning page in a page of its own. The address of the frame is built here, on the server: it
 * contains a token, and the login that it was obtained with must not reach a browser.
 *
 *   btg2gltf serve                      prints variables: set them, or those of your service
 *   btg2gltf inbox --store carts --allow-origin http://127.0.0.1:4810
 *   CART_URL=http://127.0.0.1:4820/cart node pipelines/embedding/server.mjs
 *
 * Without CART_URL the page offers no cart. The origin that the inbox allows is that of the planning page.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { openRelay, planningUrl, SILENT } from 'btg2gltf';

const env = process.env;
const ARTICLE = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
/** A token is valid for 12 hours. It is renewed earlier, so that each page can be used for at least six. */
const RENEWED_AFTER_MS = 6 * 60 * 60 * 1000;
/** One that has expired all the same is renewed at once, but pages cannot make this server log in all the time. */
const FORCED_AT_MOST_EVERY_MS = 60 * 1000;

/** The steps of a login, as section 5 of the specification has them. */
const relay = await openRelay({
  authUrl: env.BTG2GLTF_AUTH_URL,
  ...(env.BTG2GLTF_APP_KEY && { appKey: env.BTG2GLTF_APP_KEY }),
  now: Date.now,
  random: Math.random,
  log: SILENT,
});

let current = { token: '', sinceMs: Number.NEGATIVE_INFINITY };

let forcedMs = Number.NEGATIVE_INFINITY;

/** Another token: the one that the pages have has expired. */
async function anotherToken() {
  if (Date.now() - forcedMs >= FORCED_AT_MOST_EVERY_MS) {
    forcedMs = Date.now();
    current.sinceMs = Number.NEGATIVE_INFINITY;
  }
  return token();
}

async function token() {
  if (Date.now() - current.sinceMs < RENEWED_AFTER_MS) return current.token;
  const login = new URLSearchParams({
    username: env.BTG2GLTF_USERNAME ?? '',
    password: env.BTG2GLTF_PASSWORD ?? '',
    rememberme: 'false',
  });
  const response = await fetch(relay.url, { method: 'POST', body: login });
  // The reason is in the answer; the login is not.
  if (!response.ok) throw new Error(`login: expected a token, received ${await response.text()}`);
  current = { token: await response.text(), sinceMs: Date.now() };
  return current.token;
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

const shopOrigin = () => `http://127.0.0.1:${server.address().port}`;

async function page() {
  const address = planningUrl({
    frontendUrl: env.BTG2GLTF_FRONTEND_URL ?? '',
    token: await token(),
    mode: 'hybrid',
    open: ARTICLE,
    lang: 'en',
    urlwarenkorb: env.CART_URL,
    // Not every browser tells the frame whose it is.
    parentorigin: shopOrigin(),
  });
  const template = await readFile(new URL('page.html', import.meta.url), 'utf8');
  return {
    html: template.replace('PLANNING_ADDRESS', () => escaped(address)),
    frontend: new URL(address).origin,
  };
}

const server = createServer(async (request, response) => {
  if (request.url !== '/' && request.url !== '/token') {
    response.writeHead(404).end();
    return;
  }
  try {
    if (request.url === '/token') {
      const renewed = await anotherToken();
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
      response.end(renewed);
      return;
    }
    const { html, frontend } = await page();
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      // The page has the token: no cache keeps it, no other site is given it.
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': `default-src 'self' 'unsafe-inline'; frame-src ${frontend}; frame-ancestors 'none'`,
    });
    response.end(html);
  } catch (error) {
    console.error(error.message);
    response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' });
    response.end('The planning page cannot be opened now; try again later.\n');
  }
});

server.listen(Number(env.PORT ?? 4860), '127.0.0.1', () => {
  console.log(`The shop is at ${shopOrigin()}/`);
});
