/** Who sends requests to a service, noted in a store: runs and servers of assets on several machines keep its limits together. */
import type { BudgetMember, BudgetPlace } from '../run/open/service-budget.ts';
import { sha256Hex } from '../support/files.ts';
import type { ObjectStore } from './store/object-store.ts';

/** What a member notes. Others see by each change that it is there, even if their clocks differ. */
interface Note {
  beat: number;
  /** How long it still has to pause, milliseconds. */
  pauseMs: number;
}

type Notes = Readonly<Record<string, Note>>;

/** Each look reads an object, and one of each member replaces it. */
const LOOK_EVERY_MS = 3_000;
/** After so long without a change, a member is taken for dead, milliseconds. */
const UNCHANGED_MS = 15_000;
/** Attempts to replace the object, if others do so at the same time. */
const ATTEMPTS = 5;

/**
 * Opens the place of the members of a service in a store.
 *
 * @param now - Milliseconds since 1970.
 * @throws The codes of the store, at each look.
 */
export function openMembers(
  store: ObjectStore,
  { service, startedAt }: BudgetMember,
  now: () => number,
): BudgetPlace {
  const key = `leases/members-${sha256Hex(service).slice(0, 40)}.json`;
  const own = String(startedAt);
  const known = new Map<string, { beat: number; sinceMs: number; pausedUntilMs: number }>();

  /** Whether a member has changed its note since the last look. */
  const hasChanged = (name: string, { beat, pauseMs }: Note): boolean => {
    if (known.get(name)?.beat === beat) return false;
    const pausedUntilMs = pauseMs > 0 ? now() + pauseMs : 0;
    known.set(name, { beat, sinceMs: now(), pausedUntilMs });
    return true;
  };
  const isAlive = (name: string, note: Note) =>
    hasChanged(name, note) || now() < known.get(name)!.sinceMs + UNCHANGED_MS;

  /** @returns The notes of the others. */
  const replaceOwn = async (pauseMs: number | undefined): Promise<Notes> => {
    for (let attempt = 1; ; attempt++) {
      const found = await store.get(key);
      const notes: Notes = found ? JSON.parse(new TextDecoder().decode(found.content)) : {};
      const living = Object.entries(notes).filter(
        ([name, note]) => name !== own && isAlive(name, note),
      );
      const others: Notes = Object.fromEntries(living);
      const before = notes[own];
      // The workers of a run are one member: it is enough that one of them notes it.
      const isNoted = before && hasChanged(own, before) && before.pauseMs >= (pauseMs ?? 0);
      if (isNoted && pauseMs !== undefined) return others;
      const note = pauseMs !== undefined && { beat: now(), pauseMs };
      const content = JSON.stringify({ ...others, ...(note && { [own]: note }) });
      const etag = await store.replace(key, new TextEncoder().encode(content), found?.etag);
      if (etag === undefined && attempt < ATTEMPTS) continue;
      if (note) hasChanged(own, note);
      return others;
    }
  };
  return {
    lookEveryMs: LOOK_EVERY_MS,
    async see(pausedUntilMs) {
      const others = Object.keys(await replaceOwn(Math.max(0, pausedUntilMs - now())));
      const all = [...others, own].sort();
      const pauses = others.map((name) => known.get(name)!.pausedUntilMs);
      return {
        ...{ index: all.indexOf(own), count: all.length },
        pausedUntilMs: Math.max(0, ...pauses),
      };
    },
    leave: async () => void (await replaceOwn(undefined)),
  };
}
