/** Deliveries of a pipeline: pictures of what a run has published, made once. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DeliveredFile, DeliveryLine } from '../../src/run/output/delivered-files.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { openDailyRuns } from '../helpers/daily-runs.ts';
import { encoded, flatPicture } from '../helpers/flat-picture.ts';
import { changeTimes, deliveryLines, filesBelow } from '../helpers/output-folder.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

shareBrowser();

let folder: string;
let pipeline: string;
let out: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  out = join(folder, 'out');
  await write(['hero', 'top']);
});

const write = async (cameras: string[], articles: object[] = [desk, lamp]) => {
  const deliver = { pictures: { cameras, width: 96, height: 64, format: 'png' } };
  pipeline = await writePipeline(folder, { service: { emulator: true }, articles, deliver });
};
const desk = { article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' } };
const lamp = { article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-GLOBUS' } };

const deliveries = () => deliveryLines(out);

const summary = (text: string) => /pictures: (.*)/.exec(text)?.[1];

describe.runIf(HAS_BROWSER)('pictures of a pipeline', () => {
  it('are made by a run, beside the articles, with the same names of folders', async () => {
    const first = await command(['run', pipeline]);
    expect(first).toMatchObject({ exit: 0 });
    const lines = await deliveries();
    const published = (await readManifest(out)).filter(({ glb }) => glb !== undefined);
    expect(lines).toHaveLength(published.length);
    expect(summary(first.stdout)).toContain(`${published.length} made · 0 unchanged · 0 failed`);
    for (const { files } of lines) {
      expect(files.map(({ name }) => name)).toEqual([
        ...['hero-96.png', 'hero.png'],
        ...['top.png', 'top.png'],
      ]);
      const { path } = files[0]!;
      const { width, height } = await sharp(join(out, path)).metadata();
      expect([width, height]).toEqual([96, 64]);
      expect(published.map(({ glb }) => glb)).toContain(
        path.replace('pictures/', 'articles/').replace(/\/[^/]+-hero-96\.png$/, '.glb'),
      );
    }
  });

  it('are not made again by the next run, nor by deliver alone', async () => {
    const times = await changeTimes(join(out, 'pictures'));
    for (const name of ['run', 'deliver']) {
      const again = await command([name, pipeline]);
      expect(again).toMatchObject({ exit: 0 });
      expect(summary(again.stdout)).toContain('0 made');
    }
    expect(await changeTimes(join(out, 'pictures'))).toEqual(times);
  });

  it('come back from the cache where they were removed, without a browser', async () => {
    const [{ files }] = (await deliveries()) as [DeliveryLine];
    await rm(join(out, 'pictures'), { recursive: true });
    const again = await command(['deliver', pipeline], {
      env: { BTG2GLTF_BROWSER: process.execPath },
    });
    expect(again).toMatchObject({ exit: 0 });
    expect((await stat(join(out, files[0]!.path))).size).toBe(files[0]!.bytes);
  });

  it('are files of the output folder: verify checks them, and prune keeps them', async () => {
    const pruned = await command(['prune', pipeline]);
    expect(pruned.stdout).toContain('nothing to remove');
    expect((await command(['verify', pipeline])).exit).toBe(0);
    const [{ files }] = (await deliveries()) as [DeliveryLine];
    const path = join(out, files[0]!.path);
    const bytes = await readFile(path);
    await rm(path);
    await writeFile(path, 'another picture');
    const verified = await command(['verify', pipeline]);
    expect([verified.exit, verified.stdout]).toEqual([1, expect.stringContaining('damaged')]);
    await rm(path);
    expect(await command(['deliver', pipeline, '--force'])).toMatchObject({ exit: 0 });
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it('are not taken again where run or build --force makes the same GLBs, without a browser', async () => {
    const times = await changeTimes(join(out, 'pictures'));
    // A run builds as build does.
    for (const name of IS_LONG ? ['run', 'build'] : ['run']) {
      const again = await command([name, pipeline, '--force'], {
        env: { BTG2GLTF_BROWSER: process.execPath },
      });
      expect(again).toMatchObject({ exit: 0 });
      expect(summary(again.stdout)).toContain('0 made');
    }
    expect(await changeTimes(join(out, 'pictures'))).toEqual(times);
  });

  it('that are no longer asked for are removed, and those of articles that are gone; the others are not made again', async () => {
    await write(['hero'], [desk]);
    // Without a browser.
    const again = await command(['run', pipeline], { env: { BTG2GLTF_BROWSER: process.execPath } });
    expect(again).toMatchObject({ exit: 0 });
    const lines = await deliveries();
    const names = lines.flatMap(({ files }) => files.map(({ name }) => name));
    expect(names).toEqual([expect.stringMatching(/^hero-\d+\.png$/), 'hero.png']);
    expect(await filesBelow(join(out, 'pictures'))).toHaveLength(2);
  });

  it('that were taken with another light are taken again, and the report says why', async () => {
    const list = join(out, 'deliveries.jsonl');
    const older = (await deliveries()).map((line) => ({
      ...line,
      version: 9,
      source: 'of another light',
    }));
    await writeFile(list, older.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const why =
      'all pictures were taken again, because shadows and reflections are drawn differently';
    const run = await command(['run', pipeline]);
    expect([run.exit, run.stdout]).toEqual([0, expect.stringContaining(why)]);
    expect(summary(run.stdout)).toContain('1 made');
    expect((await deliveries())[0]!.version).not.toBe(9);
    expect((await command(['run', pipeline])).stdout).not.toContain(why);
  });

  it('are refused by the pipeline file where a width makes a picture too high', async () => {
    const pictures = { width: 400, height: 800, sizes: [2049] };
    const path = await writePipeline(folder, {
      ...{ service: { emulator: true }, articles: [desk], deliver: { pictures } },
    });
    const { exit, stderr } = await command(['run', path]);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining('expected heights of at most 4096'),
    ]);
  });

  it('have the name of their article, their camera and their width, and their former address', async () => {
    const { article } = desk;
    const pictures = { cameras: ['hero'], width: 96, height: 64, format: 'png', sizes: [96, 48] };
    pipeline = await writePipeline(folder, {
      service: { emulator: true, lang: ['de', 'en'] },
      articles: [{ article }],
      deliver: { pictures, feeds: { baseUrl: 'https://cdn.example/', kinds: ['pictures'] } },
    });
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    const [{ files }] = (await deliveries()) as [DeliveryLine];
    expect(files.map(({ name }) => name)).toEqual(['hero-96.png', 'hero.png', 'hero-48.png']);
    const [hero, former, small] = files as [DeliveredFile, DeliveredFile, DeliveredFile];
    const [, , , shown] = hero.path.split('/');
    const folderOfHero = hero.path.slice(0, hero.path.lastIndexOf('/'));
    expect(hero.path).toBe(`${folderOfHero}/${shown}-hero-96.png`);
    expect(small.path).toBe(`${folderOfHero}/${shown}-hero-48.png`);
    expect(former).toMatchObject({
      path: `${folderOfHero}/hero.png`,
      sha256: hero.sha256,
      facts: { camera: 'hero', width: 96, height: 64, isFormerAddress: true },
    });
    const listed = JSON.parse(await readFile(join(out, 'feeds', 'pictures.jsonl'), 'utf8'));
    expect(listed).toMatchObject({
      alt: {
        de: expect.stringMatching(/^Schreibtisch nach Maß, Untergestell: Vierfuß, /),
        en: expect.stringMatching(/^Desk made to measure, Base: Four legs, /),
      },
      pictures: [hero, small].map(({ path, sha256 }) => ({ camera: 'hero', path, sha256 })),
    });
    expect((await sharp(join(out, small.path)).metadata()).width).toBe(48);
  });

  it('that a browser cannot take are rows of the result, and the others are taken', async () => {
    await write(['front'], [desk]);
    const broken = await command(['deliver', pipeline], {
      env: { BTG2GLTF_BROWSER: process.execPath },
    });
    expect(broken.exit).not.toBe(0);
    expect(`${broken.stdout}${broken.stderr}`).toContain('BROWSER_MISSING');
    expect(await command(['deliver', pipeline])).toMatchObject({ exit: 0 });
  });
});

it('without a deliver: section nothing is delivered, and deliver says so', async () => {
  const output = { dir: 'plain' };
  await writePipeline(folder, { service: { emulator: true }, articles: [desk], output });
  expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
  const { stdout, exit } = await command(['deliver', pipeline]);
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/^nothing was made: the pipeline file has no section "deliver",.*\n$/),
  ]);
});

describe.runIf(HAS_BROWSER)('a picture that cannot be taken', () => {
  /** No browser draws a texture of so many pixels a side. */
  const WIDE = 9000;

  it('is tried twice, then waits for another model, for other options, or for --force', async () => {
    const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::BOX'], pics: ['ACME::WIDE'] }]);
    let image = await encoded(flatPicture([9, 9, 9], WIDE, 8).jpeg());
    range.material = async () => image;
    const runs = await openDailyRuns(range, {
      convert: { maxTextureSize: 16_384 },
      deliver: { pictures: { cameras: ['hero'], width: 64, height: 64 } },
    });
    const failure = async (...words: string[]) => {
      const { exit } = await runs.call([...words, runs.pipelineFile]);
      const [line] = await deliveryLines(runs.outputDir);
      return { exit, attempts: line!.error?.attempts };
    };
    expect(await failure('run')).toEqual({ exit: 1, attempts: 1 });
    expect(await failure('deliver')).toEqual({ exit: 1, attempts: 2 });
    const waiting = await runs.call(['deliver', runs.pipelineFile], {
      // It is not even started.
      env: { ...runs.proxy.env, BTG2GLTF_BROWSER: process.execPath },
    });
    expect(waiting).toMatchObject({ exit: 1 });
    expect(waiting.stdout).toContain('texture WIDE: expected at most 8192 pixels a side');
    expect(waiting.stdout).toContain('; it failed 2 times, and waits for another model');
    if (IS_LONG) expect(await failure('deliver', '--force')).toEqual({ exit: 1, attempts: 3 });
    image = await encoded(flatPicture([9, 9, 9], 8, 8).jpeg());
    range.convertdate = '2024-06-01';
    expect(await failure('run')).toEqual({ exit: 0, attempts: undefined });
    await runs.close();
  });
});
