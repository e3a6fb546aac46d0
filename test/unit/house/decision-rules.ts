/**
 * Rules about `src/DECISIONS.md`: what the code cites is there, what it cites is there.
 *
 * In: the text of the table and files as text. Out: one sentence for each breach.
 */
import { lineOf, type SourceFile } from './source-tree.ts';

/** One decision: its number and the files its row names. */
export interface Decision {
  id: string;
  line: number;
  owners: string[];
  tests: string[];
  body: string;
}

const TABLE = 'src/DECISIONS.md';
/** A path in backticks: below `src`, or behind the word Owner. */
const OWNER = /(?:(?<=Owner: )`([^`]+)`|`(src\/[^`\s]+)`)/g;
const CITED = /\bD-\d+[a-z]?\b/g;

/** All rows: a heading `### D-101 …` with its section, or a table row that begins with `| D-501 |`. */
export function decisions(text: string): Decision[] {
  const starts = [...text.matchAll(/^(?:### (?<h>D-\d{3}[a-z]?)\b|\| *(?<t>D-\d{3}[a-z]?) *\|)/gm)];
  return starts.map((match, i) => {
    const row = match.groups!.t !== undefined;
    const end = row ? text.indexOf('\n', match.index) : (starts[i + 1]?.index ?? text.length);
    const body = text.slice(match.index, end < 0 ? text.length : end);
    return {
      id: (match.groups!.h ?? match.groups!.t)!,
      line: lineOf(text, match.index),
      owners: [...body.matchAll(OWNER)].map((m) => (m[1] ?? m[2])!),
      tests: [...body.matchAll(/`(test\/[^`\s]+)`/g)].map((m) => m[1]!),
      body,
    };
  });
}

/** Every D-nnn that the code names is a row. */
export function unknownDecisions(files: SourceFile[], table: string): string[] {
  const known = new Set(decisions(table).map((d) => d.id));
  return files
    .filter((file) => !file.path.startsWith('test/unit/house/'))
    .flatMap((file) =>
      [...file.text.matchAll(CITED)]
        .filter((m) => !known.has(m[0]))
        .map(
          (m) =>
            `${file.path}:${lineOf(file.text, m.index)} cites ${m[0]}, which is no row of ${TABLE}; add the row or mend the number`,
        ),
    );
}

/** Every row has an owner file, and the files that it names are there; no number stands twice. */
export function brokenDecisions(table: string, exists: (path: string) => boolean): string[] {
  const rows = decisions(table);
  return rows.flatMap((row, i) => {
    const where = `${TABLE}:${row.line} ${row.id}`;
    return [
      ...(row.owners.length === 0 ? [`${where} names no owner file; add its path`] : []),
      ...[...row.owners, ...row.tests]
        .filter((path) => !exists(path))
        .map((path) => `${where} names ${path}, which is not there; mend the path`),
      ...(rows.findIndex((r) => r.id === row.id) < i
        ? [`${where} stands twice; give one of them a new number`]
        : []),
    ];
  });
}

/** Sections 1 to 5: what the service's data means. */
const MEANING = /^D-[1-5]/;
/** The evidence says M or L of some of it. */
const UNCERTAIN = /^Evidence: .*\bsure: [^·]*\b[ML]\b/m;

/** What is not certain about the service's data has a named option, or says why it has none. */
export function fixedGuesses(table: string): string[] {
  return decisions(table)
    .filter(({ id, body }) => MEANING.test(id) && UNCERTAIN.test(body))
    .filter(({ body }) => !/\bOptions?\s+`|\bNo option\b/.test(body))
    .map(
      ({ id, line }) =>
        `${TABLE}:${line} ${id} is M or L without an option; add one, or say "No option" and why`,
    );
}

/** The options that the table tells of, with their defaults as text. */
export function optionDefaults(table: string): Record<string, string> {
  const rows = table.matchAll(/^\| `(?<name>\w+)` *\| `(?<value>[^`]*)` *\|/gm);
  return Object.fromEntries([...rows].map((m) => [m.groups!.name!, m.groups!.value!]));
}
