import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CatalogueNode } from '../../../../src/model/catalogue.ts';
import {
  ConversionDates,
  dayOf,
  FRESHNESS_POLICIES,
  type FreshnessPolicy,
  isFresh,
} from '../../../../src/source/cache/freshness.ts';
import { samples } from '../../../helpers/samples.ts';

const top = (
  manufacturer: string,
  convertdate: string,
  program = 'DESK',
  nodetype: 'F' | 'I' = 'F',
): CatalogueNode => ({
  ...{ nodeid: `${manufacturer};:${program}`, nodetype, manufacturer, program, convertdate },
  ...{ text: '', manufacturername: '', basearticlenumber: '', variantcode: '', resources: [] },
});

const stamp = (convertdate: string, fetchedOn: string, owner = 'ACME', datedBy = owner) => ({
  ...{ owner, datedBy, convertdate, fetchedOn, requestedAt: 0 },
});

const datesOf = (...nodes: CatalogueNode[]) => new ConversionDates(nodes);

describe('ConversionDates', () => {
  const today = datesOf(top('ACME', '2024-05-14'), top('NEW', ''), top('ACME', '', '', 'I'));

  it.each([
    ['fetched on a later day', stamp('2024-05-14', '2024-05-15'), true],
    ['fetched on the day of the conversion', stamp('2024-05-14', '2024-05-14'), false],
    ['fetched before it', stamp('2024-05-14', '2024-05-13'), false],
    ['converted since', stamp('2024-05-13', '2024-05-20'), false],
    ['converted back to an older state', stamp('2024-05-15', '2024-05-20'), false],
    ['a manufacturer without a date', stamp('', '2024-05-20', 'NEW'), false],
    ['a manufacturer that the catalogue does not know', stamp('', '2024-05-20', 'LIB'), false],
  ])('%s', (_, of, fresh) => {
    expect(today.isUnchangedSince(of)).toBe(fresh);
    expect(today.isUnchangedSince({ ...of, owner: of.owner.toLowerCase() })).toBe(fresh);
  });

  it("applies the dates of the article's manufacturer to one that the catalogue lacks", () => {
    const lib = stamp('2024-05-14', '2024-05-15', 'LIB', 'ACME');
    expect(today.isUnchangedSince(lib)).toBe(true);
    const known = datesOf(top('ACME', '2024-05-14'), top('LIB', '2024-05-01'));
    expect(known.isUnchangedSince(lib)).toBe(false);
  });

  it('detects a change of any series of a manufacturer, in any order', () => {
    const a = datesOf(top('ACME', '2024-05-14', 'A'), top('ACME', '2024-06-03', 'B'));
    const same = datesOf(top('ACME', '2024-06-03', 'B'), top('ACME', '2024-05-14', 'A'));
    const changed = datesOf(top('ACME', '2024-05-28', 'A'), top('ACME', '2024-06-03', 'B'));
    const state = a.stateOf('acme');
    expect(state).toMatch(/^2024-06-03 [0-9a-f]{16}$/);
    expect(same.stateOf('ACME')).toBe(state);
    expect(changed.isUnchangedSince(stamp(state, '2024-06-10'))).toBe(false);
    expect(a.isUnchangedSince(stamp(state, '2024-06-04'))).toBe(true);
    expect(a.isUnchangedSince(stamp(state, '2024-06-03'))).toBe(false);
  });

  it('has no state of a manufacturer of which one series has no date', () => {
    const dates = datesOf(top('ACME', '2024-05-14'), top('ACME', 'soon', 'B'));
    expect(dates.stateOf('ACME')).toBe('');
  });

  it('counts days in UTC', () => {
    expect(dayOf(Date.parse('2024-05-15T01:30:00+02:00'))).toBe('2024-05-14');
  });
});

describe('isFresh', () => {
  const DAY = 86_400_000;
  const NOW = Date.parse('2024-06-15T02:00:00Z');
  const day = (ago: number) => new Date(NOW - ago * DAY).toISOString().slice(0, 10);
  const POLICIES = Object.keys(FRESHNESS_POLICIES) as FreshnessPolicy[];
  const HOUR = 3_600_000;
  const runOf = (policy: FreshnessPolicy, heldHours: number) => ({
    ...{ policy, now: NOW, interruptedUntil: NOW, interruptedSince: NOW - heldHours * HOUR },
  });

  it('is what was not converted since, as the policy says, for any days', async () => {
    const days = fc.integer({ min: 0, max: 12 });
    const case_ = fc.record({
      policy: fc.constantFrom(...POLICIES),
      askedAgo: days,
      convertedAgo: days,
      knownAgo: days,
      heldHours: fc.integer({ min: 0, max: 19 }),
    });
    await fc.assert(
      fc.asyncProperty(case_, async ({ policy, askedAgo, convertedAgo, knownAgo, heldHours }) => {
        // A response cannot be dated later than it was requested.
        fc.pre(knownAgo >= askedAgo && convertedAgo <= knownAgo);
        const requestedAt = NOW - askedAgo * DAY;
        const of = { ...stamp(day(knownAgo), day(askedAgo)), requestedAt };
        const run = runOf(policy, heldHours);
        const result = await isFresh(of, run, async () => datesOf(top('ACME', day(convertedAgo))));
        const same = convertedAgo === knownAgo;
        const expected =
          policy === 'never' ||
          askedAgo === 0 ||
          (policy === 'convertdate' && same && askedAgo < knownAgo);
        expect(result).toBe(expected);
      }),
      { seed: 6, numRuns: samples(300) },
    );
  });

  it('is never what was requested before the interrupted run, nor 20 hours after it, nor by a clock that was set back', async () => {
    const hour = fc.integer({ min: -40, max: 40 });
    await fc.assert(
      fc.asyncProperty(hour, fc.integer({ min: 1, max: 20 }), async (askedHours, heldHours) => {
        const requestedAt = NOW - askedHours * HOUR;
        const run = runOf('always', heldHours);
        const { interruptedSince } = run;
        const result = await isFresh({ ...stamp('', ''), requestedAt }, run, async () => datesOf());
        expect(result).toBe(
          requestedAt === NOW ||
            (requestedAt >= interruptedSince &&
              requestedAt < NOW &&
              requestedAt < interruptedSince + 20 * HOUR),
        );
      }),
      { seed: 6, numRuns: samples(300) },
    );
  });
});
