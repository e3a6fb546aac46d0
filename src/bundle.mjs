/** Bundles the programs of the command line, and what starts them: see cli/start.ts. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SRC = fileURLToPath(new URL('.', import.meta.url));
const OUT = fileURLToPath(new URL('../dist/cli', import.meta.url));

const PROGRAMS = {
  program: 'cli/program.ts',
  'conversion-process': 'run/conversions/conversion-process.ts',
  'maker-thread': 'deliver/maker-thread.ts',
  'mesh-thread': 'run/conversions/mesh-thread.ts',
  'queue-thread': 'distribute/queue/queue-thread.ts',
};
/** They are CommonJS: to start even one standard module takes 12 ms. */
const STARTERS = {
  main: 'cli/main.ts',
  'conversion-process': 'cli/conversion-process.ts',
  'maker-thread': 'cli/maker-thread.ts',
  'mesh-thread': 'cli/mesh-thread.ts',
  'queue-thread': 'cli/queue-thread.ts',
  'worker-process': 'cli/worker-process.ts',
};

/** The modules of the planning page and of `btg2gltf/browser`, each complete: one imports another by its address only. */
const BROWSER_MODULES = {
  browser: 'browser.ts',
  'planning/convert-worker': 'web/planning/convert-worker.ts',
  'planning/page': 'web/planning/page.tsx',
  'planning/usdz': 'web/planning/usdz.ts',
  'planning/view': 'web/planning/view.ts',
};
/** What such a module imports when it is needed, as only ours do; and what a library would need in Node. */
const BROWSER_EXTERNAL = (id, importer) =>
  /^node:/.test(id) || (/^\.\/[\w-]+\.js$/.test(id) && importer?.startsWith(SRC));

/** The same with all that they import: a bundler that copies a worker to another name does not copy that. */
const WHOLE_MODULES = { 'convert-worker': 'web/planning/convert-worker.ts' };
/** Finds the source of an address that another module has. */
const BY_ADDRESS = {
  name: 'by address',
  resolveId: (id, importer) =>
    id.startsWith('./') && importer?.startsWith(`${SRC}web/planning/`) && id.endsWith('.js')
      ? `${SRC}web/planning/${id.slice(2, -'js'.length)}ts`
      : undefined,
};

/** The style of the planning page, in this order. */
const PAGE_STYLES = ['page', 'stage', 'panel', 'actions', 'catalogue'];

/** The programs of pages; a browser runs them. */
const PAGES = {
  'picture-page': 'deliver/pictures/page',
  'gallery-page': 'deliver/gallery/page',
  'gallery-viewer': 'deliver/gallery/page',
  'inspection-viewer': 'deliver/inspection/page',
  'survey-answers': 'survey/page/program',
};

/** Native code of images, and what is large and only used now and then. */
const EXTERNAL = [
  /^(?:sharp|playwright-core|@sparticuz\/chromium|draco3dgltf|ktx2-encoder|@gltf-transform\/(?:core|extensions|functions)|gltf-validator|mikktspace|fastify|@fastify\/cors|light-my-request|node-forge|prom-client|yargs|bullmq|ioredis|pg)$/,
];

/** Only what is used of undici: to load all of it takes 80 ms of processor time more, and HTTP/2 3 ms. */
const UNDICI = {
  name: 'undici',
  resolveId: (id) => (id === 'undici' ? '\0undici' : undefined),
  load(id) {
    if (id === '\0undici') {
      return `
        export { default as Agent } from 'undici/lib/dispatcher/agent.js';
        export async function request(url, { dispatcher, ...options }) {
          const { default: send } = await import('undici/lib/api/api-request.js');
          const { origin, pathname, search } = url;
          return send.call(dispatcher, { ...options, origin, path: pathname + search });
        }`;
    }
    // Only called with the option allowH2.
    if (id.endsWith('/undici/lib/dispatcher/client-h2.js')) return 'module.exports = undefined;';
  },
};

/**
 * libsql finds the package of its native code by a diagnostic report of the process, which takes 10 ms. On Linux the
 * file of Node.js names its C library; where that says nothing, libsql searches.
 */
const LIBSQL = {
  name: 'libsql',
  transform(code, id) {
    if (!id.endsWith('/libsql/index.js')) return undefined;
    const search = 'function requireNative() {';
    const load = 'return require(`';
    if (!code.includes(search) || !code.includes(load))
      throw new Error(`${id}: expected ${search} and ${load}; adapt LIBSQL to this version`);
    return code
      .replace(/^.*require\("(?:@neon-rs\/load|detect-libc)"\);\n/gm, '')
      .replace(
        search,
        `${requireByInterpreter}
        ${search}
          const { createRequire } = require('node:module');
          const requireBeside = createRequire(createRequire(__filename).resolve('libsql'));
          const native = requireByInterpreter(require('node:fs'), requireBeside);
          if (native !== undefined) return native;
          const { load, currentTarget } = require('@neon-rs/load');
          const { familySync, GLIBC, MUSL } = require('detect-libc');`,
      )
      .replace(load, 'return requireBeside(`');
  },
};

