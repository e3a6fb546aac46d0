/** Globs on names, such as `MANUFACTURER/PROGRAM/number`. */

/**
 * Compiles a glob: `*` matches any characters, `?` matches one; letter case is ignored.
 *
 * A `/` is a character like any other, and `[`, `{`, `!` and `.` have no special meaning, because article
 * numbers and material names contain them. A matcher of paths, such as picomatch, treats them specially.
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
