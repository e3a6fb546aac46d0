/**
 * A planning and its children over several runs: which fail, which are quarantined, which are retained.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { BOX_TRIANGLES, body, boxPoints } from '../helpers/graphics.ts';
import type { Wire } from '../helpers/sample-range.ts';

const day = (n: number) => `2026-02-${String(n).padStart(2, '0')}`;
const ROOT = 'LN-PLATZ 1';
const CHILD = 'DP-R3';
let runs: DailyRuns;

/** What is drawn does not matter here. */
const boxBody = (name: string) =>
  body({ N: name, P: [0, 0, 0], R: [0, 0, 0], V: boxPoints(), T: [], A: [BOX] });
const BOX = { F: BOX_TRIANGLES, C: true };

/** The sample range in boxes, but the parts list of the planning does not hold its second child. */
const withoutPlace = (): EmulatedRange => {
  const sample = createSampleRange();
  const partsList: EmulatedRange['partsList'] = (query) => {
    const list = sample.partsList(query) as Wire;
    if (query.basearticlenumber !== ROOT || list === undefined) return list;
    const [root] = list.btg;
    const childs = root.prop.childs.filter((_: unknown, index: number) => index !== 1);
    return { ...list, btg: [{ ...root, prop: { ...root.prop, childs } }] };
  };
  return { ...sample, partsList, block: async (name) => boxBody(name) };
};
const breakPartsListOf = (number: string) => {
  const spelled = encodeURIComponent(number).replace('%20', '(%20|\\+)');
  runs.proxy.break(new RegExp(`/btg\\?.*basearticlenumber=${spelled}`), (response) =>
    response.writeHead(500).end(),
  );
};
const statuses = async () =>
  Object.fromEntries(
    (await readManifest(runs.outputDir)).map((line) => [line.basearticlenumber, line.status]),
  );

// The second test goes on where the first one has ended.
beforeAll(async () => {
  runs = await openDailyRuns(withoutPlace(), {
    articles: [{ article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: ROOT } }],
    failures: { quarantineAfterNights: 1 },
  });
});
afterAll(() => runs.close());

test('the child waits in quarantine by itself, and --failed reaches it by way of the planning', async () => {
  breakPartsListOf(CHILD);
  expect((await runs.run(day(1))).exit).toBe(1);
  expect(await statuses()).toEqual({ [ROOT]: 'converted', [CHILD]: 'failed' });
  expect((await runs.run(day(2))).exit).toBe(1);
  expect(await runs.failures()).toMatchObject([{ quarantined: true, attempts: 1 }]);
  runs.proxy.mend();
  expect((await runs.run(day(2), '--failed')).exit).toBe(0);
  expect(await statuses()).toEqual({ [ROOT]: 'unchanged', [CHILD]: 'converted' });
});

test('where the planning fails, or waits in quarantine, its child stays as it was', async () => {
  breakPartsListOf(ROOT);
  expect((await runs.run(day(3), '--force')).exit).toBe(1);
  expect(await statuses()).toEqual({ [ROOT]: 'failed', [CHILD]: 'converted' });
  expect((await runs.run(day(4))).exit).toBe(1);
  expect(await statuses()).toEqual({ [ROOT]: 'failed', [CHILD]: 'converted' });
});
