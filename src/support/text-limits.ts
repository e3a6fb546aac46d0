/**
 * Limits of texts: a text of the service may have any length, and is cut before it goes into a list, a line or a log.
 *
 * Texts that identify a configuration are never cut: a very long one is refused when it is received.
 */

/** The longest text of each kind, in characters (UTF-16 units); {@link cutText} keeps to them. */
export const TEXT_LIMITS = {
  /** A sentence of an error, a warning, or a line of the log. */
  message: 2000,
  /** A name or label in a list, such as a material, a field of the service or a folder. */
  name: 300,
} as const;

/** Most warnings listed of one article, and of one selection. */
export const MAX_WARNINGS = 500;

/**
 * Cuts a text that is too long, and adds its original length. A text that was cut is not cut again.
 *
 * @param limit - Length of the result, in UTF-16 units; no character is divided.
 *
 * @example
 * ```ts
 * cutText('a'.repeat(5000), 30); // → 'aaaaaaaaaaa… (5000 characters)'
 * ```
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const length = `… (${text.length} characters)`;
  return `${text.slice(0, Math.max(0, limit - length.length)).replace(/[\ud800-\udbff]$/, '')}${length}`;
}

/** The first warnings, each cut, and one warning with the number of the others. */
export function firstWarnings<W extends { code: string; message: string }>(
  warnings: readonly W[],
): (W | MoreWarnings)[] {
  const listed = warnings
    .slice(0, MAX_WARNINGS)
    .map((warning) => ({ ...warning, message: cutText(warning.message, TEXT_LIMITS.message) }));
  return [...listed, ...moreWarnings(warnings.length - listed.length)];
}

type MoreWarnings = { code: 'MORE_WARNINGS'; message: string };

/** The warning that some warnings are not listed, if there are any. */
export function moreWarnings(count: number): MoreWarnings[] {
  if (count <= 0) return [];
  return [{ code: 'MORE_WARNINGS', message: `${count} more are not listed` }];
}
