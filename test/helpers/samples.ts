/** How much the tests try: `npm test` takes the short form, `BTG2GLTF_TEST_LONG=1` all of it. */

/** Whether the run is a long one, which also repeats what the short form has shown once. */
export const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';

/** How many samples of a property a run takes, of those of the long form. */
export function samples(count: number): number {
  return IS_LONG ? count : Math.ceil(count / 8);
}

/** One in three of a list in the short form, all of it in the long one. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, i) => IS_LONG || i % 3 === 0);
}
