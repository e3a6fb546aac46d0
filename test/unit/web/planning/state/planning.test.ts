/** What a planning does with changes, other articles, failures and a person who ends them, over HTTP. */
import { describe, expect, test } from 'vitest';
import { isOpening, Planning } from '../../../../../src/web/planning/state/planning.ts';
import { raw, stall } from '../../../../helpers/fault-server.ts';
import { deskTarget, finishOf, plannedService } from '../../../../helpers/planned-service.ts';
import { until } from '../../../../helpers/until.ts';

const DESK = deskTarget('LN-M');
const OTHER = deskTarget('LN-D160/80');
const UNKNOWN = deskTarget('NONE');

describe('a planning', () => {
  const service = plannedService();

  async function open(target = DESK) {
    const answered: string[] = [];
    const failed: string[] = [];
    const planning = new Planning(service.open(), {
      onState: () => {},
      onPlanned: (planned, setting) =>
        answered.push(`${setting?.newvalue ?? ''} ${planned.key.finalarticlenumber}`),
      onFailure: ({ code }) => failed.push(code),
    });
    planning.open(target);
    await rested(planning);
    answered.splice(0);
    return { planning, answered, failed };
  }
  const numberOf = ({ state }: Planning) => state.planned?.key.finalarticlenumber;
  const finish = ({ state }: Planning, newvalue: string) => finishOf(state.planned!, newvalue);
  const frame = ({ state }: Planning, newvalue: string) =>
    finishOf(state.planned!, newvalue, 'GESTELL');
  /** The service does not answer until `mend`. */
  const hold = async (act: () => void) => {
    const before = service.proxy.seen.length;
    service.proxy.break(/\/articles\?/, stall);
    act();
    await until(() => service.proxy.seen.length > before);
  };

  test('sends changes one after the other, and of those of one property the last', async () => {
    const { planning, answered } = await open();
    for (const value of ['NB', 'BU', 'WS', 'LG']) planning.change(finish(planning, value));
    planning.change(frame(planning, 'SI'));
    await rested(planning);
    expect(answered).toEqual([
      expect.stringMatching(/^NB LN-M-V\.NB\.D\.SW/),
      expect.stringMatching(/^LG LN-M-V\.LG\.D\.SW/),
      expect.stringMatching(/^SI LN-M-V\.LG\.D\.SI/),
    ]);
  });

  test('undoes changes and makes them again without a request, until another change is made', async () => {
    const { planning, answered } = await open();
    const first = numberOf(planning);
    planning.undo();
    expect(numberOf(planning)).toBe(first);
    planning.change(finish(planning, 'NB'));
    planning.change(frame(planning, 'SI'));
    // A change that is waiting is cancelled, not undone.
    planning.undo();
    await rested(planning);
    const last = numberOf(planning);
    expect(last).toMatch(/^LN-M-V\.NB\.D\.SI/);
    const requests = service.proxy.seen.length;
    planning.undo();
    expect(numberOf(planning)).toMatch(/^LN-M-V\.NB\.D\.SW/);
    planning.undo();
    expect(numberOf(planning)).toBe(first);
    planning.undo();
    planning.redo();
    planning.redo();
    expect(numberOf(planning)).toBe(last);
    expect(service.proxy.seen).toHaveLength(requests);
    expect(answered.slice(2)).toHaveLength(4);

    planning.undo();
    planning.change(finish(planning, 'BU'));
    await rested(planning);
    expect(numberOf(planning)).toMatch(/^LN-M-V\.BU\.D\.SW/);
    planning.redo();
    expect(numberOf(planning)).toMatch(/^LN-M-V\.BU\.D\.SW/);
    // Those of another article would bring this one back.
    planning.open(OTHER);
    await rested(planning);
    planning.undo();
    expect(numberOf(planning)).toMatch(/^LN-D160/);
  });

  test('drops a change that is refused, and sends those after it', async () => {
    const { planning, failed } = await open();
    planning.change(finish(planning, 'NONE'));
    planning.change(frame(planning, 'SI'));
    await rested(planning);
    expect(failed).toEqual(['PROPERTY_VALUE_REFUSED']);
    expect(planning.state.pending.map(({ newvalue }) => newvalue)).toEqual(['SI']);
    planning.retry();
    await rested(planning);
    expect(numberOf(planning)).toMatch(/^LN-M-V\.EI\.D\.SI/);
  });

  test('keeps a change that the service could not answer, until it is done without', async () => {
    const { planning, failed } = await open();
    service.proxy.break(/\/articles\?/, raw('', {}, 500));
    planning.change(finish(planning, 'NB'));
    await rested(planning);
    expect(failed).toEqual(['HTTP_STATUS']);
    service.proxy.mend();
    planning.retry();
    await rested(planning);
    expect(numberOf(planning)).toMatch(/^LN-M-V\.NB/);
    service.proxy.break(/\/articles\?/, raw('', {}, 500));
    planning.change(finish(planning, 'BU'));
    await rested(planning);
    planning.cancel();
    expect(planning.state).toMatchObject({ pending: [], failure: undefined });
    expect(numberOf(planning)).toMatch(/^LN-M-V\.NB/);
  });

  test('forgets a change that is cancelled', async () => {
    const { planning } = await open();
    await hold(() => planning.change(finish(planning, 'NB')));
    planning.cancel();
    service.proxy.mend();
    await rested(planning);
    expect(numberOf(planning)).toMatch(/^LN-M-V\.EI/);
  });

  test('keeps a change under way when another article cannot be opened', async () => {
    const { planning, failed } = await open();
    await hold(() => planning.change(finish(planning, 'NB')));
    service.proxy.mend();
    planning.open(UNKNOWN);
    await rested(planning);
    expect(failed).toEqual(['ARTICLE_NOT_FOUND']);
    planning.cancel();
    await rested(planning);
    expect(planning.state).toMatchObject({ pending: [], opening: undefined, failure: undefined });
    expect(numberOf(planning)).toMatch(/^LN-M-V\.NB/);
  });

  test('goes on with a change when the opening of another article is cancelled', async () => {
    const { planning } = await open();
    await hold(() => planning.change(finish(planning, 'NB')));
    await hold(() => planning.open(OTHER));
    service.proxy.mend();
    planning.cancel();
    await rested(planning);
    expect(numberOf(planning)).toMatch(/^LN-M-V\.NB/);
  });

  test('takes no change of an article that another one replaces, and leaves those that wait', async () => {
    const { planning } = await open();
    await hold(() => planning.change(finish(planning, 'NB')));
    await hold(() => planning.open(OTHER));
    planning.change(frame(planning, 'SI'));
    expect(planning.state.pending.map(({ newvalue }) => newvalue)).toEqual(['NB']);
    service.proxy.mend();
    planning.open(OTHER);
    await rested(planning);
    expect(planning.state.pending).toEqual([]);
    expect(numberOf(planning)).toMatch(/^LN-D160\/80/);
  });

  test('waits to be told to load its first article when that is cancelled', async () => {
    const { planning } = await open(UNKNOWN);
    await hold(() => planning.open(DESK));
    planning.cancel();
    expect(planning.state).toMatchObject({ opening: DESK, isStopped: true });
    service.proxy.mend();
    planning.retry();
    await rested(planning);
    expect(planning.state.isStopped).toBe(false);
    expect(numberOf(planning)).toMatch(/^LN-M-V/);
  });

  test('forgets its first article when it failed and is done without', async () => {
    const { planning } = await open(UNKNOWN);
    planning.cancel();
    expect(planning.state).toMatchObject({ opening: undefined, failure: undefined });
  });
});

/** Waits until nothing is under way. */
async function rested(planning: Planning): Promise<void> {
  const isBusy = () => {
    const { state } = planning;
    return isOpening(state) || (state.pending.length > 0 && state.failure === undefined);
  };
  await until(() => !isBusy());
}
