/** Assesses a run: one sentence on how it went, and what requires an action. @see D-856 */

import type { WarningCode } from '../../model/warning.ts';
import { type ErrorCode, isErrorCode } from '../../support/errors.ts';
import { groupBy } from '../../support/group-by.ts';
import { GATE_ROWS } from '../file/gate-table.ts';
import { PARTS, type Part } from '../lists/manifest-line.ts';
import { helpFor } from '../lists/messages.ts';
import { type Cause, LOSS_KINDS, type LossKind, type RunReport } from './run-report.ts';
import { amount, capital, integer, isFeed, percentage } from './text.ts';

/** How a run went: well; well, but see the findings; in part; not at all. */
export type Tone = 'good' | 'look' | 'partly' | 'bad';

interface Assessment {
  tone: Tone;
  headline: string;
  detail: string;
}

interface RequiredAction {
  tone: Exclude<Tone, 'good'>;
  title: string;
  help: string;
  code?: string;
  /** Section of the page with the details. */
  section:
    | 'causes'
    | 'failures'
    | 'deliveries'
    | 'delivered'
    | 'gates'
    | 'incomplete'
    | 'damaged'
    | 'drift'
    | 'warnings'
    | undefined;
}

const UNPUBLISHED = 'What was published before stays as it was.';
const REFUSALS: ReadonlySet<string> = new Set(['GATE_REFUSED', 'MAX_FAILURES']);

/** Assesses how a run went. */
export function assess(report: RunReport): Assessment {
  const { stop, ended, published } = report;
  // The reason is the first of the required actions.
  const detail = published ? 'What was finished is published.' : UNPUBLISHED;
  if (stop !== undefined && REFUSALS.has(stop.code))
    return { tone: 'bad', headline: 'Refused: nothing was published', detail };
  // An error after the deadline is worse than the deadline.
  if (ended === 'until' && (stop === undefined || stop.code === 'OUT_OF_TIME'))
    return { tone: 'partly', headline: 'Out of time', detail };
  if (ended === 'interrupted') return { tone: 'partly', headline: 'Interrupted', detail };
  if (stop?.code === 'NOTHING_SELECTED')
    return { tone: 'bad', headline: 'Nothing was selected', detail };
  if (ended === 'stopped' || stop !== undefined)
    return { tone: 'bad', headline: 'Stopped before the end', detail };
  return finished(report);
}

function finished(report: RunReport): Assessment {
  const { selected, failed } = report.configurations;
  if (failed > 0) {
    const headline = `${integer(failed)} of ${amount(selected, 'configuration')} failed`;
    return { tone: failed === selected ? 'bad' : 'partly', headline, detail: failedDetail(report) };
  }
  const { count } = report.changes.removed;
  const { removedFrom = Number.POSITIVE_INFINITY } = report.gates;
  if (count > 0 && removedShare(report) >= removedFrom) {
    return {
      tone: 'partly',
      ...withoutFailure(report),
      headline: `${configurationsAre(count)} gone`,
    };
  }
  const notMade = failedDeliveries(report);
  if (notMade > 0) {
    const headline = notMade === 1 ? '1 delivery failed' : `${integer(notMade)} deliveries failed`;
    return { tone: 'partly', ...withoutFailure(report), headline };
  }
  const { gates, incomplete, damaged, configurations } = report;
  const hasFindings =
    gates.count + incomplete.count + damaged.count + configurations.failedCarts > 0 ||
    warningActions(report).length + feedActions(report).length > 0;
  return { tone: hasFindings ? 'look' : 'good', ...withoutFailure(report) };
}

/** What the deliveries could not make, in configurations of each. */
export function failedDeliveries({ delivered }: Pick<RunReport, 'delivered'>): number {
  return (delivered?.deliveries ?? []).reduce((sum, { failed }) => sum + failed, 0);
}

function removedShare({ changes, configurations }: RunReport): number {
  const { removed, new: added } = changes;
  const before = removed.count + Math.max(0, configurations.selected - added.count);
  return removed.count / Math.max(1, before);
}

