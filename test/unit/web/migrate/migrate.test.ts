/**
 * Migration of carts: Spec 9.5.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../../src/web/migrate/migrate.ts';
import { checkCart } from '../../../../src/web/servers/cart.ts';

const V1 = { manuid: 'ACME', seriesid: 'DESK', baseartnmbr: 'D/1', reinitstring: 'D;W=2::' };
const LOADED = {
  id: '17',
  rootid: '17',
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D/1',
  children: [],
  propclasses: [],
  ocd: { finalarticlenumber: 'D/1-2', reinitstring: 'D;W=2::', price: 10 },
};

describe('a cart of v1', () => {
  it('becomes a top-level article with its commercial data', () => {
    const { from, after, changes, hints } = migrate(V1);
    expect(from).toBe('v1');
    expect(after).toEqual({
      ...LOADED,
      id: expect.stringMatching(/^v1-[0-9a-f]{16}$/),
      rootid: after.id,
      ocd: { reinitstring: 'D;W=2::' },
    });
    expect(changes.map(({ before, after: to }) => `${before} → ${to}`)).toEqual([
      'manuid → manufacturer',
      'seriesid → program',
      'baseartnmbr → basearticlenumber',
      'reinitstring → ocd.reinitstring',
    ]);
    expect(hints).toEqual([expect.objectContaining({ code: 'CART_ID_MADE_UP' })]);
  });

  it('gets the same id again, and another one where its configuration is another', () => {
    expect(migrate({ ...V1 }).after.id).toBe(migrate(V1).after.id);
    expect(migrate({ ...V1, reinitstring: 'D;W=3::' }).after.id).not.toBe(migrate(V1).after.id);
  });

  it('takes the real article where it has been loaded', () => {
    const { after, hints } = migrate(V1, { loaded: LOADED });
    expect({ after, hints }).toEqual({ after: LOADED, hints: [] });
  });

  it.each<[string, unknown, string]>([
    ['another article', { ...LOADED, program: 'TABLE' }, 'CART_INVALID'],
    ['a child', { ...LOADED, rootid: '1' }, 'CHILD_WITHOUT_ROOT'],
    ['nothing that is one', 7, 'CART_INVALID'],
  ])('refuses to be loaded as %s', (_, loaded, code) => {
    expect(() => migrate(V1, { loaded })).toThrow(expect.objectContaining({ code }));
  });

  it('keeps what a shop stored beside it, also under a name that is special to JavaScript', () => {
    const entry = JSON.parse(
      '{"manuid":"A","seriesid":"B","baseartnmbr":5,"finalartnmbr":"5-X","quantity":3,"__proto__":{"id":"evil"}}',
    ) as Record<string, unknown>;
    const { after } = migrate(entry);
    expect(after).toMatchObject({
      quantity: 3,
      basearticlenumber: '5',
      ocd: { finalarticlenumber: '5-X', reinitstring: '' },
    });
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
    expect(Object.keys(after)).toContain('__proto__');
    expect(({} as Record<string, unknown>).id).toBeUndefined();
  });
});

describe('a cart of v2.5', () => {
  it('comes back as it is', () => {
    const unchanged = { from: 'v2.5', before: LOADED, after: LOADED, changes: [], hints: [] };
    expect(migrate(LOADED)).toEqual(unchanged);
  });

  it('is a child where its id is not its rootid', () => {
    const { hints } = migrate({ ...LOADED, id: '18' });
    expect(hints).toEqual([expect.objectContaining({ code: 'CART_IS_A_CHILD' })]);
  });
});

it.each([[{}], [{ manuid: 'A' }], [[]], [null], [{ ...V1, manuid: '' }]])(
  'refuses %j, which is neither',
  (entry) => {
    const thrown = expect.objectContaining({ code: 'CART_INVALID' });
    expect(() => migrate(entry as Record<string, unknown>)).toThrow(thrown);
  },
);

it('gives a cart that the inbox accepts and that stays unchanged when migrated again', () => {
  const text = fc.string({ minLength: 1, maxLength: 20 });
  const ids = { manuid: text, seriesid: text, baseartnmbr: text };
  const entry = fc.record({ ...ids, reinitstring: fc.string() });
  fc.assert(
    fc.property(entry, (v1) => {
      const { after } = migrate(v1);
      expect(checkCart(after)).toMatchObject({ id: after.id, warnings: [] });
      expect(migrate(after)).toMatchObject({ from: 'v2.5', after, changes: [] });
      expect(after).toMatchObject({
        manufacturer: v1.manuid.toUpperCase(),
        ocd: { reinitstring: v1.reinitstring },
      });
    }),
    { seed: 95, numRuns: 100 },
  );
});
