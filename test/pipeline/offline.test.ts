/** What needs no service needs no variables of it either. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { smallRange } from '../helpers/small-range.ts';

let runs: DailyRuns;
beforeEach(async () => {
  runs = await openDailyRuns(smallRange([{ number: 'D1', blocks: ['ACME::DESK::A'] }]));
});
afterEach(() => runs.close());

test('build, explain, verify and prune need no variables of the service', async () => {
  const file = runs.pipelineFile;
  await runs.command('fetch', '2026-01-01');
  const built = await command(['build', file]);
  expect(built).toMatchObject({ exit: 0, stdout: expect.stringContaining('1 converted') });
  // With the variables it is the same service: nothing is built again.
  expect((await runs.run('2026-01-02')).stdout).toContain('0 converted · 1 unchanged');
  for (const words of [
    ['verify', file],
    ['prune', file],
    ['explain', 'D1', '--pipeline', file],
  ])
    expect({ words, ...(await command(words)) }).toMatchObject({ words, exit: 0, stderr: '' });
});

test('of a pipeline that was never fetched, build and explain say the same without them', async () => {
  const file = runs.pipelineFile;
  const sentences = (text: string) => text.split('\n').filter((line) => !line.startsWith('{'));
  const unset = await command(['build', file]);
  expect(unset.stdout).toContain('address not set');
  expect(unset.stdout + unset.stderr).not.toContain('.invalid');
  for (const [name, ...words] of [
    ['build', file],
    ['explain', 'D1', '--pipeline', file],
  ] as const) {
    const without = await command([name, ...words]);
    const withThem = await runs.call([name, ...words]);
    expect(without.exit).toBe(withThem.exit);
    expect(sentences(without.stderr)).toEqual(sentences(withThem.stderr));
  }
  // Any setting of the service may be a variable.
  const service = 'service:\n  baseUrl: ${URL}\n  retries: ${RETRIES}\n';
  await writeFile(file, `name: x\n${service}articles: [{ catalogue: {} }]\noutput: { dir: out }\n`);
  const { exit, stderr } = await command(['build', file]);
  expect(exit).toBe(1);
  expect(stderr).toMatch(/expected data fetched for pipeline .*\n {2}→ run btg2gltf fetch first/);
});

test('run needs them, and any other variable is needed always', async () => {
  expect(await command(['run', runs.pipelineFile])).toMatchObject({ exit: 2 });
  await runs.configure({ output: { dir: '${OUT}' } });
  const { exit, stderr } = await command(['build', runs.pipelineFile]);
  expect({ exit, stderr }).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('the environment variable OUT is not set'),
  });
});
