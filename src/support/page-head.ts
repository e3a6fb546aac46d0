/** The beginning of every page that this program writes: it can only load, run or send what the page names. */

/** Allowed sources of a page, by directive, such as `'self'`. */
type Allowed = Readonly<
  Partial<Record<'script-src' | 'style-src' | 'img-src' | 'connect-src' | 'worker-src', string>>
>;

/**
 * The beginning of a page before its own parts: title, icon and style. No link reveals the page that it is on, and no
 * search engine lists the page.
 *
 * @param allowed - A content security policy forbids everything else, also another base address and sent forms.
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
