/**
 * Converter page: the built converter in a real browser, under a policy like that of the planning page, and the
 * snapshots that a run has left in its cache.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ConversionInput } from '../../src/convert/model/input.ts';
import { loadPipeline } from '../../src/index.ts';
import type { ArticleRequest } from '../../src/model/article.ts';
import { pipelineServiceId } from '../../src/run/open/connect.ts';
import { openCache as openWholeCache } from '../../src/run/open/sources.ts';
import { loadSnapshot } from '../../src/source/fetch/snapshot.ts';
import { openWatched } from './browser.ts';
import { listening } from './listening.ts';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What the page loads, by address. */
const FILES: Readonly<Record<string, string>> = {
  '/browser.js': file('dist/browser.js'),
  '/convert-worker.js': file('dist/convert-worker.js'),
  '/planning/convert-worker.js': file('dist/planning/convert-worker.js'),
  '/planning/usdz.js': file('dist/planning/usdz.js'),
  '/page.js': file('test/browser/converter-page.mjs'),
};

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** Opens what a run of a pipeline has cached, to read only. */
export async function openCache(pipelineFile: string) {
  const { service, cacheDir } = await loadPipeline(pipelineFile, {});
  const { database, bodies: store } = await openWholeCache(cacheDir);
  const id = pipelineServiceId(service);
  return {
    snapshot: (request: ArticleRequest): Promise<ConversionInput> =>
      loadSnapshot({ service: id, database, store }, request),
    body: (digest: string): Promise<Uint8Array> => store.get(digest),
    close: () => database.close(),
  };
}

type Cache = Awaited<ReturnType<typeof openCache>>;

/** What the page says of a conversion. */
interface Converted {
  sizeMetres: number[];
  triangles: number;
  warnings: { code: string; message: string }[];
  error?: { name: string; code: string; help: string };
}

/**
 * Opens the page; what it loads comes from a cache, or from `extra` by address.
 *
 * @param host - A name of this machine; a browser takes `0.0.0.0` for one that is not secure.
 */
export async function openConverterPage(cache: Cache, host = '127.0.0.1') {
  const snapshots: ConversionInput[] = [];
  const extra = new Map<string, Uint8Array>();
  let made = new Uint8Array();
  const bodyOf = async (path: string): Promise<Uint8Array | string | undefined> => {
    const [, folder, name] = path.split('/');
    if (extra.has(path)) return extra.get(path);
    if (folder === 'bodies') return cache.body(name!);
    if (folder === 'snapshots') {
      const { key, partsList, blocks, images } = snapshots[Number(name)]!;
      return JSON.stringify({ key, partsList, blocks: [...blocks], images: [...images] });
    }
    const known = FILES[path];
    return known && readFile(known);
  };
  const server = createServer(async (request, response) => {
    const path = request.url!;
    if (request.method === 'POST') made = new Uint8Array(await buffer(request));
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    const body =
      path === '/' ? '<script type="module" src="page.js"></script>' : await bodyOf(path);
    const status = body === undefined && request.method === 'GET' ? 404 : 200;
    response.writeHead(status, { 'content-type': type, 'content-security-policy': POLICY });
    response.end(body);
  });
  const { port, close } = await listening(server);
  const { page, trouble } = await openWatched(`http://${host}:${port}/`);
  await page.waitForFunction('globalThis.convert');
  const numberOf = (snapshot: ConversionInput) => snapshots.push(snapshot) - 1;
  return {
    page,
    trouble,
    extra,
    numberOf,
    /** Converts a snapshot; `glb` is empty where there is an error. */
    async convert(snapshot: ConversionInput): Promise<Converted & { glb: Uint8Array }> {
      made = new Uint8Array();
      const figures = await page.evaluate<Converted>(`convert(${numberOf(snapshot)})`);
      return { ...figures, glb: made };
    },
    async usdz(glb: Uint8Array): Promise<Uint8Array> {
      extra.set('/model.glb', glb);
      await page.evaluate("usdz('/model.glb')");
      return made;
    },
    async close(): Promise<void> {
      await page.context().close();
      await close();
    },
  };
}
