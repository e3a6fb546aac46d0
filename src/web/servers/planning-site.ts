/** The planning page on its server: one HTML document, the policy that protects it, and its files. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import type { PlanningSite } from '../../emulator/route.ts';
import { readBytesIfExists, sha256Hex } from '../../support/files.ts';
import { packageFile } from '../../support/package-file.ts';
import { pageHead } from '../../support/page-head.ts';

type SiteRequest = Parameters<PlanningSite>[0];

interface SiteOptions {
  /**
   * Origins of the pages that may show it in a frame, besides its own; `none`: no page may, not even its own.
   *
   * @defaultValue those of this machine
   */
  frameAncestors?: readonly string[] | 'none' | undefined;
  /** Options of the conversion in the page, those of its pipeline. @defaultValue the defaults */
  convert?: Partial<ConvertOptions> | undefined;
  /** Section of the pipeline: which image addresses belong to the service, and where images of materials are. */
  service?: { baseUrl?: string | undefined; imageLocation?: string | undefined } | undefined;
  /** Address of a server of assets, whose pages show articles in a room. @defaultValue none: only devices of Apple show them */
  assetsUrl?: string | undefined;
  /** Whether a page without a token shows stored plannings, read-only. @defaultValue false */
  hasPublicLinks?: boolean | undefined;
}

const SCRIPT = 'text/javascript; charset=utf-8';

/** The files of the page, with their paths below the root of the package. */
const FILES = new Map([
  ['page.js', { contentType: SCRIPT, path: 'dist/planning/page.js' }],
  ['view.js', { contentType: SCRIPT, path: 'dist/planning/view.js' }],
  ['convert-worker.js', { contentType: SCRIPT, path: 'dist/planning/convert-worker.js' }],
  // The worker loads this file when a USDZ file is requested.
  ['usdz.js', { contentType: SCRIPT, path: 'dist/planning/usdz.js' }],
  ['page.css', { contentType: 'text/css; charset=utf-8', path: 'dist/planning/page.css' }],
  // The light of the 3D view, deflated: the page inflates it.
  [
    'studio.bin',
    { contentType: 'application/octet-stream', path: 'src/deliver/pictures/studio-map.bin' },
  ],
]);

/** A file in each encoding; the `ETag` depends on content and encoding. */
interface LoadedFile {
  digest: string;
  bytes: Uint8Array;
  packed: Map<string, Promise<Uint8Array>>;
}

/** Encodings, the preferred one first. Compressing a script of 1 MB takes 30 ms, once per process. */
const PACKERS: Readonly<Record<string, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** Pages of this machine, at any port. A policy cannot contain an IPv6 address. */
const LOOPBACK = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '127.0.0.1'].map((host) => `${scheme}://${host}:*`),
);

/** The policy of the worker's file, which applies to the worker in place of that of the page. */
const WORKER_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' blob:";

const NO_STORE = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Opens the site of the planning page. Nothing of a query is in its HTML; the policy of the page names the origin of the
 * cart address of its query, and nothing else of it.
 *
 * @returns A function that answers a request: 200, 304 for the file that the browser has, 404 for any other name, and
 *   503 with a sentence for a file that was not built. The name `/` is a page that says where the planning page is.
 *
 * @example
 * ```ts
 * const site = openPlanningSite({ frameAncestors: ['https://shop.example'] });
 * await startEmulator({ range, planningSite: site });
 * ```
 *
 * @see Spec 4.5; Content Security Policy Level 3.
 */
export function openPlanningSite({
  frameAncestors = LOOPBACK,
  convert,
  service,
  assetsUrl,
  hasPublicLinks,
}: SiteOptions = {}): PlanningSite {
  const loaded = new Map<string, LoadedFile>();
  const data = dataOf({
    convert: convert && JSON.stringify(convert),
    'service-url': service?.baseUrl,
    'image-location': service?.imageLocation,
    'assets-url': assetsUrl,
    'public-links': hasPublicLinks ? 'true' : undefined,
  });
  const ancestors = frameAncestors === 'none' ? ["'none'"] : ["'self'", ...frameAncestors];
  return async (request) => {
    const { name } = request;
    if (name === '') return page(request, ancestors, data);
    if (name === '/') return ROOT;
    const found = FILES.get(name);
    if (found === undefined) return failure(404, 'the planning page has no such file');
    const { path, contentType } = found;
    const file = loaded.get(name) ?? (await load(path));
    if (file === undefined) {
      const sentence = `planning: expected the file ${path}, received none; run npm run build`;
      return failure(503, sentence);
    }
    loaded.set(name, file);
    return answer(contentType, file, request.headers);
  };
}

