/**
 * Origins: which web pages may talk to a door, and how their browser is told.
 *
 * In: the `Origin` of a request. Out: the headers of its answer. It knows nothing of bodies.
 */
import { Refusal } from './refusal.ts';

/** Web pages that may send requests: all, or those of the origins listed. */
export type Origins = 'any' | readonly string[];

/** How long a browser may remember an answer to its question, in seconds. */
const MAX_AGE_SECONDS = 600;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Headers for an answer to a page; none for a request that comes from no page.
 *
 * @throws {@link Refusal} 403 for a page that may not.
 *
 * @example
 * ```ts
 * originHeaders({ origin: 'https://plan.example' }, 'any');
 * // → { 'access-control-allow-origin': '*' }
 * ```
 *
 * @see D-812.
 */
export function originHeaders(headers: Headers, origins: Origins): Record<string, string> {
  const { origin } = headers;
  if (origins === 'any') return { 'access-control-allow-origin': '*' };
  const vary = { vary: 'Origin' };
  if (origin === undefined) return vary;
  if (typeof origin !== 'string' || !origins.includes(origin)) {
    throw new Refusal(403, 'pages of this origin may not post here; see --allow-origin', {
      headers: vary,
    });
  }
  return { ...vary, 'access-control-allow-origin': origin };
}

/** Headers for a browser that asks before it posts. */
export function preflightHeaders(headers: Headers): Record<string, string> {
  const asked = headers['access-control-request-headers'];
  const isPrivate = headers['access-control-request-private-network'] === 'true';
  return {
    'access-control-allow-methods': 'POST',
    // Whatever the page wants to send along: nothing of it means anything here.
    'access-control-allow-headers': typeof asked === 'string' ? asked : 'content-type',
    'access-control-max-age': String(MAX_AGE_SECONDS),
    // A browser asks this before a page of the network may reach the machine that it runs on.
    ...(isPrivate ? { 'access-control-allow-private-network': 'true' } : {}),
  };
}

/**
 * Checks an origin as a user writes it.
 *
 * @returns As browsers send it; undefined where it is none.
 *
 * @example
 * ```ts
 * readOrigin('HTTPS://Plan.Example/'); // → 'https://plan.example'
 * readOrigin('plan.example');          // → undefined
 * ```
 */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, pathname, search, hash } = new URL(text);
  const isBare = pathname === '/' && search === '' && hash === '';
  return /^https?:$/.test(protocol) && isBare ? origin : undefined;
}
