/**
 * Snapshot terms: on what a snapshot depends besides the answers of the service.
 *
 * In: the options of a fetch. Out: one text; a snapshot that was fetched on other terms is not kept.
 */

import { joinKey } from '../cache/request-key.ts';
import type { PlanningChild } from '../model/article.ts';
import { sha256Hex } from '../support/files.ts';
import { IMAGE_LOCATION_DEFAULT } from './image-location.ts';

/** Counted up whenever fetch gathers other bodies, or other warnings, from the same answers. */
const FETCH_VERSION = '1';

/**
 * Sums up the terms of a fetch.
 *
 * @param children - Of a stored planning; undefined where GET articles tells them.
 *
 * @example
 * ```ts
 * snapshotTerms();   // → '["1","{manufacturer}/{name}",""]'
 * ```
 */
export function snapshotTerms(
  imageLocation: string = IMAGE_LOCATION_DEFAULT,
  children?: readonly PlanningChild[],
): string {
  const planning = children === undefined ? '' : sha256Hex(JSON.stringify(children));
  return joinKey(FETCH_VERSION, imageLocation, planning);
}
