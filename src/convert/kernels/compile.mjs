/** Compiles `assembly/` into `code.ts`: `npm run kernels`. The same compiler makes the same bytes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** What the first line of `code.ts` says of a content: from what it was compiled, and that it is as it was written. */
export function digestLine(content) {
  const sources = readdirSync(`${FOLDER}assembly`)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readFileSync(`${FOLDER}assembly/${name}`, 'utf8'));
  const { devDependencies } = JSON.parse(readFileSync(`${FOLDER}../../../package.json`, 'utf8'));
  sources.push(readFileSync(`${FOLDER}compile.mjs`, 'utf8'), devDependencies.assemblyscript);
  return `// SHA-256 of the sources ${sha256(sources.join('\0'))}, of what follows ${sha256(content)}\n`;
}

/** The text of `code.ts`. */
export async function compiledKernels() {
  const { default: asc } = await import('assemblyscript/asc');
  const files = new Map();
  const { error, stderr } = await asc.main(
    [
      'assembly/index.ts',
      ...['--baseDir', FOLDER, '--outFile', 'code.wasm', '--bindings', 'raw'],
      ...['--runtime', 'stub', '--noAssert', '-O3'],
    ],
    {
      readFile: (name, baseDir) => {
        try {
          return readFileSync(`${baseDir}/${name}`, 'utf8');
        } catch {
          return null;
        }
      },
      writeFile: (name, contents) => void files.set(name, contents),
    },
  );
  if (error)
    throw new Error(`src/convert/kernels/assembly: ${stderr.toString()}`, { cause: error });
  const declared = files.get('code.d.ts').matchAll(/export function (.*\)): (\w+);/g);
  const content = [
    '/** The functions of `assembly/index.ts`, compiled by `compile.mjs`. */',
    'export interface Kernels {',
    // A boolean is returned as 0 or 1.
    ...Array.from(
      declared,
      ([, signature, result]) => `  ${signature}: ${result === 'boolean' ? 'number' : result};`,
    ),
    '}',
    '/** The module, in base64. */',
    `export const CODE = '${Buffer.from(files.get('code.wasm')).toString('base64')}';`,
    '',
  ].join('\n');
  return digestLine(content) + content;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(`${FOLDER}code.ts`, await compiledKernels());
