/** A pipeline with `store:` whose output folder keeps no GLB: what was published is only in the store. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countedBlock, countedRange } from '../helpers/counted-range.ts';
import { openDailyRuns } from '../helpers/daily-runs.ts';
import { startS3Server } from '../helpers/s3-server.ts';

const BLOCK = 'N01::PART::B001';

test('an article that is as it was some nights ago is not built again, although its GLB is not here', async () => {
  const range = countedRange({ articles: 1, blocks: 1, images: 1 });
  const s3 = await startS3Server();
  const runs = await openDailyRuns(range, { store: { url: `s3://${s3.bucket}` } });
  onTestFinished(async () => {
    await Promise.all([runs.close(), s3.close()]);
  });
  const night = async (day: string, block?: Uint8Array) => {
    range.convertdates.set('N01', day);
    if (block === undefined) range.bodies.delete(BLOCK);
    else range.bodies.set(BLOCK, block);
    const env = { ...runs.proxy.env, ...s3.env };
    const ended = await runs.call(['run', runs.pipelineFile], { env });
    expect(ended, ended.stderr).toMatchObject({ exit: 0 });
    return [...s3.objects.keys()].filter((key) => key.startsWith('objects/'));
  };
  await night('2024-06-01');
  const objects = await night('2024-06-02', countedBlock(BLOCK, 2));
  expect(await night('2024-06-03')).toEqual(objects);
  expect(await readdir(join(runs.outputDir, 'objects'), { recursive: true })).not.toContainEqual(
    expect.stringMatching(/glb$/),
  );
});
