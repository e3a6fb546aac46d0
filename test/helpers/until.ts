/** Waiting for what comes by itself: a test waits for a condition, never for a time. */
import { vi } from 'vitest';
import { IS_LONG } from './samples.ts';

/** Between two checks: a check may be a request, or read a long output. */
const EVERY_MS = 40;

/** A test that waits longer gives up: far longer than the slowest machine takes for one step of a test. */
export const GIVE_UP_MS = IS_LONG ? 1_800_000 : 300_000;

/**
 * Waits until a check passes: until it throws nothing, and returns nothing or something that is true.
 *
 * @returns What the check returned.
 * @example
 * ```ts
 * await until(() => server.requests.length === 3);
 * await until(() => expect(printed.stderr).toContain('worker is ready'));
 * ```
 */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  const checked = async () => {
    const value = await check();
    if (value === false) throw new Error(`expected the condition to come true: ${check}`);
    return value;
  };
  return vi.waitFor(checked, { timeout: GIVE_UP_MS, interval: EVERY_MS });
}

/** A promise that a test keeps when it wants to. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** A gate that holds up what waits for it, such as the answer of a server, until the test opens it. */
export function closedGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
