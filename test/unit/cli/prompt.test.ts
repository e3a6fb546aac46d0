import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openPrompt } from '../../../src/cli/prompt.ts';
import { textIn } from '../../helpers/stream-text.ts';

function prompt() {
  const input = new PassThrough();
  const output = new PassThrough();
  const interrupted: string[] = [];
  const { ask, close } = openPrompt(input, output, () => interrupted.push('interrupted'));
  return { input, output, interrupted, ask, close };
}

test('a question is printed, and its answer is one line, even if lines are typed ahead', async () => {
  const { input, output, ask, close } = prompt();
  input.write('one\ntwo\n');
  expect(await ask('First? ')).toBe('one');
  expect(await ask('Second? ')).toBe('two');
  expect(textIn(output)).toBe('First? Second? ');
  close();
});

test('the end of the input, as by Ctrl-D, is an interruption and no answer', async () => {
  const { input, interrupted, ask } = prompt();
  input.end();
  await expect(ask('First? ')).rejects.toThrow('interrupted');
  expect(interrupted).toHaveLength(1);
});

test('nothing is read before the first question', () => {
  const { input, close } = prompt();
  input.write('for another program\n');
  close();
  expect(textIn(input)).toBe('for another program\n');
});