/** The answer for a person who opens the address of the server without a path. Only the link contains the token. */
const ROOT = {
  status: 200,
  headers: {
    ...NO_STORE,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "frame-ancestors 'none'",
  },
  body: `${pageHead({ 'style-src': "'unsafe-inline'" })}
<title>btg2gltf serve</title>
<style>body { max-width: 40rem; margin: 12vh auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }</style>
</head>
<body>
<h1>btg2gltf serve</h1>
<p>The planning page is at <code>/frontend/planning</code>. Open it with the link that <code>btg2gltf serve</code> has
printed: the link contains a token, without which the page shows nothing.</p>
<p lang="de">Die Planungsseite ist unter <code>/frontend/planning</code>. Öffnen Sie sie mit dem Link, den
<code>btg2gltf serve</code> ausgegeben hat: Er enthält ein Token, ohne das die Seite nichts zeigt.</p>
</body>
</html>
`,
};

function failure(status: number, error: string) {
  const headers = { ...NO_STORE, 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify({ error }) };
}

async function load(path: string): Promise<LoadedFile | undefined> {
  const bytes = await readBytesIfExists(packageFile(path));
  return bytes && { digest: sha256Hex(bytes).slice(0, 32), bytes, packed: new Map() };
}

/** Answers with a file, compressed if the browser accepts that; a new version of the program has another `ETag`. */
async function answer(contentType: string, file: LoadedFile, headers: SiteRequest['headers']) {
  const accepted = String(headers['accept-encoding'] ?? '').split(/[\s,]+/);
  const encoding = /^text\//.test(contentType)
    ? Object.keys(PACKERS).find((name) => accepted.includes(name))
    : undefined;
  const etag = `"${file.digest}${encoding === undefined ? '' : `-${encoding}`}"`;
  const always = {
    etag,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
    'content-security-policy': WORKER_POLICY,
  };
  if (headers['if-none-match'] === etag) return { status: 304, headers: always, body: '' };
  const own = { ...always, 'content-type': contentType };
  if (encoding === undefined) return { status: 200, headers: own, body: file.bytes };
  const packed = file.packed.get(encoding) ?? PACKERS[encoding]!(file.bytes);
  file.packed.set(encoding, packed);
  return {
    status: 200,
    headers: { ...own, 'content-encoding': encoding },
    body: await packed,
  };
}

function page({ query, baseUrl }: SiteRequest, ancestors: readonly string[], data: string) {
  const { origin } = new URL(baseUrl);
  const cart = policyOrigin(new URLSearchParams(query).get('urlwarenkorb') ?? '');
  const policy = {
    'default-src': ["'none'"],
    // The loops over vertices are in WebAssembly.
    'script-src': ["'self'", "'wasm-unsafe-eval'"],
    'style-src': ["'self'"],
    'worker-src': ["'self'"],
    // The images of a model are blobs, which its loader fetches.
    'img-src': ["'self'", 'blob:', 'data:', origin],
    'connect-src': ["'self'", 'blob:', origin, ...(cart === undefined ? [] : [cart])],
    'frame-ancestors': ancestors,
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  };
  const directives = Object.entries(policy).map(([name, all]) => `${name} ${all.join(' ')}`);
  const headers = {
    ...NO_STORE,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': directives.join('; '),
  };
  return { status: 200, headers, body: html(dataOf({ 'base-url': baseUrl }) + data) };
}

/**
 * The origin of a web address as a policy may name it; undefined for any other text. A name of a host may contain the
 * signs that end a directive, so that only plain names pass.
 *
 * @example `policyOrigin('https://shop.example/cart?a=1'); // → 'https://shop.example'`
 */
export function policyOrigin(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  return /^https?:\/\/[\w.[\]:-]+$/.test(origin) ? origin : undefined;
}

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M12 2l9 5v10l-9 5-9-5V7z" fill="#2160c4"/><path d="M3 7l9 5 9-5M12 12v10" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
);

function dataOf(values: Readonly<Record<string, string | undefined>>): string {
  const attribute = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` data-${name}="${attribute(value)}"`))
    .join('');
}

/** Addresses are relative, so that the page works below any path; its program fills `main`. */
function html(data: string): string {
  return `<!doctype html>
<html lang="en"${data}>
<head>
<meta charset="utf-8">
<title>Planning</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:image/svg+xml,${ICON}">
<link rel="stylesheet" href="planning/page.css">
<script type="module" src="planning/page.js"></script>
</head>
<body>
<noscript><p>This page needs JavaScript.</p></noscript>
<main id="planning"></main>
</body>
</html>
`;
}
