/** The converter in a browser: what a person sees while planning has the bytes that a run writes. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversionInput } from '../../src/convert/model/input.ts';
import { decodePartsList } from '../../src/convert/wire/parts-list.ts';
import { canonicalName } from '../../src/convert/wire/value.ts';
import { writeGlb } from '../../src/convert/write/glb.ts';
import { type Glb, readGlb, viewBytes } from '../../src/deliver/making/glb-container.ts';
import { createUsdzMaker } from '../../src/deliver/usd/usdz-maker.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import type { Fetched } from '../../src/model/snapshot.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { openWatched } from '../helpers/browser.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { openCache, openConverterPage } from '../helpers/converter-page.ts';
import { installNode } from '../helpers/other-nodes.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { allArticles } from '../helpers/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { BOX_BODY, sceneOf } from '../helpers/snapshot.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const ROOT = new URL('../../', import.meta.url);
const RECORDING = fileURLToPath(new URL('../shared/data/cc0-furniture', ROOT));
const LIST = fileURLToPath(new URL('pipelines/demo-configurations.csv', ROOT));
const PROGRAM = fileURLToPath(new URL('dist/cli/main.js', ROOT));

/** An article whose parts are all blocks, and one of perforated metal: two images become one. */
const [DESK, PERFORATED] = ['LN-M', 'DP-X3/4'];

/** In its default configuration. */
const isDesk = ({ basearticlenumber, requested }: ManifestLine) =>
  basearticlenumber === DESK && requested.some(({ reinitstring }) => reinitstring === '');

/** What `pipelines/demo.yaml` selects, or an article of each third of the catalogue, and those that are named above. */
function selection(): object[] {
  if (IS_LONG) return [{ catalogue: {} }, { list: LIST }];
  const all = allArticles(createSampleRange());
  const step = Math.ceil(all.length / 3);
  const isSelected = (number: string, index: number) =>
    index % step === 0 || number === DESK || number === PERFORATED;
  return all
    .filter(({ basearticlenumber }, index) => isSelected(basearticlenumber, index))
    .map(({ manufacturer, program, basearticlenumber }) => ({
      article: { manufacturer, program, basearticlenumber },
    }));
}

/** Which images of a GLB are none of the service's: their pixels were encoded again. */
function encodedAgain(glb: Glb, { images }: ConversionInput): Set<number> {
  const received = new Set(
    Array.from(images.values(), (found) => ('digest' in found ? found.digest : '')),
  );
  const own = (glb.json.images ?? []).flatMap(({ bufferView }, index) =>
    received.has(sha256Hex(viewBytes(glb, bufferView))) ? [] : [index],
  );
  return new Set(own);
}

interface Texture {
  index: number;
}

/**
 * The rule, by the materials of a GLB: roughness and metallic are packed into one image, unless a grey roughness is
 * alone, with a metallic factor of 0. All other images pass.
 */
function packedByMaterial({ json }: Glb): Set<number> {
  const packed = new Set<number>();
  for (const { pbrMetallicRoughness } of json.materials ?? []) {
    const { metallicFactor = 1, metallicRoughnessTexture } = pbrMetallicRoughness as {
      metallicFactor?: number;
      metallicRoughnessTexture?: Texture;
    };
    if (metallicRoughnessTexture && metallicFactor !== 0)
      packed.add(json.textures![metallicRoughnessTexture.index]!.source);
  }
  return packed;
}

/** A GLB without the bytes of some images, and where these make others lie. */
function without({ json, binary }: Glb, images: ReadonlySet<number>) {
  const views = new Set(Array.from(images, (index) => json.images![index]!.bufferView));
  const kept = Array.from(json.bufferViews.keys(), (index) =>
    views.has(index) ? undefined : sha256Hex(viewBytes({ json, binary }, index)),
  );
  const { bufferViews: _, buffers: __, ...rest } = json;
  return { rest, kept };
}

/** The largest difference between the pixels of two images, of 255. */
async function difference(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [x, y] = await Promise.all(
    [a, b].map((bytes) =>
      sharp(bytes).removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }),
    ),
  );
  expect([y!.info.width, y!.info.height]).toEqual([x!.info.width, x!.info.height]);
  let most = 0;
  for (let i = 0; i < x!.data.length; i++)
    most = Math.max(most, Math.abs(x!.data[i]! - y!.data[i]!));
  return most;
}

