import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configurationId, configurationKey } from '../../../../src/model/configuration-id.ts';
import type { CatalogueLine, ManifestLine } from '../../../../src/run/lists/manifest-line.ts';
import {
  openCatalogue,
  openManifest,
  readCatalogue,
  readManifest,
} from '../../../../src/run/output/manifest.ts';
import { endPublication } from '../../../../src/run/output/publication.ts';
import { publish } from '../../../../src/run/output/publish.ts';
import { openFileStore } from '../../../../src/source/cache/content-store.ts';
import { watchFileOperations } from '../../../../src/support/file-operations.ts';
import { exists, listFolder, removeTree, sha256Hex } from '../../../../src/support/files.ts';
import { PackedMap } from '../../../../src/support/packed-map.ts';
import { articleKeyOf } from '../../../helpers/article-key.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

let outputDir: string;
beforeEach(async () => {
  outputDir = await temporaryFolder();
});
afterEach(async () => {
  watchFileOperations(undefined);
  await removeTree(outputDir);
});

const openObjects = () =>
  openFileStore({
    dir: join(outputDir, 'objects'),
    tmpDir: join(outputDir, '.tmp'),
    extension: '.glb',
  });

async function lineOf(basearticlenumber: string, content: string): Promise<ManifestLine> {
  const { digest } = await openObjects().put(new TextEncoder().encode(content));
  return {
    ...articleKeyOf(basearticlenumber),
    ...{ status: 'converted', sha256: digest, convertdate: '', source: '' },
    ...{ losses: [], warnings: [], requested: [] },
  };
}

/** Publishes lines; the lines that come back are those that were published. */
const publishLines = (...all: ManifestLine[]) => publishRun(true, ...all);

async function publishRun(isWhole: boolean, ...all: ManifestLine[]) {
  const lines = new PackedMap<ManifestLine>();
  for (const line of all) lines.set(configurationKey(line), line);
  const { pathOf: objectPath } = openObjects();
  const before = await openManifest(outputDir);
  const catalogue = new PackedMap<CatalogueLine>();
  const file = 'catalogue.jsonl';
  const catalogues = [{ file, lines: catalogue, before: await openCatalogue(outputDir) }];
  for (const line of all) catalogue.set(configurationKey(line), configurationId(line) as never);
  const outcome = await publish({ outputDir, lines, before, catalogues, objectPath, isWhole });
  const named = async () => (await readManifest(outputDir)).flatMap(({ glb }) => glb ?? []);
  await endPublication(outputDir, named);
  return { ...outcome, lines: [...lines.values()] };
}
const published = (name: string) =>
  readFile(join(outputDir, 'articles/ACME/DESK', name, 'default.glb'), 'utf8');

/** What happens from now on to files of the output folder: operation and path. */
function stepsOf(...operations: string[]): string[] {
  const steps: string[] = [];
  watchFileOperations((operation, path) => {
    if (operations.includes(operation)) steps.push(`${operation} ${relative(outputDir, path)}`);
  });
  return steps;
}

