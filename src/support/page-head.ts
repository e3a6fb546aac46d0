/** The beginning of every page that this program writes: nothing is loaded, run or sent but what the page names. */

/** What a page may use, by directive: its sources, such as `'self'`. */
type Allowed = Readonly<
  Partial<Record<'script-src' | 'style-src' | 'img-src' | 'connect-src', string>>
>;

/**
 * The beginning of a page up to what differs: its title, icon and style. No link says where it was followed, and no
 * search engine lists the page.
 *
 * @param allowed - All else is forbidden by a content security policy, also another base address and sent forms.
 * @returns HTML that ends within `<head>`, without a line feed.
 *
 * @example
 * ```ts
 * `${pageHead({ 'style-src': "'self'" })}\n<title>Gallery</title>\n</head>`;
 * ```
 *
 * @see Content Security Policy Level 3.
 */
export function pageHead(allowed: Allowed): string {
  const policy = [
    "default-src 'none'",
    ...Object.entries(allowed).map(([directive, sources]) => `${directive} ${sources}`),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.replaceAll("'", '&#39;')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">`;
}
