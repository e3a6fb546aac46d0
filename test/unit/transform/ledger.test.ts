import { describe, expect, it } from 'vitest';
import { createLedger } from '../../../src/transform/ledger.ts';

describe('createLedger', () => {
  it('begins empty, with every count at 0', () => {
    const ledger = createLedger();
    expect(ledger.losses()).toEqual([]);
    expect(ledger.warnings()).toEqual([]);
    expect(new Set(Object.values(ledger.counts))).toEqual(new Set([0]));
  });

  it('notes a loss once, and losses that differ in anything apart', () => {
    const ledger = createLedger();
    const loss = { where: 'OAK', field: 'amb', value: '0x101010', done: 'dropped' };
    ledger.lose(loss);
    ledger.lose({ ...loss });
    ledger.lose({ ...loss, where: 'ELM' });
    ledger.lose({ ...loss, field: 'pho' });
    ledger.lose({ ...loss, value: '0x202020' });
    ledger.lose({ ...loss, done: 'kept in extras' });
    expect(ledger.losses()).toHaveLength(5);
    expect(ledger.losses()[0]).toEqual(loss);
  });

  it('tells a warning once, with the first place and how many more there were', () => {
    const ledger = createLedger();
    for (const where of ['0/1', '0/2', '0/3']) ledger.warn('SCALE_ZERO', 'not drawn', where);
    ledger.warn('SCALE_ZERO', 'not drawn at all', '0/4');
    ledger.warn('MATERIAL_UNKNOWN', 'grey');
    ledger.warn('MATERIAL_UNKNOWN', 'grey');
    expect(ledger.warnings()).toEqual([
      { code: 'SCALE_ZERO', message: 'not drawn (at 0/1 and 2 more)' },
      { code: 'SCALE_ZERO', message: 'not drawn at all (at 0/4)' },
      { code: 'MATERIAL_UNKNOWN', message: 'grey' },
    ]);
  });
});
