/**
 * Names on the wire: how a node's spelling of a block or material finds its entry.
 */

/**
 * The spelling that two names of one thing share: upper case, without a leading `::`.
 *
 * @example
 * ```ts
 * canonicalName('::acme::desk::leg'); // → 'ACME::DESK::LEG'
 * ```
 *
 * @see D-111.
 */
export function canonicalName(name: string): string {
  return (name.startsWith('::') ? name.slice(2) : name).toUpperCase();
}
