import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  articleKey,
  compareConfigurations,
  configurationKey,
  configurationLabel,
  isConfigurationKey,
  parseConfigurationKey,
  sortConfigurationKeys,
} from '../../../src/model/configuration-id.ts';
import { articleKeyOf } from '../../helpers/article-key.ts';

const DESK = articleKeyOf('D1', { finalarticlenumber: 'D1-B', reinitstring: 'a"b' });

describe('the key of a configuration', () => {
  test('is parsed back to the same fields', () => {
    expect(parseConfigurationKey(configurationKey(DESK))).toEqual(DESK);
  });

  test('ignores the case of manufacturer and program, and of nothing else', () => {
    expect(configurationKey({ ...DESK, manufacturer: 'acme', program: 'Desk' })).toBe(
      configurationKey(DESK),
    );
    expect(configurationKey({ ...DESK, reinitstring: 'A"B' })).not.toBe(configurationKey(DESK));
    expect(articleKey({ ...DESK, manufacturer: 'acme' })).toBe(articleKey(DESK));
  });

  test('differs from any name', () => {
    expect(isConfigurationKey(configurationKey(DESK))).toBe(true);
    expect(isConfigurationKey('catalogue ACME;:@1')).toBe(false);
  });
});

describe('the order of configurations', () => {
  test('is field by field and by code units, not that of the keys as texts', () => {
    const longer = { ...DESK, program: 'DESK!' };
    const keys = [longer, DESK].map(configurationKey);
    expect([...keys].sort()).toEqual([configurationKey(longer), configurationKey(DESK)]);
    expect(sortConfigurationKeys(keys)).toEqual([...keys].reverse());
    expect(compareConfigurations(DESK, { ...DESK, manufacturer: 'acme' })).toBe(0);
    expect(compareConfigurations(DESK, { ...DESK, reinitstring: 'é' })).toBe(-1);
  });

  test('is the same for one text a key as for the fields', () => {
    const field = fc.string({
      unit: fc.constantFrom('\0', '\x01', '\x02', ' ', '!', '"', '\\', 'A', 'é', '\ud800'),
    });
    const id = fc
      .tuple(field, field, field)
      .map(([program, basearticlenumber, reinitstring]) =>
        configurationKey({ ...DESK, program, basearticlenumber, reinitstring }),
      );
    fc.assert(
      fc.property(fc.array(id, { maxLength: 20 }), (given) => {
        const byFields = given.map(parseConfigurationKey).sort(compareConfigurations);
        expect(sortConfigurationKeys(given)).toEqual(byFields.map(configurationKey));
      }),
    );
  });
});

test('people read the final number', () => {
  expect(configurationLabel(DESK)).toBe('ACME/DESK/D1-B');
  expect(configurationLabel({ ...DESK, finalarticlenumber: '' })).toBe('ACME/DESK/D1');
});
