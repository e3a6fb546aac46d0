/** What follows from answers: the section of the pipeline file, and the file of choices. No imports from Node: the page uses this file. */

type Value = string | number | boolean;

/** A line of `convert:` that numbers or a person have decided. */
export interface DecidedLine {
  option: string;
  value: Value;
  /** Why, for the comment of the line. */
  why: string;
}

/** What the page's program gets. */
export interface AnswerData {
  /** Under which the browser keeps the answers: another record has other questions. */
  key: string;
  /** The options that are asked about, in the order of the page. */
  questions: readonly string[];
  /** The lines that need no answer. */
  decided: readonly DecidedLine[];
}

/** Answers by option; null: the person does not know. */
export type Answers = Readonly<Record<string, Value | null>>;

/**
 * Returns the `convert:` section that follows from decisions and answers.
 *
 * @example
 * ```ts
 * convertSection([], { flipV: false }); // → 'convert:\n  flipV: false # your answer\n'
 * ```
 */
export function convertSection(decided: readonly DecidedLine[], answers: Answers): string {
  const own = Object.entries(choicesOf(answers)).map(([option, value]) => {
    return { option, value, why: 'your answer' };
  });
  const lines = [...decided, ...own];
  if (lines.length === 0) return '# The pipeline file needs no change so far.\n';
  return `convert:\n${lines.map(({ option, value, why }) => `  ${option}: ${value} # ${why}\n`).join('')}`;
}

/** Returns the content of `choices.json`, which `survey --apply` reads. */
export function choicesFile(answers: Answers): string {
  return `${JSON.stringify({ version: 1, choices: choicesOf(answers) }, null, 2)}\n`;
}

function choicesOf(answers: Answers): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(answers).flatMap(([option, value]) => (value === null ? [] : [[option, value]])),
  );
}
