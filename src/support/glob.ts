/**
 * Glob: `*` stands for any run of characters, `?` for one; letter case does not matter.
 */

/**
 * Makes a matcher of a glob. A `/` is a character like any other: article numbers hold it.
 *
 * @example
 * ```ts
 * globMatcher('ACME/*')('acme/DESK/D1/80'); // → true
 * ```
 */
export function globMatcher(glob: string): (text: string) => boolean {
  const pattern = glob
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  const expression = new RegExp(`^${pattern}$`, 'isu');
  return (text) => expression.test(text);
}