function failedDetail({ command, failures, configurations }: RunReport): string {
  const { selected, skipped, failed, failedCarts } = configurations;
  const rest = selected - skipped - failed - failedCarts;
  const others = rest === 0 ? 'None is' : `The other ${integer(rest)} ${rest === 1 ? 'is' : 'are'}`;
  if (command === 'fetch') return `${others} in the cache.`;
  const hasPrevious = failures.some(({ lastGood }) => lastGood !== undefined);
  const end = hasPrevious ? '; failed ones that had a GLB keep it.' : '.';
  return `${others} published${end}`;
}

function withoutFailure(report: RunReport): Omit<Assessment, 'tone'> {
  const { command, configurations, changes } = report;
  const { selected, unchanged, skipped, failedCarts } = configurations;
  const allAre = configurationsAre(selected - skipped - failedCarts);
  const none = failedCarts === 0 ? 'none' : `${integer(failedCarts)} of carts`;
  if (command === 'fetch') return { headline: 'All fetched', detail: `${allAre} in the cache.` };
  const moved = changes.new.count + changes.changed.count + changes.removed.count;
  const nothingConverted = unchanged + skipped + failedCarts === selected;
  if (moved === 0 && nothingConverted) {
    const headline = `Nothing has changed${missingFiles(report)}`;
    return { headline, detail: `${allAre} published as before.` };
  }
  const changed = changedParts(report);
  const detail = [`${allAre} published, ${none} failed.`, ...changed.map((text) => `${text}.`)];
  // Prices alone: nothing was converted.
  const [first = 'All converted'] = changed;
  return { headline: nothingConverted ? first : 'All converted', detail: detail.join(' ') };
}

/** What there is no browser for, as the end of a headline; feeds leave articles out, which lack nothing. */
function missingFiles({ delivered }: RunReport): string {
  const own = (delivered?.deliveries ?? []).filter(({ name }) => !isFeed(name));
  return own
    .filter(({ omitted }) => omitted > 0)
    .map(({ name, omitted }) => `; ${name} of ${amount(omitted, 'configuration')} are missing`)
    .join('');
}

function configurationsAre(count: number): string {
  return `${amount(count, 'configuration')} ${count === 1 ? 'is' : 'are'}`;
}

const PART_NAMES = {
  model: 'Models',
  picture: 'Pictures',
  delivery: 'Other files',
  price: 'Prices',
  text: 'Texts',
  properties: 'Properties',
} as const satisfies Record<Part, string>;

/** Of how many articles what has changed: `Prices of 18 articles changed`. */
export function changedParts({ changedArticles: counts }: RunReport): string[] {
  const some = PARTS.filter((part) => counts[part] > 0);
  return some.map((part) => `${PART_NAMES[part]} of ${amount(counts[part], 'article')} changed`);
}

const SEVERITY: Readonly<Record<Tone, number>> = { bad: 0, partly: 1, look: 2, good: 3 };

/** What requires an action, most severe first; nothing if all went well. */
export function requiredActions(report: RunReport): RequiredAction[] {
  return [...stopActions(report), ...failureActions(report), ...gateActions(report)]
    .concat(
      deliveryActions(report),
      pictureActions(report),
      warningActions(report),
      feedActions(report),
      findingActions(report),
    )
    .sort((a, b) => SEVERITY[a.tone] - SEVERITY[b.tone]);
}

function stopActions({ stop, ended }: RunReport): RequiredAction[] {
  if (stop === undefined) return [];
  const tone = ended === 'interrupted' || stop.code === 'OUT_OF_TIME' ? 'partly' : 'bad';
  const section = stop.code === 'GATE_REFUSED' ? 'gates' : undefined;
  const message = stop.message.replace(/^gate (\w+)/, (_, gate: string) => gateLabel(gate));
  return [{ tone, code: stop.code, title: capital(message), help: stop.help, section }];
}

