/**
 * The project as text. Each file has a second text in which comments and literals are blank, so that a
 * rule on code ignores prose; lines and columns are those of the file.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file as the rules see it. */
export interface SourceFile {
  /** From the repository's root, with `/`. */
  path: string;
  text: string;
  /** The text with its comments and the insides of its strings and patterns blanked. */
  bare: string;
}

/** One import, export-from or dynamic import. */
export interface ImportLine {
  specifier: string;
  /** The imported file from the root, or undefined for a package. */
  target: string | undefined;
  /** Whether it is gone after compilation. */
  typeOnly: boolean;
  line: number;
}

/** Reads every file below the folders given, sorted by path; a folder that is missing is empty. */
export async function readTree(root: URL, ...folders: string[]): Promise<SourceFile[]> {
  const top = fileURLToPath(root);
  const found: SourceFile[] = [];
  for (const folder of folders) {
    const names = await readdir(join(top, folder), { recursive: true }).catch(() => []);
    for (const name of names.filter((each) => /\.(tsx?|md|yaml|yml|json|csv|html)$/.test(each))) {
      const path = relative(top, join(top, folder, name)).replaceAll('\\', '/');
      found.push(sourceFile(path, await readFile(join(top, path), 'utf8')));
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file of the given path and text. */
export function sourceFile(path: string, text: string): SourceFile {
  let bare: string | undefined;
  return {
    ...{ path, text },
    // Not all rules need it, and it takes long.
    get bare() {
      bare ??= /\.tsx?$/.test(path) ? blank(text) : text;
      return bare;
    },
  };
}

/** The 1-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Read on code whose literals are blank, so that an import inside a string is none. */
const IMPORTS = [
  /(?:^|;)\s*(?:import|export)(?<type>\s+type\b)?(?:\s[^;'"]*?\sfrom|)\s*(?<quote>['"])(?<from>[^'"\n]+)\k<quote>/gm,
  /(?<type>\btypeof\s+)?\bimport\(\s*(?<quote>['"`])(?<from>[^'"`\n]+)\k<quote>/g,
];

/** All imports of a file, in any of their forms; read once, for all rules. */
export function importsOf(file: SourceFile): ImportLine[] {
  const imports = known.get(file) ?? readImports(file);
  known.set(file, imports);
  return imports;
}

const known = new WeakMap<SourceFile, ImportLine[]>();

function readImports(file: SourceFile): ImportLine[] {
  return IMPORTS.flatMap((pattern) =>
    [...file.bare.matchAll(pattern)].map((match) => {
      const end = match.index + match[0].length - 1;
      const specifier = file.text.slice(end - match.groups!.from!.length, end);
      return {
        specifier,
        target: specifier.startsWith('.')
          ? posix.join(posix.dirname(file.path), specifier)
          : undefined,
        typeOnly: match.groups!.type !== undefined,
        line: lineOf(file.text, end),
      };
    }),
  );
}

/** A place in a file, as a breach names it. */
interface Place {
  file: SourceFile;
  /** Path and line. */
  where: string;
}

/** All imports of some files, each with its place. */
export function importsIn(files: SourceFile[]): (ImportLine & Place)[] {
  return files.flatMap((file) =>
    importsOf(file).map((found) => ({ ...found, file, where: `${file.path}:${found.line}` })),
  );
}

/** Each match of a pattern in code without comments and literals, or in whole texts. */
export function matchesIn(
  files: SourceFile[],
  pattern: RegExp,
  look: 'bare' | 'text' = 'bare',
): (Place & { match: RegExpExecArray })[] {
  return files.flatMap((file) =>
    [...file[look].matchAll(pattern)].map((match) => {
      const at = match.index + match[0].search(/\S/);
      return { match, file, where: `${file.path}:${lineOf(file.text, at)}` };
    }),
  );
}

const WORD_BEFORE_PATTERN = /(?:^|[^\w$.])(?:return|typeof|case|in|of|await|yield|void)$/;

/** Blanks comments and the insides of literals; code within `${…}` is kept. */
function blank(text: string): string {
  const bare = text.split('');
  /** Depth of braces at which each open template goes on. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;
  const wipe = (from: number, to: number) => {
    for (let i = from; i < to; i++) if (text[i] !== '\n') bare[i] = ' ';
  };
  const literal = (end: number) => {
    wipe(at + 1, end - 1);
    at = end;
  };
  while (at < text.length) {
    const char = text[at]!;
    const pair = text.slice(at, at + 2);
    if (pair === '//' || pair === '/*') {
      const close = pair === '//' ? text.indexOf('\n', at) : text.indexOf('*/', at + 2) + 2;
      const end = close < at ? text.length : close;
      wipe(at, end);
      at = end;
    } else if (char === "'" || char === '"') {
      literal(endOfQuoted(text, at, char));
    } else if (char === '/' && startsPattern(bare.slice(Math.max(0, at - 40), at).join(''))) {
      literal(endOfPattern(text, at));
    } else if (char === '`' || (char === '}' && templates.at(-1) === depth)) {
      if (char === '}') templates.pop();
      const end = endOfTemplate(text, at + 1);
      wipe(at + 1, end - 1);
      if (text[end - 1] === '{') templates.push(depth);
      at = end;
    } else {
      if (char === '{') depth++;
      if (char === '}') depth--;
      at++;
    }
  }
  return bare.join('');
}

function endOfQuoted(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote && text[at] !== '\n')
    at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Ends behind the closing backtick, or behind the brace of the next substitution. */
function endOfTemplate(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) {
    at += text[at] === '\\' ? 2 : 1;
  }
  return text[at] === '`' ? at + 1 : at + 2;
}

function endOfPattern(text: string, start: number): number {
  let inClass = false;
  let at = start + 1;
  while (at < text.length && text[at] !== '\n' && (inClass || text[at] !== '/')) {
    if (text[at] === '[') inClass = true;
    if (text[at] === ']') inClass = false;
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

/** Whether a slash after this code opens a pattern; else it divides. */
function startsPattern(before: string): boolean {
  const trimmed = before.trimEnd();
  return (
    trimmed === '' || /[(,=:[!&|?{};+*%~^<>-]$/.test(trimmed) || WORD_BEFORE_PATTERN.test(trimmed)
  );
}
