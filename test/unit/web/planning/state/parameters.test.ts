import { expect, test } from 'vitest';
import { readCommand } from '../../../../../src/web/planning/state/embedding.ts';
import { readParameters } from '../../../../../src/web/planning/state/parameters.ts';
import { textsOf } from '../../../../../src/web/planning/state/texts.ts';
import { deskTarget } from '../../../../helpers/planned-service.ts';

const ARTICLE = 'manufacturer=fjel&program=LINEA&basearticlenumber=LN-M';

test('a configurator has an article in upper case, a price and a cart', () => {
  const { parameters, problems } = readParameters(
    `?token=T&${ARTICLE}&ocdreinit=LN-M%3A%3A&disablecatalogue=TRUE&urlwarenkorb=https://s.example/c`,
  );
  expect(problems).toEqual([]);
  expect(parameters).toEqual({
    token: 'T',
    mode: 'configurator',
    target: { ...deskTarget('LN-M'), ocdreinit: 'LN-M::' },
    showPrice: true,
    ...{ parentnode: '', lang: '', langalt: '', parentOrigin: '' },
    cartUrl: 'https://s.example/c',
  });
});

test('a stored planning needs no token where the server has public links, and offers no cart then', () => {
  const query = `?permanentid=P&urlwarenkorb=https://s.example/c&lang=de`;
  expect(readParameters(query).problems).toEqual([{ problem: 'tokenMissing', names: 'token' }]);
  const { parameters, problems } = readParameters(query, { hasPublicLinks: true });
  expect(problems).toEqual([]);
  expect(parameters).toMatchObject({ publicId: 'P', mode: 'configurator', cartUrl: undefined });
  expect(readParameters(`?${ARTICLE}`, { hasPublicLinks: true }).problems).toHaveLength(1);
  expect(
    readParameters(`${query}&token=T`, { hasPublicLinks: true }).parameters.publicId,
  ).toBeUndefined();
});

test.each<[string, string[]]>([
  ['', ['tokenMissing token']],
  [
    'token=T&disablecatalogue=true&opencatalogue=true',
    ['modesBoth disablecatalogue, opencatalogue'],
  ],
  ['token=T&showprice=1', ['notBoolean showprice']],
  ['token=T&manufacturer=A', ['articleIncomplete program, basearticlenumber']],
  ['token=T&ocdreinit=x', ['ocdreinitAlone manufacturer, program, basearticlenumber']],
  ['token=T&permanentid=P&program=A', ['permanentidBeside program']],
  ['token=T&permanentid=P&ocdreinit=A', ['permanentidBeside ocdreinit']],
  ['token=T&disablecatalogue=true&permanentid=P&parentnode=N', ['parentnodeUnused parentnode']],
  ['token=T&urlwarenkorb=https://u:p@shop.example/', ['cartUrlInvalid urlwarenkorb']],
  ['token=T&parentorigin=https://shop.example/path', ['originInvalid parentorigin']],
  ['token=T&token=U', ['repeated token']],
  ['token=T&lang=&permanentid=P', []],
])('the query %s has the problems %j', (query, expected) => {
  const { problems } = readParameters(`?${query}`);
  expect(problems.map(({ problem, names }) => `${problem} ${names}`)).toEqual(expected);
});

test('a page that is loaded again needs no article in its address: it has kept one, or its catalogue', () => {
  const query = '?token=T&disablecatalogue=true&parentnode=N';
  expect(readParameters(query, { isKept: true }).problems).toEqual([]);
  expect(readParameters(query).problems).toHaveLength(2);
});

test.each<[unknown, unknown]>([
  [{ type: 'REQUEST_CURRENT_ARTICLE' }, { type: 'REQUEST_CURRENT_ARTICLE' }],
  [
    { type: 'SET_TOKEN', token: 'T' },
    { type: 'SET_TOKEN', token: 'T' },
  ],
  [{ type: 'SET_TOKEN', token: '' }, undefined],
  [
    { type: 'SET_ARTICLE', permanentid: 'P' },
    { type: 'SET_ARTICLE', target: { permanentid: 'P' } },
  ],
  [{ type: 'SET_ARTICLE', article: { manufacturer: 'A' } }, undefined],
  [
    {
      type: 'SET_ARTICLE',
      article: {
        ...{ manufacturer: 'a', program: 'b', basearticlenumber: 'c' },
        ocd: { reinitstring: 'c::' },
      },
    },
    {
      type: 'SET_ARTICLE',
      target: { manufacturer: 'A', program: 'B', basearticlenumber: 'c', ocdreinit: 'c::' },
    },
  ],
  [{ type: 'toString' }, undefined],
  ['SET_TOKEN', undefined],
  [null, undefined],
])('the message %j of a parent is the command %j', (data, expected) => {
  expect(readCommand(data)).toEqual(expected);
});

test.each(['en', 'de'])('no sentence in %s says the name of its parameter again', (language) => {
  for (const sentence of Object.values(textsOf(language).problems))
    expect(sentence).not.toMatch(/^(?:token|permanentid|parentnode|urlwarenkorb) /);
});
