import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, writePipeline } from '../../helpers/command.ts';
import { MADE_TO_MEASURE } from '../../helpers/configurator.ts';
import { plainGlb } from '../../helpers/plain-glb.ts';
import { IS_LONG } from '../../helpers/samples.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
let help: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  help = (await command(['--help'])).stdout;
});
afterAll(() => rm(folder, { recursive: true }));

/** The groups of the help with their commands, in order. */
function helpGroups(): string[][] {
  const [, commands = ''] = /\[OPTIONS\]\n\n(.*?)\n\nRun btg2gltf/s.exec(help)!;
  return commands
    .split('\n\n')
    .map((block) => block.trim().split('\n'))
    .map(([group, ...rows]) => [group!, ...rows.map((row) => row.trim().split(/ {2,}/)[0]!)]);
}

test('the help has the commands in the groups and the order of the README', async () => {
  const readme = await readFile('README.md', 'utf8');
  const table = readme.slice(readme.indexOf('| command | does |')).split('\n\n')[0]!;
  const groups: string[][] = [];
  for (const row of table.split('\n').slice(2)) {
    const group = /^\| \*\*(.+)\*\*/.exec(row)?.[1];
    if (group !== undefined) groups.push([group]);
    else groups.at(-1)!.push(/`([a-z-]+)/.exec(row)![1]!);
  }
  expect(helpGroups()).toEqual(groups);
});

test('the example of the help runs as it is', async () => {
  const { stdout } = await command(['--help'], { columns: 80 });
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(stdout).toContain('--program LINEA \\\n    --basearticlenumber LN-M');
  const [, example = ''] = /Example\n {2}btg2gltf (.+)/.exec(help)!;
  const words = example.split(' ').map((word) => (word === 'desk.glb' ? join(folder, word) : word));
  expect(await command(words)).toMatchObject({ exit: 0 });
});

/** Files that the examples write or read; all others are arguments. */
const FILES =
  /^(?:pipeline\.yaml|nightly\.yaml|output|recording|desk\.glb|\*\.glb|delivered|pictures|carts|choices\.json|survey-anonymous\.json)$/;

/** For doctor, whose own tests start one. */
const WITHOUT_BROWSER = { BTG2GLTF_BROWSER: 'none' };

/** The words of the commands of a line; its shell syntax is quotes, && and >. */
function wordsOf(example: string): string[][] {
  return example.split(' && ').map((line) => {
    const [, ...words] = line.split(/ > | {2,}#/)[0]!.match(/'[^']*'|\S+/g)!;
    return words
      .map((word) => word.replaceAll("'", ''))
      .map((word) => (FILES.test(word) ? join(folder, word) : word));
  });
}

test('every help fits 80 columns, and its examples run as they are', async () => {
  const options = { output: { dir: 'output' }, service: { emulator: true } };
  await writePipeline(folder, { ...options, articles: [{ article: MADE_TO_MEASURE }] });
  await writeFile(join(folder, 'choices.json'), '{ "version": 1, "choices": {} }');
  const names = helpGroups().flatMap(([, ...rows]) => rows);
  const examples = new Map<string, string[][]>();
  for (const name of names) {
    const { stdout } = await command([name, '--help'], { columns: 80 });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    // As a shell joins them.
    const joined = stdout.replace(/ \\\n +/g, ' ');
    const lines = joined.split('\nExamples:\n')[1]!.trimEnd().split('\n');
    const commands = lines.map((line) => line.trim()).filter((line) => line.startsWith('btg2gltf'));
    examples.set(name, commands.flatMap(wordsOf));
  }
  // A whole sample range takes too long, and its pipeline has a test of its own.
  examples.delete('demo');
  // They take pictures, and have tests of their own.
  if (!IS_LONG) for (const name of ['render', 'survey']) examples.delete(name);
  const order = ['run', 'record', 'convert', ...examples.keys()];
  for (const name of new Set(order)) {
    for (const words of examples.get(name)!) {
      // The first example of init has no argument: its file would be in the working folder.
      if (words.length === 1 && words[0] === 'init') continue;
      const isServer = ['serve', 'inbox', 'relay', 'assets', 'images', 'view'].includes(words[0]!);
      const env = { BTG2GLTF_AUTH_URL: 'http://127.0.0.1:9/auth' };
      const result = await command(isServer ? [...words, '--port', '0'] : words, {
        env: isServer ? env : words[0] === 'doctor' ? WITHOUT_BROWSER : {},
        ...(isServer && { signal: AbortSignal.abort() }),
      });
      const needsQueue = words[0] === 'worker' || words.includes('bullmq');
      const isRefused = needsQueue || (words[0] === 'doctor' && words.length === 1);
      expect({ words, ...result }).toMatchObject({ words, exit: isRefused ? 2 : 0 });
    }
    // For the examples with a model, a small one is enough.
    if (name === 'convert') await writeFile(join(folder, 'desk.glb'), plainGlb({ triangles: 8 }));
  }
});

test('-V and --version print the version', async () => {
  for (const word of ['-V', '--version'])
    expect(await command([word])).toEqual({ exit: 0, stdout: '0.0.0\n', stderr: '' });
});

test('an unknown option or argument points to the help of its command', async () => {
  for (const [, ...names] of helpGroups()) {
    for (const name of names) {
      const { exit, stderr } = await command([name, '--opps']);
      expect({ name, exit }).toEqual({ name, exit: 2 });
      expect(stderr).toContain('there is no option --opps');
      expect(stderr).toContain(`run btg2gltf ${name} --help`);
    }
  }
  const withoutService = await command(['catalogue', 'ls']);
  expect(withoutService.stderr).toContain(
    'no service is named\n  → add --pipeline FILE, --emulator',
  );
  expect((await command(['rnu'])).stderr).toMatch(
    /did you mean "run"\?[\s\S]*--help lists the commands/,
  );
});

test('shards of earlier versions are answered with what takes their place', async () => {
  for (const words of [
    ['--executor', 'shard'],
    ['--shard', '1/3'],
  ]) {
    const { exit, stderr } = await command(['run', 'pipeline.yaml', ...words]);
    expect({ words, exit }).toEqual({ words, exit: 2 });
    expect(stderr).toContain('workers take the place of shards: see pipelines/deploy/README.md');
  }
});

test('--until with a time that has passed means tomorrow, and says so', async () => {
  const file = await writePipeline(folder, {
    service: { emulator: true },
    articles: [{ article: { ...MADE_TO_MEASURE, basearticlenumber: 'NO' } }],
  });
  const at = new Date(2026, 0, 1, 6, 0).toISOString();
  const until = async (time: string) =>
    (await command(['run', file, '--until', time], { at })).stderr;
  expect(await until('05:30')).toContain(
    '--until 05:30 has passed today: the run stops tomorrow at 05:30',
  );
  expect(await until('06:30')).not.toContain('tomorrow');
});

test('a dry run has a header, and prune prints totals, the list with --verbose', async () => {
  const articles = [{ article: MADE_TO_MEASURE }];
  const file = await writePipeline(folder, { service: { emulator: true }, articles });
  const { stdout } = await command(['run', file, '--dry-run']);
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'manufacturer\tprogram\tbasearticlenumber\tfinalarticlenumber\tchosen values (reinitstring)\tselected by',
    'FJEL\tLINEA\tLN-M\t\t\tarticle of the pipeline file',
  ]);
  const shown = await command(['run', file, '--dry-run'], { isTerminal: true });
  expect(shown.stdout.split('\n').slice(0, 3)).toEqual([
    'manufacturer  program  basearticlenumber  selected by',
    'FJEL          LINEA    LN-M               article of the pipeline file',
    '1 configuration selected, 0 failures',
  ]);
  await command(['run', file]);
  await command(['run', file]);
  const prune = async (...options: string[]) =>
    (await command(['prune', file, '--keep-runs', '1', ...options])).stdout;
  expect(await prune()).toMatch(/^would remove: .* the reports of \d runs?; --yes removes them/);
  expect(await prune('--verbose')).toMatch(/^runs\/\S+\n[\s\S]*would remove: /);
});

test('each problem of a pipeline file begins a line of its own, below the name of the program', async () => {
  const service = { emulator: true, concurrency: 'many' };
  const file = await writePipeline(folder, { service, articles: [], output: 'out' });
  const { stderr } = await command(['run', file, '--log-format', 'pretty'], { columns: 40 });
  const lines = stderr.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^btg2gltf:/);
  const starts = lines.slice(1).filter((line) => !line.startsWith('    '));
  expect(starts).toEqual([
    ...Array(2).fill(expect.stringMatching(/^ {2}\S+pipeline\.yaml:\d+:/)),
    expect.stringMatching(/^ {2}→ correct the file; the message names/),
  ]);
});
