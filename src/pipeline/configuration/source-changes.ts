/**
 * Source changes: why a configuration had to be built anew, in words.
 *
 * In: what it was made of at the last fetch and what it is made of now. Out: what differs.
 */

import type { SnapshotRecord } from '../../cache/cached-snapshots.ts';
import type { ArticleSnapshot, Fetched } from '../../model/snapshot.ts';

/** Names told; a changed parts list may bring hundreds. */
const MOST_NAMES = 20;

/**
 * Compares two snapshots of one request.
 *
 * @param before - Undefined where it was never fetched.
 * @returns Empty where both are made of the same.
 *
 * @example
 * ```ts
 * sourceChanges(before, now); // → ['block ACME::DESK::LEG has changed', 'image OAK is new']
 * ```
 */
export function sourceChanges(before: SnapshotRecord | undefined, now: ArticleSnapshot): string[] {
  if (before === undefined) return ['it was never fetched before'];
  const all = [
    ...(before.partsList === now.partsList ? [] : ['the parts list has changed']),
    ...changesOf('block', new Map(before.blocks), now.blocks),
    ...changesOf('image', new Map(before.images), now.images),
  ];
  const more = all.length - MOST_NAMES;
  return more > 0 ? [...all.slice(0, MOST_NAMES), `${more} more have changed`] : all;
}

function changesOf(
  what: string,
  before: ReadonlyMap<string, Fetched>,
  now: ReadonlyMap<string, Fetched>,
): string[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before.get(name), now.get(name)];
    if (was === undefined) return [`${what} ${name} is new`];
    if (is === undefined) return [`${what} ${name} is no longer used`];
    return contentOf(was) === contentOf(is) ? [] : [`${what} ${name} has changed`];
  });
}

function contentOf(fetched: Fetched): string {
  return 'digest' in fetched ? fetched.digest : fetched.missing.code;
}
