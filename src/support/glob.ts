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
  const parts = glob.split(/\*+/).map(patternOf);
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) {
    const whole = new RegExp(`^${first}$`, 'isu');
    return (text) => whole.test(text);
  }
  // Each part is searched from the end of the previous one: one pattern would try all places of all parts together.
  const steps = [
    new RegExp(first, 'isuy'),
    ...others.map((part) => new RegExp(part, 'isug')),
    ...(last === '' ? [] : [new RegExp(`${last}$`, 'isug')]),
  ];
  return (text) => {
    let at = 0;
    return steps.every((step) => {
      step.lastIndex = at;
      const isFound = step.test(text);
      at = step.lastIndex;
      return isFound;
    });
  };
}

function patternOf(part: string): string {
  return part.replace(/[\\^$.|+()[\]{}]/g, '\\$&').replace(/\?/g, '.');
}
