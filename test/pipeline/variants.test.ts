/** Variants of a pipeline: of each article one file for all finishes of a shape, made once. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryLine } from '../../src/run/output/delivered-files.ts';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { ConverterError } from '../../src/support/errors.ts';
import { watchFileOperations } from '../../src/support/file-operations.ts';
import { complaintsAbout } from '../helpers/check-glb.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { lastReport } from '../helpers/daily-runs.ts';
import { changeTimes, deliveryLines, filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);

const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-D160/80' };
const CHAIR = { manufacturer: 'BRNK', program: 'AKTA', basearticlenumber: 'AK110 N' };
const LAMP = { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-GLOBUS' };

/** Two decors in three frames. */
const DESKS = ['EI', 'NB'].map((decor) => ({
  configurations: {
    ...{ ...DESK, values: { 'OBERFLÄCHE.DEKOR': decor } },
    ...{ each: ['OBERFLÄCHE.GESTELL'], max: 9 },
  },
}));
/** Two fabrics with and without armrests. */
const CHAIRS = ['GRAU', 'ROST'].flatMap((fabric) =>
  [{}, { 'AUSSTATTUNG.ARMLEHNEN': 'OHNE' }].map((arms) => ({
    configurations: { ...CHAIR, values: { 'BEZUG.STOFF': fabric, ...arms } },
  })),
);

let folder: string;
let pipeline: string;
let out: string;

const write = (articles: object[]) =>
  writePipeline(folder, {
    service: { emulator: true },
    articles,
    // A finish is another image, however small.
    convert: { maxTextureSize: 128 },
    deliver: {
      variants: true,
      feeds: { baseUrl: 'https://cdn.example', kinds: ['jsonld', 'csv'] },
    },
  });
const linesOf = async ({ basearticlenumber }: typeof DESK) =>
  (await deliveryLines(out)).filter((line) => line.basearticlenumber === basearticlenumber);
const pathsOf = (lines: readonly DeliveryLine[]) => [
  ...new Set(lines.flatMap(({ files }) => files.map(({ path }) => path))),
];
const summary = (text: string) => /variants: (.*made.*)/.exec(text)?.[1];
const glbs = () => filesBelow(join(out, 'variants'));

