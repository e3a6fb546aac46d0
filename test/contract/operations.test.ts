/**
 * The tables of operations, the client's and the emulator's, against the specification: none missing, none
 * invented.
 *
 * The list is written out here, with the section of each; where the specification itself lies
 * beside the project, the list is compared with its text.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_ROUTES } from '../../src/emulator/routes-api.ts';
import { FRONTEND_ROUTES } from '../../src/emulator/routes-frontend.ts';
import { GROUPS, OPERATIONS } from '../../src/source/service/operations.ts';
import { specifiedOperations } from '../helpers/specified-operations.ts';

/** Section, method, group and path as the specification has them; `!` marks a required parameter. */
const SPECIFIED = [
  '4.1 GET auth /GetPublicKey/',
  '4.1 POST auth /%22GetSessionToken%22/ { User Password PublicKey RememberMe AppKey }',
  '4.2 GET xcf /getnodes ?token! profile parentnode lang langalt',
  '4.2 GET xcf /getnodesbreadcrumbs ?token! profile parentnode lang langalt',
  '4.2 GET xcf /ressources/<manufacturer_id>/<language>/<name> ?token!',
  '4.2 GET xcf /ressources/<manufacturer_id>/<series_id>/<language>/<name> ?token!',
  '4.2 GET xcf /ressource/<path> ?token!',
  '4.2 GET xcf /search/<manufacturer_id> ?token! q! lang langalt',
  '4.2 POST xcf /logout/<token>',
  '4.3 GET ofml /articles ?token! profile manufacturer! program! basearticlenumber! lang langalt currency varcode ocdreinitstring getallproperties',
  '4.3 POST ofml /articles ?token! manufacturer! program! basearticlenumber! ocdreinitstring { id rootid proptype propclass prop newvalue jsondata }',
  '4.3 GET ofml /preview/<MANUFACTURER>/<PROGRAM>/<NAME> ?token!',
  '4.3 POST ofml /reinit ?token! { json }',
  // Its call is not shown: this is our reading (D-782).
  '4.3 POST ofml /ocd/reinit ?token! manufacturer! program! basearticlenumber! ocdreinitstring!',
  '4.4 GET odb /btg ?token! profile manufacturer! program! basearticlenumber! finalarticlenumber! reinitstring metareinitstring',
  '4.4 GET odb /block/<BLOCKNAME> ?token!',
  '4.4 GET odb /materials/<manufacturer_id>/<material_name>.JPG ?token!',
  '4.4 POST odb /logout/<token>',
  '4.4 GET odb /articlesimage.jpg ?token! manufacturer! program! basearticlenumber! finalarticlenumber! reinitstring!',
];

/** The section of each group of operations. */
const SECTIONS: Readonly<Record<string, string>> = {
  auth: '4.1',
  xcf: '4.2',
  ofml: '4.3',
  odb: '4.4',
};

/** Only here do the languages come from the opening of section 4: D-781, D-782. */
const LANGUAGES_OF_SECTION_4: readonly string[] = ['changeProperty', 'restoreConfiguration'];

const withoutNames = (line: string) => line.replace(/<\w+>|\{\w+(?:\.\.\.)?\}(?=\/|\.| |$)/g, '<>');

