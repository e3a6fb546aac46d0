/** The results: a line for each measured row at once, and the page RESULTS.md at the end. */
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { aimOf, formatted, GROUPS, metOf, type Row } from './rows.ts';

/** What was measured of a row, or why it was not. */
export type Figure = { value: number; detail: string } | { missing: string };

/** Collects figures by row. */
export interface Results {
  add(group: keyof typeof GROUPS, name: string, figure: Figure): void;
  /** Writes RESULTS.md: rows that were not measured keep their line of an earlier run. */
  write(command: string, versions: Readonly<Record<string, string>>): Promise<void>;
}

/** What a group receives. */
export interface GroupInput {
  results: Results;
  /** Fewer repetitions and smaller ranges: to see that it works, or how a change goes. */
  isQuick: boolean;
  /** More articles. */
  isFull: boolean;
}

const FILE = join('test', 'bench', 'RESULTS.md');
const HEADER = '| measure | before | aim | measured | met | how | on |';

/** Starts with no figure. @param date - Of today, `YYYY-MM-DD`. */
export function openResults(date: string): Results {
  const figures = new Map<Row, Figure>();
  return {
    add(group, name, figure) {
      const row = (GROUPS[group] as Record<string, Row>)[name]!;
      figures.set(row, figure);
      console.log(lineOf(row, figure));
    },
    async write(command, versions) {
      const earlier = await earlierLines();
      const lines = Object.values(GROUPS)
        .flatMap((rows): Row[] => Object.values(rows))
        .map((row) => {
          const figure = figures.get(row);
          if (figure !== undefined) return tableLine(row, figure, date);
          return earlier.get(row.measure) ?? tableLine(row, { missing: 'not measured yet' }, '');
        });
      await writeFile(FILE, pageOf(command, versions, date, lines));
    },
  };
}

/** A row as a line of the terminal. */
function lineOf(row: Row, figure: Figure): string {
  if ('missing' in figure) return `${row.measure}: ${figure.missing}`;
  const met = { yes: ', met', no: ', NOT MET', '': '' }[metOf(row, figure.value)];
  const aim = aimOf(row) === '–' ? '' : ` (aim ${aimOf(row)}${met})`;
  return `${row.measure}: ${formatted(row, figure.value)}${aim}; ${figure.detail}`;
}

function tableLine(row: Row, figure: Figure, date: string): string {
  const before = row.before === undefined ? '–' : formatted(row, row.before);
  const measured =
    'missing' in figure
      ? ['–', '', figure.missing]
      : [formatted(row, figure.value), metOf(row, figure.value), figure.detail];
  return `| ${[row.measure, before, aimOf(row), ...measured, date].join(' | ')} |`;
}

async function earlierLines(): Promise<Map<string, string>> {
  const text = await readFile(FILE, 'utf8').catch(() => '');
  const rows = text.split('\n').filter((line) => /^\| (?!-)/.test(line));
  return new Map(rows.map((line) => [line.split(' | ')[0]!.slice(2).trim(), line]));
}

function pageOf(
  command: string,
  versions: Readonly<Record<string, string>>,
  date: string,
  lines: readonly string[],
): string {
  const [cpu] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const load = loadavg()[0]!.toFixed(1);
  const peers = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `# Results of the benchmarks

\`${command}\` was the last to write this page, on ${date}. [README](README.md) explains how to read it.

- Machine: ${availableParallelism()} cores, ${cpu?.model ?? 'unknown'}, ${memory} GiB of memory, ${process.platform}; load average at the end ${load}
- Node.js ${process.versions.node}; ${peers.join(', ')}

${tableOf([HEADER, ...lines]).join('\n')}
`;
}

/** Columns of equal width, and a line under the first. */
function tableOf(lines: readonly string[]): string[] {
  const cells = lines.map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
  const widths = cells[0]!.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  const rowOf = (row: readonly string[]) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const [header, ...rows] = cells.map(rowOf);
  return [header!, rowOf(widths.map((width) => '-'.repeat(width))), ...rows];
}
