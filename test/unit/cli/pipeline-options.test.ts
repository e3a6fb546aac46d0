import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { OptionSpec } from '../../../src/cli/command.ts';
import { optionsOf } from '../../../src/cli/pipeline-options.ts';
import { command } from '../../helpers/command.ts';

const PAGE = 'pipelines/README.md';
const COMMANDS = ['run', 'fetch', 'build', 'record'] as const;
const NOTE = '`npm run schema` writes this table from the program.\n\n';

/** The table of options, from the definitions that the program reads. */
function optionTable(): string {
  const of = COMMANDS.map((name) => optionsOf(name));
  const all: Record<string, OptionSpec> = Object.assign({}, ...of);
  const rows = Object.entries(all).map(([name, { type, value, choices, describe }]) => {
    const shown = type === 'number' ? 'N' : (value ?? choices?.join(' or '));
    const option = `\`--${name}${shown === undefined ? '' : ` ${shown}`}\``;
    return [option, describe, ...of.map((options) => (name in options ? 'yes' : ''))];
  });
  const head = ['option', 'effect', ...COMMANDS];
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((cells) => cells[i]!.length)));
  const rule = widths.map((width) => '-'.repeat(width));
  const line = (cells: string[]) =>
    `| ${cells.map((c, i) => c.padEnd(widths[i]!)).join(' | ')} |\n`;
  return [head, rule, ...rows].map(line).join('');
}

test('the table of options in pipelines/README.md is what the program has', async () => {
  const page = await readFile(PAGE, 'utf8');
  const start = page.indexOf(NOTE) + NOTE.length;
  const rest = page.slice(start).replace(/^(?:\|.*\n)*\n*/, '');
  const expected = `${page.slice(0, start)}${optionTable()}\n${rest}`;
  await expect(expected).toMatchFileSnapshot(`../../../${PAGE}`);
});

test('each option of the table is in the help of its commands, and only there', async () => {
  for (const name of COMMANDS) {
    const { stdout } = await command([name, '--help']);
    const shown = [...stdout.matchAll(/^ +(?:-h, )?--([a-z-]+)/gm)].map(([, option]) => option);
    const own = name === 'record' ? ['to'] : [];
    expect(new Set(shown)).toEqual(new Set([...Object.keys(optionsOf(name)), ...own, 'help']));
  }
});
