import { describe, expect, it } from 'vitest';
import { requestKey } from '../../../../src/source/service/operations.ts';

describe('requestKey', () => {
  const KEY = {
    manufacturer: 'acme',
    program: 'desk',
    basearticlenumber: 'd1',
    finalarticlenumber: '',
    reinitstring: 'a=1::',
    metareinitstring: '',
  };

  it.each([
    ['getNodes', { parentnode: '' }, '[""]'],
    ['search', { manufacturer: 'acme', query: "a'b" }, '["ACME","a\'b"]'],
    ['getArticle', { ...KEY, varcode: 'v' }, '["ACME","DESK","d1","a=1::","v"]'],
    ['getPartsList', KEY, '["ACME","DESK","d1","","a=1::",""]'],
    ['getBlock', { name: 'Acme::DESK::"LEG"' }, '["Acme::DESK::\\"LEG\\""]'],
    ['getMaterial', { manufacturer: 'acme', name: 'OAK' }, '["acme","OAK"]'],
    ['getResource', { path: 'a/b' }, '["a/b"]'],
  ] as const)('of %s is its identity, spelled as it is sent', (name, values, key) => {
    expect(requestKey(name, values)).toBe(key);
  });

  it('of a change is the key of the configuration and what is changed', () => {
    const change = { proptype: 'C', propclass: 'SIZE', prop: 'WIDTH', newvalue: '1600' };
    const before = requestKey('getPartsList', KEY);
    expect(requestKey('changeProperty', { ...KEY, ...change })).toBe(
      JSON.stringify([before, 'C', 'SIZE', 'WIDTH', '1600']),
    );
  });

  it('does not depend on what is sent besides', () => {
    const values = { parentnode: 'a' };
    expect(requestKey('getNodes', { ...values, profile: 'p' })).toBe(
      requestKey('getNodes', values),
    );
  });
});
