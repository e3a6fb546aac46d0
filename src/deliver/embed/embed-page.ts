/** A page that shows one model in the whole window, or in a frame of another page, with the HTML that does the same. */
import { createHash } from 'node:crypto';
import { escaped } from '../../support/escaped.ts';
import { pageHead } from '../../support/page-head.ts';
import { visible } from '../../support/visible.ts';
import { decoderText, MODEL_VIEWER, threeLines } from './decoders.ts';
import { decoderSettings, type EmbeddedModel, FINISH_SCRIPT, snippetOf } from './snippet.ts';

/** Increase this version if the same model gets another page. */
export const EMBED_PAGE_VERSION = 3;

/** What a page shows; addresses are paths below the output folder. */
export interface EmbedPage {
  /** Path of the page. */
  path: string;
  /** Name of the article. */
  name: string;
  /** Lines below the name: manufacturer and series, size. */
  caption: readonly string[];
  model: EmbeddedModel;
}

export interface EmbedPageOptions {
  /** Where packages of npm are. */
  packages: string;
  /** Largest size in the page of a shop, CSS pixels. */
  width: number;
  height: number;
}

/** The address of the output folder in the HTML to copy; the page replaces it by that from which it was loaded. */
const EXAMPLE = 'https://shop.example/3d/';

/**
 * Makes a page. It loads only what is in the output folder and, from the address of packages, model-viewer and decoders.
 *
 * @example
 * ```ts
 * const model = { model: 'articles/FJEL/LINEA/LN-M/default.glb', alt: 'Desk' };
 * const page = { path: 'embed/FJEL/LINEA/LN-M/default/index.html', name: 'Desk', caption: ['Fjell · Linea'], model };
 * embedPage(page, options);   // → '<!doctype html>…'
 * ```
 */