/** Findings on whole ranges; the table of findings has those on single configurations. */
function gateActions({ gates, stop, published }: RunReport): RequiredAction[] {
  const refused = gates.refused && !gates.accepted;
  const isReported = stop?.code === 'GATE_REFUSED';
  return gates.findings
    .filter(({ article, action }) => article.endsWith('*') && !(isReported && action === 'refuse'))
    .map(({ action, message }) => {
      const tone = refused && action === 'refuse' ? 'bad' : 'look';
      const help = refused
        ? 'check the findings; if the changes are intended, run again with --accept'
        : `check the findings; they are ${published ? 'published' : 'not published'}`;
      return { tone, title: capital(message), help, section: 'gates' };
    });
}

/** What each delivery could not make, by cause, with the first of each. */
function deliveryActions({ delivered }: RunReport): RequiredAction[] {
  const { deliveries = [], failures = [] } = delivered ?? {};
  return deliveries.flatMap((delivery): RequiredAction[] => {
    const { name, made, unchanged, failed, accepted, byCode } = delivery;
    if (failed === 0) return [];
    const own = failures.filter(({ delivery, isAccepted }) => delivery === name && !isAccepted);
    return Array.from(groupBy(own, ({ code }) => code).values(), ([first]) => {
      const { article, code, message, help } = first!;
      const all = made + unchanged + failed + accepted;
      const counts = `${integer(byCode[code] ?? failed)} of ${integer(all)}`;
      const which = article === '' ? '' : `, the first of ${article}`;
      const title = `${capital(name)}: ${counts} failed${which}: ${message}`;
      return { tone: 'partly', code, title, help, section: 'deliveries' };
    });
  });
}

/** What was asked for and is not made, or made of less, while the rest is. */
function warningActions(report: RunReport): RequiredAction[] {
  const { selectionWarnings, articleWarnings, warnings } = report;
  const all = { tone: 'look', section: 'warnings' } as const;
  const ofSelection = selectionWarnings.flatMap(({ code, message }): RequiredAction[] => {
    const action = warningAction(code);
    if (action === undefined || action.title !== undefined) return [];
    return [{ ...all, code, title: capital(message), help: action.help }];
  });
  const ofConfigurations = Object.entries(warnings).flatMap(([code, count]): RequiredAction[] => {
    const action = warningAction(code);
    if (action?.title === undefined) return [];
    const first = articleWarnings.find((warning) => warning.code === code)?.article;
    const where = first === undefined ? '' : `, the first of ${first}`;
    const title = `${capital(action.title)}: ${amount(count, 'warning')}${where}`;
    return [{ ...all, code, title, help: action.help }];
  });
  return [...ofSelection, ...ofConfigurations];
}

/** Articles that a feed does not have. */
function feedActions({ delivered }: RunReport): RequiredAction[] {
  const help = 'btg2gltf explain NUMBER says what an article lacks';
  return (delivered?.omitted ?? [])
    .filter(isFeed)
    .map((text) => ({ tone: 'look', title: capital(text), help, section: 'delivered' }));
}

function pictureActions({ gates: { notCompared } }: RunReport): RequiredAction[] {
  if (notCompared === undefined) return [];
  const help =
    'look at some of what has changed; pictureTone: {} and pictureEdges: {} in gates: turn this off';
  return [{ tone: 'look', title: capital(notCompared), help, section: undefined }];
}

/** How many workers of a distributed run are in each state. */
export function workersByState(workers: NonNullable<RunReport['workers']>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of workers) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** Failures by code, without those of carts: several causes may have one. */
export function failuresByCode({ causes }: RunReport): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, count, onlyCarts } of causes) {
    if (!onlyCarts) counts[code] = (counts[code] ?? 0) + count;
  }
  return counts;
}

/** What the message of an example adds to its cause and its name; may be empty. */
export function detailOf({ article, message }: Cause['examples'][number], cause: Cause): string {
  const start = message.lastIndexOf(cause.message);
  if (start < 0) return message;
  const where = message.slice(0, start).replace(/: $/, '');
  const value = message.slice(start + cause.message.length).replace(/^[,;] /, '');
  const subject = where.slice(where.lastIndexOf(' ') + 1);
  const isNamed = where.includes(article) || article.includes(subject);
  return [isNamed ? '' : where, value].filter((part) => part !== '').join(': ');
}

