/** Eight faults of a service, for one in so many of its answers, chosen by a seed. */
import type { Damage, Disturbance } from './fault-proxy.ts';
import { html, raw, reset, stall } from './fault-server.ts';
import { type Chance, chanceOf } from './fuzz/chance.ts';

/** Ends in the middle, with all that HTTP says in order. */
const half: Damage = (body) => body.subarray(0, Math.floor(body.length / 2));

const ANYWHERE: Readonly<Record<string, Disturbance>> = {
  'status 500': { answer: raw('Internal Server Error', { 'content-type': 'text/plain' }, 500) },
  'status 503': { answer: raw('', {}, 503) },
  'status 429': { answer: raw('', { 'retry-after': '1' }, 429) },
  reset: { answer: reset },
  stall: { answer: stall },
  'HTML with 200': { answer: html },
};
const JSON_ONLY = { ...ANYWHERE, 'truncated JSON': { damage: half } };
const JPEG_ONLY = { ...ANYWHERE, 'truncated JPEG': { damage: half } };

/** The names of the eight. */
export const SERVICE_FAULTS: readonly string[] = Object.keys({ ...JSON_ONLY, ...JPEG_ONLY });

/** Faults, and how often each of them happened. */
export interface ServiceFaults {
  choose(url: string): Disturbance | undefined;
  readonly happened: ReadonlyMap<string, number>;
}

/**
 * Makes one in so many answers fail: of each so many images and of each so many others that come one
 * after the other, one that chance picks. Those ways come first that came least often.
 *
 * @example
 * ```ts
 * proxy.disturb(createServiceFaults(1, 10).choose);
 * ```
 */
export function createServiceFaults(seed: number, oneIn: number): ServiceFaults {
  const chance = chanceOf(seed, 0);
  const happened = new Map(SERVICE_FAULTS.map((name) => [name, 0]));
  const [imagesFail, othersFail] = [onePerRound(chance, oneIn), onePerRound(chance, oneIn)];
  return {
    happened,
    choose: (url) => {
      const isImage = url.includes('/materials');
      if (!(isImage ? imagesFail() : othersFail())) return undefined;
      const ways: Readonly<Record<string, Disturbance>> = isImage ? JPEG_ONLY : JSON_ONLY;
      const names = Object.keys(ways);
      const least = Math.min(...names.map((name) => happened.get(name)!));
      const name = chance.pick(names.filter((candidate) => happened.get(candidate) === least));
      happened.set(name, least + 1);
      return ways[name];
    },
  };
}

/** True once in each round of calls. */
function onePerRound(chance: Chance, calls: number): () => boolean {
  let [call, chosen] = [0, chance.below(calls)];
  return () => {
    const isChosen = call === chosen;
    if (++call === calls) [call, chosen] = [0, chance.below(calls)];
    return isChosen;
  };
}
