import { expect, it } from 'vitest';
import { GROUPS, OPERATIONS } from '../../src/service/operations.ts';

/** Method, path and required parameters (but for the token) as the specification lists them. */
const SPECIFIED = [
  'GET auth /GetPublicKey/',
  'POST auth /%22GetSessionToken%22/',
  'GET xcf /getnodes',
  'GET xcf /getnodesbreadcrumbs',
  'GET xcf /search/{manufacturer} q',
  'POST xcf /logout/{token}',
  'GET ofml /articles manufacturer program basearticlenumber',
  'GET odb /btg manufacturer program basearticlenumber finalarticlenumber',
  'GET odb /block/{name}',
  'GET odb /materials/{manufacturer}/{name}.JPG',
  'POST odb /logout/{token}',
];

it('the table holds each operation as the specification lists it', () => {
  const rows = Object.values(OPERATIONS).map(({ method, group, path, query }) => {
    const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
    return [method, group, path, ...required].join(' ');
  });
  expect(rows).toEqual(SPECIFIED);
});

it('each group has the base path of the specification', () => {
  expect(Object.entries(GROUPS).map(([name, { path }]) => `${name} ${path}`)).toEqual([
    'auth ',
    'xcf /api/xcf.dll/xcf',
    'ofml /api/ofml.dll/ofml',
    'odb /api/odb.dll/odb',
  ]);
});

it('every operation but those of the login carries a token', () => {
  for (const { group, path, token } of Object.values(OPERATIONS)) {
    const expected = group === 'auth' ? 'none' : path.startsWith('/logout/') ? 'path' : 'query';
    expect(token).toBe(expected);
  }
});