/** Causes with an action of their own; the others share one. */
const MOST_CAUSES = 3;

function failureActions({ causes, configurations: { selected } }: RunReport): RequiredAction[] {
  const of = (count: number, what = '') =>
    `${integer(count)}${what} failed (${percentage(count, selected)})`;
  const all = { tone: 'partly', section: 'causes' } as const;
  const named = causes.slice(0, MOST_CAUSES).map(({ code, count, onlyCarts, help, message }) => {
    const own = onlyCarts ? ({ ...all, tone: 'look' } as const) : all;
    return { ...own, code, title: `${of(count, onlyCarts ? ' of carts' : '')}: ${message}`, help };
  });
  const others = causes.slice(MOST_CAUSES);
  if (others.length === 0) return named;
  const count = others.reduce((sum, cause) => sum + cause.count, 0);
  const title = `${of(count)} for ${amount(others.length, 'other reason')}`;
  return [...named, { ...all, title, help: 'see the list of causes for what helps' }];
}

/** Findings that make nothing fail. */
function findingActions({ damaged, incomplete, drift }: RunReport): RequiredAction[] {
  const configurations = (count: number) => amount(count, 'configuration');
  const found = [
    {
      section: 'damaged',
      count: damaged.count,
      title: `${configurations(damaged.count)} with a published file that was changed or removed`,
      help: 'find what else writes to the output folder; no other program should',
    },
    {
      section: 'incomplete',
      count: incomplete.count,
      title: `${configurations(incomplete.count)} with properties that need a value`,
      help: 'select them with values, such as with configurations: in the pipeline file',
    },
    {
      section: 'drift',
      count: drift.length,
      title: `${amount(drift.length, 'field')} of the service not as specified`,
      help: 'report it to the operator of the service; nothing fails because of it yet',
    },
  ] as const;
  return found.flatMap(({ count, ...action }) =>
    count === 0 ? [] : [{ tone: 'look', ...action }],
  );
}

/** The label of a gate. */
export function gateLabel(gate: string): string {
  return GATE_ROWS.find(([name]) => name === gate)?.[1].label ?? gate;
}

