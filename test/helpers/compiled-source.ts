/**
 * A plugin of Vite: tests import the source as JavaScript that Node.js loads itself. Through the module runner of Vite,
 * each use of an imported name calls a getter: a tenth of the processor time of the tests.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'rolldown/utils';
import { normalizePath, type Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Below the repository, where the libraries are found. */
const OUT = join(ROOT, '.cache/source');
/** Another language. */
const ASSEMBLY = join('convert', 'kernels', 'assembly');

/** Compiles all of the source, in a third of a second, and leads imports of it to what was compiled. */
export function compiledSource(): Plugin {
  const compiled = new Map<string, string>();
  for (const name of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.d)\.tsx?$/.test(name) || name.startsWith(ASSEMBLY)) continue;
    const file = join(ROOT, 'src', name);
    const to = join(OUT, name.replace(/\.tsx?$/, '.js'));
    write(to, javascriptOf(file));
    compiled.set(file, normalizePath(to));
  }
  return {
    name: 'compiled source',
    enforce: 'pre',
    config: () => ({ test: { server: { deps: { external: [/\/\.cache\/source\//] } } } }),
    resolveId(id, importer) {
      if (importer === undefined || !id.startsWith('.')) return undefined;
      // Node.js loads a module again for each query.
      const [path = '', query] = id.split(/(?=\?)/);
      const found = compiled.get(resolve(dirname(importer), path));
      return found === undefined ? undefined : `${found}${query ?? ''}`;
    },
  };
}

/** A module without types, which finds files beside its source. */
function javascriptOf(file: string): string {
  const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), {
    tsconfig: false,
    typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
    jsx: { runtime: 'automatic', importSource: 'preact' },
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(file).href) },
  });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  // Of a template with a tag and `</script`, which some pages must not contain.
  if (code.includes('@oxc-project/runtime'))
    throw new Error(`${file}: expected a template without </script, as it has a tag`);
  return code;
}

/** Replaces a file only if it is another one, and as a whole: other tests may load it at the same time. */
function write(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}
