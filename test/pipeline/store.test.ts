/** A pipeline with `store:` whose output folder keeps no GLB: what was published is only in the store. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { countedBlock, countedRange } from '../helpers/counted-range.ts';
import { startS3Server } from '../helpers/s3-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const BLOCK = 'N01::PART::B001';

test('an article that is as it was some nights ago is not built again, although its GLB is not here', async () => {
  const folder = await temporaryFolder();
  const range = countedRange({ articles: 5, blocks: 10, images: 2 });
  const emulator = await startEmulator({ range });
  const s3 = await startS3Server();
  onTestFinished(async () => {
    await Promise.all([emulator.close(), s3.close()]);
    await rm(folder, { recursive: true, force: true });
  });
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  const file = await writePipeline(folder, { service, store: { url: `s3://${s3.bucket}` } });
  const night = async (day: string, block?: Uint8Array) => {
    range.convertdates.set('N01', day);
    if (block === undefined) range.bodies.delete(BLOCK);
    else range.bodies.set(BLOCK, block);
    const env = { ...environmentOf(emulator), ...s3.env };
    const ended = await command(['run', file], { env });
    expect(ended, ended.stderr).toMatchObject({ exit: 0 });
    return [...s3.objects.keys()].filter((key) => key.startsWith('objects/'));
  };
  await night('2024-06-01');
  const objects = await night('2024-06-02', countedBlock(BLOCK, 2));
  expect(await night('2024-06-03')).toEqual(objects);
  expect(await readdir(join(folder, 'out/objects'), { recursive: true })).not.toContainEqual(
    expect.stringMatching(/glb$/),
  );
});