/** Runs a pipeline in a folder, and opens what it has cached and written. */
async function openRun(folder: string, content: Record<string, unknown>) {
  const pipeline = await writePipeline(folder, content);
  expect((await command(['run', pipeline])).exit).toBe(0);
  const cache = await openCache(pipeline);
  return {
    lines: await readManifest(join(folder, 'out')),
    cache,
    snapshotOf: (line: ManifestLine) => cache.snapshot(line.requested[0]!),
    masterOf: async (line: ManifestLine) =>
      new Uint8Array(await readFile(join(folder, 'out', line.glb!))),
  };
}

type PastRun = Awaited<ReturnType<typeof openRun>>;
type OpenedPage = Awaited<ReturnType<typeof openConverterPage>>;

/** Converts what a run has converted. Returns how many GLBs are equal; in all others only the images of the rule differ. */
async function countEqual({ lines, snapshotOf, masterOf }: PastRun, { convert }: OpenedPage) {
  let equal = 0;
  for (const line of lines) {
    const snapshot = await snapshotOf(line);
    const { glb, sizeMetres, triangles, warnings } = await convert(snapshot);
    const { min, max } = line.boundsMetres!;
    expect(sizeMetres).toEqual(max.map((value, axis) => value - min[axis]!));
    expect(triangles).toBe(line.triangles);
    expect(warnings).toEqual(line.warnings);
    const master = readGlb(await masterOf(line));
    const again = encodedAgain(master, snapshot);
    expect(again).toEqual(packedByMaterial(master));
    if (again.size === 0) {
      expect(sha256Hex(glb)).toBe(line.sha256);
      equal++;
      continue;
    }
    const made = readGlb(glb);
    expect(without(made, again)).toEqual(without(master, again));
    for (const index of again) {
      const { bufferView } = master.json.images![index]!;
      const [theirs, ours] = [viewBytes(master, bufferView), viewBytes(made, bufferView)];
      expect(await difference(theirs, ours)).toBeLessThanOrEqual(4);
    }
  }
  return equal;
}

