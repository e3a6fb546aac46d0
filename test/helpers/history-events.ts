/** What happens in a history, night by night: what each event does, and an arbitrary of histories. */
import fc, { type Arbitrary } from 'fast-check';
import { ARTICLE_COUNT, ASPECTS, type ChangingRange, MOODS } from './changing-range.ts';
import { RUN_FAULTS, type RunFault } from './run-faults.ts';
import { IS_LONG } from './samples.ts';

/**
 * Events in their order, and last the command: `['price 2', 'dated', 'SIGTERM request 9', 'run']`. A night is a day after
 * the one before, unless it begins with `soon`.
 */
export type Night = readonly string[];

/** The commands of a night, the simplest first; `second` is a run into another folder with the same cache. */
const COMMANDS = [
  ...['run', 'fetch', 'build', 'second', 'deliver', 'prune --yes', 'run --accept', 'run --repair'],
  ...['run --failed', 'run --limit 3', 'run --only ACME/DESK/*', 'run --force'],
];

/** What a person may change in the pipeline file, first as it is before the first night. */
const SETTINGS = {
  crease: ['30', '20'],
  languages: ['en', 'en de', 'de'],
  profiles: ['', 'ar-ios', ...(IS_LONG ? ['planner', 'planner shared'] : [])],
  cameras: ['', 'hero', 'hero top'],
};
/** The values of {@link SETTINGS}, several of one separated by spaces. */
export type Settings = Record<keyof typeof SETTINGS, string>;

/** The settings before the first night. */
export const FIRST_SETTINGS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, [first]]) => [name, first]),
) as Settings;

/** What is wrong in one night, beside the service. */
export interface Conditions {
  isClockBack?: boolean;
  isCacheLost?: boolean;
  fault?: RunFault;
}

/** What events change. */
export interface Scenery {
  range: ChangingRange;
  settings: Settings;
  /** Of one night. */
  conditions: Conditions;
  /** The date of a conversion before that night. */
  convertedOn: string;
  /** The day of the night. */
  tonight: string;
}

type Event = (scenery: Scenery, words: string[]) => void;

const each = <Name extends string>(names: readonly Name[], event: (name: Name) => Event) =>
  Object.fromEntries(names.map((name) => [name, event(name)]));

/** What the first word of an event stands for; the others are its parameters. */
const EVENTS: Readonly<Record<string, Event>> = {
  /** See {@link Night}. */
  soon: () => {},
  ...each(
    ASPECTS,
    (aspect) =>
      ({ range }, [index]) =>
        range.change(aspect, Number(index)),
  ),
  gone: ({ range }, indices) => {
    for (const index of indices) range.list(Number(index), false);
  },
  listed: ({ range }, [index]) => range.list(Number(index), true),
  broken: ({ range }, [index]) => range.breakBlock(Number(index)),
  dated: ({ range, convertedOn }) => range.convertedOn(convertedOn),
  ...each(Object.keys(SETTINGS) as (keyof Settings)[], (name) => ({ settings }, words) => {
    settings[name] = words.join(' ');
  }),
  service: ({ range, tonight }, [mood]) => range.behave(mood as ChangingRange['mood'], tonight),
  'clock-back': ({ conditions }) => {
    conditions.isClockBack = true;
  },
  'cache-lost': ({ conditions }) => {
    conditions.isCacheLost = true;
  },
  ...each(RUN_FAULTS, (kind) => ({ conditions }, [before, number]) => {
    conditions.fault = { kind, before: before as RunFault['before'], number: Number(number) };
  }),
};

/** Lets the events of a night happen, but for its command. */
export function happen(night: Night, scenery: Scenery): void {
  for (const event of night.slice(0, -1)) {
    const [name = '', ...words] = event.split(' ');
    EVENTS[name]!(scenery, words);
  }
}

/** Histories of so many nights at most; they shrink to few nights in which little happens. */
export function anyHistory(mostNights: number): Arbitrary<Night[]> {
  const numbered = (names: readonly string[]) => joined(fc.constantFrom(...names), INDEX);
  const indices = fc.uniqueArray(INDEX, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '));
  const change = fc.oneof(
    { weight: 6, arbitrary: numbered(ASPECTS) },
    { weight: 2, arbitrary: joined(fc.constant('gone'), indices) },
    { weight: 2, arbitrary: numbered(['listed', 'broken']) },
    { weight: 2, arbitrary: anySetting() },
  );
  const fault = (before: RunFault['before']) =>
    joined(fc.constantFrom(...RUN_FAULTS), fc.constant(before), fc.integer(MOMENTS[before]));
  const problem = fc.oneof(
    { weight: 2, arbitrary: fault('request') },
    { weight: 2, arbitrary: fault('operation') },
    { weight: 3, arbitrary: joined(fc.constant('service'), fc.constantFrom(...MOODS.slice(1))) },
    { weight: 1, arbitrary: fc.constantFrom('clock-back', 'cache-lost') },
  );
  const usual = fc.constantFrom(...COMMANDS.slice(0, 1));
  const night = fc.tuple(
    sometimes(fc.constant('soon'), 0.2),
    fc.array(change, { maxLength: 3 }),
    sometimes(fc.constant('dated'), 0.6),
    sometimes(problem, 0.4),
    fc.oneof(usual, fc.constantFrom(...COMMANDS)).map((command) => [command]),
  );
  return fc.array(
    night.map((events) => events.flat()),
    { minLength: 2, maxLength: mostNights },
  );
}

const INDEX = fc.nat(ARTICLE_COUNT - 1);

/** How many of each a run has, about. */
const MOMENTS = { request: { min: 1, max: 40 }, operation: { min: 1, max: 160 } };

function anySetting(): Arbitrary<string> {
  const settings = Object.entries(SETTINGS).map(([name, values]) =>
    joined(fc.constant(name), fc.constantFrom(...values)),
  );
  return fc.oneof(...settings);
}

function joined(...words: Arbitrary<string | number>[]): Arbitrary<string> {
  return fc.tuple(...words).map((each) => each.join(' '));
}

/** A list of one event with a probability, else of none, to which it shrinks. */
function sometimes(event: Arbitrary<string>, probability: number): Arbitrary<string[]> {
  const weight = Math.round(10 * probability);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 10 - weight, arbitrary: fc.constant<string[]>([]) },
    { weight, arbitrary: event.map((one) => [one]) },
  );
}
