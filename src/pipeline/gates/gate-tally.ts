/**
 * Gate tally: what counts in a range, gate by gate, with a few examples.
 *
 * In: configurations in any order. Out: numbers, and the configurations that differ most. It stays as
 * small as it is, however many are counted.
 */
import { GATES, type Gate } from './gate-schema.ts';

/** One configuration that counts. */
export interface Example {
  /** `MANUFACTURER/PROGRAM/number`. */
  article: string;
  /** 0 to 1. */
  change: number;
  before: number;
  now: number;
  message: string;
}

/** What counts for one gate. */
export interface GateTally {
  affected: number;
  /** Those that differ most, the first of them first. */
  examples: Example[];
}

/** What was counted of a range. */
export interface Tally {
  compared: number;
  gates: Record<Gate, GateTally>;
}

/** Configurations shown for each gate. */
const SHOWN_EXAMPLES = 20;

/** A range of which nothing has been counted yet. */
export function emptyTally(): Tally {
  const gates = GATES.map((gate) => [gate, { affected: 0, examples: [] }]);
  return { compared: 0, gates: Object.fromEntries(gates) as Tally['gates'] };
}

/** Counts one configuration. */
export function count(tally: GateTally, example: Example): void {
  tally.affected++;
  const last = tally.examples[SHOWN_EXAMPLES - 1];
  if (last !== undefined && compareExamples(example, last) >= 0) return;
  tally.examples = shown([...tally.examples, example]);
}

/** The tally of several ranges as one. */
export function together(tallies: Iterable<Tally>): Tally {
  const sum = emptyTally();
  for (const { compared, gates } of tallies) {
    sum.compared += compared;
    for (const gate of GATES) {
      sum.gates[gate].affected += gates[gate].affected;
      sum.gates[gate].examples = shown([...sum.gates[gate].examples, ...gates[gate].examples]);
    }
  }
  return sum;
}

function shown(examples: Example[]): Example[] {
  return examples.sort(compareExamples).slice(0, SHOWN_EXAMPLES);
}

/** Those that differ most first, then by name: the order of the lines does not matter. */
function compareExamples(a: Example, b: Example): number {
  if (a.change !== b.change) return b.change - a.change;
  if (a.article !== b.article) return a.article < b.article ? -1 : 1;
  return a.message < b.message ? -1 : 1;
}
