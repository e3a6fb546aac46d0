import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../helpers/command.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const run = promisify(execFile);
let folder: string;
let script: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'pipelines'));
  for (const name of ['nightly run.yaml', 'demo.yml', 'notes.txt'])
    await writeFile(join(folder, name), '');
  script = (await command(['completion', 'bash'])).stdout;
});
afterAll(() => rm(folder, { recursive: true }));

/** What bash offers for these words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const quoted = ['btg2gltf', ...words].map((word) => `'${word}'`).join(' ');
  const call = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _btg2gltf`;
  const text = `${script}\n${call}\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', text], { cwd: folder });
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash completes commands, options and pipeline files', async () => {
  expect(await offered('co')).toEqual(['completion', 'convert']);
  expect((await offered('run', '--l')).sort()).toEqual(['--limit', '--log-format']);
  expect(await offered('verify', '--')).toEqual(['--output', '--json', '--help']);
  expect((await offered('run', '')).sort()).toEqual(['demo.yml', 'nightly run.yaml', 'pipelines']);
  expect(await offered('run', '--log-format', '')).toEqual(['pretty', 'json']);
  expect((await offered('run', 'demo.yml', '--junit', 'n')).sort()).toEqual([
    'nightly run.yaml',
    'notes.txt',
  ]);
});

test('zsh gets every command and option with its description', async () => {
  const { stdout } = await command(['completion', 'zsh']);
  expect(stdout).toMatch(/^#compdef btg2gltf\n/);
  expect(stdout).toMatch(/ {2}commands=\('demo:.*'run:convert the articles/);
  expect(stdout).toMatch(/ run\) options=\('--output:.*'--help:show this help'\)/);
  // A file of $fpath is called at once; the output of eval registers the function.
  expect(stdout).toMatch(
    /if \[\[ \$zsh_eval_context\[-1\] == loadautofunc \]\]; then _btg2gltf "\$@"; else compdef _btg2gltf btg2gltf; fi\n$/,
  );
  await run('zsh', ['-n', '-c', stdout]).catch((error: NodeJS.ErrnoException) => {
    // There is none, or none for this user.
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error;
  });
});

test('another shell is refused', async () => {
  expect(await command(['completion', 'fish'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('expected bash or zsh, received "fish"'),
  });
});