beforeAll(async () => {
  folder = await temporaryFolder();
  out = join(folder, 'out');
  pipeline = await write([...DESKS, { article: DESK }, ...CHAIRS, { article: LAMP }]);
  const first = await command(['run', pipeline]);
  expect(first).toMatchObject({ exit: 0 });
  expect(summary(first.stdout)).toMatch(/^10 made · 0 unchanged · 0 failed/);
  expect(first.stdout).toContain(
    'variants: 1 article needs several files, since a file can change materials but not its shape. The shape depends on: Armrests\n',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an article with finishes of two properties', () => {
  it('is one file, whose first finish is the default configuration, beside its master', async () => {
    const lines = await linesOf(DESK);
    expect(lines).toHaveLength(6);
    const [path, ...others] = pathsOf(lines);
    expect(others).toEqual([]);
    const manifest = await readManifest(out);
    const isDefault = manifest.find(
      ({ basearticlenumber, requested }) =>
        basearticlenumber === DESK.basearticlenumber &&
        requested.some(({ reinitstring }) => reinitstring === ''),
    )!;
    expect(path).toBe(isDefault.glb!.replace('articles/', 'variants/'));
    const { variants } = (await jsonOf(path!)).extensions.KHR_materials_variants;
    const facts = lines.map(({ files }) => files[0]!.facts);
    expect(facts.map(({ variant }) => variant).toSorted()).toEqual(
      variants.map(({ name }: { name: string }) => name).toSorted(),
    );
    expect(new Set(facts.map((fact) => fact.variants))).toEqual(new Set([6]));
    const own = lines.find((line) => line.finalarticlenumber === isDefault.finalarticlenumber)!;
    expect(variants[0].name).toBe(own.files[0]!.facts.variant);
    expect(variants[0].name).toMatch(/^[A-Z][a-z ]+ · [A-Z][a-z]+$/);
  });

  it('is smaller than twice one finish and the pictures of the others, and without a complaint', async () => {
    const [path] = pathsOf(await linesOf(DESK));
    const glb = await readFile(join(out, path!));
    expect(await complaintsAbout(glb)).toEqual([]);
    const master = await readFile(join(out, path!.replace('variants/', 'articles/')));
    const pictures = async (bytes: Uint8Array) =>
      (await io.readBinary(bytes))
        .getRoot()
        .listTextures()
        .map((one) => one.getImage()!);
    const own = new Set(
      (await pictures(master)).map((image) => Buffer.from(image).toString('hex')),
    );
    const extra = (await pictures(glb))
      .filter((image) => !own.has(Buffer.from(image).toString('hex')))
      .reduce((sum, image) => sum + image.length, 0);
    expect(glb.length).toBeLessThan(2 * master.length + extra);
  });
});

async function jsonOf(path: string) {
  const glb = await readFile(join(out, path));
  return JSON.parse(glb.subarray(20, 20 + glb.readUInt32LE(12)).toString());
}

describe('shapes and finishes', () => {
  it('shapes are files of their own, and each configuration has the file of its shape', async () => {
    const lines = await linesOf(CHAIR);
    expect(lines).toHaveLength(4);
    const paths = pathsOf(lines);
    expect(paths).toHaveLength(2);
    const armrests = new Map(
      (await readCatalogue(out)).map(({ finalarticlenumber, properties }) => {
        const { value } = properties.find(({ name }) => name === 'ARMLEHNEN') ?? {};
        return [finalarticlenumber, value];
      }),
    );
    for (const path of paths) {
      const members = lines.filter(({ files }) => files[0]?.path === path);
      expect(members.map(({ files }) => files[0]!.facts.variants)).toEqual([2, 2]);
      const arms = members.map(({ finalarticlenumber }) => armrests.get(finalarticlenumber));
      expect(new Set(arms).size).toBe(1);
    }
    expect(new Set(lines.map(({ splitBy }) => `${splitBy}`))).toEqual(new Set(['Armrests']));
    const { delivered } = await lastReport(out);
    expect(delivered!.splits).toEqual([
      { splitBy: ['Armrests'], count: 1, articles: ['BRNK/AKTA/AK110 N'] },
    ]);
    const page = await readFile(join(out, 'runs', 'latest', 'report.html'), 'utf8');
    expect(page).toMatch(/Shapes.*Armrests.*AK110 N/s);
  });

  it('an article with one configuration has neither file nor line', async () => {
    expect(await linesOf(LAMP)).toEqual([]);
  });

  it('feeds name the file for a table and an article, and not as the model of one finish', async () => {
    const table = await readFile(join(out, 'feeds', 'erp.csv'), 'utf8');
    expect(table).toMatch(/ variants\/FJEL\/LINEA\//);
    const products = await readFile(join(out, 'feeds', 'products.jsonl'), 'utf8');
    const groups = products
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const variants = JSON.stringify(groups.map(({ hasVariant }) => hasVariant));
    expect(variants).toContain('articles/FJEL');
    expect(variants).not.toContain('variants/');
    expect(products).toContain('variants/FJEL/LINEA/');
  });
});

it('explain names the file of a configuration, its finish, and what divides its article', async () => {
  const { stdout } = await command(['explain', 'AK110 N', '--pipeline', pipeline]);
  expect(stdout).toMatch(
    /^ {2}variants: variants\/BRNK\/AKTA\/\S+\.glb · variant Woven cloth, grey · variants 2 · shape depends on Armrests$/m,
  );
});

describe('a delivery of variants', () => {
  it('is not made again by the next run, and comes back from the cache without any master', async () => {
    const before = await changeTimes(join(out, 'variants'));
    expect(before.size).toBe(3);
    for (const name of ['run', 'deliver']) {
      const again = await command([name, pipeline]);
      expect(summary(again.stdout)).toMatch(/^0 made · 10 unchanged · 0 failed/);
    }
    expect(await changeTimes(join(out, 'variants'))).toEqual(before);
    const bytes = await contents();
    await rm(join(out, 'variants'), { recursive: true });
    await rm(join(out, 'deliveries.jsonl'));
    await rename(join(out, 'articles'), join(out, 'elsewhere'));
    const restored = await command(['deliver', pipeline]);
    await rename(join(out, 'elsewhere'), join(out, 'articles'));
    expect(summary(restored.stdout)).toMatch(/^10 made · 0 unchanged · 0 failed/);
    expect(await contents()).toEqual(bytes);
  });

  it('is verified, and kept by prune', async () => {
    expect((await command(['verify', pipeline])).exit).toBe(0);
    const pruned = await command(['prune', pipeline, '--yes']);
    expect(pruned.stdout).toContain('nothing to remove');
    expect((await command(['verify', pipeline])).exit).toBe(0);
    const [path] = (await glbs()) as [string];
    const bytes = await readFile(path);
    await rm(path);
    await writeFile(path, 'another');
    const verified = await command(['verify', pipeline]);
    expect([verified.exit, verified.stdout]).toEqual([1, expect.stringContaining(path)]);
    expect(verified.stdout.split(path)).toHaveLength(2);
    expect(await command(['deliver', pipeline])).toMatchObject({ exit: 0 });
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it('that is interrupted at any moment is completed by the next one', async () => {
    const bytes = await contents();
    await rm(join(folder, 'cache'), { recursive: true });
    // At once, and while files are made.
    for (const operations of IS_LONG ? [1, 50, 100, 200, 400] : [1, 100]) {
      await rm(join(out, 'variants'), { recursive: true, force: true });
      const controller = new AbortController();
      const stop = () => controller.abort(new ConverterError('INTERRUPTED', 'interrupted'));
      let count = 0;
      watchFileOperations(() => {
        if (++count === operations) stop();
      });
      const cut = await command(['deliver', pipeline], { signal: controller.signal });
      watchFileOperations(undefined);
      expect([0, 130]).toContain(cut.exit);
    }
    const last = await command(['deliver', pipeline]);
    expect(last.exit).toBe(0);
    expect(await contents()).toEqual(bytes);
    expect((await command(['verify', pipeline])).exit).toBe(0);
  });

  it('of an article with a damaged master is a row and keeps its files; the others are made', async () => {
    const [line] = await linesOf(CHAIR);
    const manifest = await readManifest(out);
    const { glb } = manifest.find((one) => one.finalarticlenumber === line!.finalarticlenumber)!;
    const path = join(out, glb!);
    const bytes = await readFile(path);
    await rm(path);
    await writeFile(path, 'another');
    const before = await linesOf(CHAIR);
    const broken = await command(['deliver', pipeline, '--force']);
    expect(broken.exit).toBe(1);
    expect(summary(broken.stdout)).toMatch(/^6 made · 0 unchanged · 4 failed/);
    expect(broken.stdout).toContain('variants  STORE_DAMAGED  BRNK/AKTA/AK110 N');
    const after = await linesOf(CHAIR);
    expect(after.map(({ files }) => files)).toEqual(before.map(({ files }) => files));
    expect(new Set(after.map(({ error }) => error?.code))).toEqual(new Set(['STORE_DAMAGED']));
    await writeFile(path, bytes);
    const mended = await command(['deliver', pipeline]);
    expect(summary(mended.stdout)).toMatch(/^4 made · 6 unchanged · 0 failed/);
  });

  it('of a finish that is gone is made anew, and the file of an article with one is removed', async () => {
    await write([...DESKS, { article: DESK }, { article: CHAIR }]);
    const less = await command(['run', pipeline, '--accept']);
    expect(summary(less.stdout)).toMatch(/^0 made · 6 unchanged · 0 failed/);
    expect(await linesOf(CHAIR)).toEqual([]);
    expect(await glbs()).toEqual([expect.stringContaining('/variants/FJEL/')]);
    const white = { ...DESK, values: { 'OBERFLÄCHE.DEKOR': 'WS' } };
    await write([{ article: DESK }, { configurations: white }, { article: CHAIR }]);
    const two = await command(['run', pipeline, '--accept']);
    expect(summary(two.stdout)).toMatch(/^2 made · 0 unchanged · 0 failed/);
    const names = (await linesOf(DESK)).map(({ files }) => files[0]!.facts.variant);
    expect(names).toContain('White');
  });
});

/** What `variants/` contains, by path. */
async function contents(): Promise<Record<string, string>> {
  const all = (await glbs()).map(async (path) => [path, await readFile(path, 'base64')]);
  return Object.fromEntries(await Promise.all(all));
}
