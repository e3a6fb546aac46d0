import { describe, expect, test } from 'vitest';
import { createRunMetrics } from '../../../src/pipeline/metrics.ts';
import type { ServiceDrift } from '../../../src/service/service-config.ts';

const price = (found: string): ServiceDrift => ({
  operation: 'getArticle',
  field: 'article.ocd.price',
  expected: 'a finite number',
  found,
});

describe('drift is counted by field', () => {
  test('values of one type are one row, in whatever order they arrive', () => {
    const rows = ['string "9,50"', 'string "12,50"', 'an array of 2'].map(price);
    const counted = [rows, rows.toReversed()].map((some) => {
      const drift = createRunMetrics(() => 0).drift;
      some.forEach(drift.count);
      return drift.rows();
    });
    expect(counted[0]).toEqual([
      { ...price('an array of 2'), count: 1 },
      { ...price('string "12,50"'), count: 2 },
    ]);
    expect(counted[1]).toEqual(counted[0]);
  });

  test('elements of a list are one field', () => {
    const drift = createRunMetrics(() => 0).drift;
    for (const place of [0, 7, 123]) {
      const field = `nodes[${place}].ressources[0].restype`;
      drift.count({ operation: 'getNodes', field, expected: 'a text', found: 'nothing' });
    }
    expect(drift.rows()).toMatchObject([{ field: 'nodes[].ressources[].restype', count: 3 }]);
  });

  test('equal ones in a row count each, and so does one after another field', () => {
    const drift = createRunMetrics(() => 0).drift;
    const name = { ...price('nothing'), field: 'article.ocd.name' };
    for (const row of [price('nothing'), price('nothing'), name, price('nothing')])
      drift.count(row);
    expect(drift.rows().map(({ field, count }) => [field, count])).toEqual([
      ['article.ocd.name', 1],
      ['article.ocd.price', 3],
    ]);
  });

  test('without a mismatch there are no rows', () => {
    expect(createRunMetrics(() => 0).drift.rows()).toEqual([]);
  });
});
