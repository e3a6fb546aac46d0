import { expect, test } from 'vitest';
import { command } from '../../helpers/command.ts';

test.each(['--metrics-file', '--junit'])(
  'a recording is no run: %s is refused before anything is requested',
  async (option) => {
    const words = ['record', 'not-there.yaml', '--to', 'not-there', option, 'file'];
    const { exit, stderr } = await command(words);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(option.slice(2))]);
    expect(stderr).toContain(
      `there is no option ${option}; it is an option of run, fetch, build\n`,
    );
    expect(stderr).not.toContain('not-there.yaml');
  },
);

test('a name that differs in most letters is not suggested', async () => {
  const { stderr } = await command(['record', 'x.yaml', '--to', 'x', '--units']);
  expect(stderr).toContain('record: there is no option --units\n');
});
