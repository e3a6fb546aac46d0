/** A run that stays open for one task after another, until it is closed. */

import type { Run } from './open-run.ts';

/** An open run, and what closes it. */
export interface HeldRun {
  readonly run: Run;
  close(): Promise<void>;
}

/**
 * Opens a run, and keeps it open.
 *
 * @param open - Opens a run, does work with it and closes it, such as `withReadingRun`.
 * @throws What `open` throws before its work begins; `close` throws what it throws afterwards.
 * @example
 * ```ts
 * const { run, close } = await holdRun((work) => withReadingRun({ pipeline }, environment, work));
 * ```
 */
export function holdRun(
  open: (work: (run: Run) => Promise<void>) => Promise<void>,
): Promise<HeldRun> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return new Promise((resolve, reject) => {
    const whole = open(async (run) => {
      const close = async () => {
        end();
        await whole;
      };
      resolve({ run, close });
      await ended;
      // This process did a part of what others do: the next run continues what they began.
      await run.sources.session.finish(true);
    });
    whole.catch(reject);
  });
}
