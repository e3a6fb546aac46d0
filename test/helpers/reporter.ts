/**
 * What a run of the tests prints: a count if all pass, else each failed test with its first difference and the command
 * that runs it alone, then the slowest files.
 */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Lines of one message or difference; the rest is cut. */
const MOST_LINES = 24;
const MOST_CHARACTERS = 200;
const SLOWEST = 10;
const ROOT = new URL('../..', import.meta.url).pathname;

type Failure = { message: string; diff?: string; stacks?: { file: string; line: number }[] };

/** The reporter of `test/vitest.config.ts`. */
export default class ShortReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  #files = 0;
  readonly #isTerminal = process.stdout.isTTY === true;

  onTestRunStart(files: readonly unknown[]): void {
    this.#files = files.length;
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === 'passed') this.#passed++;
    else if (state === 'failed') this.#failed++;
    else this.#skipped++;
    if (this.#isTerminal) process.stdout.write(`\r\x1b[K${this.#count()} · ${this.#files} files`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly object[]): void {
    if (this.#isTerminal) process.stdout.write('\r\x1b[K');
    const failures = modules.flatMap((module) => [...failuresOf(module)]);
    for (const text of failures) console.log(text);
    // One at load or in a hook is none of a test.
    this.#failed = failures.length + unhandled.length;
    for (const error of unhandled)
      console.log(`\nFAILED outside of a test\n${shown(error as Failure)}`);
    if (failures.length > 0 || unhandled.length > 0) {
      const files = modules
        .map((module) => ({ path: pathOf(module), ms: module.diagnostic().duration }))
        .sort((a, b) => b.ms - a.ms);
      console.log('\nThe slowest files:');
      for (const { path, ms } of files.slice(0, SLOWEST))
        console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`);
      console.log('');
    }
    console.log(this.#count());
  }

  #count(): string {
    return `${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`;
  }
}

function* failuresOf(module: TestModule): Iterable<string> {
  const file = pathOf(module);
  for (const error of module.errors())
    yield `\nFAILED ${file}\n${shown(error as Failure)}\n  ${commandOf(file)}`;
  for (const test of module.children.allTests('failed')) {
    const [error] = test.result().errors ?? [];
    const alone = commandOf(file, test.fullName);
    yield `\nFAILED ${file} > ${test.fullName}\n${shown(error as Failure)}\n  ${alone}`;
  }
  for (const suite of module.children.allSuites())
    for (const error of suite.errors())
      yield `\nFAILED ${file} > ${suite.fullName}\n${shown(error as Failure)}\n  ${commandOf(file)}`;
}

const pathOf = ({ moduleId }: TestModule): string => relative(ROOT, moduleId);

/** The command that runs a file, or one test of it. */
function commandOf(file: string, test?: string): string {
  const pattern = test?.replaceAll(' > ', ' ').replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  const name = pattern === undefined ? '' : ` -t '${pattern.replaceAll("'", `'\\''`)}'`;
  return `node test/run.mjs ${file}${name}`;
}

function shown(error: Failure | undefined): string {
  if (error === undefined) return '  no reason was given';
  const [place] = error.stacks ?? [];
  const lines = [
    ...error.message.split('\n'),
    ...(error.diff ?? '').split('\n').filter((line) => line !== ''),
    ...(place === undefined ? [] : [`at ${relative(ROOT, place.file)}:${place.line}`]),
  ].map((line) => `  ${stripVTControlCharacters(line).slice(0, MOST_CHARACTERS)}`);
  if (lines.length <= MOST_LINES) return lines.join('\n');
  const head = lines.slice(0, MOST_LINES - 2);
  return [...head, `  … ${lines.length - head.length - 1} more lines`, lines.at(-1)].join('\n');
}
