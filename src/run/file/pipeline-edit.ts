/** Changes options of `convert:` in the text of a pipeline file; all other bytes stay. */

import {
  isMap,
  isScalar,
  type Node,
  type Pair,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
} from 'yaml';

/** An option as it is to be in the pipeline file. */
export interface ConvertLine {
  option: string;
  value: string | number | boolean;
  /** Becomes a comment: one line without `#`. */
  why: string;
  /** Whether it is added where the section does not have it. */
  isAdded: boolean;
}

/** The new text, and what it changes. */
export interface EditedConvert {
  text: string;
  changes: { line: ConvertLine; before: string | undefined }[];
}

type Mapping = YAMLMap.Parsed;
type Entry = Pair<ParsedNode, ParsedNode | null>;

/** Part of a text, and what replaces it. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

const COMMENT = '# survey: ';
const OWN_COMMENT = /^[ \t]*# survey: [^\r\n#]*?(?=[ \t]*(?:#|[\r\n]|$))/;

/**
 * Writes options into the section `convert:`, which is added if it is missing. Each line that is written in a section
 * of lines has a comment; within braces over several lines there is no place for one.
 *
 * @param text - A pipeline file that can be parsed.
 * @returns `undefined` if the section is something else than keys and values, such as an alias. The caller checks
 *   that the text means what it should: an anchor may be used in other places of the file.
 *
 * @example
 * ```ts
 * const why = 'chosen by a person';
 * editConvert('convert: { flipV: true }\n', [{ option: 'flipV', value: false, why, isAdded: true }]);
 * // → { text: 'convert:\n  flipV: false # survey: chosen by a person\n', … }
 * ```
 */
export function editConvert(
  text: string,
  lines: readonly ConvertLine[],
): EditedConvert | undefined {
  const root = rootOf(text);
  if (root === undefined) return undefined;
  const entry = entryOf(root, 'convert');
  const section = entry?.value ?? undefined;
  if (section !== undefined && !isMap(section) && !isNothing(section)) return undefined;
  const map = isMap(section) ? (section as Mapping) : undefined;
  const changes = lines.flatMap((line): EditedConvert['changes'] => {
    const own = map && entryOf(map, line.option)?.value;
    if (own === undefined || own === null) return line.isAdded ? [{ line, before: undefined }] : [];
    const isSame = isScalar(own) && own.value === line.value;
    return isSame ? [] : [{ line, before: sourceOf(text, own) }];
  });
  if (changes.length === 0 || map?.flow !== true || root.flow || hasLines(text, map))
    return { text: applied(text, editsOf(text, root, lines)), changes };
  const inLines = asLines(text, entry!, map);
  return { text: applied(inLines, editsOf(inLines, rootOf(inLines)!, lines)), changes };
}

function rootOf(text: string): Mapping | undefined {
  const { contents } = parseDocument(text);
  return isMap(contents) ? (contents as Mapping) : undefined;
}

function entryOf(map: Mapping, name: string): Entry | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

const isNothing = (node: Node) => isScalar(node) && node.value === null;
const sourceOf = (text: string, { range }: ParsedNode) => text.slice(range[0], range[1]);
const hasLines = (text: string, node: ParsedNode) => /[\r\n]/.test(sourceOf(text, node));
const lineBreakOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');

/** Where the line of an offset ends, without its line break. */
function lineEnd(text: string, offset: number): number {
  const found = text.slice(offset).search(/\r?\n/);
  return found < 0 ? text.length : offset + found;
}

/** The blanks before an offset in its line. */
function indentAt(text: string, offset: number): string {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return ' '.repeat(before.replace('\uFEFF', '').length);
}

/** A section in braces as lines, so that each of them may have a comment. */
function asLines(text: string, { key }: Entry, map: Mapping): string {
  const indent = `${indentAt(text, key.range[0])}  `;
  const entries = map.items.map(({ key, value }) => {
    const after = value === null ? '' : ` ${sourceOf(text, value)}`;
    return `${indent}${sourceOf(text, key)}:${after}`;
  });
  const end = lineEnd(text, map.range[1]);
  const head = text.slice(0, map.range[0]).trimEnd() + text.slice(map.range[1], end).trimEnd();
  return [head, ...entries].join(lineBreakOf(text)) + text.slice(end);
}

/** What is replaced, and what is inserted behind the braces or the line with which the section begins. */
function editsOf(text: string, root: Mapping, lines: readonly ConvertLine[]): Edit[] {
  const entry = entryOf(root, 'convert');
  const map = isMap(entry?.value) ? (entry.value as Mapping) : undefined;
  const isInBraces = root.flow === true || map?.flow === true;
  const edits: Edit[] = [];
  const added: ConvertLine[] = [];
  for (const line of lines) {
    const own = map && entryOf(map, line.option)?.value;
    if (own) edits.push(...replaced(text, own, line, isInBraces));
    else if (line.isAdded) added.push(line);
  }
  if (added.length === 0) return edits;
  return [
    ...edits,
    isInBraces ? inBraces(root, map, added) : inserted(text, root, entry, map, added),
  ];
}

function replaced(text: string, node: ParsedNode, line: ConvertLine, isInBraces: boolean): Edit[] {
  const [from, end] = node.range;
  const isSame = isScalar(node) && node.value === line.value;
  const [comment] = OWN_COMMENT.exec(text.slice(end)) ?? [];
  // What a person has written and is right stays as it is.
  if (isSame && comment === undefined) return [];
  const value = isSame ? sourceOf(text, node) : String(line.value);
  const why = isInBraces ? '' : ` ${COMMENT}${line.why}`;
  return [{ from, to: end + (comment?.length ?? 0), text: value + why }];
}

/** As JSON, which a file in braces may be. */
function inBraces(root: Mapping, map: Mapping | undefined, lines: readonly ConvertLine[]): Edit {
  const entries = lines.map(({ option, value }) => `"${option}": ${JSON.stringify(value)}`);
  const within = map ?? root;
  const from = within.range[0] + 1;
  const text = map ? entries.join(', ') : `"convert": { ${entries.join(', ')} }`;
  return { from, to: from, text: ` ${text}${within.items.length > 0 ? ',' : ' '}` };
}

function inserted(
  text: string,
  root: Mapping,
  entry: Entry | undefined,
  map: Mapping | undefined,
  lines: readonly ConvertLine[],
): Edit {
  const lineBreak = lineBreakOf(text);
  const outer = indentAt(text, root.range[0]);
  const first = map?.items[0]?.key;
  const indent = first ? indentAt(text, first.range[0]) : `${outer}  `;
  const rows = lines.map(
    ({ option, value, why }) => `${indent}${option}: ${value} ${COMMENT}${why}`,
  );
  if (entry !== undefined) {
    const from = lineEnd(text, entry.key.range[1]);
    return { from, to: from, text: rows.map((row) => lineBreak + row).join('') };
  }
  const mark = text.search(/^\.\.\.(?=\s|$)/m);
  const from = mark < 0 ? text.length : mark;
  const before = from === 0 || text[from - 1] === '\n' ? '' : lineBreak;
  return { from, to: from, text: before + [`${outer}convert:`, ...rows, ''].join(lineBreak) };
}

function applied(text: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((a, b) => b.from - a.from);
  return ordered.reduce(
    (all, { from, to, text }) => all.slice(0, from) + text + all.slice(to),
    text,
  );
}
