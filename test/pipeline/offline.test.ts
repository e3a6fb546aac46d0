/** What needs no service needs no variables of it either. */
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
  const unfetched = await command(['build', file]);
  expect(unfetched.exit).toBe(2);
  expect(unfetched.stderr).toMatch(/variable BTG2GLTF_\w+_URL: expected a value/);
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

test('run needs them, and any other variable is needed always', async () => {
  expect(await command(['run', runs.pipelineFile])).toMatchObject({ exit: 2 });
  await runs.configure({ output: { dir: '${OUT}' } });
  const { exit, stderr } = await command(['build', runs.pipelineFile]);
  expect({ exit, stderr }).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('variable OUT: expected a value'),
  });
});
