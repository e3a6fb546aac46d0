/** The files of the gallery: a page that shows the published files, from any web server and without a network. */

import { z } from 'zod';
import type { Digest } from '../../model/snapshot.ts';
import { readBytes, sha256Hex } from '../../support/files.ts';
import { packageFile } from '../../support/package-file.ts';
import { pageHead } from '../../support/page-head.ts';
import { visibleJson } from '../../support/visible.ts';
import type { DetailsPart, GalleryData } from './gallery-data.ts';
import { GALLERY_STYLE } from './gallery-style.ts';

/** The programs of the page, and the light of its 3D view; beside the sources and in the package. */
const PROGRAMS = {
  'gallery.js': 'dist/deliver/gallery-page.js',
  'viewer.js': 'dist/deliver/gallery-viewer.js',
  'studio.bin': 'src/deliver/pictures/studio-map.bin',
} as const;

/** The name of the file with the data. */
export const GALLERY_DATA_FILE = 'articles.js';

/** All other files of the page by name, the same for every range. @throws {@link ConverterError} `FILE_MISSING` */
export async function galleryPageFiles(): Promise<Map<string, Uint8Array>> {
  const encoder = new TextEncoder();
  const files = new Map<string, Uint8Array>([
    ['index.html', encoder.encode(PAGE)],
    ['gallery.css', encoder.encode(GALLERY_STYLE)],
  ]);
  for (const [name, path] of Object.entries(PROGRAMS)) {
    files.set(name, await readBytes(packageFile(path)));
  }
  return files;
}

/** The 3D view of a model: a script that defines `openModelView`, and what it loads from beside itself. @throws {@link ConverterError} `FILE_MISSING` */
export async function modelViewFile(name: string): Promise<Uint8Array | undefined> {
  if (name !== 'viewer.js' && name !== 'studio.bin') return undefined;
  return readBytes(packageFile(PROGRAMS[name]));
}

/** The file with the data: a script, since a page that was opened from a disk cannot read another file. */
export function galleryDataFile(data: GalleryData): string {
  return `globalThis.galleryData = ${visibleJson(JSON.stringify(data))};\n`;
}

/** How many files with details a file with the data names; undefined of another content. */
export function partsIn(dataFile: Uint8Array): number | undefined {
  const [, json] =
    /^globalThis\.galleryData = (\{.*\});\s*$/s.exec(new TextDecoder().decode(dataFile)) ?? [];
  try {
    return z.object({ parts: z.int().positive().max(100_000) }).parse(JSON.parse(json ?? '')).parts;
  } catch {
    return undefined;
  }
}

/** A file with details, of {@link detailsFile}: a script that the page loads when one of its articles is opened. */
export function galleryDetailsFile(part: number, content: DetailsPart): string {
  return `galleryDetails(${part}, ${visibleJson(JSON.stringify(content))});\n`;
}

/** The scripts with models that a file with details names. In JSON, a quotation mark of a text has a backslash before it. */
export function modelScriptsIn(detailsFile: Uint8Array): string[] {
  const text = new TextDecoder().decode(detailsFile);
  return Array.from(text.matchAll(/"script":"(model-[0-9a-f]{16}\.js)"/g), ([, script]) => script!);
}

/** Name of the light of the 3D view for a page from a disk. */
export const EMBEDDED_STUDIO = 'studio.js';

/** The light of the 3D view as a script. @throws {@link ConverterError} `FILE_MISSING` */
export async function embeddedStudio(): Promise<string> {
  const bytes = await readBytes(packageFile(PROGRAMS['studio.bin']));
  return `galleryStudio("${Buffer.from(bytes).toString('base64')}");\n`;
}

/** A model as a script. @param script - Name of its file, by which the page finds it: configurations share models. */
export function embeddedModel(script: string, bytes: Uint8Array): string {
  const name = visibleJson(JSON.stringify(script));
  return `galleryModel(${name}, "${Buffer.from(bytes).toString('base64')}");\n`;
}

/** Whether a file is the script of {@link embeddedModel} with the model of a digest; so the model need not be read. */
export function hasEmbeddedModel(file: Uint8Array, script: string, sha256: Digest): boolean {
  const text = new TextDecoder().decode(file);
  const [, base64 = ''] = /, "([^"]*)"\);\n$/.exec(text) ?? [];
  const model = Buffer.from(base64, 'base64');
  return sha256Hex(model) === sha256 && text === embeddedModel(script, model);
}

/** The policy allows only files beside the page, and blobs and WebAssembly for the images and the decoder of models. */
const HEAD = pageHead({
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'connect-src': "'self' blob:",
});

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M12 2l9 5v10l-9 5-9-5V7z" fill="#2160c4"/><path d="M3 7l9 5 9-5M12 12v10" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
);

/** The page without data: `gallery.js` inserts the data as text. */
const PAGE = `${HEAD}
<title>Gallery</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
<link rel="stylesheet" href="gallery.css">
</head>
<body>
<a id="skip" class="skip" href="#cards">Skip to the articles</a>
<div class="page">
<header>
<h1 id="title">Gallery</h1>
<a id="sheet" href="contact-sheet.jpg" hidden>Show one overview picture with all articles</a>
</header>
<form id="form" class="find" role="search" aria-label="Articles">
<label class="away" for="find">Search by name, number and finish</label>
<input id="find" type="search" placeholder="Name, number or finish …" aria-keyshortcuts="/" title="Press / to search" autocomplete="off" spellcheck="false">
<button id="filter" type="button" aria-expanded="false" aria-controls="filters">Filters</button>
<label class="away" for="sort">Sort by</label>
<select id="sort"></select>
</form>
<div class="layout">
<aside id="filters" class="filters" aria-label="Filters" hidden></aside>
<main>
<noscript><p>This page needs JavaScript.</p></noscript>
<p class="result"><output id="found" for="find sort" aria-live="polite"></output> <button id="reset" class="plain" type="button" hidden>Clear search and filters</button></p>
<p id="gone" class="gone warning" role="status" hidden>The article of this address is no longer here.</p>
<ul id="cards" class="cards" tabindex="-1" aria-label="Articles"></ul>
<p id="none" class="none" hidden>Nothing found. Try fewer words or fewer filters.</p>
<p class="rest"><button id="more" type="button" hidden>Show more</button></p>
</main>
</div>
</div>
<dialog id="detail" aria-labelledby="detail-name"></dialog>
<script src="${GALLERY_DATA_FILE}"></script>
<script src="gallery.js"></script>
</body>
</html>
`;
