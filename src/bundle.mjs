/** Bundles the programs of the command line: see cli/start.ts. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SRC = fileURLToPath(new URL('.', import.meta.url));
const OUT = fileURLToPath(new URL('../dist/cli', import.meta.url));

const PROGRAMS = {
  program: 'cli/program.ts',
  'conversion-process': 'pipeline/conversion-process.ts',
};

/** Native code, and what is large and only used now and then. */
const EXTERNAL = [
  /^(?:libsql|sharp|mikktspace|fastify|@fastify\/cors|light-my-request|node-forge|prom-client|yargs)$/,
];

/** Only what is used of undici: to load all of it takes 80 ms of processor time more. */
const UNDICI = {
  name: 'undici',
  resolveId: (id) => (id === 'undici' ? '\0undici' : undefined),
  load: (id) =>
    id === '\0undici'
      ? "export { default as Agent } from 'undici/lib/dispatcher/agent.js';"
      : undefined,
};

const libraries = new Set();
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const [name, input] of Object.entries(PROGRAMS)) {
  const bundle = await rolldown({
    input: `${SRC}${input}`,
    platform: 'node',
    external: EXTERNAL,
    plugins: [UNDICI],
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    codeSplitting: false,
    // The engine cannot import from code that it compiled earlier.
    dynamicImportInCjs: false,
  });
  writeFileSync(`${OUT}/${name}.cjs`, inAscii(output[0].code));
  for (const id of output[0].moduleIds) {
    const [, folder] = /(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
    if (folder !== undefined) libraries.add(folder);
  }
}
writeFileSync(`${OUT}/LICENSES.txt`, [...libraries].sort().map(licenceOf).join('\n\n'));

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
