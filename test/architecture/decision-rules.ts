/** Rules about `src/DECISIONS.md`: its form, and that it and the code cite what exists. */
import { lineOf, matchesIn, type SourceFile } from './source-tree.ts';

/** One decision: its number and the files that its last line names. */
interface Decision {
  id: string;
  line: number;
  /** Lines of text, blank ones included. */
  length: number;
  /** The last line: source, certainty, owner files; tests. */
  last: string;
  owners: string[];
  tests: string[];
  body: string;
}

const TABLE = 'src/DECISIONS.md';
const MOST_LINES = 8;
const CITED = /\bD-\d+[a-z]?\b/g;

/** All entries: a heading `### D-101 …` and what follows up to the next heading. */
function decisions(text: string): Decision[] {
  return [...text.matchAll(/^### (?<id>D-\d{3}[a-z]?)\b/gm)].map((match) => {
    const rest = text.slice(match.index);
    const end = rest.slice(4).search(/^#{1,3} /m);
    const body = (end < 0 ? rest : rest.slice(0, end + 4)).trim();
    const lines = body.split('\n');
    const last = lines.at(-1)!;
    const paths = [...last.matchAll(/`([^`\s]+)`/g)].map((m) => m[1]!);
    const tests = paths.filter((path) => path.startsWith('test/'));
    const owners = paths.filter((path) => !tests.includes(path));
    return {
      id: match.groups!.id!,
      line: lineOf(text, match.index),
      length: lines.length,
      last,
      owners: owners.length > 0 ? owners : tests,
      tests,
      body,
    };
  });
}

/** Every D-nnn that the code names is an entry. */
export function unknownDecisions(files: SourceFile[], table: string): string[] {
  const known = new Set(decisions(table).map((d) => d.id));
  const others = files.filter(({ path }) => !path.startsWith('test/architecture/'));
  return matchesIn(others, CITED, 'text')
    .filter(({ match: [id] }) => !known.has(id))
    .map(
      ({ where, match: [id] }) =>
        `${where} cites ${id}, which is not in ${TABLE}; add the entry or correct the number`,
    );
}

/** Entries are short and sorted, and name an owner file and a test that exist. */
export function brokenDecisions(table: string, exists: (path: string) => boolean): string[] {
  const entries = decisions(table);
  return entries.flatMap((entry, i) => {
    const where = `${TABLE}:${entry.line} ${entry.id}`;
    const found: string[] = [];
    if (entry.owners.length === 0) found.push(`${where} names no owner file; add its path`);
    for (const path of new Set([...entry.owners, ...entry.tests]))
      if (!exists(path)) found.push(`${where} names ${path}, which does not exist; correct it`);
    const sources = entry.owners.filter((path) => path.startsWith('src/') && exists(path));
    if (entry.tests.length === 0 && sources.length > 0 && !sources.some((p) => exists(mirror(p))))
      found.push(`${where} names no test, and ${mirror(sources[0]!)} does not exist; name a test`);
    if (entry.length > MOST_LINES)
      found.push(`${where} has ${entry.length} lines; shorten it to ${MOST_LINES}`);
    if (i > 0 && entries[i - 1]!.id >= entry.id)
      found.push(`${where} follows ${entries[i - 1]!.id}; sort by number, each once`);
    return found;
  });
}

/** The unit test of a source file. */
function mirror(path: string): string {
  return path.replace(/^src\//, 'test/unit/').replace(/\.ts$/, '.test.ts');
}

/** Sections 1 to 5: what the service's data means. */
const MEANING = /^D-[1-5]/;
/** The certainty has an M or an L. */
const UNCERTAIN = /\([^()]*\b[ML]\b[^()]*\): `/;

/** What is not certain about the service's data has a named option, or says why it has none. */
export function fixedGuesses(table: string): string[] {
  return decisions(table)
    .filter(({ id, last }) => MEANING.test(id) && UNCERTAIN.test(last))
    .filter(({ body }) => !/\b[Oo]ptions?\s+`|\bNo\s+option\b/.test(body))
    .map(
      ({ id, line }) =>
        `${TABLE}:${line} ${id} is M or L without an option; add one, or say "No option" and why`,
    );
}

/** The options of the table, with their defaults as text. */
export function optionDefaults(table: string): Record<string, string> {
  const rows = table.matchAll(/^\| `(?<name>\w+)` *\| `(?<value>[^`]*)` *\|/gm);
  return Object.fromEntries([...rows].map((m) => [m.groups!.name!, m.groups!.value!]));
}

/** The options of the table that are marked as readings. */
export function markedReadings(table: string): string[] {
  return [...table.matchAll(/^\| `(\w+)` .*\*$/gm)].map(([, name]) => name!);
}