describe('publishing', () => {
  test('links share their object, and equal contents share one', async () => {
    const { lines } = await publishLines(await lineOf('A', 'same'), await lineOf('B', 'same'));
    const inodes = await Promise.all(
      lines.map(async (line) => (await stat(join(outputDir, line.glb!))).ino),
    );
    const object = await stat(openObjects().pathOf(lines[0]!.sha256!));
    expect(inodes).toEqual([object.ino, object.ino]);
  });

  test('the manifest is sorted by key, its fields in their order', async () => {
    await publishLines(await lineOf('b', '1'), await lineOf('a', '2'), await lineOf('B', '3'));
    const lines = await readManifest(outputDir);
    expect(lines.map((line) => line.basearticlenumber)).toEqual(['B', 'a', 'b']);
    const first = [...Object.keys(articleKeyOf('')), 'status', 'glb', 'sha256'];
    expect(Object.keys(lines[0]!).slice(0, 9)).toEqual(first);
  });

  test('links come before the lists, which are replaced together after a note', async () => {
    const line = await lineOf('A', 'one');
    const steps = stepsOf('link', 'rename', 'fsync', 'unlink');
    await publishLines(line);
    expect(steps.filter((step) => !/^fsync |\.tmp$/.test(step))).toEqual([
      'link articles/ACME/DESK/A/default.glb',
      'rename publishing.jsonl',
      'rename catalogue.jsonl',
      'rename manifest.jsonl',
      'unlink publishing.jsonl',
    ]);
    const [linked, replaced] = ['link articles', 'rename publishing'].map((beginning) =>
      steps.findIndex((step) => step.startsWith(beginning)),
    );
    expect(steps.slice(linked, replaced)).toContain('fsync articles/ACME/DESK/A');
    // Nothing else comes between them.
    expect(steps[replaced! + 2]).toBe('rename manifest.jsonl');
  });

  test('the folder of several new links is synced once', async () => {
    const lines = [await lineOf('A', 'one'), await lineOf('A', 'two')];
    const synced = stepsOf('fsync');
    await publishLines(...lines.map((line, index) => ({ ...line, reinitstring: `F=${index}` })));
    expect(synced.filter((step) => step.includes('articles'))).toEqual([
      'fsync articles/ACME/DESK/A',
    ]);
  });

  test('links, manifest and catalogue that are right are left alone, a wrong link is replaced', async () => {
    const line = await lineOf('A', 'one');
    await publishLines(line);
    const touched = stepsOf('link', 'rename');
    await publishLines(line);
    expect(touched).toEqual([]);
    await publishLines(await lineOf('A', 'two'));
    expect(await published('A')).toBe('two');
  });

  test('a link that someone overwrote is mended from its object', async () => {
    const line = await lineOf('A', 'one');
    await publishLines(line);
    await removeTree(join(outputDir, 'articles'));
    await publishLines(line);
    expect(await published('A')).toBe('one');
  });

  test('only the catalogues of languages are removed, and only by a whole run', async () => {
    const own = ['catalogue.old.jsonl', 'catalogue.bak.jsonl', 'catalogue.raw.jsonl'];
    const former = ['catalogue.de.jsonl', 'catalogue.en-GB.jsonl'];
    for (const name of [...own, ...former]) await writeFile(join(outputDir, name), '');
    const line = await lineOf('A', 'one');
    const catalogues = async () =>
      (await listFolder(outputDir)).filter((name) => /^catalogue\../.test(name));
    await publishRun(false, line);
    expect(await catalogues()).toEqual([...own, ...former, 'catalogue.jsonl'].sort());
    await publishRun(true, line);
    expect(await catalogues()).toEqual([...own, 'catalogue.jsonl'].sort());
  });

  test('a line of the catalogue has path, digest and size of the published GLB, or null', async () => {
    const line = await lineOf('A', 'one');
    const boundsMetres = { min: [-0.8, 0, 0], max: [0.8, 0.72, 0.9] } as never;
    const { lines } = await publishLines({ ...line, boundsMetres });
    const { glb, sha256, ...rest } = lines[0]!;
    const assetsOf = async () => (await readCatalogue(outputDir)).map((c) => [c.glb, c.sha256]);
    expect(await assetsOf()).toEqual([[glb, sha256]]);
    const [{ sizeMillimetres }] = (await readCatalogue(outputDir)) as [CatalogueLine];
    expect(sizeMillimetres).toEqual({ width: 1600, depth: 900, height: 720 });
    await publishLines({ ...rest, status: 'failed', lastGood: { glb: glb!, sha256: sha256! } });
    expect(await assetsOf()).toEqual([[glb, sha256]]);
    await publishLines({ ...rest, status: 'skipped' });
    expect(await assetsOf()).toEqual([[null, null]]);
  });

  test('what a failed configuration had before stays linked', async () => {
    const line = await lineOf('A', 'one');
    const { lines } = await publishLines(line);
    const { sha256, glb, ...rest } = lines[0]!;
    await publishLines({ ...rest, status: 'failed', lastGood: { sha256: sha256!, glb: glb! } });
    expect(await published('A')).toBe('one');
    expect((await readManifest(outputDir))[0]!.lastGood).toEqual({ glb, sha256 });
  });

  /** Publishes a line at the path that an earlier version of the program gave it. */
  async function publishAt(glb: string, line: ManifestLine): Promise<ManifestLine> {
    const { lines } = await publishLines(line);
    await mkdir(dirname(join(outputDir, glb)), { recursive: true });
    await rename(join(outputDir, lines[0]!.glb!), join(outputDir, glb));
    const moved = { ...lines[0]!, glb };
    await writeFile(join(outputDir, 'manifest.jsonl'), `${JSON.stringify(moved)}\n`);
    return moved;
  }
  const FORMER = 'articles/ACME/D%26K/A%20B/default.glb';
  const MOVED = `A-B~${sha256Hex(Buffer.from('A B')).slice(0, 8)}`;

  test('a line whose name follows another rule now moves its link, and the former one goes last', async () => {
    const former = await publishAt(FORMER, await lineOf('A B', 'one'));
    const steps = stepsOf('rename', 'unlink');
    await publishLines({ ...former, status: 'unchanged' });
    expect(await published(MOVED)).toBe('one');
    expect(await listFolder(join(outputDir, 'articles/ACME'))).toEqual(['DESK']);
    expect(steps.indexOf('rename manifest.jsonl')).toBeLessThan(steps.indexOf(`unlink ${FORMER}`));
  });

  test('the last good GLB of a failed line moves too, even one whose object is lost', async () => {
    const { glb, sha256, ...rest } = await publishAt(FORMER, await lineOf('A B', 'one'));
    await removeTree(join(outputDir, 'objects'));
    const lastGood = { glb: glb!, sha256: sha256! };
    const { lines } = await publishLines({ ...rest, status: 'failed', lastGood });
    expect(lines[0]!.lastGood).toEqual({
      ...lastGood,
      glb: `articles/ACME/DESK/${MOVED}/default.glb`,
    });
    expect(await published(MOVED)).toBe('one');
  });

  test('a former path that another line has now, or outside of articles/, is not removed', async () => {
    const former = await publishAt('articles/ACME/DESK/C/default.glb', await lineOf('A', 'one'));
    await publishLines(former, await lineOf('C', 'two'));
    expect([await published('A'), await published('C')]).toEqual(['one', 'two']);
    const outside = 'articles/../outside.glb';
    await publishLines(await publishAt(outside, await lineOf('A', 'one')));
    expect(await exists(join(outputDir, outside))).toBe(true);
  });

  test('without hard links the links are copies, counted, and left alone the next time', async () => {
    const line = await lineOf('A', 'one');
    watchFileOperations((operation) => {
      if (operation === 'link') throw Object.assign(new Error('no links'), { code: 'EPERM' });
    });
    expect(await publishLines(line)).toMatchObject({ copied: 1, linked: 0 });
    expect(await publishLines(line)).toMatchObject({ copied: 0, linked: 0 });
    expect(await published('A')).toBe('one');
  });

  test('a missing object is reported and its link stays as it was', async () => {
    const line = await lineOf('A', 'one');
    await publishLines(line);
    await writeFile(join(outputDir, 'marker'), '');
    await removeTree(join(outputDir, 'objects'));
    const { withoutObject } = await publishLines(line);
    expect(withoutObject).toEqual(['articles/ACME/DESK/A/default.glb']);
    expect(await published('A')).toBe('one');
  });
});
