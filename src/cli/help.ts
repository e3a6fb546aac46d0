/**
 * Help: the first screen of the command line, made from its tables.
 */
import { ENVIRONMENT } from '../pipeline/environment.ts';
import { COMMANDS } from './commands.ts';

const EXIT_CODES = [
  ['0', 'all converted'],
  ['1', 'some articles failed'],
  ['2', 'bad usage, pipeline file or list; nothing selected'],
  ['3', 'cannot go on: service, login, disk'],
  ['4', 'a gate refused the result'],
  ['130', 'interrupted or out of time; the same command goes on'],
] as const;

/** The help of the program as a whole. */
export function helpText(): string {
  const commands = Object.entries(COMMANDS).map(([name, row]) => [name, row.describe] as const);
  const variables = Object.entries(ENVIRONMENT).map(([name, row]) => [name, row.means] as const);
  return [
    'btg2gltf: configurable furniture from its catalogue service to deduplicated glTF.',
    '',
    'Usage: btg2gltf COMMAND [OPTIONS]',
    '',
    'Commands',
    ...columns(commands),
    '',
    'btg2gltf COMMAND --help tells the options of a command.',
    '',
    'Environment',
    ...columns(variables),
    '',
    'Exit codes',
    ...columns(EXIT_CODES),
    '',
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
