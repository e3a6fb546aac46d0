/** What becomes of an action of a person: of the configuration for which it was begun, and of no other. */
import { expect, test } from 'vitest';
import { createAction } from '../../../../../src/web/planning/panel/use-action.ts';
import { closedGate, until } from '../../../../helpers/until.ts';

function open() {
  const states: object[] = [];
  const failed: string[] = [];
  const action = createAction<string>(
    (state) => states.push(state),
    ({ code }) => failed.push(code),
  );
  return { action, states, failed };
}

test('an action runs once at a time, and tells its result or failure', async () => {
  const { action, states, failed } = open();
  const gate = closedGate();
  action.run(() => gate.opened.then(() => 'first'));
  action.run(async () => 'second');
  gate.open();
  await until(() => states.length === 2);
  action.run(() => Promise.reject(new Error('no')));
  await until(() => states.length === 4);
  expect(states).toEqual([
    { isRunning: true },
    { isRunning: false, result: 'first' },
    { isRunning: true },
    { isRunning: false, failure: expect.objectContaining({ code: 'INTERNAL' }) },
  ]);
  expect(failed).toEqual(['INTERNAL']);
});

test('what comes of an action is not told of another configuration, but it goes on', async () => {
  const { action, states } = open();
  const gate = closedGate();
  let wasEnded: boolean | undefined;
  action.run(async (signal) => {
    await gate.opened;
    wasEnded = signal.aborted;
    return 'of the one before';
  });
  action.forget();
  gate.open();
  await until(() => wasEnded !== undefined);
  expect(wasEnded).toBe(false);
  action.run(async () => 'of this one');
  await until(() => states.length === 4);
  expect(states.slice(1)).toEqual([
    { isRunning: false },
    { isRunning: true },
    { isRunning: false, result: 'of this one' },
  ]);
});

test('an action that a person cancels is ended, and tells no failure', async () => {
  const { action, states, failed } = open();
  let signal: AbortSignal | undefined;
  action.run((own) => {
    signal = own;
    return new Promise((_, reject) => own.addEventListener('abort', () => reject(own.reason)));
  });
  action.cancel('cancelled');
  expect(signal!.aborted).toBe(true);
  action.run(async () => 'again');
  await until(() => states.length === 4);
  expect(states.slice(1)).toEqual([
    { isRunning: false, result: 'cancelled' },
    { isRunning: true },
    { isRunning: false, result: 'again' },
  ]);
  expect(failed).toEqual([]);
});
