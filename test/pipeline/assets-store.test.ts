/** Assets of several machines with one store: what one has made is there for all, and one of them makes it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetForm } from '../../src/deliver/asset-forms.ts';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { openAssets, run } from '../../src/library.ts';
import { environmentOf } from '../helpers/child.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** One without textures, and one with a choice of materials. */
const CHAIR = { manufacturer: 'BRNK', program: 'KONVA', basearticlenumber: 'KV40/K' };
const OTHER_CHAIR = { ...CHAIR, basearticlenumber: 'KV40/4' };
const FORMS: readonly AssetForm[] = [{ form: 'glb' }, { form: 'usdz' }, { form: 'json' }];

let folder: string;
let emulator: Emulator;
const asked: string[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  const onRequest = ({ route }: { route: string }) => void asked.push(route);
  emulator = await startEmulator({ range: createSampleRange(), onRequest });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true });
});

/** A machine with folders of its own. */
const open = (machine: string) => {
  const { authUrl, baseUrl } = emulator;
  const pipeline = {
    ...{
      name: 'assets',
      service: { authUrl, baseUrl },
      articles: [{ article: CHAIR }, { article: OTHER_CHAIR }],
    },
    ...{
      output: { dir: join(folder, machine, 'out') },
      cache: { dir: join(folder, machine, 'cache') },
    },
    store: { url: join(folder, 'store') },
  };
  const parameters = { pipeline, env: environmentOf(emulator) };
  return { run: () => run(parameters), assets: () => openAssets(parameters) };
};

describe('machines with one store', () => {
  it('have what one of them has made, without a request', async () => {
    const first = await open('first').assets();
    const request = CHAIR;
    const made = [];
    for (const form of FORMS) made.push((await first.asset(request, form)).sha256);
    await first.close();
    asked.splice(0);
    const second = await open('second').assets();
    const found = [];
    for (const form of FORMS) {
      const asset = await second.asset(request, form);
      expect(asset.steps).toBeUndefined();
      found.push(asset.sha256);
      expect((await second.object(asset.sha256, form.form))?.bytes).toEqual(asset.bytes);
    }
    await second.close();
    expect(found).toEqual(made);
    expect(asked).toEqual([]);
  });

  it('make a file once, if they are asked for it at the same time', async () => {
    const machines = await Promise.all(['first', 'second'].map((name) => open(name).assets()));
    const request = OTHER_CHAIR;
    const all = await Promise.all(machines.map((one) => one.asset(request, { form: 'usdz' })));
    await Promise.all(machines.map((one) => one.close()));
    expect(all[1]!.sha256).toBe(all[0]!.sha256);
    expect(all.filter(({ steps }) => steps !== undefined)).toHaveLength(1);
  });

  it('publish the same GLB by a run', async () => {
    const machine = open('third');
    const assets = await machine.assets();
    const { sha256 } = await assets.asset(CHAIR, { form: 'glb' });
    await assets.close();
    const { report } = await machine.run();
    expect(report.configurations).toMatchObject({ converted: 2, failed: 0 });
    const published = await open('fourth').assets();
    expect((await published.asset(CHAIR, { form: 'glb' })).sha256).toBe(sha256);
    await published.close();
  });
});
