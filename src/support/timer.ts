/** Timers: what waits for a time is given one, as it is given a clock. */

/** Calls back once after some milliseconds, unless the function that it returns is called before. */
export type StartTimer = (callback: () => void, ms: number) => () => void;

/** Starts a timer of the engine. */
export const startTimer: StartTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