/** What articles lost, a sentence for each kind, the most frequent first: `27 articles: some surfaces may …`. */
export function lossSentences({ articlesWithLosses }: RunReport): string[] {
  return (Object.keys(LOSS_KINDS) as LossKind[])
    .map((kind) => [kind, articlesWithLosses[kind] ?? 0] as const)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${amount(count, 'article')}: ${LOSS_KINDS[kind].sentence}`);
}

/** The labels of fields of the service; the name of any other is its label. */
export const FIELD_LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    A: 'part without surfaces',
    TI: 'texture coordinates',
    amb: 'ambient light',
    btgname: 'missing part',
    bump: 'relief',
    dif: 'diffuse colour',
    luminance: 'brightness of a light',
    map: 'way of mapping',
    mat: 'material unknown',
    metallic_image: 'image of metal',
    mirror: 'mirroring',
    pho: 'gloss exponent',
    pic: 'image',
    refl: 'reflection',
    refr: 'refraction',
    roughness_image: 'image of roughness',
    shi: 'shininess',
    spe: 'colour of highlights',
    tra: 'transparency',
  }),
);

/** A loss as a line: `OAK: reflection (refl): dropped`. */
export function lossText({ where, field, done }: Record<'where' | 'field' | 'done', string>) {
  const label = FIELD_LABELS.get(field);
  return `${where}: ${label === undefined ? field : `${label} (${field})`}: ${done}`;
}

/** A warning about the selection requires an action by itself; those about configurations, with a title, by their number. */
interface WarningAction {
  title?: string;
  help: string;
}

/** It says what was done, and nothing that was asked for is missing. */
const NONE = undefined;

const ASK = 'report it to the manufacturer, whose data it is';
const LANGUAGES =
  'remove a language that is not offered from lang:, or ask the manufacturer for its texts; a new one has to be fetched first';

/** By code; total, so that a new one is decided upon. */
const ACTIONS = {
  CARTS_EMPTY: { help: 'check the path of the carts, if there should be some' },
  CART_ID_MADE_UP: NONE,
  CART_IS_A_CHILD: NONE,
  CART_WITHOUT_CONFIGURATION: { help: 'save the cart again, with its configuration' },
  CART_WITHOUT_REINIT: { help: 'save the cart again: the planning itself is not published' },
  CATALOGUE_CIRCULAR: NONE,
  CATALOGUE_EMPTY: { help: 'correct the names under catalogue:, or remove them' },
  CONFIGURATIONS_LIMITED: { help: 'raise max: of this entry, or name fewer properties in each:' },
  LANGUAGE_NOT_OFFERED: { help: LANGUAGES },
  LIMIT_REACHED: { help: 'run without --limit' },
  LIST_EMPTY: { help: 'find out why it has no lines, or remove this entry' },
  LIST_LINES_MERGED: {
    help: 'if they are different configurations, name the columns finalarticlenumber and reinitstring',
  },
  OVERRIDE_UNUSED: { help: 'correct the pattern under overrides:, or remove it' },
  SEARCH_EMPTY: { help: 'correct the words of the search, or remove this entry' },
  SURVEY_CONTRADICTED: { help: 'run btg2gltf survey with this pipeline file again' },
  SURVEY_NOT_COMPARED: {
    help: 'run btg2gltf survey again and apply it, or remove the record of the survey',
  },
  ARTICLE_REPORTED: NONE,
  // It has a list of its own.
  CONFIGURATION_INVALID: NONE,
  META_CHILD_WITHOUT_PLACEMENT: NONE,
  // The failure itself is one.
  REQUEST_FAILED: NONE,
  TEXT_CUT: { title: 'a text was cut', help: 'raise maxTextCharacters in limits:' },
  TRANSLATION_MISSING: { title: 'texts of a language are missing', help: LANGUAGES },
  VARIANT_DIFFERS: {
    title: 'a configuration has another final article number than asked for',
    help: 'correct the numbers where they are listed',
  },
  BLOCK_INVALID: leftOut('BLOCK_INVALID'),
  BLOCK_MISSING: leftOut('BLOCK_MISSING'),
  IMAGE_MISSING: leftOut('IMAGE_MISSING'),
  IMAGE_REFUSED: leftOut('IMAGE_REFUSED'),
  IMAGE_UNREADABLE: leftOut('IMAGE_UNREADABLE'),
  IMAGE_UNSUPPORTED: leftOut('IMAGE_UNSUPPORTED'),
  BLOCK_EMPTY: NONE,
  BLOCK_UNLISTED: NONE,
  DRIFT: NONE,
  MATERIAL_FIELD_INVALID: NONE,
  MATERIAL_KEY_LEFT_OUT: NONE,
  MATERIAL_KEY_UNKNOWN: NONE,
  MATERIAL_UNKNOWN: { title: 'a part of an unknown material is grey', help: ASK },
  MORE_LOSSES: NONE,
  MORE_WARNINGS: NONE,
  NODE_TYPE_UNKNOWN: NONE,
  OPTION_INVALID: { title: 'an option is invalid', help: 'correct it in convert:' },
  OVERRIDE_INVALID: { title: 'an override is invalid', help: 'correct it in convert:' },
  SCALE_ZERO: NONE,
  TRIANGLES_DROPPED: NONE,
  UVS_UNUSABLE: NONE,
} as const satisfies Record<WarningCode, WarningAction | undefined>;

function leftOut(code: ErrorCode): WarningAction {
  return { title: 'something was left out', help: helpFor(code) };
}

/** Undefined if nothing that was asked for is missing. A warning with the code of an error says what was left out. */
function warningAction(code: string): WarningAction | undefined {
  if (Object.hasOwn(ACTIONS, code)) return ACTIONS[code as WarningCode];
  return isErrorCode(code) ? leftOut(code) : undefined;
}
