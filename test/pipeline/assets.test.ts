/** Files that are made when they are asked for; `assets-random.test.ts` compares them with those of a run. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetForm } from '../../src/deliver/asset-forms.ts';
import type { Assets } from '../../src/deliver/assets.ts';
import { openAssets, run } from '../../src/library.ts';
import type { ConfigurationRequest } from '../../src/run/on-demand-run.ts';
import { listFolder, temporaryFolder as temporaryFolderOf } from '../../src/support/files.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
const CHAIR = { manufacturer: 'BRNK', program: 'KONVA', basearticlenumber: 'KV20 F' };
const FINISH = 'OBERFLÄCHE.DEKOR';

let folder: string;
let assets: Assets;
const contentIn = (name: string) => ({
  name: 'assets',
  service: { emulator: true },
  output: { dir: join(folder, name) },
  cache: { dir: join(folder, `${name}-cache`) },
  articles: [{ configurations: { ...DESK, each: [FINISH], max: 2 } }, { article: CHAIR }],
});

beforeAll(async () => {
  folder = await temporaryFolder();
  assets = await openAssets({ pipeline: contentIn('own') });
});
afterAll(async () => {
  await assets.close();
  await rm(folder, { recursive: true });
});

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('an asset', () => {
  it('is found by a run that is on the same cache', async () => {
    const own = await openAssets({ pipeline: contentIn('before') });
    await own.asset(DESK, { form: 'glb' });
    await own.close();
    await expect(own.asset(DESK, { form: 'glb' })).rejects.toMatchObject({ code: 'USAGE' });
    const { report } = await run({ pipeline: contentIn('before') });
    const { converted, unchanged, failed } = report.configurations;
    expect({ all: converted + unchanged, failed }).toEqual({ all: 3, failed: 0 });
    expect(await listFolder(temporaryFolderOf(join(folder, 'before-cache')))).toEqual([]);
  });

  it('has values by the names of classes and properties', async () => {
    const standard = await assets.asset(DESK, { form: 'glb' });
    const { key, name, mimeType, bytes, sha256 } = await assets.asset(
      { ...DESK, values: { [FINISH]: 'NB' } },
      { form: 'glb' },
    );
    expect(key.finalarticlenumber).not.toBe(standard.key.finalarticlenumber);
    expect(name).toBe(`${key.finalarticlenumber}.glb`);
    expect(mimeType).toBe('model/gltf-binary');
    expect(sha256).toBe(digest(bytes));
    expect(sha256).not.toBe(standard.sha256);
  });

  it('is asked of the service anew after a time, while another one is still made', async () => {
    let now = Date.now();
    const own = await openAssets({
      ...{ pipeline: contentIn('renewed'), now: () => now, resolveMaxAgeMs: 1000 },
    });
    const [first] = await Promise.all(
      [DESK, CHAIR].map((article) => {
        now += 1000;
        return own.asset(article, { form: 'glb' });
      }),
    );
    now += 1000;
    const { sha256, resolvedAtMs, steps } = await own.asset(DESK, { form: 'glb' });
    expect([sha256, resolvedAtMs]).toEqual([first!.sha256, now]);
    expect(steps).toMatchObject({ resolve: expect.any(Number) });
    await own.close();
  });

  it('is made once for equal calls at the same time', async () => {
    const request = { ...CHAIR, values: {} };
    const all = await Promise.all([1, 2, 3].map(() => assets.asset(request, { form: 'usdz' })));
    expect(all[1]).toBe(all[0]);
    expect(all[2]).toBe(all[0]);
  });
});

describe('a request for an asset that there is not', () => {
  const refused: [string, ConfigurationRequest, AssetForm, string, RegExp][] = [
    [
      'an article',
      { ...DESK, basearticlenumber: 'XX' },
      { form: 'glb' },
      'ARTICLE_NOT_FOUND',
      /XX/,
    ],
    [
      'a property',
      { ...DESK, values: { 'OBERFLÄCHE.DEKORE': 'EI' } },
      { form: 'glb' },
      'PROPERTY_UNKNOWN',
      /did you mean "OBERFLÄCHE\.DEKOR"/,
    ],
    [
      'a value',
      { ...DESK, values: { [FINISH]: 'NONE' } },
      { form: 'glb' },
      'PROPERTY_VALUE_REFUSED',
      /DEKOR: expected one of EI, NB, .* received "NONE"/,
    ],
    [
      'a configuration',
      { ...DESK, reinitstring: 'forged' },
      { form: 'glb' },
      'CONFIGURATION_REFUSED',
      /expected a reinitstring that the service accepts/,
    ],
    ['a profile', DESK, { form: 'glb', profile: 'webb' }, 'USAGE', /did you mean "web"/],
    ['several files', DESK, { form: 'glb', profile: 'shared' }, 'USAGE', /single file.*"shared"/],
    ['a camera', DESK, { form: 'jpg', camera: '__proto__' }, 'USAGE', /camera: .*hero/],
    ['a size', DESK, { form: 'jpg', width: 1e6 }, 'USAGE', /width: /],
  ];
  it.each(refused)('is refused with a sentence: %s', async (_, request, form, code, message) => {
    await expect(assets.asset(request, form)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('ends with the signal', async () => {
    const gone = new AbortController();
    const waiting = assets.asset(
      { ...DESK, values: { [FINISH]: 'WS' } },
      { form: 'usdz' },
      { signal: gone.signal },
    );
    gone.abort(new Error('the client is gone'));
    await expect(waiting).rejects.toThrow('the client is gone');
  });
});
