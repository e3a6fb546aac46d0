import { expect, test } from 'vitest';
import {
  decide,
  type Effect,
  OF_PICTURES,
  type Vote,
} from '../../../../src/survey/readings/decide.ts';

const effect = (value: string, changes: Partial<Effect> = {}): Effect => {
  const moved = { areaShare: 0.3, movedMillimetres: 80, aspects: ['position'] as const };
  return { value, articles: 3, ...moved, examples: ['A', 'B', 'C'], ...changes };
};
const EFFECTS = ['xzy', 'zyx'].map((value) => effect(value));

/** Votes of as many articles, all for the same values. */
const votes = (indication: string, fits: string[], articles: number, isProof = false): Vote[] =>
  Array.from({ length: articles }, (_, at): Vote => {
    const values = ['xyz', 'xzy', 'zyx'];
    return {
      option: 'rotationOrder',
      ...{ indication, fits, values, figure: '', article: `${at}` },
      ...(isProof && { isProof }),
    };
  });

const decided = (own: Vote[], effects: Effect[] = EFFECTS) => {
  const { state, value, certainty, effects: shown } = decide('rotationOrder', 'xyz', effects, own);
  return { state, value, certainty, shown: shown.map((one) => one.value) };
};

test('indications that each exclude a value leave one together', () => {
  const own = [...votes('floor', ['xyz', 'xzy'], 3), ...votes('contact', ['xyz', 'zyx'], 3)];
  expect(decided(own)).toMatchObject({ state: 'decided', value: 'xyz', certainty: 'high' });
});

test('a value that one article excludes is excluded with medium certainty', () => {
  const own = [...votes('floor', ['zyx', 'xzy'], 3), ...votes('contact', ['xyz', 'zyx'], 1)];
  expect(decided(own)).toMatchObject({ state: 'decided', value: 'zyx', certainty: 'medium' });
});

test('pictures of the service alone make nothing certain', () => {
  const own = votes(OF_PICTURES, ['zyx'], 12);
  expect(decided(own)).toMatchObject({ state: 'decided', value: 'zyx', certainty: 'medium' });
});

test('a question is about the values that no indication excludes', () => {
  expect(decided(votes('floor', ['xyz', 'zyx'], 3))).toMatchObject({
    state: 'question',
    shown: ['zyx'],
  });
});

test('indications that contradict each other are a question about all values', () => {
  const own = [...votes('floor', ['xyz'], 3), ...votes('contact', ['zyx'], 3)];
  expect(decided(own)).toMatchObject({ state: 'question', shown: ['xzy', 'zyx'] });
});

test('one article in ten is an exception, but not to a proof', () => {
  const many = votes('floor', ['xyz', 'xzy'], 19);
  const [exception] = votes('floor', ['zyx'], 1);
  expect(decided([...many, exception!]).state).toBe('question');
  expect(decided([...many, exception!]).shown).toEqual(['xzy']);
  const [proof] = votes('floor', ['xyz'], 1, true);
  expect(decided([...many, proof!])).toMatchObject({ state: 'decided', value: 'xyz' });
});

test('what cannot be seen is not asked', () => {
  const unseen = [effect('xzy', { pixelShare: 0.004 }), effect('zyx', { movedMillimetres: 0.5 })];
  expect(decided([], unseen).state).toBe('no-effect');
});