describe.runIf(HAS_BROWSER)('the converter in Chromium', () => {
  let folder: string;
  let past: PastRun;
  let opened: OpenedPage;
  beforeAll(async () => {
    folder = await temporaryFolder();
    past = await openRun(folder, { service: { emulator: true }, articles: selection() });
    opened = await openConverterPage(past.cache);
  });
  afterAll(async () => {
    await opened?.close();
    past?.cache.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('writes the bytes of the run, but for pixels that are encoded again', async () => {
    const equal = await countEqual(past, opened);
    const all = past.lines.length;
    expect(all).toBeGreaterThanOrEqual(IS_LONG ? 100 : 5);
    expect(equal).toBeGreaterThan(0.7 * all);
    expect(equal).toBeLessThan(all);
    expect(opened.trouble).toEqual([]);
  });

  it.runIf(IS_LONG && existsSync(RECORDING))('writes those of real furniture', async () => {
    const home = join(folder, 'real');
    await mkdir(home);
    const real = await openRun(home, { service: { recording: RECORDING } });
    const page = await openConverterPage(real.cache);
    expect(await countEqual(real, page)).toBeGreaterThan(0);
    await page.close();
    real.cache.close();
  });

  it('ends an earlier conversion with a later one, or with its signal', async () => {
    const [line] = past.lines;
    const number = opened.numberOf(await past.snapshotOf(line!));
    const { triangles } = line!;
    const settled = await opened.page.evaluate(`convertAll([${number}, ${number}, ${number}])`);
    expect(settled).toEqual(['AbortError', 'AbortError', triangles]);
    const twice = await opened.page.evaluate(`convertTwice(${number})`);
    expect(twice).toEqual(['AbortError', triangles]);
  });

  it('leaves out missing blocks and textures, each with a warning', async () => {
    const snapshot = await past.snapshotOf(past.lines.find(isDesk)!);
    const missing = { missing: { code: 'BLOCK_MISSING', message: 'block X: not there' } };
    const [name] = snapshot.blocks.keys();
    const blocks = new Map([...snapshot.blocks, [name!, missing]]);
    const images = new Map(
      Array.from(snapshot.images.keys(), (reference) => [
        reference,
        { missing: { code: 'HTTP_STATUS', message: `image ${reference}: status 500` } },
      ]),
    );
    const { glb, warnings } = await opened.convert({ ...snapshot, blocks, images });
    const codes = new Set(warnings.map(({ code }) => code));
    expect([...codes]).toEqual(expect.arrayContaining(['BLOCK_MISSING', 'HTTP_STATUS']));
    expect(readGlb(glb).json.images ?? []).toEqual([]);
    const none = new Map(Array.from(snapshot.blocks.keys(), (key) => [key, missing]));
    const { error } = await opened.convert({ ...snapshot, blocks: none });
    expect(error).toMatchObject({ code: 'NOTHING_TO_DRAW' });
  });

  it('says what is wrong with bodies that cannot be read', async () => {
    const snapshot = await past.snapshotOf(past.lines.find(isDesk)!);
    opened.extra.set('/bodies/bad', new TextEncoder().encode('<html>'));
    const bad = { digest: 'bad', bytes: 6 };
    const blocks = new Map([...snapshot.blocks, [[...snapshot.blocks.keys()][0]!, bad]]);
    const images = new Map(Array.from(snapshot.images.keys(), (reference) => [reference, bad]));
    const { warnings, triangles } = await opened.convert({ ...snapshot, blocks, images });
    const codes = warnings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['BLOCK_INVALID', 'IMAGE_UNREADABLE']));
    expect(triangles).toBeGreaterThan(0);
    const { error } = await opened.convert({ ...snapshot, partsList: 'bad' });
    expect(error).toMatchObject({ code: 'PARTS_LIST_INVALID' });
  });

  it('converts where the browser offers no SHA-256: without HTTPS', async () => {
    const insecure = await openConverterPage(past.cache, '0.0.0.0');
    expect(await insecure.page.evaluate('isSecureContext')).toBe(false);
    const desk = past.lines.find(isDesk)!;
    const snapshot = await past.snapshotOf(desk);
    for (let i = 0; i < 2; i++)
      expect(sha256Hex((await insecure.convert(snapshot)).glb)).toBe(desk.sha256);
    await insecure.close();
  });

  it('writes the USDZ that the delivery writes', async () => {
    const master = await past.masterOf(past.lines[0]!);
    const [file] = await createUsdzMaker().make(master, ['model.usdz']);
    expect(sha256Hex(await opened.usdz(master))).toBe(sha256Hex(file!.bytes));
  });

  it('takes options of convert:, and says so where its program is not there', async () => {
    const snapshot = await past.snapshotOf(past.lines[0]!);
    await opened.page.evaluate("open(undefined, { unknownNodes: 'fail', maxTriangles: 1 })");
    expect((await opened.convert(snapshot)).error).toMatchObject({ code: 'SCENE_TOO_LARGE' });
    const tangents = opened.page.evaluate("open(undefined, { tangents: 'mikktspace' })");
    await expect(tangents).rejects.toThrow("tangents: expected 'none', received 'mikktspace'");
    await opened.page.evaluate("open('/planning/none.js')");
    expect((await opened.convert(snapshot)).error).toMatchObject({ code: 'FILE_MISSING' });
    await opened.page.evaluate('open()');
    expect((await opened.convert(snapshot)).triangles).toBe(past.lines[0]!.triangles);
  });

  it('runs the example of the page of the library', async () => {
    const text = await readFile(new URL('src/README.md', ROOT), 'utf8');
    const [, example] = /^```js browser\n(.*?)^```/ms.exec(text)!;
    const desk = past.lines.find(isDesk)!;
    const snapshot = await past.snapshotOf(desk);
    const partsList = await past.cache.body(snapshot.partsList);
    opened.extra.set('/parts-list', partsList);
    const serve = async (folder: string, name: string, found: Fetched | undefined) =>
      opened.extra.set(
        `/${folder}/${encodeURIComponent(name)}`,
        await past.cache.body((found as { digest: string }).digest),
      );
    for (const name of decodePartsList(partsList).blockNames)
      await serve('blocks', name, snapshot.blocks.get(canonicalName(name)));
    for (const [reference, found] of snapshot.images) await serve('images', reference, found);
    const program = example!.replace('btg2gltf/browser', '/browser.js');
    opened.extra.set('/example.js', new TextEncoder().encode(program));
    const printed = opened.page.waitForEvent('console');
    await opened.page.evaluate("import('/example.js')");
    const [, says] = /\/\/ → (.*)$/m.exec(program)!;
    expect((await printed).text()).toBe(says);
    expect(says).toBe(`${desk.triangles} ${desk.bytes}`);
  });

  it.runIf(IS_LONG && process.platform === 'linux' && process.arch === 'x64')(
    `writes the files of Node ${process.versions.node} and of the newest one`,
    async ({ skip }) => {
      const home = join(folder, 'newest');
      await mkdir(home);
      const node = await installNode(home, 'latest').catch((cause: Error) =>
        skip(`npm has no newer Node: ${cause.message}`),
      );
      const content = { service: { emulator: true }, articles: selection() };
      await promisify(execFile)(node, [PROGRAM, 'run', await writePipeline(home, content)]);
      const filesOf = (all: ManifestLine[]) => all.map(({ glb, sha256 }) => [glb, sha256]);
      expect(filesOf(await readManifest(join(home, 'out')))).toEqual(filesOf(past.lines));
    },
  );
});

