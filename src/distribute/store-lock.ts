/** The lock of a store: one run at a time publishes there, on any machine. No clocks are compared. */

import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { runId } from '../run/open/run-options.ts';
import { ConverterError } from '../support/errors.ts';
import { hasEnded } from '../support/file-operations.ts';
import type { ObjectStore } from './store/object-store.ts';
import { probeStore } from './store/open-store.ts';

const LOCK_KEY = 'lock.json';
/** How often the owner writes its lock again, milliseconds. */
const RENEWED_EVERY_MS = 5_000;
/** A lock that was not renewed for this many intervals has no owner any more. */
const STALE_AFTER = 4;
/** How often the lock is checked in one of these intervals. */
const LOOKS = 5;

interface Owner {
  host: string;
  pid: number;
  /** Id of the run. */
  run: string;
}

/** A lock that this process has. */
export interface StoreLock {
  /** Aborted with `OUTPUT_LOCKED` when another run has taken the lock, since this one did not renew it in time. */
  lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Takes the lock of a store that can be shared. The lock of a dead run is taken over after 20 s, or immediately if this
 * machine knows that the process has ended.
 *
 * @param renewedEveryMs - How often the lock is renewed, milliseconds; the same for all runs.
 * @throws {@link ConverterError} `OUTPUT_LOCKED` if another run has it; the reason of the signal; the codes of the store.
 */
export async function lockStore(
  store: ObjectStore,
  { now, startedAt = now(), signal }: Pick<RunEnvironment, 'now' | 'startedAt' | 'signal'>,
  renewedEveryMs = RENEWED_EVERY_MS,
): Promise<StoreLock> {
  await probeStore(store, now);
  const owner: Owner = { host: hostname(), pid: process.pid, run: runId(startedAt) };
  let renewals = 0;
  const content = () =>
    new TextEncoder().encode(JSON.stringify({ ...owner, renewals: renewals++ }));
  let etag = await store.replace(LOCK_KEY, content(), undefined);
  while (etag === undefined) {
    const stale = await staleEtag(store, signal, renewedEveryMs);
    etag = await store.replace(LOCK_KEY, content(), stale);
  }
  const lost = new AbortController();
  let renewing = Promise.resolve();
  const renew = async () => {
    if (etag === undefined) return;
    // While the store cannot be reached, no other run can take the lock either.
    const next = await store.replace(LOCK_KEY, content(), etag).catch(() => etag);
    etag = next;
    if (next === undefined) lost.abort(lockedBy(store, await ownerOf(store)));
  };
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, renewedEveryMs).unref();
  return {
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await renewing;
      // Another run may have taken over the lock meanwhile.
      await renew();
      if (etag !== undefined) await store.delete(LOCK_KEY);
    },
  };
}

/** Waits until it is certain that the lock is not renewed, and returns its etag; undefined if there is no lock. */
async function staleEtag(
  store: ObjectStore,
  signal: AbortSignal,
  renewedEveryMs: number,
): Promise<string | undefined> {
  const first = await store.head(LOCK_KEY);
  const owner = await ownerOf(store);
  if (first !== undefined && owner?.host === hostname() && isDead(owner)) return first.etag;
  for (let looks = 0; looks < STALE_AFTER * LOOKS; looks++) {
    await sleep(renewedEveryMs / LOOKS, undefined, { signal }).catch(() => signal.throwIfAborted());
    const now = await store.head(LOCK_KEY);
    if (now === undefined) return undefined;
    if (now.etag !== first?.etag) throw lockedBy(store, await ownerOf(store));
  }
  return first?.etag;
}

/** The own id does not count: it belongs to another run here, or to an earlier process. */
function isDead({ pid }: Owner): boolean {
  return pid !== process.pid && hasEnded(pid);
}

async function ownerOf(store: ObjectStore): Promise<Owner | undefined> {
  const found = await store.get(LOCK_KEY);
  if (found === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(found.content)) as Owner;
  } catch {
    return undefined;
  }
}

function lockedBy(store: ObjectStore, owner: Owner | undefined): ConverterError {
  const who =
    owner === undefined
      ? 'another run'
      : `run ${owner.run} of process ${owner.pid} on ${owner.host}`;
  const message = `${store.name}: expected no other run, but ${who} publishes there`;
  return new ConverterError('OUTPUT_LOCKED', message);
}
