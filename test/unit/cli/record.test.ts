import { expect, test } from 'vitest';
import { command } from '../../helpers/command.ts';

test.each(['--metrics-file', '--junit'])(
  'a recording is no run: %s is refused before anything is requested',
  async (option) => {
    const words = ['record', 'not-there.yaml', '--to', 'not-there', option, 'file'];
    const { exit, stderr } = await command(words);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(option.slice(2))]);
    expect(stderr).not.toContain('not-there.yaml');
  },
);
