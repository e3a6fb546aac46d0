/** A user name and a secret that occur in an output path or in the data: what commands print, and the program itself. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { forgetSecret, redact } from '../../src/support/redact.ts';
import { type Ended, environmentOf, runChild } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { lastReport } from '../helpers/daily-runs.ts';
import { filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const LOGIN = { username: 'robot', password: 'pass-word-4711', appKey: 'app-key-4711' };

let folder: string;
let emulator: Emulator;

beforeAll(async () => {
  folder = await temporaryFolder();
  const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::D1'] }]);
  emulator = await startEmulator({ range, login: LOGIN });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a folder named like the password', () => {
  const LIST = 'manufacturer;program;basearticlenumber\nACME;DESK;D1\nACME;DESK;NONE\n';
  let file: string;
  let out: string;
  /** What the run has printed. */
  let stdout: string;

  /** Runs a command, expects no secret in what it prints, and returns that. */
  const printed = async (words: string[], expected: number, execute = executed) => {
    const { exit, stdout, stderr } = await execute(words, environmentOf(emulator));
    expect(exit, stderr).toBe(expected);
    expectNoSecret(stdout + stderr);
    return stdout;
  };

  beforeAll(async () => {
    const home = join(folder, LOGIN.username, LOGIN.password);
    out = join(home, 'out');
    await mkdir(join(home, 'a'), { recursive: true });
    await writeFile(join(home, 'a', 'l.csv'), LIST);
    await writeFile(join(folder, 'other.csv'), LIST);
    const articles = [
      { list: join(home, 'a', 'l.csv') },
      { list: join(folder, 'other.csv') },
      { carts: join(home, 'none.json') },
      { carts: join(home, 'no-*.json') },
    ];
    file = await writePipeline(home, { articles });
    stdout = await printed(['run', file], 1, runChild);
  });

  test('is used as it is, and printed without the password, with the user name', async () => {
    expect(await readdir(join(folder, LOGIN.username))).toEqual([LOGIN.password]);
    const shown = out.replaceAll(LOGIN.password, '***');
    expect((await lastReport(out)).outputDir).toBe(shown);
    expect(stdout).toContain(shown);
  });

  test('is masked in names of carts, lists and globs', async () => {
    const listed = await printed(['run', file, '--dry-run'], 1);
    expect(listed).toContain('***/a/l.csv:2');
    expect(listed).toMatch(/no cart matches .*\/\*\*\*\/no-\*\.json/);
    const explained = await printed(['explain', 'ACME/DESK/NONE', '--pipeline', file], 0);
    expect(explained).toContain('selected by robot/***/a/l.csv:3');
    const reports = await reportsBelow(out);
    expect(reports).toContain('/***/none.json');
    expectNoSecret(reports);
  });

  test('is masked where verify names a damaged file', async () => {
    const [path] = await filesBelow(join(out, 'objects'));
    await chmod(path!, 0o644);
    await writeFile(path!, 'damaged');
    const found = await printed(['verify', file], 1);
    expect(found).toMatch(/\/\*\*\*\/out\/objects\/.*: damaged/);
    expect(found).toMatch(/shared by .*\/\*\*\*\/out\/articles\//);
    expect(JSON.parse(await printed(['verify', file, '--json'], 1)).problems).toHaveLength(1);
  });
});

describe('a secret in the data', () => {
  const pic = `http://h/x.jpg?token=${LOGIN.password}`;
  let own: Emulator;
  let file: string;

  beforeAll(async () => {
    const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::D1'], pics: [pic] }]);
    own = await startEmulator({ range, login: LOGIN });
    const home = join(folder, 'reference');
    await mkdir(home);
    file = await writePipeline(home);
  });
  afterAll(() => own.close());

  test('such as an image reference is masked in warnings, and stays in the data', async () => {
    const D1 = ['--manufacturer', 'ACME', '--program', 'DESK', '--basearticlenumber', 'D1'];
    const streams: string[] = [];
    for (const words of [
      ['run', file],
      ['convert', ...D1, '--output', join(dirname(file), 'D1.glb')],
    ]) {
      const { exit, stdout, stderr } = await executed(words, environmentOf(own));
      expect(exit, stderr).toBe(0);
      streams.push(stdout, stderr);
    }
    const out = join(dirname(file), 'out');
    const reports = await reportsBelow(out);
    expect(reports).toContain('http://h/x.jpg?token=***');
    expectNoSecret(reports + streams.join(''));
    const manifest = await readFile(join(out, 'manifest.jsonl'), 'utf8');
    const { losses, warnings } = JSON.parse(manifest) as Pick<ManifestLine, 'losses' | 'warnings'>;
    expect(losses).toContainEqual(expect.objectContaining({ field: 'pic', value: pic }));
    expectNoSecret(JSON.stringify(warnings));
  });

  test.each([
    ['catalogue', 'ls'],
    ['catalogue', 'show', 'ACME/DESK/D1', '--json'],
    ['run', '--dry-run', 'FILE'],
    ['explain', 'ACME/*', '--pipeline', 'FILE'],
  ])('that is a word which the program prints as data stays: %s %s', async (...words) => {
    const env = { ...environmentOf(own), BTG2GLTF_INBOX_SECRET: 'ACME' };
    const execute = IS_LONG && words.includes('ls') ? runChild : executed;
    const given = words.map((word) => (word === 'FILE' ? file : word));
    const { exit, stdout, stderr } = await execute(given, env);
    // It is a secret of this run alone.
    while (redact('ACME') !== 'ACME') forgetSecret('ACME');
    expect(exit, stderr).toBe(0);
    expect(stdout).toContain('ACME');
    expect(stdout.replace(/token=\*+/g, '')).not.toContain('***');
  });
});

/** Executes a command in this process. */
const executed = (words: readonly string[], env: Record<string, string>): Promise<Printed> =>
  command([...words], { env, redacts: true });

/** Of a command, or of a process. */
type Printed = Pick<Ended, 'exit' | 'stdout' | 'stderr'>;

function expectNoSecret(text: string): void {
  for (const secret of [LOGIN.password, LOGIN.appKey]) expect(text).not.toContain(secret);
}

/** Every file of the reports of an output folder, as one text. */
async function reportsBelow(outputDir: string): Promise<string> {
  const files = await filesBelow(join(outputDir, 'runs'));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}