describe('btg2gltf/browser', () => {
  it('needs nothing of Node, which can import it all the same', async () => {
    const resolve = (name: string) => pathToFileURL(createRequire(import.meta.url).resolve(name));
    const address = resolve('btg2gltf/browser');
    const library = (await import(address.href)) as object;
    expect(Object.keys(library).sort()).toEqual([
      ...['canonicalName', 'decodePartsList', 'imageReferences', 'openConverter'],
    ]);
    const worker = resolve('btg2gltf/planning/convert-worker.js');
    const whole = resolve('btg2gltf/convert-worker.js');
    for (const file of [address, worker, whole, resolve('btg2gltf/planning/usdz.js')])
      expect(await readFile(file, 'utf8')).not.toMatch(/(?:from|import|require)[\s(]*["'`]node:/);
    // `npm test` builds no types of this module.
    const typed = IS_LONG ? [address, new URL('../web/planning/converter.d.ts', worker)] : [];
    for (const file of typed) {
      const types = new URL(file.pathname.replace(/\.js$/, '.d.ts'), file);
      expect(await readFile(types, 'utf8')).toContain('openConverter');
    }
  });

  it.runIf(HAS_BROWSER && IS_LONG)(
    'works in an application that Vite builds, whose files have other names',
    async () => {
      const app = await temporaryFolder();
      await mkdir(join(app, 'node_modules'));
      await symlink(fileURLToPath(ROOT), join(app, 'node_modules/btg2gltf'));
      const page =
        '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>';
      await writeFile(join(app, 'index.html'), page);
      const main = `
      import { openConverter } from 'btg2gltf/browser';
      import worker from 'btg2gltf/convert-worker.js?url';
      globalThis.usdzOf = async (glb) => Array.from(await openConverter(worker).usdz(glb));`;
      await writeFile(join(app, 'main.js'), main);
      const build = { assetsInlineLimit: 0 };
      await vite({ root: app, configFile: false, logLevel: 'silent', build });
      const glb = writeGlb(
        await sceneOf({
          btg: [{ type: 'imp', btgname: 'A::B::C', mat: '' }],
          blocks: { 'A::B::C': BOX_BODY },
        }),
      );
      const server = await serveFolder(join(app, 'dist'));
      const { page: opened, trouble } = await openWatched(`${server.address}/index.html`);
      await opened.waitForFunction('globalThis.usdzOf');
      const usdz = await opened.evaluate<number[]>(`usdzOf(Uint8Array.from([${glb}]))`);
      expect(String.fromCharCode(...usdz.slice(0, 2))).toBe('PK');
      expect(trouble).toEqual([]);
      await opened.context().close();
      await server.close();
      await rm(app, { recursive: true });
    },
  );
});
