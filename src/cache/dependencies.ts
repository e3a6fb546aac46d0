/**
 * Trail: what fetching one article asked for, and who vouches for the answers.
 *
 * In: the recall of a run. Out: the same recall, and afterwards what went through it.
 * It must not know what the answers are for.
 */
import type { AskedOf } from '../model/snapshot.ts';
import type { Recalled, Wanted } from './cacheable-request.ts';
import type { Voucher } from './cached-snapshots.ts';
import type { Recall } from './response-cache.ts';

/** What was asked on the way to one snapshot. */
export interface Trail extends Recall {
  /** What of it the service was asked for in this run. */
  asked(): AskedOf;
  /** Who vouches for all of it, each once; undefined where something failed, which may pass. */
  vouchers(): Voucher[] | undefined;
}

/** Which part of a snapshot an operation answers. */
const PARTS: Partial<Record<Wanted['operation'], keyof AskedOf>> = {
  getArticle: 'article',
  getPartsList: 'partsList',
  getBlock: 'bodies',
  getMaterial: 'bodies',
};

/** Follows what is recalled from here on. */
export function followTrail(recall: Recall): Trail {
  const asked = { article: 0, partsList: 0, bodies: 0 };
  const vouchers = new Map<string, Voucher>();
  let failed = false;

  const note = ({ operation }: Wanted, recalled: Recalled): void => {
    const part = PARTS[operation];
    if (recalled.asked && part !== undefined) asked[part]++;
    addVoucher(vouchers, recalled.voucher);
  };

  const noting = (ask: Recall['recall']) => async (wanted: Wanted) => {
    try {
      const recalled = await ask(wanted);
      note(wanted, recalled);
      return recalled;
    } catch (error) {
      failed = true;
      throw error;
    }
  };

  return {
    ...recall,
    recall: noting(recall.recall),
    renew: noting(recall.renew),
    asked: () => ({ ...asked, article: asked.article > 0, partsList: asked.partsList > 0 }),
    vouchers: () => (failed ? undefined : [...vouchers.values()]),
  };
}

/** Many bodies have the same voucher; the first of them decides how long they hold. */
function addVoucher(vouchers: Map<string, Voucher>, voucher: Voucher): void {
  const { owner, manufacturer, convertdate, fetchedOn, askedAt } = voucher;
  const key = `${owner}\0${manufacturer}\0${convertdate}`;
  const known = vouchers.get(key);
  if (known === undefined) {
    vouchers.set(key, { ...voucher });
    return;
  }
  if (fetchedOn < known.fetchedOn) known.fetchedOn = fetchedOn;
  known.askedAt = Math.min(known.askedAt, askedAt);
}
