import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import {
  CONVERT_DEFAULTS,
  type ConverterError,
  convert,
  convertArticle,
  createClient,
  createFetcher,
  createLogger,
  createMeshCache,
  type FinishedRun,
  junitXml,
  loadPipeline,
  metricsText,
  migrate,
  openCacheDatabase,
  openFileStore,
  openInbox,
  openRecording,
  openRelay,
  parseArticleList,
  parsePipeline,
  planningUrl,
  type RunReport,
  readArticleList,
  readCatalogue,
  readManifest,
  recordPipeline,
  reportHtml,
  run,
  runPipeline,
  type Scene,
  type ServiceClient,
  SILENT,
  selectArticles,
  sharpImageCodec,
  summarise,
  transformArticle,
  verifyOutput,
  writeGlb,
} from '../../src/index.ts';
import { createSampleRange } from '../../src/sample/sample-range.ts';
import { readGlb } from '../helpers/check-glb.ts';
import { environmentOf } from '../helpers/child.ts';
import { writePipeline } from '../helpers/command.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

let emulator: Emulator;
let folder: string;
beforeAll(async () => {
  emulator = await startEmulator({ range: createSampleRange() });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
const SAMPLE = { emulator: true };
const live = () => ({ authUrl: emulator.authUrl, baseUrl: emulator.baseUrl });

/** Calls a function as a program without types does. */
const call = (work: unknown, ...parameters: unknown[]) =>
  (async () => (work as (...parameters: unknown[]) => unknown)(...parameters))();

describe('convert', () => {
  test('converts one article into one file, and leaves nothing else', async () => {
    const output = join(folder, 'desk.glb');
    const temporaries = await temporaryFolder();
    vi.stubEnv('TMPDIR', temporaries);
    const result = await convert({ service: SAMPLE, article: DESK, output });
    const bytes = await readFile(output);
    const { triangles } = await readGlb(bytes);
    expect(result).toMatchObject({ file: output, files: [output], bytes: bytes.length });
    expect(result.scene.triangles).toBe(triangles);
    expect(result.key.finalarticlenumber).toMatch(/^LN-M-/);
    expect(await readdir(folder)).toEqual(['desk.glb']);
    expect(await readdir(temporaries)).toEqual([]);
    await rm(temporaries, { recursive: true });
  });

  test('uses the credentials that are given, or those of the environment', async () => {
    const { username, password, appKey } = emulator;
    const output = join(folder, 'desk.glb');
    const cache = join(folder, 'cache');
    const service = { ...live(), credentials: { username, password, appKey } };
    await convert({ service, article: DESK, output, cache, env: {} });
    expect(await readdir(cache)).toContain('state.db');
    const first = await readFile(output);
    await convert({ service: live(), article: DESK, output, env: environmentOf(emulator) });
    expect(await readFile(output)).toEqual(first);
    const wrong = { ...live(), credentials: { username, password: 'not-the-password' } };
    await expect(convert({ service: wrong, article: DESK, output })).rejects.toMatchObject({
      code: 'LOGIN_REFUSED',
    });
    await expect(
      convert({ service: live(), article: DESK, output, env: {} }),
    ).rejects.toMatchObject({
      code: 'PIPELINE_VARIABLE_UNSET',
    });
  });

  test('takes the options of the conversion, and writes .gltf too', async () => {
    const output = join(folder, 'desk.gltf');
    const convertOptions = { keepSourceExtras: true };
    const { files } = await convert({
      service: SAMPLE,
      article: DESK,
      output,
      convert: convertOptions,
    });
    expect(files.at(-1)).toBe(output);
    expect(await readFile(output, 'utf8')).toContain('"extras"');
  });

  test('fails with the code of the article or of the service', async () => {
    const article = { ...DESK, basearticlenumber: 'NONE' };
    const output = join(folder, 'none.glb');
    await expect(convert({ service: SAMPLE, article, output })).rejects.toMatchObject({
      code: 'ARTICLE_NOT_FOUND',
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('run', () => {
  const content = () => ({
    name: 'desks',
    service: SAMPLE,
    articles: [{ article: DESK }, { article: { ...DESK, basearticlenumber: 'NONE' } }],
    output: { dir: join(folder, 'out') },
  });
  const isPublished = async () => (await readManifest(join(folder, 'out'))).length === 2;
  const isUnlocked = async () => (await isPublished()) && !existsSync(join(folder, 'out', '.lock'));

  test('completes although onProgress throws, and rejects with its error as the cause', async () => {
    const warnings: string[] = [];
    const log = { ...SILENT, warn: (message: string) => warnings.push(message) };
    for (const onProgress of [
      () => {
        throw new Error('no bar');
      },
      () => Promise.reject(new Error('no bar')),
      // Later than the end of the run.
      async () => {
        await until(isUnlocked);
        throw new Error('no bar');
      },
    ]) {
      warnings.length = 0;
      const work = run({ pipeline: content(), onProgress, log });
      await expect(work).rejects.toMatchObject({
        code: 'USAGE',
        message: 'run: onProgress threw: no bar',
        cause: { message: 'no bar' },
      });
      expect(warnings.filter((message) => /onProgress/.test(message))).toHaveLength(1);
      expect(await readManifest(join(folder, 'out'))).toHaveLength(2);
      await rm(join(folder, 'out'), { recursive: true });
    }
  });

  test.each([
    ['has published', isPublished],
    ['has ended', isUnlocked],
  ])(
    'that %s ends by the signal while a promise of onProgress never settles',
    async (_, condition) => {
      const controller = new AbortController();
      const onProgress = () => new Promise<void>(() => {});
      const work = run({ pipeline: content(), onProgress, signal: controller.signal });
      void until(condition).then(() => controller.abort());
      await expect(work).rejects.toMatchObject({ code: 'INTERRUPTED' });
      expect(await readManifest(join(folder, 'out'))).toHaveLength(2);
    },
  );

  test('executes the same pipeline from an object and from a file', async () => {
    const seen: unknown[] = [];
    const first = await run({ pipeline: content(), onProgress: (progress) => seen.push(progress) });
    expect(first.report.configurations).toMatchObject({ selected: 2, converted: 1, failed: 1 });
    expect(seen.at(-1)).toEqual({ total: 2, done: 2, failed: 1 });
    expect((await verifyOutput(join(folder, 'out'))).problems).toEqual([]);
    const file = await writePipeline(folder, { ...content(), cache: { dir: '.cache' } });
    const second = await run({ pipeline: file, only: 'FJEL/LINEA/LN-M' });
    expect(second.report.configurations).toMatchObject({ selected: 1, unchanged: 1, failed: 0 });
  });

  test('takes credentials and variables of the service from the caller', async () => {
    const { username, password, appKey } = emulator;
    const service = { ...live(), credentials: { username, password, appKey } };
    const given = { ...content(), service };
    expect((await run({ pipeline: given, env: {} })).report.configurations.converted).toBe(1);
    const variables = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
    const file = await writePipeline(folder, { ...content(), service: variables });
    const { report } = await run({ pipeline: file, env: environmentOf(emulator) });
    expect(report.configurations.unchanged).toBe(1);
  });

  test('ends by the signal, whatever its reason', async () => {
    for (const signal of [AbortSignal.abort(), AbortSignal.abort('enough')]) {
      await expect(run({ pipeline: content(), signal })).rejects.toMatchObject({
        code: 'INTERRUPTED',
      });
    }
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(
      run({ pipeline: content(), signal: controller.signal, onProgress }),
    ).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect((await run({ pipeline: content() })).report.configurations.converted).toBe(1);
  });

  test('rejects with the error that ends it', async () => {
    const pipeline = { ...content(), articles: [{ catalogue: { manufacturers: ['NONE'] } }] };
    await expect(run({ pipeline })).rejects.toMatchObject({ code: 'NOTHING_SELECTED' });
  });
});

type Path = readonly (string | number)[];

/** The paths of all parts of a value, of which arrays of vertices and bytes are one; of a list, the first two. */
function pathsOf(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [[]];
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? 2 : undefined);
  return [[], ...entries.flatMap(([key, part]) => pathsOf(part).map((rest) => [key, ...rest]))];
}

/** A copy of a value with another part; what is not on the path is shared. */
function withReplaced(value: unknown, path: Path, part: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return part;
  const inner = withReplaced((value as Record<string, unknown>)[key], rest, part);
  return Array.isArray(value)
    ? value.with(Number(key), inner)
    : { ...(value as object), [key]: inner };
}

describe('a program without types gets a sentence that names the field', () => {
  const clock = { now: Date.now, random: Math.random };
  const output = 'desk.glb';
  const good = { service: SAMPLE, article: DESK, output };
  const pipeline = {
    name: 'x',
    service: SAMPLE,
    articles: [{ article: DESK }],
    output: { dir: 'out' },
  };

  let scene: Scene;
  let finished: Required<Omit<FinishedRun, 'error'>>;
  let report: RunReport;
  beforeAll(async () => {
    const dir = await temporaryFolder();
    const articles = [
      { article: DESK },
      { article: { ...DESK, basearticlenumber: 'NONE' } },
      { article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-STUHL' } },
    ];
    const own = { output: { dir }, cache: { dir: join(dir, 'cache') } };
    const content = { name: 'x', service: SAMPLE, articles, ...own };
    ({ report } = await run({ pipeline: content }));
    ({ scene } = await convert({ service: SAMPLE, article: DESK, output: join(dir, 'desk.glb') }));
    finished = { pipeline: 'x', exitCode: 1, startedAt: 0, endedAt: 1000, report };
    await rm(dir, { recursive: true });
  });
  const snapshot = {
    ...{ key: DESK, article: {}, partsList: 'digest' },
    ...{ blocks: new Map(), images: new Map() },
  };
  const input = {
    ...{ snapshot, read() {}, options: CONVERT_DEFAULTS },
    ...{ images: sharpImageCodec(), cache: createMeshCache() },
  };
  const parsed = () => {
    const text = JSON.stringify(pipeline);
    return parsePipeline(text, join(folder, 'x.yaml'), {});
  };

  const method = (name: keyof ServiceClient, ...parameters: unknown[]) =>
    call(createClient({ ...live(), credentials: emulator, ...clock })[name], ...parameters);
  const relay = () => ({
    authUrl: emulator.authUrl,
    ...clock,
    log: SILENT,
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      'convert: expected an object with service, article, output, received nothing',
      () => call(convert),
    ],
    ['convert: service: expected an object, received nothing', () => call(convert, {})],
    [
      'convert: article: expected an object, received "LN-M"',
      () => call(convert, { ...good, article: 'LN-M' }),
    ],
    [
      'convert: output: expected a text that is not empty, received 5',
      () => call(convert, { ...good, output: 5 }),
    ],
    [
      'output: expected a file name that ends with .glb or .gltf, received "desk.fbx"',
      () => call(convert, { ...good, output: 'desk.fbx' }),
    ],
    [
      'convert: article.program: expected a value, received nothing',
      () => call(convert, { ...good, article: { manufacturer: 'A', basearticlenumber: 'B' } }),
    ],
    [
      'convert: article.manufacturer: expected a text, received 1',
      () => call(convert, { ...good, article: { ...DESK, manufacturer: 1 } }),
    ],
    [
      'convert: expected a known key, received "artikel"',
      () => call(convert, { ...good, article: { ...DESK, artikel: 1 } }),
    ],
    [
      'convert: service: expected one of emulator: true, recording, or authUrl and baseUrl',
      () => call(convert, { ...good, service: {} }),
    ],
    [
      'convert: service.emulator: expected true, received "yes"',
      () => call(convert, { ...good, service: { emulator: 'yes' } }),
    ],
    [
      'convert: service.password: expected in service.credentials',
      () => call(convert, { ...good, service: { ...SAMPLE, password: 'hidden-one' } }),
    ],
    [
      'convert: service.credentials: expected texts username, password and appKey, or token',
      () => call(convert, { ...good, service: { ...SAMPLE, credentials: { password: 123456 } } }),
    ],
    [
      'convert: convert.creaseAngleDegrees: expected a number, received "30"',
      () => call(convert, { ...good, convert: { creaseAngleDegrees: '30' } }),
    ],
    [
      'convert: expected a known field, received "ouptut"; did you mean "output"?',
      () => call(convert, { ...good, ouptut: 'x' }),
    ],
    ['convert: now: expected a function, received 5', () => call(convert, { ...good, now: 5 })],
    [
      'convert: signal: expected an AbortSignal, received an object',
      () => call(convert, { ...good, signal: {} }),
    ],
    [
      'run: pipeline: expected the path of a pipeline file, or its content as an object, received nothing',
      () => call(run, {}),
    ],
    [
      'run: onProgress: expected a function, received "x"',
      () => call(run, { pipeline, onProgress: 'x' }),
    ],
    [
      'run: log: expected a logger, such as createLogger returns, received an object',
      () => call(run, { pipeline, log: {} }),
    ],
    [
      'run: limit: expected a whole number from 1, received "5"',
      () => call(run, { pipeline, limit: '5' }),
    ],
    [
      'run: pipeline: service: expected a value, received nothing',
      () => call(run, { pipeline: { ...pipeline, service: undefined } }),
    ],
    [
      'run: pipeline: articles: expected a list of entries, received "all"',
      () => call(run, { pipeline: { ...pipeline, articles: 'all' } }),
    ],
    [
      'run: pipeline: expected texts, numbers, booleans, lists and objects',
      () => call(run, { pipeline: { ...pipeline, name: 5n } }),
    ],
    [
      'environment: expected an object with env, log, now, random, signal, startEmulator, received nothing',
      () => call(runPipeline, { pipeline: parsed() }),
    ],
    [
      'environment: now: expected a function, received nothing',
      () => call(runPipeline, { pipeline: parsed() }, { env: {}, log: {} }),
    ],
    [
      'options: maxFailures: expected { count: 5 } or { share: 0.02 }, received "5"',
      () => call(runPipeline, { pipeline: parsed(), maxFailures: '5' }, {}),
    ],
    [
      'options: pipeline: service: expected an object, received nothing',
      () => call(runPipeline, { pipeline: {} }, {}),
    ],
    [
      'options: pipeline: outputDir: expected a text that is not empty, received nothing',
      () => call(runPipeline, { pipeline: { ...parsed(), outputDir: undefined } }, {}),
    ],
    [
      'options: pipeline: expected a pipeline, such as loadPipeline returns, received "demo.yaml"',
      () => call(runPipeline, { pipeline: 'demo.yaml' }, {}),
    ],
    [
      'createClient: now: expected a function, received nothing',
      () => call(createClient, { ...SAMPLE }),
    ],
    ['createFetcher: client: expected an object, received nothing', () => call(createFetcher, {})],
    [
      'createLogger: now: expected a function, received nothing',
      () => call(createLogger, { sink: {} }),
    ],
    [
      'openInbox: now: expected a function, received nothing',
      () => call(openInbox, { store: folder }),
    ],
    [
      'openRelay: authUrl: expected a text that is not empty, received nothing',
      () => call(openRelay, {}),
    ],
    [
      'openFileStore: options: tmpDir: expected a text that is not empty, received nothing',
      () => call(openFileStore, { dir: folder }),
    ],
    [
      'openCacheDatabase: cacheDir: expected a text that is not empty, received nothing',
      () => call(openCacheDatabase),
    ],
    [
      'openRecording: dir: expected a text that is not empty, received an object',
      () => call(openRecording, {}),
    ],
    ['selectArticles: sources: expected a list, received nothing', () => call(selectArticles)],
    ['planningUrl: link: expected an object, received nothing', () => call(planningUrl)],
    [
      'convertArticle: request: program: expected a text that is not empty, received nothing',
      () => call(convertArticle, { manufacturer: 'FJEL' }),
    ],
    [
      'verifyOutput: signal: expected an AbortSignal, received true',
      () => call(verifyOutput, folder, true),
    ],
    [
      'recordPipeline: options: pipeline: expected a pipeline, such as loadPipeline returns, received nothing',
      () => call(recordPipeline, {}),
    ],
    [
      'parseArticleList: bytes: expected a Uint8Array, received "a;b"',
      () => call(parseArticleList, 'a;b', 'x.csv'),
    ],
    [
      'readArticleList: path: expected a text that is not empty, received nothing',
      () => call(readArticleList),
    ],
    [
      'reportHtml: report: expected a report, such as run returns, received nothing',
      () => call(reportHtml),
    ],
    [
      'junitXml: run: startedAt: expected milliseconds since 1970, received nothing',
      () => call(junitXml, { pipeline: 'x', exitCode: 0 }),
    ],
    [
      'metricsText: previous: expected a text, received 5',
      () => call(metricsText, { pipeline: 'x', exitCode: 0, startedAt: 0, endedAt: 0 }, 5),
    ],
    ['summarise: report: format: expected 2, received nothing', () => call(summarise, {})],
    [
      'reportHtml: report: causes: entry 1: code: expected a text, received 5',
      () => call(reportHtml, { ...report, causes: [{ code: 5 }] }),
    ],
    [
      'junitXml: run: report: configurations: selected: expected a number, received nothing',
      () => call(junitXml, { ...finished, report: { ...report, configurations: {} } }),
    ],
    [
      'metricsText: run: report: triangles: expected a number, received "many"',
      () => call(metricsText, { ...finished, report: { ...report, triangles: 'many' } }),
    ],
    [
      'createMeshCache: maxBytes: expected a whole number from 1, received "1"',
      () => call(createMeshCache, '1'),
    ],
    [
      'transformArticle: input: snapshot: expected a snapshot, such as fetch of a fetcher returns, received nothing',
      () => call(transformArticle, {}),
    ],
    [
      'writeGlb: scene: expected a scene, such as transformArticle returns, received nothing',
      () => call(writeGlb),
    ],
    [
      'writeGlb: scene: nodes: entry 1: parent: expected an index into nodes, or -1, received nothing',
      () => call(writeGlb, { ...scene, nodes: [{}] }),
    ],
    [
      'writeGlb: scene: geometries: entry 1: positions: expected a Float32Array, received a list',
      () =>
        call(writeGlb, { ...scene, geometries: scene.geometries.map(() => ({ positions: [0] })) }),
    ],
    [
      'writeGlb: scene: nodes: entry 2: mesh: expected an index into meshes, or -1, received 0',
      () => call(writeGlb, { ...scene, meshes: [] }),
    ],
    [
      'transformArticle: input: options: rauto: expected one of "exchange"|"auto", received "both"',
      () => call(transformArticle, { ...input, options: { ...CONVERT_DEFAULTS, rauto: 'both' } }),
    ],
    [
      'transformArticle: input: options: rotationOrder: expected a value, received nothing',
      () => call(transformArticle, { ...input, options: {} }),
    ],
    [
      'transformArticle: input: cache: getAsync: expected a function, received nothing',
      () => call(transformArticle, { ...input, cache: { get() {} } }),
    ],
    [
      'selectArticles: sources: entry 1: rows: entry 1: request: expected manufacturer, program',
      () => call(selectArticles, [{ kind: 'list', name: 'x', rows: [{}] }], {}),
    ],
    [
      'selectArticles: sources: entry 1: manufacturers: expected a list, received "FJEL"',
      () => {
        const source = { kind: 'catalogue', parentnode: '', manufacturers: 'FJEL' };
        return call(selectArticles, [source], {});
      },
    ],
    [
      'selectArticles: sources: entry 1: plannings: entry 1: article: expected an object with json or error',
      () => call(selectArticles, [{ kind: 'planning', as: 'x', plannings: [{ name: 'y' }] }], {}),
    ],
    [
      'readManifest: outputDir: expected a text that is not empty, received 5',
      () => call(readManifest, 5),
    ],
    [
      'readCatalogue: lang: expected a text that is not empty, received 1',
      () => call(readCatalogue, folder, 1),
    ],
    ['startEmulator: expected an object with range, received nothing', () => call(startEmulator)],
    ['loadPipeline: env: expected an object, received nothing', () => call(loadPipeline, 'x.yaml')],
    [
      'convert: env: BTG2GLTF_PASSWORD: expected a text, received another value',
      () => call(convert, { ...good, env: { BTG2GLTF_PASSWORD: 123456 } }),
    ],
    [
      'run: env: BTG2GLTF_PASSWORD: expected a text, received another value',
      () => call(run, { pipeline, env: { BTG2GLTF_PASSWORD: 123456 } }),
    ],
    [
      'convertArticle: pipeline: service: expected an object, received nothing',
      () => call(convertArticle, { ...DESK }, { name: 'x' }, 'x.glb'),
    ],
    [
      'recordPipeline: options: pipeline: service: expected an object, received nothing',
      () => call(recordPipeline, { pipeline: { name: 'x' } }, folder),
    ],
    ...[null, 1, {}].map((source) => {
      const sentence = 'selectArticles: sources: entry 1: expected a source with a kind: list, ';
      return [sentence, () => call(selectArticles, [source], {})] as [
        string,
        () => Promise<unknown>,
      ];
    }),
    [
      'selectArticles: sources: entry 1: name: expected a text that is not empty, received nothing',
      () => call(selectArticles, [{ kind: 'list' }], {}),
    ],
    [
      'selectArticles: sources: entry 1: manufacturer: expected a text that is not empty',
      () => call(selectArticles, [{ kind: 'article' }], {}),
    ],
    [
      'selectArticles: reader: nodes: expected a function, received nothing',
      () => call(selectArticles, [], { getNodes() {} }),
    ],
    ['migrate: options: expected an object, received null', () => call(migrate, 'x', null)],
    ['getArticle: query: expected an object, received nothing', () => method('getArticle')],
    ['search: manufacturer: expected a text, received 5', () => method('search', 5)],
    ['getPreview: previewimage: expected a text', () => method('getPreview')],
    ['getResource: rescontent: expected a text', () => method('getResource')],
    ['changeProperty: configuration: expected an object', () => method('changeProperty')],
    ['call: name: expected the name of an operation, received "x"', () => method('call', 'x')],
    ['call: values: expected an object, received nothing', () => method('call', 'getNodes')],
    ...[{}, { count: 'x' }, { shares: 0 }, { share: 2 }].map((maxFailures) => {
      const sentence =
        'run: maxFailures: expected { count: 5 } or { share: 0.02 }, received an object';
      return [sentence, () => call(run, { pipeline, maxFailures })] as [
        string,
        () => Promise<unknown>,
      ];
    }),
    [
      'createFetcher: client: getArticle: expected a function, received nothing',
      () => call(createFetcher, { client: {}, store: {}, database: {} }),
    ],
    [
      'startEmulator: range: name: expected a text that is not empty, received nothing',
      () => call(startEmulator, { range: {} }),
    ],
    ...['x', 99_999, -1].flatMap((port) => {
      const sentence = 'port: expected a whole number from 0 to 65535, received ';
      return [
        [sentence, () => call(startEmulator, { range: createSampleRange(), port })],
        [sentence, () => call(openInbox, { store: folder, now: Date.now, log: SILENT, port })],
        [sentence, () => call(openRelay, { ...relay(), port })],
      ] as [string, () => Promise<unknown>][];
    }),
    [
      'host: expected an address of this machine, received 203.0.113.1',
      () => call(startEmulator, { range: createSampleRange(), host: '203.0.113.1' }),
    ],
    [
      'port: expected a free port, received ',
      () => call(openRelay, { ...relay(), port: Number(new URL(emulator.baseUrl).port) }),
    ],
    [
      'port: expected a free port, received ',
      () => {
        const port = Number(new URL(emulator.baseUrl).port);
        return call(startEmulator, { range: createSampleRange(), port });
      },
    ],
    [
      'parsePipeline: text: expected a text, received an object',
      () => call(parsePipeline, {}, 'x', {}),
    ],
  ])('%s', async (sentence, work) => {
    const error = (await work().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )) as Error;
    expect(error).toMatchObject({ name: 'ConverterError', code: 'USAGE' });
    expect(error.message).toContain(sentence);
    expect((error as ConverterError).help).not.toBe('');
    expect(error.message).not.toMatch(/hidden-one|123456/);
  });

  /**
   * Calls a function with a value, once for each part of the value and one of the replacements in turn; with
   * `BTG2GLTF_TEST_LONG=1`, each of them.
   */
  async function withEachPartReplaced(work: (...given: never[]) => unknown, value: object) {
    const replacements = [undefined, null, 'x', 1e300, {}, []];
    for (const [i, path] of pathsOf(value).entries()) {
      const one = [replacements[i % replacements.length]];
      for (const replacement of IS_LONG ? replacements : one) {
        const what = `${path.join('.')} = ${JSON.stringify(replacement)}`;
        const error = await call(work, withReplaced(value, path, replacement)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error !== undefined) expect([what, error]).toMatchObject([what, { code: 'USAGE' }]);
      }
    }
  }

  test.each([
    ['summarise', summarise],
    ['reportHtml', reportHtml],
  ])('%s of a report with a wrong part names it, or does not need it', async (_, work) => {
    await withEachPartReplaced(work, report);
  });

  test.each([
    ['junitXml', junitXml],
    ['metricsText', metricsText],
  ])('%s of a run with a wrong part names it, or does not need it', async (_, work) => {
    await withEachPartReplaced(work, finished);
  });

  test('writeGlb of a scene with a wrong part names it, or does not need it', async () => {
    await withEachPartReplaced(writeGlb, scene);
  });

  test('a missing variable is named, not filled in', async () => {
    const service = { authUrl: '${NOT_SET}', baseUrl: 'http://127.0.0.1:9' };
    await expect(convert({ ...good, service, env: {} })).rejects.toMatchObject({
      code: 'PIPELINE_VARIABLE_UNSET',
      message: 'convert: variable NOT_SET: expected a value, received nothing',
    });
  });
});