describe('the table of operations', () => {
  it('lists the operations of the specification and no others', () => {
    const rows = Object.entries(OPERATIONS).map(([name, row]) => {
      const own = row.query
        .filter(
          (parameter) =>
            !LANGUAGES_OF_SECTION_4.includes(name) || !parameter.name.startsWith('lang'),
        )
        .map((parameter) => `${parameter.name}${parameter.required ? '!' : ''}`);
      const query = [...(row.token === 'query' ? ['token!'] : []), ...own];
      return [
        `${SECTIONS[row.group]} ${row.method} ${row.group} ${row.path}`,
        ...(query.length === 0 ? [] : [`?${query.join(' ')}`]),
        ...(row.body === undefined ? [] : [`{ ${row.body.join(' ')} }`]),
      ].join(' ');
    });
    expect(rows.map(withoutNames)).toEqual(SPECIFIED.map(withoutNames));
  });

  it('has for each group the base path of the specification', () => {
    expect(Object.entries(GROUPS).map(([name, { path }]) => `${name} ${path}`)).toEqual([
      'auth ',
      'xcf /api/xcf.dll/xcf',
      'ofml /api/ofml.dll/ofml',
      'odb /api/odb.dll/odb',
      // Not of section 4: where the values of `previewimage` lead (D-604).
      'ocd /api/ocd.dll',
    ]);
  });

  it('gives every operation but those of the login a token', () => {
    for (const { group, path, token } of Object.values(OPERATIONS)) {
      const expected = group === 'auth' ? 'none' : path.startsWith('/logout/') ? 'path' : 'query';
      expect(token).toBe(expected);
    }
  });

  it('has other addresses only for resources, previews and what the specification does not show', () => {
    const found = Object.entries(OPERATIONS).flatMap(([name, { others = [] }]) =>
      others.map(({ group, path }) => `${name} after ${GROUPS[group].path}${path}`),
    );
    expect(found).toEqual([
      'getManufacturerResource after /api/xcf.dll/xcf/ressource/{manufacturer}/{language}/{name}',
      'getSeriesResource after /api/xcf.dll/xcf/ressource/{manufacturer}/{program}/{language}/{name}',
      'getResource after /api/xcf.dll/xcf/ressources/{path...}',
      'getPreview after /api/ocd.dll/ocd/preview/{manufacturer}/{program}/{name}',
      'getPreview after /api/ocd.dll/preview/{manufacturer}/{program}/{name}',
      'restoreConfiguration after /api/ocd.dll/ocd/reinit',
      'restoreConfiguration after /api/ocd.dll/reinit',
    ]);
  });
});

describe('the emulator', () => {
  /** An operation as its table has it: without token and languages, which all operations take. */
  const shown = (method: string, group: string, path: string, parameters: readonly string[]) => {
    const known = parameters.filter((name) => !['token', 'lang', 'langalt'].includes(name));
    const segments = path
      .replace(/<\w+>(?:\.JPG)?|:\w+/g, '<>')
      .replace(/^(\/ressources?\/).*/, '$1*');
    return [`${method} ${group} ${segments}`, ...[...known].sort()].join(' ');
  };

  it('serves these operations with these parameters and no others', () => {
    const specified = SPECIFIED.map((line) => {
      const [, method, group, path] = line.split(' ') as [string, string, string, string];
      const query = /\?([^{]*)/.exec(line)?.[1]?.replaceAll('!', '').trim().split(' ') ?? [];
      return shown(method, group, path, query);
    }).filter((line) => !/^\w+ auth /.test(line));
    const { ocd: _, ...groups } = API_ROUTES;
    const served = Object.entries(groups).flatMap(([group, routes]) =>
      routes.map(({ method = 'GET', path, required = [], optional = [] }) =>
        shown(method, group, path, [...required, ...optional]),
      ),
    );
    expect(served.sort()).toEqual([...new Set(specified)].sort());
  });

  it('has the parameters of the planning page, and the final number of migrated addresses', () => {
    const [page] = FRONTEND_ROUTES;
    const specified =
      'manufacturer program basearticlenumber ocdreinit permanentid showprice disablecatalogue opencatalogue parentnode urlwarenkorb';
    const names = [...specified.split(' '), 'finalarticlenumber'];
    expect([...page!.optional!].sort()).toEqual(names.sort());
  });
});

const SPECIFICATION = new URL('../../../shared/spec/interface-specification.md', import.meta.url);

describe.skipIf(!existsSync(SPECIFICATION))('the text of the specification', () => {
  it('lists the same operations with the same parameters', () => {
    const read = specifiedOperations(readFileSync(SPECIFICATION, 'utf8'));
    const written = SPECIFIED.map((line) => {
      const [section, method, group, path] = line.split(' ') as [string, string, string, string];
      const query = /\?([^{]*)/.exec(line)?.[1]?.replaceAll('!', '').trim().split(' ') ?? [];
      const body = /\{ (.*) \}/.exec(line)?.[1]?.split(' ') ?? [];
      // Nothing but the name of this one is in the text.
      const parameters = path === '/ocd/reinit' ? [] : [...query, ...body];
      return { section, method, group, path, parameters: parameters.sort() };
    });
    const byName = (a: { section: string; path: string; method: string }, b: typeof a) =>
      `${a.section} ${a.path} ${a.method}` < `${b.section} ${b.path} ${b.method}` ? -1 : 1;
    expect(read.sort(byName)).toEqual(written.sort(byName));
  });
});