export function embedPage(page: EmbedPage, options: EmbedPageOptions): string {
  const { path, name, caption, model } = page;
  const { packages } = options;
  const title = escaped(visible(name, true));
  const toOutput = '../'.repeat(path.split('/').length - 1);
  const settings = decoderSettings(model.requiredExtensions ?? [], packages) ?? '';
  const { origin } = new URL(packages);
  const hashes = [PAGE_SCRIPT, FINISH_SCRIPT, settings].map(digestOf);
  const head = pageHead({
    'script-src': ["'wasm-unsafe-eval'", origin, ...hashes].join(' '),
    // model-viewer has elements with styles.
    'style-src': "'unsafe-inline'",
    'img-src': "'self' data: blob:",
    'connect-src': `'self' data: blob: ${origin}`,
    'worker-src': 'blob:',
  });
  return `${head}
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}${posterStyle(toOutput, model)}</style>
</head>
<body>
<main>
<hgroup>
<h1>${title}</h1>
${caption.map((line) => `<p>${escaped(visible(line, true))}</p>`).join('\n')}
</hgroup>
${snippetOf(placedAt(toOutput, model), { packages, size: 'fill' })}<p id="note" role="status"></p>
<noscript>The 3D view needs JavaScript.</noscript>
</main>
<aside id="help" aria-label="For your page" data-output="${toOutput}">
<details>
<summary>Show it in your page</summary>
${helpOf({ ...page, model: placedAt(EXAMPLE, model) }, options)}
</details>
</aside>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

/** How to show the model in another page. */
function helpOf({ path, name, model }: EmbedPage, options: EmbedPageOptions): string {
  const { packages, ...size } = options;
  const { requiredExtensions = [] } = model;
  const frame = `<iframe src="${escaped(EXAMPLE + addressOf(path))}"
  title="${escaped(visible(name, true))}" allow="xr-spatial-tracking; fullscreen" loading="lazy"
  style="width: 100%; max-width: ${size.width}px; aspect-ratio: ${size.width} / ${size.height}; border: 0"></iframe>
`;
  const { package: modelViewer } = MODEL_VIEWER;
  const html = snippetOf(model, { packages, size });
  const bundled = snippetOf(model, { packages, size, script: 'npm' });
  const lines = threeLines(requiredExtensions);
  const decoders = decoderText(requiredExtensions);
  return [
    block('HTML', html, 'Paste it where the article should appear.'),
    block('HTML of a frame', frame, 'The same, for pages that accept no script.'),
    block(
      'HTML for a bundler',
      bundled,
      `Such as Vite, after <code>npm install ${modelViewer} three</code>.`,
    ),
    lines.length === 0
      ? '<p>The file needs no decoder: model-viewer, three.js and others load it as it is.</p>'
      : block(
          'Lines for three.js',
          `${lines.join('\n')}\n`,
          `The file needs a decoder: ${decoders}. The HTML above names it; a page with three.js adds these lines for its <code>loader</code>.`,
        ),
  ].join('\n');
}

function block(label: string, text: string, help: string): string {
  const rows = text.trimEnd().split('\n').length;
  return `<section>
<header>
<h2>${label}</h2>
<span role="status"></span>
<button type="button" aria-label="Copy: ${label}">Copy</button>
</header>
<p>${help}</p>
<textarea aria-label="${label}" rows="${rows}" readonly spellcheck="false" wrap="off">
${escaped(text)}</textarea>
</section>`;
}

/** A model whose paths are made addresses. */
function placedAt(folder: string, model: EmbeddedModel): EmbeddedModel {
  const placed = <M extends { iosModel?: string }>(one: M): M =>
    one.iosModel === undefined ? one : { ...one, iosModel: folder + addressOf(one.iosModel) };
  const { poster, finishes } = model;
  return {
    ...placed(model),
    model: folder + addressOf(model.model),
    ...(poster !== undefined && { poster: folder + addressOf(poster) }),
    ...(finishes && { finishes: finishes.map(placed) }),
  };
}

const addressOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** The poster is there before model-viewer is, and where model-viewer cannot be loaded. */
function posterStyle(toOutput: string, { poster }: EmbeddedModel): string {
  if (poster === undefined) return '';
  const address = (toOutput + addressOf(poster)).replace(/['()]/g, percent);
  return `model-viewer:not(:defined) { background: #fff url('${address}') center / contain no-repeat; }\n`;
}

const percent = (sign: string) => `%${sign.charCodeAt(0).toString(16)}`;

const digestOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** In a frame, the page of the shop is around: the model is alone. */
const PAGE_SCRIPT = `
const help = document.getElementById('help');
if (self !== top) help.remove();
const note = document.getElementById('note');
const say = (text) => { note.textContent = text; };
document.querySelector('script[type=module]').addEventListener('error', () => {
  say('The 3D view cannot be loaded. Reload the page.');
});
const viewer = document.querySelector('model-viewer');
viewer.addEventListener('error', () => say('The model cannot be shown. Reload the page.'));
// Without graphics, model-viewer draws nothing in place of its poster.
if (document.createElement('canvas').getContext('webgl2') === null) {
  viewer.setAttribute('reveal', 'manual');
  say('No 3D view: this browser has no WebGL 2.');
}
const output = new URL(help.dataset.output, location).href.replaceAll('&', '&amp;');
for (const section of help.querySelectorAll('section')) {
  const area = section.querySelector('textarea');
  const status = section.querySelector('[role=status]');
  if (location.protocol !== 'file:') area.value = area.value.replaceAll('${EXAMPLE}', output);
  section.querySelector('button').addEventListener('click', async () => {
    area.select();
    try {
      await navigator.clipboard.writeText(area.value);
      status.textContent = 'Copied';
    } catch {
      status.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl-C';
    }
  });
}
`;

/** The model has the background of its pictures, in the dark too. */
const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#8886, #8888); --accent: light-dark(#1a5fb4, #78aeed); }
html, body { height: 100%; }
body { margin: 0; background: Canvas; color: CanvasText; display: grid; grid-template-rows: minmax(0, 1fr) auto; font: 1rem/1.5 system-ui, sans-serif; }
main { display: grid; grid-template-rows: minmax(0, 1fr); min-height: 0; position: relative; overflow: hidden; }
main > div { display: grid; grid-template-rows: minmax(0, 1fr) auto; min-height: 0; }
/* A finger needs 44 pixels. */
model-viewer { background: #fff; --ar-button-scale: 1.2; --progress-bar-color: #1a5fb4; }
hgroup { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
/* The page around a frame has the name already. */
body:has(#help) hgroup { z-index: 1; width: auto; height: auto; max-width: 100%; padding: 0.75rem 1rem; clip-path: none; color: #15181c; pointer-events: none; box-sizing: border-box; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.25; }
hgroup p { color: #5a636e; font-size: 0.9375rem; margin: 0; }
body:has(details[open]) hgroup p { display: none; }
#note, noscript { position: absolute; z-index: 1; inset: auto 1rem 1rem; margin: 0; }
#note:not(:empty), noscript { width: fit-content; margin-inline: auto; padding: 0.5rem 1rem; border-radius: 8px; background: #15181c; color: #fff; text-wrap: balance; }
main > div ~ :is(#note, noscript) { bottom: 5rem; }
label { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; padding: 0.6rem 1rem; }
select, button { font: inherit; min-height: 2.75rem; padding: 0.25rem 0.9rem; border: 1px solid var(--line); border-radius: 8px;
  background: Canvas; color: CanvasText; }
select { flex: 1 1 18rem; min-width: 0; max-width: 30rem; padding-right: 0.5rem; text-overflow: ellipsis; }
button { cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
aside { border-top: 1px solid var(--line); max-height: 60vh; overflow: auto; }
label, details { box-sizing: border-box; width: min(100%, 62rem); }
summary { padding: 0.7rem 1rem; cursor: pointer; }
section { padding: 0 1rem 0.75rem; }
header { display: flex; align-items: center; gap: 0.75rem; margin-top: 1rem; }
h2 { font-size: 1rem; margin: 0; flex: 1; }
p { margin: 0.25rem 0; }
details > p { padding: 0 1rem 1rem; }
textarea { display: block; box-sizing: border-box; width: 100%; padding: 0.5rem 0.75rem; font: 0.8125rem/1.5 ui-monospace, monospace;
  border: 1px solid var(--line); border-radius: 8px; background: light-dark(#f6f6f6, #222); color: CanvasText; resize: vertical; }
`;
