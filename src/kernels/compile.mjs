/** Compiles `assembly/` into `code.ts`: `npm run kernels`. The same compiler makes the same bytes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** The text of `code.ts`. */
export async function compiledKernels() {
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
  if (error) throw new Error(`src/kernels/assembly: ${stderr.toString()}`, { cause: error });
  const declared = files.get('code.d.ts').matchAll(/export function (.*\)): (\w+);/g);
  return [
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
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(`${FOLDER}code.ts`, await compiledKernels());
