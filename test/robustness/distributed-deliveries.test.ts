/**
 * Deliveries of distributed runs: workers make the files of GLBs, and whatever fails meanwhile, what is delivered is what
 * a run in one process delivers, or one row says why it is not.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { join } from 'node:path';
import { command, writePipeline } from '../helpers/command.ts';
import { environmentOf } from '../helpers/child.ts';
import { type CountedSize, countedRange } from '../helpers/counted-range.ts';
import {
  type DistributedStage,
  openDistributedStage,
  ready,
  type SharedPlace,
  succeeded,
} from '../helpers/distributed.ts';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { deliveryLines } from '../helpers/output-folder.ts';
import { BROWSER_ENVIRONMENT } from '../helpers/picture-browser.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SIZE: CountedSize = { articles: 40, blocks: 20, images: 10, articlesPerSeries: 20 };
const DELIVER = {
  profiles: ['web', 'ar-ios'],
  variants: true,
  pictures: { width: 64, height: 48 },
};

let postgres: QueueServerUnderTest;
const references = new Map<boolean, Promise<string>>();
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

async function deliveredHere(isStored: boolean): Promise<string> {
  const folder = await temporaryFolder();
  const emulator = await startEmulator({ range: countedRange(SIZE) });
  const env = { ...environmentOf(emulator), ...BROWSER_ENVIRONMENT };
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  const file = await writePipeline(folder, {
    ...{ service, deliver: DELIVER, ...(isStored && { store: { url: 'store' } }) },
  });
  succeeded(await command(['run', file], { env }));
  await emulator.close();
  return JSON.stringify(await deliveryLines(join(folder, isStored ? 'store' : 'out')));
}

const deliveredBy = async (stage: DistributedStage) =>
  stage.place === 'folders'
    ? deliveryLines(join(stage.folder, 'out'))
    : (await stage.read('deliveries.jsonl'))!.trim().split('\n').map((line) => JSON.parse(line));

test.for(['folders', 'S3'] as SharedPlace[])('workers make all files; shared: %s', async (place, context) => {
  const stage = await openDistributedStage(context, {
    ...{ queue: postgres.url, size: SIZE, place, pipeline: { deliver: DELIVER } },
  });
  Object.assign(stage.env, BROWSER_ENVIRONMENT);
  await ready(stage.worker('a'));
  await ready(stage.worker('b'));
  const t = Date.now();
  const ended = await stage.run();
  (await import('node:fs')).appendFileSync('/tmp/w/log', (await import('node:util')).inspect([place, Date.now() - t, ended.stderr.slice(-3000), stage.children.map((c) => c.printed.stderr.slice(-1500)).join('\n----\n')].join('\n')) + '\n');
  succeeded(ended);
  const report = await stage.reportOf();
  (await import('node:fs')).appendFileSync('/tmp/w/log', (await import('node:util')).inspect([report.workers, report.delivered!.deliveries], {depth: 4}));
  const lines = await deliveredBy(stage);
  const isStored = place !== 'folders';
  if (!references.has(isStored)) references.set(isStored, deliveredHere(isStored));
  expect(JSON.stringify(lines)).toBe(await references.get(isStored));
  const made = report.workers!.reduce((sum, worker) => sum + (worker.made ?? 0), 0);
  expect(made).toBeGreaterThanOrEqual(3 * SIZE.articles);
});
