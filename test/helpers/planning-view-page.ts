/**
 * Planning-view page: a page with nothing but the 3D view, under the policy of the planning page, and
 * what its graphics and images hold.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { inflateSync } from 'node:zlib';
import { listening } from './listening.ts';

const ROOT = new URL('../../', import.meta.url);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'";

const STYLE = `:root { color-scheme: light dark; background: light-dark(#f4f5f7, #171b21); }
body { margin: 0; } #stage { position: relative; height: 100vh; }`;

/** Counts what the graphics hold, whoever made it, and the decoded images. */
const COUNTING = `
  globalThis.decoded = new Set();
  const decode = createImageBitmap;
  globalThis.createImageBitmap = async (...rest) => {
    const image = await decode(...rest);
    decoded.add(image);
    return image;
  };
  const { close } = ImageBitmap.prototype;
  ImageBitmap.prototype.close = function () {
    decoded.delete(this);
    close.call(this);
  };
  globalThis.held = { Buffer: 0, Texture: 0, Framebuffer: 0, Renderbuffer: 0, Program: 0, VertexArray: 0 };
  const graphics = WebGL2RenderingContext.prototype;
  for (const kind of Object.keys(held)) {
    const [create, free] = [graphics['create' + kind], graphics['delete' + kind]];
    const living = new Set();
    graphics['create' + kind] = function () {
      const made = create.call(this);
      living.add(made);
      held[kind] = living.size;
      return made;
    };
    graphics['delete' + kind] = function (one) {
      living.delete(one);
      held[kind] = living.size;
      return free.call(this, one);
    };
  }
  // What was drawn can be read at any time.
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, { ...options, preserveDrawingBuffer: true });
  };
  globalThis.drawn = 0;
  for (const name of ['drawElements', 'drawArrays']) {
    const draw = graphics[name];
    graphics[name] = function (...rest) { drawn++; return draw.apply(this, rest); };
  }`;

const PROGRAM = `
  import { openView } from './view.js';
  const studio = fetch('studio').then((answer) => answer.arrayBuffer());
  const millimetres = (length) => length.toLocaleString('en') + ' mm';
  globalThis.open = () => {
    const texts = { view: '3D view', movableParts: 'Parts that move', move: 'Slide', turn: 'Turn', motionOf: (part) => part, millimetres };
    globalThis.view = openView({ stage, studio, texts });
  };
  globalThis.show = async (path) => {
    const glb = await (await fetch('model/' + path)).arrayBuffer();
    await view.show(new Uint8Array(glb));
  };
  open();`;

/**
 * Serves the page on a free port.
 *
 * @param model - The bytes of a GLB by its path.
 * @throws Error where the program was not built.
 */
export async function servePlanningView(
  model: (path: string) => Promise<Uint8Array | undefined>,
): Promise<{ address: string; close(): Promise<void> }> {
  const program = await readFile(new URL('dist/planning/view.js', ROOT));
  const studio = inflateSync(await readFile(new URL('src/deliver/pictures/studio-map.bin', ROOT)));
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>View</title>
<link rel="stylesheet" href="page.css">
<script src="counting.js"></script><script type="module" src="page.js"></script></head>
<body><main id="stage"></main></body></html>`;
  const files: Record<string, [type: string, body: Uint8Array | string]> = {
    '/': ['text/html', html],
    '/favicon.ico': ['image/x-icon', ''],
    '/page.css': ['text/css', STYLE],
    '/counting.js': ['text/javascript', COUNTING],
    '/page.js': ['text/javascript', PROGRAM],
    '/view.js': ['text/javascript', program],
    '/studio': ['application/octet-stream', studio],
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://localhost').pathname);
    const [type, body] = files[path] ?? ['model/gltf-binary', await model(path.slice(7))];
    const headers = { 'content-type': type, 'content-security-policy': POLICY };
    response.writeHead(body === undefined ? 404 : 200, headers);
    response.end(body);
  });
  const { origin, close } = await listening(server);
  return { address: `${origin}/`, close };
}
