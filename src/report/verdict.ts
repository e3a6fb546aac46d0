/**
 * Verdict: a report in one sentence, and what it asks of a person.
 *
 * In: a report. Out: a tone, a headline, and what needs somebody, the gravest first. It must not know
 * how they are shown.
 *
 * @see D-856.
 */
import type { RunReport } from './run-report.ts';
import { amount, share, whole } from './words.ts';

/** How it went: well; well, with something to look at; not all of it; not at all. */
export type Tone = 'good' | 'look' | 'partly' | 'bad';

/** A report in one sentence, and a second one for those who want to know more. */
export interface Verdict {
  tone: Tone;
  headline: string;
  detail: string;
}

/** Something that needs a person. */
export interface Need {
  tone: Exclude<Tone, 'good'>;
  title: string;
  /** What helps. */
  help: string;
  /** Error code, where it is about one. */
  code?: string;
  /** Section of the page that has the rest. */
  section: 'failures' | 'gates' | 'drift' | undefined;
}

const UNPUBLISHED = 'What was published before stays as it was.';
const REFUSALS: ReadonlySet<string> = new Set(['GATE_REFUSED', 'MAX_FAILURES']);

/** Says how a run went. */
export function verdictOf(report: RunReport): Verdict {
  const { stop, ended, published } = report;
  const left = published ? 'What was finished is published.' : UNPUBLISHED;
  const why = stop === undefined ? left : `${sentence(stop.message)} ${left}`;
  if (stop !== undefined && REFUSALS.has(stop.code))
    return { tone: 'bad', headline: 'Refused: nothing was published', detail: why };
  // Out of time and yet another reason: something worse came between.
  if (ended === 'until' && (stop === undefined || stop.code === 'OUT_OF_TIME'))
    return { tone: 'partly', headline: 'Out of time', detail: why };
  if (ended === 'interrupted') return { tone: 'partly', headline: 'Interrupted', detail: why };
  if (ended === 'stopped' || stop !== undefined)
    return { tone: 'bad', headline: 'Stopped before the end', detail: why };
  return finished(report);
}

function finished(report: RunReport): Verdict {
  const { selected, failed } = report.configurations;
  if (failed > 0) {
    const headline = `${whole(failed)} of ${amount(selected, 'configuration')} failed`;
    return { tone: failed === selected ? 'bad' : 'partly', headline, detail: failedDetail(report) };
  }
  return { tone: report.gates.count > 0 ? 'look' : 'good', ...goodWords(report) };
}

function failedDetail({ command, failures, configurations }: RunReport): string {
  const { selected, failed } = configurations;
  if (command === 'fetch') return `The other ${whole(selected - failed)} were fetched.`;
  const others = `The other ${whole(selected - failed)} are published`;
  const kept = failures.some(({ lastGood }) => lastGood !== undefined);
  return kept ? `${others}; what had a GLB before keeps it.` : `${others}.`;
}

function goodWords({ command, configurations, changes }: RunReport): Omit<Verdict, 'tone'> {
  const { selected, unchanged } = configurations;
  const all = amount(selected, 'configuration');
  if (command === 'fetch') return { headline: 'All fetched', detail: `${all} are in the cache.` };
  const moved = changes.new.count + changes.changed.count + changes.removed.count;
  if (moved === 0 && unchanged === selected)
    return { headline: 'Nothing has changed', detail: `${all} are published as they were.` };
  return { headline: 'All converted', detail: `${all} are published, none failed.` };
}

function sentence(text: string): string {
  return capital(/[.!?…]$/.test(text) ? text : `${text}.`);
}

/** With a capital at the beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const GRAVITY: Readonly<Record<Tone, number>> = { bad: 0, partly: 1, look: 2, good: 3 };

/** What needs a person, the gravest first; nothing on a good night. */
export function needsOf(report: RunReport): Need[] {
  const needs = [stopNeeds, failureNeeds, gateNeeds, driftNeeds].flatMap((of) => of(report));
  return needs.sort((a, b) => GRAVITY[a.tone] - GRAVITY[b.tone]);
}

function stopNeeds({ stop, ended }: RunReport): Need[] {
  if (stop === undefined) return [];
  const tone = ended === 'interrupted' || stop.code === 'OUT_OF_TIME' ? 'partly' : 'bad';
  const section = tellsRefusal(stop) ? 'gates' : undefined;
  return [{ tone, code: stop.code, title: capital(stop.message), help: stop.help, section }];
}

/** What gates say of whole ranges; single configurations stand in the table. */
function gateNeeds({ gates, stop, published }: RunReport): Need[] {
  const refused = isRefused(gates);
  return gates.findings
    .filter(
      ({ article, action }) =>
        article.endsWith('*') && !(tellsRefusal(stop) && action === 'refuse'),
    )
    .map(({ action, message }) => {
      const tone = refused && action === 'refuse' ? 'bad' : 'look';
      const help = refused
        ? 'look at the findings; if they are meant, run again with --accept'
        : `look at the findings; they are ${published ? 'published' : 'not published'}`;
      return { tone, title: capital(message), help, section: 'gates' };
    });
}

/** Whether gates kept the result from being published. */
export function isRefused({ refused, accepted }: RunReport['gates']): boolean {
  return refused && !accepted;
}

function tellsRefusal(stop: RunReport['stop']): boolean {
  return stop?.code === 'GATE_REFUSED';
}

/** Causes that are named; the others are one need together. */
const NAMED_CAUSES = 3;

function failureNeeds({ causes, configurations: { selected } }: RunReport): Need[] {
  const of = (count: number) => `${whole(count)} failed (${share(count, selected)})`;
  const all = { tone: 'partly', section: 'failures' } as const;
  const named = causes
    .slice(0, NAMED_CAUSES)
    .map(({ code, count, help }) => ({ ...all, code, title: of(count), help }));
  const others = causes.slice(NAMED_CAUSES);
  if (others.length === 0) return named;
  const count = others.reduce((sum, cause) => sum + cause.count, 0);
  const title = `${of(count)} for ${amount(others.length, 'other reason')}`;
  return [...named, { ...all, title, help: 'each says in its row what helps' }];
}

function driftNeeds({ drift }: RunReport): Need[] {
  if (drift.length === 0) return [];
  const title = `${amount(drift.length, 'field')} of the service not as specified`;
  const help = 'it fails nothing yet; tell the operator of the service';
  return [{ tone: 'look', title, help, section: 'drift' }];
}

const GATE_NAMES: Readonly<Record<string, string>> = {
  articlesGone: 'Articles gone',
  triangles: 'Triangles',
  bounds: 'Dimensions',
  materials: 'Materials',
  bytes: 'File size',
  textures: 'Textures',
};

/** What a gate looks at, in words. */
export function gateName(gate: string): string {
  return Object.hasOwn(GATE_NAMES, gate) ? GATE_NAMES[gate]! : gate;
}
