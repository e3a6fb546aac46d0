import { describe, expect, it } from 'vitest';
import { decodeArticle } from '../../../../src/convert/wire/article.ts';
import { resolveKey } from '../../../../src/source/fetch/resolve-article.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { body } from '../../../helpers/graphics.ts';

const decode = (fields: object) => decodeArticle(body(fields));
const OCD = { finalarticlenumber: 'D1-A', reinitstring: 'A::' };

describe('resolveKey', () => {
  it('takes every number as the service spells it', () => {
    const article = decode({
      manufacturer: 'acme',
      program: 'Desk',
      basearticlenumber: 'D1',
      reinit: 'M::',
      ocd: OCD,
    });
    const { key, warnings } = resolveKey(acme('d1', { reinitstring: 'a::' }), article);
    expect(key).toEqual({
      ...acme('D1', { finalarticlenumber: 'D1-A', reinitstring: 'A::', metareinitstring: 'M::' }),
    });
    expect(warnings).toEqual([]);
  });

  it('keeps what was requested if the service leaves it out', () => {
    const request = acme('D1', {
      finalarticlenumber: 'F',
      reinitstring: 'r::',
      metareinitstring: 'm::',
    });
    expect(resolveKey(request, decode({ reinit: 'M::' })).key).toEqual(request);
    expect(resolveKey(acme('D1'), decode({})).key).toEqual(acme('D1'));
  });

  it('reports another variant than the requested one', () => {
    const { warnings } = resolveKey(
      acme('D1', { finalarticlenumber: 'D1-B' }),
      decode({ ocd: OCD }),
    );
    expect(warnings).toEqual([
      { code: 'VARIANT_DIFFERS', message: 'finalarticlenumber: expected D1-B, received D1-A' },
    ]);
  });

  it('reports what the service says of the article and of its children, once', () => {
    const child = { ocd: { usermessages: { text: 'narrow', level: 2, more: ['tall', 'narrow'] } } };
    const fields = { ocd: { ...OCD, usermessages: 'tall' }, children: [child], metamessages: [] };
    expect(resolveKey(acme('D1'), decode(fields)).warnings).toEqual([
      { code: 'ARTICLE_REPORTED', message: 'usermessages: tall; narrow' },
    ]);
  });

  it('warns of a configuration that is not complete', () => {
    const property = (name: string, obligatory2c: boolean, currentvalue: string) => ({
      name,
      obligatory2c,
      currentvalue,
    });
    const properties = [
      property('LID', true, ''),
      property('LEGS', true, '4'),
      property('TEXT', false, ''),
    ];
    const warnings = (ocd: object, more: object = {}) =>
      resolveKey(acme('D1'), decode({ ocd: { ...OCD, ...ocd }, ...more })).warnings;
    const incomplete = (which: string, verb = 'has') => [
      {
        code: 'CONFIGURATION_INVALID',
        message: `the configuration is not complete: ${which} ${verb} no value`,
      },
    ];
    const inClass = (members: object[]) => [{ name: 'A', properties: members }];
    expect(warnings({ propclasses: inClass(properties), obligatory2c: true })).toEqual(
      incomplete('A.LID'),
    );
    expect(warnings({}, { propclasses: inClass([properties[0]!]) })).toEqual(incomplete('A.LID'));
    const open = [property('LID', true, ''), property('TOP', true, '')];
    expect(warnings({ propclasses: inClass(open) })).toEqual(incomplete('A.LID, A.TOP', 'have'));
    expect(warnings({ obligatory2c: true })).toEqual(incomplete('a property'));
    expect(warnings({ propclasses: inClass(properties.slice(1)) })).toEqual([]);
  });

  it.each([{}, { ocd: { finalarticlenumber: '' } }])(
    'fails an article with a dump and %j',
    (fields) => {
      expect(() => resolveKey(acme('D1'), decode({ dump: 'x'.repeat(999), ...fields }))).toThrow(
        expect.objectContaining({ code: 'ARTICLE_REPORTED', article: 'ACME/DESK/D1' }),
      );
    },
  );
});
