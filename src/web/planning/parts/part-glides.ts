/** How parts open and close by themselves: softly, or at once for who wants reduced motion. */

const MILLISECONDS = 350;

/** Parts on their way. */
export interface Glides<Part> {
  /** Sets amounts until the last one, with each repaint; ends what the part was doing. */
  start(part: Part, from: number, to: number, set: (amount: number) => void): void;
  /** Leaves the part where it is. */
  stop(part: Part): void;
  /** Where a part is going; undefined where it rests. */
  endOf(part: Part): number | undefined;
}

/** Creates the glides of a view. */
export function createGlides<Part>(): Glides<Part> {
  const isStill = matchMedia('(prefers-reduced-motion: reduce)');
  const running = new Map<Part, { to: number; request: number }>();
  const stop = (part: Part) => {
    cancelAnimationFrame(running.get(part)?.request ?? 0);
    running.delete(part);
  };
  return {
    start(part, from, to, set) {
      stop(part);
      if (isStill.matches) return set(to);
      let begin: number | undefined;
      const step = (time: number) => {
        begin ??= time;
        const share = Math.min((time - begin) / MILLISECONDS, 1);
        if (share < 1) running.set(part, { to, request: requestAnimationFrame(step) });
        else running.delete(part);
        set(from + (to - from) * share * share * (3 - 2 * share));
      };
      running.set(part, { to, request: requestAnimationFrame(step) });
    },
    stop,
    endOf: (part) => running.get(part)?.to,
  };
}
