/** Rules on the text of files: printing, file operations, clock, comments. Each breach is one sentence. */
import { importsIn, matchesIn, type SourceFile } from './source-tree.ts';

/** One pattern that only some files may contain. */
interface TextRule {
  pattern: RegExp;
  /** What is searched: code without comments and literals, or the whole text. */
  look: 'bare' | 'text';
  /** Files to which the rule applies. @defaultValue all */
  files?: RegExp;
  /** Files to which it does not apply. */
  except?: RegExp;
  todo: string;
}

/**
 * Words that the code no longer uses, because a standard term exists, or because a thing cannot do this:
 * a file does not tell, a run is no night. src/GLOSSARY.md has the terms to use.
 */
const RETIRED_WORDS = [
  ...['told', 'tell', 'tells', 'whoever', 'nobody', 'somebody', 'elsewhere', 'morning', 'night'],
  ...['house', 'door', 'voice', 'ledger', 'trail', 'tidy', 'verdict', 'patience', 'standing'],
  ...['recall', 'recalled', 'voucher', 'vouch', 'vouches'],
];

/** Matches words as such and as a part of an identifier in camel case. */
function wordPattern(words: readonly string[]): RegExp {
  const initial = words.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`);
  const alone = `(?<![A-Za-z])(?:${[...words, ...initial].join('|')})`;
  return new RegExp(`(?:${alone}|(?<=[a-z])(?:${initial.join('|')}))(?![a-z])`, 'g');
}

/** Tests and what they use: benchmarks measure time, and two folders compare versions of the program. */
const TESTS = /^test\/(?!bench\/|behaviour\/|structure\/).*\.(?:ts|mjs)$/;

/** The rules that are one pattern. */
export const TEXT_RULES = {
  'only cli/ prints, reads argv and env, or ends the process': {
    // library.ts takes its defaults from the process; browser.ts tells a package where it runs, which only reads that.
    pattern: /\bconsole\s*\.|\bprocess\s*\.\s*(?:exit|exitCode|argv|env|stdout|stderr|stdin)\b/g,
    look: 'bare',
    files: /^src\/.*\.ts$/,
    except: /^src\/cli\/|^src\/library\.ts$|^src\/deliver\/pictures\/browser\.ts$/,
    todo: 'only src/cli may; pass it as a parameter or return it',
  },
  'no clock and no random but in commands': {
    pattern:
      /\bDate\.now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(]))|\bMath\.random\b|\bperformance\.now\b/g,
    look: 'bare',
    files: /^src\/.*\.ts$/,
    // Emulator and library fill in the machine's own clock.
    except: /^src\/cli\/|^src\/library\.ts$|^src\/emulator\/emulator\.ts$/,
    todo: 'the same input must give the same bytes: pass now or random as a parameter',
  },
  'no output depends on the engine': {
    pattern:
      /\bMath\s*\.\s*(?:a?(?:sin|cos|tan)h?|atan2|pow|expm?1?|log(?:2|10|1p)?|hypot|cbrt)\b|\bMath\b(?!\s*\.)|(?<!(?<![\w.$])[\d_]+\s*)\*\*|\*\*(?!\s*-?\d+(?![\d.]))|\.localeCompare\b|\.toLocale\w+|\bIntl\b/g,
    look: 'bare',
    files: /^(?:src\/(?:convert|run\/output|emulator\/sample)|test\/sample-images)\/.*\.ts$/,
    todo: 'engines differ in it: use src/support/elementary.ts, and compare texts by code unit',
  },
  'nothing is left to do': {
    // A letter in brackets: no pattern finds itself.
    pattern: /\b(?:[T]ODO|[F]IXME|[X]XX)\b/g,
    look: 'text',
    todo: 'do it, or write an issue, and remove the note',
  },
  'no path of one machine': {
    pattern:
      /(?<![\w.:/\])}$-])\/(?:[h]ome|[r]oot|[U]sers|[w]ork|[t]mp)\/\w|\b[A-Z]:\\\\?[U]sers\b/g,
    look: 'text',
    todo: 'use a path relative to a file or folder that is a parameter',
  },
  'the project refers to itself only': {
    pattern: /\b(?:semantics|design|style)\.md\b/g,
    look: 'text',
    files: /^(?:src|pipelines|README|\.github)/,
    todo: 'name a row of src/DECISIONS.md or a section of the specification',
  },
  'src uses no retired word': {
    pattern: wordPattern(RETIRED_WORDS),
    look: 'text',
    files: /^src\/.*\.ts$/,
    // The sample range contains names of furniture.
    except: /^src\/emulator\/sample\//,
    todo: 'use the standard term: see src/GLOSSARY.md',
  },
  'a test waits for a condition, never for a time': {
    pattern:
      /(?<![.\w])(?:setTimeout|setInterval|delay|sleep)\s*\(|\bvi\.wait(?:For|Until)\b|\btimeout:(?!\s*(?:0|GIVE_UP_MS)\b)|\bexpect\.poll\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*,\s*[\w{]|^ *\},\s*[\d_]{4,}\s*\);|\bsetTimeout\s+as\b|\{[^{}\n]*\bsetTimeout\b[^{}\n]*\} from/gm,
    look: 'bare',
    files: TESTS,
    // until.ts gives up at one generous limit; vitest.config.ts sets it; the others make what a test waits for: a watchdog
    // that ends a process that hangs, servers that answer late, figures of memory, and processes that are to live for long.
    except:
      /^test\/(?:helpers\/(?:until|fault-proxy|fuzz\/watchdog|s3-server|hostile-kinds|process-memory|store-program)\.ts|vitest\.config\.ts|run\.mjs|mutations\/.*)$/,
    todo: 'wait with until of test/helpers/until.ts, hand in a clock, or assert the order of events',
  },
  'a test compares no duration': {
    pattern:
      /\bexpect\([^;\n]*\b(?:performance|Date)\.now\(\)|\bperformance\.now\(\)\s*-|-\s*performance\.now\(\)|\.toBe(?:Less|Greater)Than(?:OrEqual)?\([^)\n]*_MS\b/g,
    look: 'bare',
    files: TESTS,
    // What the benchmarks print; no test compares it.
    except: /^test\/helpers\/measured-runs\.ts$/,
    todo: 'hand in a clock, or compare counts: the machine may stop for a while',
  },
  'a test listens where the system finds a place': {
    pattern: /\.listen\(\s*[1-9]/g,
    look: 'bare',
    files: TESTS,
    todo: 'listen on port 0',
  },
  'a test makes its folders in one place': {
    pattern: /\bmkdtemp(?:Sync)?\s*\(|\btmpdir\s*\(/g,
    look: 'bare',
    files: TESTS,
    // temporary.ts is this place, run.mjs makes and removes it; child.ts passes it to a process.
    except: /^test\/(?:helpers\/(?:temporary|child)\.ts|run\.mjs)$/,
    todo: 'use temporaryFolder of test/helpers/temporary.ts, which is removed with every run',
  },
} satisfies Record<string, TextRule>;

/** Breaches of one row of {@link TEXT_RULES}. */
export function breaches(files: SourceFile[], name: keyof typeof TEXT_RULES): string[] {
  const rule: TextRule = TEXT_RULES[name];
  const concerned = files.filter(
    ({ path }) => (rule.files?.test(path) ?? true) && !rule.except?.test(path),
  );
  return matchesIn(concerned, rule.pattern, rule.look).map(
    ({ where, match }) => `${where} has ${match[0].trim()}: ${rule.todo}`,
  );
}

/** `start.ts` is there to load nothing else. */
const FILE_OPERATIONS =
  /^src\/(?:support\/(?:files|folders|file-operations|links|scratch-file)|cli\/start)\.ts$/;

/** Every file operation goes through one file, and its check. */
export function strayFileOperations(files: SourceFile[]): string[] {
  return importsIn(sources(files, FILE_OPERATIONS))
    .filter(({ specifier }) => /^(?:node:)?fs(?:\/promises)?$/.test(specifier))
    .map(
      ({ where, specifier }) =>
        `${where} imports ${specifier}: file operations go through src/support/files.ts; add what you need there`,
    );
}

function sources(files: SourceFile[], except?: RegExp): SourceFile[] {
  return files.filter(({ path }) => /^src\/.*\.ts$/.test(path) && !except?.test(path));
}

/** Tables and pure functions that define a term of the model belong to it. */
const MODEL_VALUES = /^src\/model\/(?:asset|configuration-id)\.ts$/;

/** `model/` holds types, the tables of figures (asset) and the functions of configuration-id. */
export function valuesInModel(files: SourceFile[]): string[] {
  const model = sources(files, MODEL_VALUES).filter(({ path }) => path.startsWith('src/model/'));
  return matchesIn(
    model,
    /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:const|let|var|function|class|enum)\b.*/gm,
  ).map(
    ({ where, match }) =>
      `${where} declares a value (${match[0].trim().slice(0, 40)}): model contains only types; move it to the folder that computes it`,
  );
}

const EXPORTED =
  /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|const|let|class) +(?<name>[\w$]+)/gm;

/** Every exported function, constant and class has its comment directly above it. */
export function undocumentedExports(files: SourceFile[]): string[] {
  const seen = new Set<string>();
  return matchesIn(sources(files), EXPORTED).flatMap(({ file, where, match }) => {
    const name = match.groups!.name!;
    const overload = seen.has(`${file.path} ${name}`);
    seen.add(`${file.path} ${name}`);
    if (overload || hasComment(file.text.slice(0, match.index))) return [];
    return `${where} exports ${name} without a TSDoc comment directly above it; say in one sentence what it does`;
  });
}

function hasComment(before: string): boolean {
  if (!/\*\/\n$/.test(before)) return false;
  return before.lastIndexOf('/**') > before.lastIndexOf('*/', before.length - 4);
}

/** The entries of the repository's top folder; those that begin with a dot are free. */
const TOP_LEVEL = [
  'LICENSE',
  'README.md',
  'output',
  'package-lock.json',
  'package.json',
  'pipelines',
  'src',
  'test',
  'tsconfig.json',
];

/** Results of building, installing and testing, which are not in git. */
const GENERATED = /^(?:node_modules|dist|coverage)$|\.log$|^\./;

/** The top folder of the repository contains exactly {@link TOP_LEVEL}. */
export function topLevelEntries(entries: string[]): string[] {
  const extra = entries.filter((e) => !TOP_LEVEL.includes(e) && !GENERATED.test(e));
  const missing = TOP_LEVEL.filter((e) => !entries.includes(e));
  return [
    ...extra.map((e) => `${e}: not one of ${TOP_LEVEL.join(' ')}; move it into one of these`),
    ...missing.map((e) => `${e}: missing at the top of the repository; restore it`),
  ];
}
