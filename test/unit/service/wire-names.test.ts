import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalName } from '../../../src/service/wire-names.ts';

describe('canonicalName', () => {
  it('joins spellings that differ in case and in a leading ::', () => {
    expect(canonicalName('::acme::desk::leg')).toBe('ACME::DESK::LEG');
    expect(canonicalName('Acme::Desk::LEG')).toBe('ACME::DESK::LEG');
  });

  it('keeps apart what differs otherwise', () => {
    expect(canonicalName('ACME::DESK::LEG ')).not.toBe(canonicalName('ACME::DESK::LEG'));
    expect(canonicalName('ACME::::LEG')).toBe('ACME::::LEG');
    expect(canonicalName('')).toBe('');
  });

  it('is the same for a name that is canonical already', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const once = canonicalName(`a${name}`);
        expect(canonicalName(once)).toBe(once);
        expect(canonicalName(`::a${name}`)).toBe(once);
      }),
      { seed: 150 },
    );
  });
});
