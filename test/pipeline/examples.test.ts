/** The examples of the pages run as they are printed, in plain Node with the built package, and print what they say. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { command } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** What is printed after each program. */
const END = '— end of the example —';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules', 'btg2gltf'));
});

/** The JavaScript of a page: one program. */
async function programOf(page: string): Promise<string> {
  const text = await readFile(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
}

/** What the comments of a program say that its lines print; `…` is any text. */
function printedBy(program: string): RegExp {
  const results = [...program.matchAll(/\/\/ → (.*)$/gm)].map(([, result]) =>
    result!.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(/ ?… ?/g, '[\\s\\S]*?'),
  );
  return new RegExp(`^${results.join('\\s*\\n')}\\s*$`);
}

/** Executes programs one after the other, each in a folder of its own; rejects unless all end with 0. */
async function execute(...programs: string[]) {
  const main: string[] = [];
  for (const [i, program] of programs.entries()) {
    await mkdir(join(folder, `${i}`), { recursive: true });
    await writeFile(join(folder, `${i}`, 'example.mjs'), program);
    const url = `./${i}/example.mjs`;
    main.push(`process.chdir('${i}');`, `await import('${url}');`, `process.chdir('..');`);
    main.push(`console.log('${END}'); console.error('${END}');`);
  }
  await writeFile(join(folder, 'main.mjs'), main.join('\n'));
  const ended = await promisify(execFile)(process.execPath, ['main.mjs'], { cwd: folder });
  const [stdout, stderr] = [ended.stdout, ended.stderr].map((text) => text.split(`${END}\n`));
  return programs.map((_, i) => ({ stdout: stdout![i]!, stderr: stderr![i]! }));
}

describe('the examples', () => {
  test('of README, and of the page of the library, which has one for each export', async () => {
    const file = join(folder, '0', 'first.yaml');
    await mkdir(join(folder, '0'));
    expect(await command(['init', file])).toMatchObject({ exit: 0 });
    const readme = await programOf('README.md');
    const program = await programOf('src/README.md');
    const [first, second] = await execute(readme, program);
    expect(first!.stderr).toBe('');
    expect(first!.stdout).toMatch(printedBy(readme));
    expect(second!.stderr.replace(/^\{"level":"info".*\n/gm, '')).toBe('');
    expect(second!.stdout).toMatch(printedBy(program));
    const imported = [...program.matchAll(/^import \{([^}]*)\}/gm)].flatMap(([, names]) =>
      names!.split(',').map((name) => name.trim()),
    );
    const undocumented = Object.keys(library).filter((name) => !imported.includes(name));
    // An instance of the class is what isConverterError recognises.
    expect(undocumented).toEqual(['ConverterError']);
  });

  test('are compared with what they say', () => {
    const says = printedBy('a(); // → { b: 1, … }\nc(); // → d\n');
    expect('{ b: 1, x }\nd\n').toMatch(says);
    expect('{ b: 2, x }\nd\n').not.toMatch(says);
    expect('{ b: 1, x }\n').not.toMatch(says);
  });
});
