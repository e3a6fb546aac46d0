/** Where the token of the page is kept: not in its address, which people copy and servers log. */

/**
 * Takes the token out of the address of the page and keeps it with the entry of the history, which only this page can
 * read, so that it can be loaded again.
 */
export function keepToken(token: string): void {
  const query = new URLSearchParams(location.search);
  query.delete('token');
  const rest = query.toString();
  history.replaceState({ token }, '', `${location.pathname}${rest === '' ? '' : `?${rest}`}`);
}

/** The token that was kept, or empty. */
export function keptToken(): string {
  const { token } = (history.state ?? {}) as { token?: unknown };
  return typeof token === 'string' ? token : '';
}
