/**
 * Migration of addresses: Spec 9.1 to 9.4, 9.6 and 9.7.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../../src/web/migrate/migrate.ts';
import { V1_NAMES } from '../../../../src/web/migrate/migrate-url.ts';

const NEW = { frontendUrl: 'https://plan.example/v25' };
const ENTRY = 'https://plan.example/v25/planning';
const codes = (url: string) => migrate(url, NEW).hints.map(({ code }) => code);

describe('an address of v1', () => {
  it('gets the new names, the new page and the new base', () => {
    const before =
      'https://old.example/shop/configurator.php?token=T&manuid=ACME&seriesid=DESK&baseartnmbr=D%201&reinitstring=D+1%3BW%3D2%3A%3A&lang=en';
    expect(migrate(before, NEW)).toEqual({
      from: 'v1',
      before,
      after: `${ENTRY}?token=T&manufacturer=ACME&program=DESK&basearticlenumber=D%201&ocdreinit=D+1%3BW%3D2%3A%3A&lang=en`,
      changes: [
        { before: 'https://old.example/shop/configurator.php', after: ENTRY, why: 'Spec 9.1, 9.4' },
        { before: 'manuid', after: 'manufacturer', why: 'Spec 9.3' },
        { before: 'seriesid', after: 'program', why: 'Spec 9.3' },
        { before: 'baseartnmbr', after: 'basearticlenumber', why: 'Spec 9.3' },
        { before: 'reinitstring', after: 'ocdreinit', why: 'Spec 9.3' },
      ],
      hints: [
        expect.objectContaining({ code: 'PREFER_PERMANENTID' }),
        expect.objectContaining({ code: 'MODE_NOT_CARRIED' }),
      ],
    });
  });

  it('names manufacturer and program in upper case, whatever else is kept as it is spelled', () => {
    const before = 'index.php?manuid=ac%c3%bc+me%2f&Program=de%73k&lang=en&basearticlenumber=d1';
    const { after, changes } = migrate(before, NEW);
    expect(after).toBe(
      `${ENTRY}?manufacturer=AC%C3%9C+ME%2f&Program=DESK&lang=en&basearticlenumber=d1`,
    );
    const change = { before: 'Program=de%73k', after: 'Program=DESK', why: 'Spec 4.3' };
    expect(changes).toContainEqual(change);
  });

  it.each([
    ['an index', 'https://old.example/index.php'],
    ['an index in capitals', 'https://old.example/INDEX.PHP'],
    ['an article', 'https://old.example/article.php'],
    ['relative', 'configurator.php'],
    ['without a scheme', '//old.example/configurator.php'],
    ['a folder whose index it was', 'https://old.example/shop/'],
    ['a host alone', 'https://old.example'],
  ])('may be %s, and leads to /planning', (_, page) => {
    const { from, after } = migrate(`${page}?manuid=A`, NEW);
    expect({ from, after }).toEqual({ from: 'v1', after: `${ENTRY}?manufacturer=A` });
  });

  it('may come out of a page, with &amp; between its parameters', () => {
    const { after, changes } = migrate('index.php?token=T&amp;manuid=A&amp;amp;lang=en#top', NEW);
    expect(after).toBe(`${ENTRY}?token=T&manufacturer=A&lang=en#top`);
    expect(changes).toContainEqual(expect.objectContaining({ before: '&amp;', after: '&' }));
  });

  it.each([
    ['A', false],
    ['B', true],
  ])('keeps the value %s under the new name where both names are given', (value, conflicts) => {
    const url = `index.php?manuid=A&manufacturer=${value}`;
    expect(migrate(url, NEW).after).toBe(`${ENTRY}?manufacturer=${value}`);
    expect(codes(url).includes('CONFLICTING_PARAMETERS')).toBe(conflicts);
  });
});

describe('an address of v2', () => {
  it('gets the new base and nothing else', () => {
    const query = 'token=a%2Bb&manufacturer=ACME&permanentid=P&x=%FC&y=a+b&&z';
    const { from, after, changes } = migrate(`https://old.example/planning?${query}`, NEW);
    expect(from).toBe('v2');
    expect(after).toBe(`${ENTRY}?${query.replace('&&', '&')}`);
    expect(changes).toEqual([
      { before: 'https://old.example/planning', after: ENTRY, why: 'Spec 9.1, 9.4' },
    ]);
  });

  it('is left alone where it has the new base already', () => {
    const url = `${ENTRY}?token=T&&permanentid=P`;
    const unchanged = { from: 'v2.5', before: url, after: url, changes: [], hints: [] };
    expect(migrate(url, NEW)).toEqual(unchanged);
  });
});

describe('an address of the API', () => {
  const api = 'https://old.example/base/api';
  it('keeps its base and its reinitstring, and gets the new names', () => {
    const { after, from } = migrate(
      `${api}/odb.dll/odb/btg?manuid=A&finalartnmbr=F&reinitstring=R`,
    );
    expect(from).toBe('v1');
    expect(after).toBe(`${api}/odb.dll/odb/btg?manufacturer=A&finalarticlenumber=F&reinitstring=R`);
  });

  it('needs no frontend', () => {
    expect(migrate(`${api}/xcf.dll/xcf/getnodes?token=T`).from).toBe('v2.5');
  });

  it('says that the image is deprecated, and what articles calls a reinit string', () => {
    const image = migrate(`${api}/odb.dll/odb/articlesimage.jpg?token=T`).hints;
    expect(image).toEqual([expect.objectContaining({ code: 'IMAGE_DEPRECATED' })]);
    const articles = migrate(`${api}/ofml.dll/ofml/articles?reinitstring=R`).hints;
    expect(articles).toEqual([expect.objectContaining({ code: 'REINIT_OF_ARTICLES' })]);
  });
});

describe('hints', () => {
  const article = 'token=T&manufacturer=A&program=P&basearticlenumber=N';
  it.each<[string, string, string[]]>([
    ['ocdreinit alone: permanentid is preferred', `${article}&ocdreinit=R`, ['PREFER_PERMANENTID']],
    ['an empty ocdreinit is none', `${article}&ocdreinit=`, []],
    ['an article that is named whole', article, []],
    ['no token', 'permanentid=P', ['TOKEN_MISSING']],
    ['two modes', 'token=T&opencatalogue=true&disablecatalogue=true', ['TWO_MODES']],
    ['one mode switched off', 'token=T&opencatalogue=true&disablecatalogue=false', []],
    ['an article and a stored planning', `${article}&permanentid=P`, ['TWO_SUBJECTS']],
    ['half an article', 'token=T&manufacturer=A', ['ARTICLE_INCOMPLETE']],
    ['a login', 'token=T&username=u&password=p', ['CREDENTIALS_IN_URL']],
    ['an unknown parameter', 'token=T&utm=1', ['NOT_A_PLANNING_PARAMETER']],
    ['a parameter twice', 'token=T&lang=a&lang=b', ['REPEATED_PARAMETER']],
  ])('%s', (_, query, expected) => {
    expect(codes(`${ENTRY}?${query}`)).toEqual(expected);
  });

  it('depend on the page that was there', () => {
    const moved = 'https://old.example/planning?token=T&permanentid=P';
    expect(codes(moved)).toEqual(['PERMANENTID_OF_ITS_SYSTEM']);
    expect(codes('index.php?token=T&opencatalogue=true')).toEqual([]);
  });
});

describe('what is no address of the service', () => {
  it.each([
    '',
    'https://old.example/shop.html?manuid=A',
    'https://old.example/',
    'javascript:alert(1)',
    'file:///etc/index.php?manuid=A',
    'https://',
    'https://[/index.php',
  ])('%j is refused', (url) => {
    expect(() => migrate(url, NEW)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('is stated with its path, without its parameters, which may be secret', () => {
    expect(() => migrate('https://old.example/shop?token=T1', NEW)).toThrow(
      /received the path "\/shop"$/,
    );
  });

  it('needs a base where the page moves', () => {
    expect(() => migrate('index.php')).toThrow(/BTG2GLTF_FRONTEND_URL/);
  });
});

it('changes its own result no more, keeps every value but the case of two and leaves no old name', () => {
  const both = Object.entries(V1_NAMES).flat();
  const known = ['token', 'lang', 'permanentid', ...both];
  const value = fc.string({ maxLength: 20 }).map((text) => encodeURIComponent(text));
  // What `webQueryParameters` makes; that takes seconds to begin.
  const character = fc.constantFrom(..."abzABZ019-._~!$'()*+,;:@/?", '%20', '%C3%A4', '%00');
  const name = fc.array(character, { maxLength: 12 }).map((each) => each.join(''));
  const pair = fc.tuple(fc.oneof(fc.constantFrom(...known), name), value);
  const page = fc.constantFrom('index.php', 'article.php', 'planning', 'a/b/configurator.php');
  fc.assert(
    fc.property(page, fc.array(pair, { maxLength: 8 }), (path, pairs) => {
      const query = pairs.map(([name, text]) => `${name}=${text}`).join('&');
      const { after } = migrate(`https://old.example/${path}?${query}`, NEW);
      const again = migrate(after, NEW);
      expect(again).toMatchObject({ from: 'v2.5', after, changes: [] });
      const names = [...new URL(after).searchParams.keys()];
      expect(names.filter((name) => Object.hasOwn(V1_NAMES, name.toLowerCase()))).toEqual([]);
      for (const [name, text] of pairs) {
        if (Object.hasOwn(V1_NAMES, name)) continue;
        const isId = name === 'manufacturer' || name === 'program';
        const kept = isId ? encodeURIComponent(decodeURIComponent(text).toUpperCase()) : text;
        expect(after).toContain(`${name}=${kept}`.replaceAll('&amp;', '&'));
      }
    }),
    { seed: 93, numRuns: 100 },
  );
});
