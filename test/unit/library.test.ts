import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import * as library from '../../src/index.ts';
import {
  CONVERT_DEFAULTS,
  convert,
  type FinishedRun,
  parsePipeline,
  type RunReport,
  readManifest,
  run,
  runPipeline,
  type Scene,
  SILENT,
  verifyOutput,
} from '../../src/index.ts';
import { isConverterError } from '../../src/support/errors.ts';
import { readGlb } from '../helpers/check-glb.ts';
import { environmentOf } from '../helpers/child.ts';
import { writePipeline } from '../helpers/command.ts';
import { IS_LONG, someOf } from '../helpers/samples.ts';
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

const withCredentials = () => {
  const { username, password, appKey } = emulator;
  return { ...live(), credentials: { username, password, appKey } };
};

/** Calls a function as a program without types does. */
const call = (work: unknown, ...parameters: unknown[]) =>
  (async () => (work as (...parameters: unknown[]) => unknown)(...parameters))();

const expectFailure = (work: Promise<unknown>, code: string) =>
  expect(work).rejects.toMatchObject({ code });

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
    const output = join(folder, 'desk.glb');
    const cache = join(folder, 'cache');
    await convert({ service: withCredentials(), article: DESK, output, cache, env: {} });
    expect(await readdir(cache)).toContain('state.db');
    const first = await readFile(output);
    await convert({ service: live(), article: DESK, output, env: environmentOf(emulator) });
    expect((await readFile(output)).equals(first)).toBe(true);
    const { username } = emulator;
    const wrong = { ...live(), credentials: { username, password: 'not-the-password' } };
    await expectFailure(convert({ service: wrong, article: DESK, output }), 'LOGIN_REFUSED');
    await expectFailure(
      convert({ service: live(), article: DESK, output, env: {} }),
      'PIPELINE_VARIABLE_UNSET',
    );
  });

  test('takes the options of the conversion, and writes .gltf too', async () => {
    const output = join(folder, 'desk.gltf');
    const options = { keepSourceExtras: true };
    const { files } = await convert({ service: SAMPLE, article: DESK, output, convert: options });
    expect(files.at(-1)).toBe(output);
    expect(await readFile(output, 'utf8')).toContain('"extras"');
  });

  test('fails with the code of the article or of the service', async () => {
    const article = { ...DESK, basearticlenumber: 'NONE' };
    const output = join(folder, 'none.glb');
    await expectFailure(convert({ service: SAMPLE, article, output }), 'ARTICLE_NOT_FOUND');
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
    ...(IS_LONG ? ([['has published', isPublished]] as const) : []),
    ['has ended', isUnlocked] as const,
  ])(
    'that %s ends by the signal while a promise of onProgress never settles',
    async (_, condition) => {
      const controller = new AbortController();
      const onProgress = () => new Promise<void>(() => {});
      const work = run({ pipeline: content(), onProgress, signal: controller.signal });
      void until(condition).then(() => controller.abort());
      await expectFailure(work, 'INTERRUPTED');
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
    const given = { ...content(), service: withCredentials() };
    expect((await run({ pipeline: given, env: {} })).report.configurations.converted).toBe(1);
    const variables = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
    const file = await writePipeline(folder, { ...content(), service: variables });
    const { report } = await run({ pipeline: file, env: environmentOf(emulator) });
    expect(report.configurations.unchanged).toBe(1);
  });

  test('ends by the signal, whatever its reason', async () => {
    for (const signal of [AbortSignal.abort(), AbortSignal.abort('enough')]) {
      await expectFailure(run({ pipeline: content(), signal }), 'INTERRUPTED');
    }
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expectFailure(
      run({ pipeline: content(), signal: controller.signal, onProgress }),
      'INTERRUPTED',
    );
    expect((await run({ pipeline: content() })).report.configurations.converted).toBe(1);
  });

  test('rejects with the error that ends it', async () => {
    const pipeline = { ...content(), articles: [{ catalogue: { manufacturers: ['NONE'] } }] };
    await expectFailure(run({ pipeline }), 'NOTHING_SELECTED');
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
    ...{ images: library.sharpImageCodec(), cache: library.createMeshCache() },
  };
  const parsed = () => parsePipeline(JSON.stringify(pipeline), join(folder, 'x.yaml'), {});

  async function expectRefusal(sentence: string, work: unknown, ...parameters: unknown[]) {
    const error = await call(work, ...parameters).catch((thrown: unknown) => thrown);
    const [message, help] = [expect.stringContaining(sentence), expect.stringMatching(/./)];
    expect(error).toMatchObject({ name: 'ConverterError', code: 'USAGE', message, help });
    expect(String(error)).not.toMatch(/hidden-one|123456/);
  }
  const PASSWORD = { BTG2GLTF_PASSWORD: 123456 };
  const NO_TEXT = 'expected a text that is not empty, received nothing';
  const NO_VALUE = 'it is missing';
  const NO_OBJECT = 'expected an object, received nothing';
  const NO_FUNCTION = 'expected a function, received nothing';
  const NO_PIPELINE = 'expected a pipeline, such as loadPipeline returns, received';
  const NO_LIMIT = 'maxFailures: expected { count: 5 } or { share: 0.02 }, received';

  test.each<[string, object]>([
    [`service: ${NO_OBJECT}`, { service: undefined }],
    ['service: expected one of emulator: true, recording, or authUrl and baseUrl', { service: {} }],
    ['service.emulator: expected true, received "yes"', { service: { emulator: 'yes' } }],
    ['service.password: expected in service.credentials', { service: { password: 'hidden-one' } }],
    [
      'service.credentials: expected texts username, password and appKey, or token',
      { service: { ...SAMPLE, credentials: { password: 123456 } } },
    ],
    ['article: expected an object, received "LN-M"', { article: 'LN-M' }],
    [`article.program: ${NO_VALUE}`, { article: { manufacturer: 'A' } }],
    [
      'article.manufacturer: expected a text, received 1',
      { article: { ...DESK, manufacturer: 1 } },
    ],
    ['there is no key "artikel"', { article: { ...DESK, artikel: 1 } }],
    ['output: expected a text that is not empty, received 5', { output: 5 }],
    [
      'convert.creaseAngleDegrees: expected a number, received "30"',
      { convert: { creaseAngleDegrees: '30' } },
    ],
    ['expected a known field, received "ouptut"; did you mean "output"?', { ouptut: 'x' }],
    ['now: expected a function, received 5', { now: 5 }],
    ['signal: expected an AbortSignal, received an object', { signal: {} }],
    ['env: BTG2GLTF_PASSWORD: expected a text, received another value', { env: PASSWORD }],
  ])('convert: %s', (sentence, change) =>
    expectRefusal(`convert: ${sentence}`, convert, { ...good, ...change }),
  );

  test.each<[string, object]>([
    [
      'pipeline: expected the path of a pipeline file, or its content as an object, received nothing',
      { pipeline: undefined },
    ],
    [`pipeline: service: ${NO_VALUE}`, { pipeline: { ...pipeline, service: undefined } }],
    [
      'pipeline: articles: expected a list of entries, received "x"',
      { pipeline: { ...pipeline, articles: 'x' } },
    ],
    [
      'pipeline: expected texts, numbers, booleans, lists and objects',
      { pipeline: { ...pipeline, name: 5n } },
    ],
    ['onProgress: expected a function, received "x"', { onProgress: 'x' }],
    ['log: expected a logger, such as createLogger returns, received an object', { log: {} }],
    ['limit: expected a whole number from 1, received "5"', { limit: '5' }],
    ...[{}, { count: 'x' }, { shares: 0 }, { share: 2 }].map((maxFailures): [string, object] => [
      `${NO_LIMIT} an object`,
      { maxFailures },
    ]),
    ['env: BTG2GLTF_PASSWORD: expected a text, received another value', { env: PASSWORD }],
  ])('run: %s', (sentence, change) =>
    expectRefusal(`run: ${sentence}`, run, { pipeline, ...change }),
  );

  test.each<[string, string, () => unknown[]]>([
    ['convertArticle', `request: program: ${NO_TEXT}`, () => [{ manufacturer: 'FJEL' }]],
    ['convertArticle', `pipeline: service: ${NO_OBJECT}`, () => [DESK, { name: 'x' }, 'x.glb']],
    ['createClient', `now: ${NO_FUNCTION}`, () => [SAMPLE]],
    ['createFetcher', `client: ${NO_OBJECT}`, () => [{}]],
    [
      'createFetcher',
      `client: getArticle: ${NO_FUNCTION}`,
      () => [{ client: {}, store: {}, database: {} }],
    ],
    ['createLogger', `now: ${NO_FUNCTION}`, () => [{ sink: {} }]],
    ['createMeshCache', 'maxBytes: expected a whole number from 1, received "1"', () => ['1']],
    [
      'junitXml',
      'run: startedAt: expected milliseconds since 1970, received nothing',
      () => [{ pipeline: 'x', exitCode: 0 }],
    ],
    [
      'junitXml',
      'run: report: configurations: selected: expected a number, received nothing',
      () => [{ ...finished, report: { ...report, configurations: {} } }],
    ],
    ['loadPipeline', `env: ${NO_OBJECT}`, () => ['x.yaml']],
    ['metricsText', 'previous: expected a text, received 5', () => [finished, 5]],
    [
      'metricsText',
      'run: report: triangles: expected a number, received "many"',
      () => [{ ...finished, report: { ...report, triangles: 'many' } }],
    ],
    ['migrate', 'options: expected an object, received null', () => ['x', null]],
    ['openCacheDatabase', `cacheDir: ${NO_TEXT}`, () => []],
    ['openFileStore', `options: tmpDir: ${NO_TEXT}`, () => [{ dir: folder }]],
    ['openInbox', `now: ${NO_FUNCTION}`, () => [{ store: folder }]],
    ['openRecording', 'dir: expected a text that is not empty, received an object', () => [{}]],
    ['openRelay', `authUrl: ${NO_TEXT}`, () => [{}]],
    ['parseArticleList', 'bytes: expected a Uint8Array, received "a;b"', () => ['a;b', 'x.csv']],
    ['parsePipeline', 'text: expected a text, received an object', () => [{}, 'x', {}]],
    ['planningUrl', `link: ${NO_OBJECT}`, () => []],
    ['readArticleList', `path: ${NO_TEXT}`, () => []],
    ['readCatalogue', 'lang: expected a text that is not empty, received 1', () => [folder, 1]],
    ['readManifest', 'outputDir: expected a text that is not empty, received 5', () => [5]],
    ['recordPipeline', `options: pipeline: ${NO_PIPELINE} nothing`, () => [{}]],
    [
      'recordPipeline',
      `options: pipeline: service: ${NO_OBJECT}`,
      () => [{ pipeline: { name: 'x' } }, folder],
    ],
    ['reportHtml', 'report: expected a report, such as run returns, received nothing', () => []],
    [
      'reportHtml',
      'report: causes: entry 1: code: expected a text, received 5',
      () => [{ ...report, causes: [{ code: 5 }] }],
    ],
    ['selectArticles', 'sources: expected a list, received nothing', () => []],
    ...[null, 1, {}].map((source): [string, string, () => unknown[]] => [
      'selectArticles',
      'sources: entry 1: expected a source with a kind: list, ',
      () => [[source], {}],
    ]),
    ['selectArticles', `sources: entry 1: name: ${NO_TEXT}`, () => [[{ kind: 'list' }], {}]],
    [
      'selectArticles',
      `sources: entry 1: rows: entry 1: request: manufacturer: ${NO_TEXT}`,
      () => [[{ kind: 'list', name: 'x', rows: new Array(200_000).fill({ request: {} }) }], {}],
    ],
    [
      'selectArticles',
      'sources: entry 1: rows: entry 1: request: expected manufacturer, program',
      () => [[{ kind: 'list', name: 'x', rows: [{}] }], {}],
    ],
    [
      'selectArticles',
      'sources: entry 1: manufacturers: expected a list, received "FJEL"',
      () => [[{ kind: 'catalogue', parentnode: '', manufacturers: 'FJEL' }], {}],
    ],
    [
      'selectArticles',
      'sources: entry 1: plannings: entry 1: article: expected an object with json or error',
      () => [[{ kind: 'planning', as: 'x', plannings: [{ name: 'y' }] }], {}],
    ],
    [
      'selectArticles',
      `sources: entry 1: manufacturer: ${NO_TEXT}`,
      () => [[{ kind: 'article' }], {}],
    ],
    ['selectArticles', `reader: nodes: ${NO_FUNCTION}`, () => [[], { getNodes() {} }]],
    ['startEmulator', 'expected an object with range, received nothing', () => []],
    ['startEmulator', `range: name: ${NO_TEXT}`, () => [{ range: {} }]],
    ['summarise', 'report: format: expected 2, received nothing', () => [{}]],
    [
      'transformArticle',
      'input: snapshot: expected a snapshot, such as fetch of a fetcher returns, received nothing',
      () => [{}],
    ],
    [
      'transformArticle',
      'input: options: rauto: expected one of "exchange"|"auto", received "both"',
      () => [{ ...input, options: { ...CONVERT_DEFAULTS, rauto: 'both' } }],
    ],
    [
      'transformArticle',
      'input: options: rotationOrder: expected a value, received nothing',
      () => [{ ...input, options: {} }],
    ],
    [
      'transformArticle',
      `input: cache: getAsync: ${NO_FUNCTION}`,
      () => [{ ...input, cache: { get() {} } }],
    ],
    ['verifyOutput', 'signal: expected an AbortSignal, received true', () => [folder, true]],
    [
      'writeGlb',
      'scene: expected a scene, such as transformArticle returns, received nothing',
      () => [],
    ],
    [
      'writeGlb',
      'scene: nodes: entry 1: parent: expected an index into nodes, or -1, received nothing',
      () => [{ ...scene, nodes: [{}] }],
    ],
    [
      'writeGlb',
      'scene: geometries: entry 1: positions: expected a Float32Array, received a list',
      () => [{ ...scene, geometries: scene.geometries.map(() => ({ positions: [0] })) }],
    ],
    [
      'writeGlb',
      'scene: nodes: entry 2: mesh: expected an index into meshes, or -1, received 0',
      () => [{ ...scene, meshes: [] }],
    ],
    ['call', 'name: expected the name of an operation, received "x"', () => ['x']],
    ['call', `values: ${NO_OBJECT}`, () => ['getNodes']],
    ['changeProperty', `configuration: ${NO_OBJECT}`, () => []],
    ['getArticle', `query: ${NO_OBJECT}`, () => []],
    ['getPreview', 'previewimage: expected a text', () => []],
    ['getResource', 'rescontent: expected a text', () => []],
    ['search', 'manufacturer: expected a text, received 5', () => [5]],
    ['convert', 'expected an object with service, article, output, received nothing', () => []],
  ])('%s: %s', (name, sentence, given) => {
    const client = library.createClient({ ...live(), credentials: emulator, ...clock });
    const work = { ...client, ...library }[name];
    return expectRefusal(`${name}: ${sentence}`, work, ...given());
  });

  test.each<[string, () => unknown[]]>([
    [
      'environment: expected an object with env, log, now, random, signal, startEmulator, received nothing',
      () => [{ pipeline: parsed() }],
    ],
    [`environment: now: ${NO_FUNCTION}`, () => [{ pipeline: parsed() }, { env: {}, log: {} }]],
    [`options: ${NO_LIMIT} "5"`, () => [{ pipeline: parsed(), maxFailures: '5' }, {}]],
    [`options: pipeline: service: ${NO_OBJECT}`, () => [{ pipeline: {} }, {}]],
    [
      `options: pipeline: outputDir: ${NO_TEXT}`,
      () => [{ pipeline: { ...parsed(), outputDir: undefined } }, {}],
    ],
    [`options: pipeline: ${NO_PIPELINE} "demo.yaml"`, () => [{ pipeline: 'demo.yaml' }, {}]],
  ])('runPipeline: %s', (sentence, given) => expectRefusal(sentence, runPipeline, ...given()));

  const { buildPipeline, fetchPipeline } = library;
  test.each(Object.entries({ runPipeline, buildPipeline, fetchPipeline }))(
    '%s: a promise is rejected, and nothing is thrown',
    (_, work) => {
      const called = work as (...parameters: unknown[]) => Promise<unknown>;
      return expectFailure(called({ pipeline: {} }, {}), 'USAGE');
    },
  );

  test('neither another kind of file nor another machine is taken', async () => {
    const sentence =
      'output: expected a file name that ends with .glb or .gltf, received "desk.fbx"';
    await expectRefusal(sentence, convert, { ...good, output: 'desk.fbx' });
    const host = '203.0.113.1';
    const other = `host: expected an address of this machine, received ${host}`;
    await expectRefusal(other, startEmulator, { range: createSampleRange(), host });
  });

  describe.each<[string, (port: unknown) => Promise<unknown>]>([
    ['startEmulator', (port) => call(startEmulator, { range: createSampleRange(), port })],
    [
      'openInbox',
      (port) => call(library.openInbox, { store: folder, ...clock, log: SILENT, port }),
    ],
    [
      'openRelay',
      (port) => call(library.openRelay, { authUrl: emulator.authUrl, ...clock, log: SILENT, port }),
    ],
  ])('%s', (_, listen) => {
    test.each(['x', 99_999, -1])('does not listen on port %s', (port) =>
      expectRefusal('port: expected a whole number from 0 to 65535, received ', listen, port),
    );

    test('does not listen on a port that is in use', () =>
      expectRefusal(
        'port: another program uses port ',
        listen,
        Number(new URL(emulator.baseUrl).port),
      ));
  });

  /** Some parts of the value in turn are one of the replacements; with `BTG2GLTF_TEST_LONG=1`, all parts each of them. */
  test.each([
    ['summarise', library.summarise, () => report],
    ['reportHtml', library.reportHtml, () => report],
    ['junitXml', library.junitXml, () => finished],
    ['metricsText', library.metricsText, () => finished],
    ['writeGlb', library.writeGlb, () => scene],
  ])('%s of a value with a wrong part names it, or does not need it', async (_, work, given) => {
    const replacements = [undefined, null, 'x', 1e300, {}, []];
    const value = given();
    const wrong: unknown[] = [];
    // Their schemas are tables: one in nine.
    for (const [i, path] of someOf(someOf(pathsOf(value))).entries()) {
      const one = [replacements[i % replacements.length]];
      for (const replacement of IS_LONG ? replacements : one) {
        const what = `${path.join('.')} = ${JSON.stringify(replacement)}`;
        const error = await call(work, withReplaced(value, path, replacement)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error !== undefined && !isConverterError(error, 'USAGE')) wrong.push([what, error]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('a missing variable is named, not filled in', async () => {
    const service = { authUrl: '${NOT_SET}', baseUrl: 'http://127.0.0.1:9' };
    await expect(convert({ ...good, service, env: {} })).rejects.toMatchObject({
      code: 'PIPELINE_VARIABLE_UNSET',
      message: 'convert: the environment variable NOT_SET is not set',
    });
  });
});