function requireByInterpreter({ closeSync, openSync, readSync }, requireBeside) {
  try {
    const file = openSync('/proc/self/exe');
    const beginning = Buffer.alloc(4096);
    readSync(file, beginning);
    closeSync(file);
    const [, musl] = /\/ld-(?:linux|(musl))-/.exec(beginning.toString('latin1'));
    return requireBeside(`@libsql/linux-${process.arch}-${musl ?? 'gnu'}`);
  } catch {
    return undefined;
  }
}

const { version } = JSON.parse(readFileSync(`${SRC}../package.json`, 'utf8'));
/** A start needs not read `package.json`. */
const VERSION = {
  name: 'version',
  load: (id) =>
    id === `${SRC}support/version.ts`
      ? `export const programVersion = () => ${JSON.stringify(version)};`
      : undefined,
};

/** Built-in modules that most commands do not need: they are loaded when they are first used. */
const LATE = 'child_process|http|net|stream/promises|timers/promises|v8|vm|worker_threads|zlib';

/** Saves 5 ms of each start. A bundle only uses them as `name.member`, in functions. */
function loadingLate(code) {
  const declaration = new RegExp(`^let (node_\\w+) = (require\\("node:(?:${LATE})"\\));$`, 'gm');
  const names = Array.from(code.matchAll(declaration), ([, name]) => name);
  const uses = new RegExp(`\\b(${names.join('|')})\\.`, 'g');
  return code.replace(declaration, 'const $1 = () => $2;').replace(uses, '$1().');
}

const libraries = new Set();
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
writeFileSync(`${OUT}/package.json`, '{ "type": "commonjs" }\n');
for (const [name, input] of Object.entries(STARTERS)) {
  writeFileSync(`${OUT}/${name}.js`, (await bundled(input)).code);
}
for (const [name, input] of Object.entries(PROGRAMS)) {
  const { code, moduleIds } = await bundled(input);
  for (const folder of librariesOf(moduleIds)) libraries.add(folder);
  const text = `(function (exports, require, module, __filename, __dirname) {${inAscii(loadingLate(code))}\n})\n`;
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(`${OUT}/${name}.cjs`, `// ${digest}\n${text}`);
}
mkdirSync(`${OUT}/../deliver`, { recursive: true });
for (const name of Object.keys(PAGES)) {
  const options = { platform: 'browser', format: 'iife', minify: true };
  const { code, moduleIds } = await bundled(`${PAGES[name]}/${name}.ts`, options);
  writeFileSync(`${OUT}/../deliver/${name}.js`, withNotices(code, moduleIds));
}
mkdirSync(`${OUT}/../planning`, { recursive: true });
for (const [name, input] of Object.entries({ ...BROWSER_MODULES, ...WHOLE_MODULES })) {
  const isWhole = name in WHOLE_MODULES;
  const external = isWhole ? /^node:/ : BROWSER_EXTERNAL;
  const options = { platform: 'browser', format: 'esm', minify: true, external };
  const { code, moduleIds } = await bundled(input, options, isWhole ? [BY_ADDRESS] : []);
  writeFileSync(`${OUT}/../${name}.js`, withNotices(code, moduleIds));
}
const styles = PAGE_STYLES.map((name) => readFileSync(`${SRC}web/planning/${name}.css`, 'utf8'));
writeFileSync(`${OUT}/../planning/page.css`, styles.join(''));
writeFileSync(`${OUT}/LICENSES.txt`, [...libraries].sort().map(licenceOf).join('\n\n'));

async function bundled(
  input,
  { platform = 'node', external = EXTERNAL, ...output } = {},
  plugins = [],
) {
  const bundle = await rolldown({
    input: `${SRC}${input}`,
    platform,
    external,
    plugins: [UNDICI, LIBSQL, VERSION, ...plugins],
  });
  const { output: files } = await bundle.generate({
    format: 'cjs',
    codeSplitting: false,
    // The engine cannot import from code that it compiled earlier.
    dynamicImportInCjs: false,
    comments: false,
    ...output,
  });
  return files[0];
}

/** The folders of the libraries of some modules. */
function librariesOf(moduleIds) {
  const folders = moduleIds.map((id) => /(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]);
  return new Set(folders.filter((folder) => folder !== undefined));
}

/** Pages are taken to other places, without the file of the licences. */
function withNotices(code, moduleIds) {
  const notices = [...librariesOf(moduleIds)].map((folder) => `/*!\n${licenceOf(folder)}*/\n`);
  return notices.join('') + code;
}

/** The licences of the libraries in the bundle ask for it. */
function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
}

/** The program is read as Latin-1, which takes one byte a character in memory. */
function inAscii(code) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return code.replace(/[^\r\n\t -~]/g, escaped);
}
