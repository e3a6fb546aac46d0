/**
 * Mutations: every deliberate fault, put into a copy of the project, makes some test fail there.
 *
 * `npm run test:mutations`; prints the table of faults with the test that caught each.
 */
import { execFile } from 'node:child_process';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temporary.ts';
import { FAULTS, type Fault } from './faults.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json'];
const MINUTES = 60_000;

let copy: string;
const caught: [string, string, string][] = [];

beforeAll(async () => {
  copy = await temporaryFolder();
  for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
  const rows = caught.map(([rule, name, by]) => `${rule.padEnd(7)} ${name.padEnd(54)} ${by}`);
  console.log(
    ['rule    fault                                                  caught by', ...rows].join(
      '\n',
    ),
  );
});

describe('the tests', () => {
  it('pass without a fault', { timeout: 10 * MINUTES }, async () => {
    expect(await failingTests()).toEqual([]);
  });

  it.each(FAULTS)('notice: $name', { timeout: 5 * MINUTES }, async (fault) => {
    const failing = await withFault(fault, failingTests);
    caught.push([fault.rule, fault.name, failing[0] ?? 'NOTHING']);
    expect(failing).not.toEqual([]);
  });
});

async function withFault<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
  const path = join(copy, fault.file);
  const source = await readFile(path, 'utf8');
  expect(
    source.split(fault.find),
    `${fault.file} contains the place of the fault once`,
  ).toHaveLength(2);
  const write = async (text: string) => {
    await writeFile(path, text);
    if (fault.file.startsWith('src/convert/kernels/'))
      await promisify(execFile)(process.execPath, ['src/convert/kernels/compile.mjs'], {
        cwd: copy,
      });
  };
  await write(source.replace(fault.find, () => fault.replace));
  try {
    return await work();
  } finally {
    await write(source);
  }
}

/** Names of the first failing tests; none where all pass. */
async function failingTests(): Promise<string[]> {
  const report = join(copy, 'report.json');
  await rm(report, { force: true });
  const args = [
    ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/mutations/copy.config.ts'],
    ...['--reporter=json', `--outputFile=${report}`],
  ];
  // A failing run exits with 1; the report lists what failed.
  await promisify(execFile)(process.execPath, args, { cwd: copy }).catch(() => undefined);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const file = name.slice(copy.length + 1);
    if (failed.length === 0) return status === 'failed' ? [file] : [];
    return failed.map(({ fullName }) => `${file}: ${fullName}`);
  });
}

interface Report {
  testResults: {
    name: string;
    status: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}
