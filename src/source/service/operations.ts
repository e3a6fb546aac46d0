/** The table of operations: the address of each, what identifies a request, and how its answer is decoded. */

import { decodeArticleAnswer } from '../../convert/wire/article.ts';
import { decodeBlock } from '../../convert/wire/block.ts';
import { decodeBreadcrumbs, decodeNodes } from '../../convert/wire/catalogue.ts';
import type { Drift } from '../../convert/wire/fields.ts';
import { decodePartsList } from '../../convert/wire/parts-list.ts';
import { checkImage } from '../../convert/wire/resource.ts';
import { decodePermanentId, decodeResults } from '../../convert/wire/value.ts';
import { ID_FIELDS } from '../../model/configuration-id.ts';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';

/** Groups of operations that share a base path below their address: sections 4.1 to 4.4 of the specification. */
export const GROUPS = {
  auth: { address: 'authUrl', path: '' },
  xcf: { address: 'baseUrl', path: '/api/xcf.dll/xcf' },
  ofml: { address: 'baseUrl', path: '/api/ofml.dll/ofml' },
  odb: { address: 'baseUrl', path: '/api/odb.dll/odb' },
  // The specification has no such group: the values of `previewimage` lead there (D-604).
  ocd: { address: 'baseUrl', path: '/api/ocd.dll' },
} as const satisfies Record<string, { address: 'authUrl' | 'baseUrl'; path: string }>;

type Group = keyof typeof GROUPS;

/** A query parameter: its name on the wire, the name of its value, and whether it is sent even if empty. */
type QueryParameter = { name: string; from: string; required: boolean };

/** One row of the table of operations. */
export interface Operation<Answer> {
  method: 'GET' | 'POST';
  group: Group;
  /** Path below the group's: `{name}` is one encoded segment, `{name...}` several, the rest is sent unchanged. */
  path: string;
  /** Other addresses of the same resource, tried in this order after the row's own (D-780). */
  others?: readonly { group: Group; path: string }[];
  token: 'none' | 'query' | 'path';
  query: readonly QueryParameter[];
  /** Fields of the JSON body, all of them sent; undefined if there is no body. */
  body?: readonly string[];
  /** Values that are identifiers: the service takes them in upper case. */
  upperCase: readonly string[];
  /** Names of the values that identify a request, see `requestKey`; a nested list is one part of the key. */
  identity: readonly (string | readonly string[])[];
  /** Expected kind of answer: any other answer may mean that the token has died. */
  answer: 'json' | 'image' | 'text' | 'binary' | 'any';
  decode: (body: Uint8Array, onDrift?: (drift: Drift) => void) => Answer;
  /** Code of a 404. */
  missing: ErrorCode;
  /** What a 404 means, as a sentence. */
  missingMeans: string;
  /** Code of a 422, if the service may refuse the sent values. */
  refused?: ErrorCode;
}

/** Named values of an operation: parameters, path segments and other values that identify a request. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Spells a value as it is sent. */
export function spell({ upperCase }: Operation<unknown>, name: string, value = ''): string {
  return upperCase.includes(name) ? value.toUpperCase() : value;
}

const required = (name: string, from = name): QueryParameter => ({ name, from, required: true });
const optional = (name: string, from = name): QueryParameter => ({ name, from, required: false });

const LANGUAGES = [optional('lang'), optional('langalt')] as const;
const ARTICLE_ID = ['manufacturer', 'program', 'basearticlenumber'] as const;
const ARTICLE = ARTICLE_ID.map((name) => required(name));

const GET = {
  method: 'GET',
  token: 'query',
  query: [],
  upperCase: [],
  identity: [],
  answer: 'json',
} as const;
const POST = { ...GET, method: 'POST' } as const;
const OF_ARTICLE = { upperCase: ['manufacturer', 'program'] } as const;

const AUTH = {
  group: 'auth',
  token: 'none',
  missing: 'AUTH_PROTOCOL',
  missingMeans: 'there is no authentication server at this address',
} as const;
const FOLDER = {
  ...GET,
  group: 'xcf',
  query: [optional('profile'), optional('parentnode'), ...LANGUAGES],
  identity: ['parentnode'],
  missing: 'NODE_NOT_FOUND',
  missingMeans: 'the catalogue has no such folder',
} as const;
const RESOURCE = {
  ...GET,
  group: 'xcf',
  answer: 'binary',
  decode: sizeOf,
  missing: 'RESOURCE_MISSING',
  missingMeans: 'the service has no such resource',
} as const;
const COMMERCIAL = {
  group: 'ofml',
  ...OF_ARTICLE,
  decode: decodeArticleAnswer,
  missing: 'ARTICLE_NOT_FOUND',
  missingMeans: 'the service has no such article',
} as const;
const IMAGE = {
  ...GET,
  answer: 'image',
  decode: checkImage,
  missing: 'IMAGE_MISSING',
  missingMeans: 'the service has no such image',
} as const;
const LOGOUT = {
  ...POST,
  path: '/logout/{token}',
  token: 'path',
  answer: 'any',
  decode: () => undefined,
  missing: 'HTTP_STATUS',
  missingMeans: 'the service has no such session',
} as const;

const PREVIEW_PATH = '/preview/{manufacturer}/{program}/{name}';

/** Other addresses, besides the article group, of values that begin with `ocd/` (D-604). */
const inGroupOcd = (path: string) =>
  [
    { group: 'ocd', path: `/ocd${path}` },
    { group: 'ocd', path },
  ] as const;

/** The same resource in the other of the two spellings in the specification. */
const spelled = (path: string) => [{ group: 'xcf', path }] as const;

const ROWS = {
  getPublicKey: {
    ...GET,
    ...AUTH,
    path: '/GetPublicKey/',
    decode: (body: Uint8Array) => decodeResults(body)[0] ?? '',
  },
  getSessionToken: {
    ...POST,
    ...AUTH,
    // The quotes belong to the name and stay encoded: D-601.
    path: '/%22GetSessionToken%22/',
    body: ['User', 'Password', 'PublicKey', 'RememberMe', 'AppKey'],
    decode: decodeResults,
  },
  getNodes: { ...FOLDER, path: '/getnodes', decode: decodeNodes },
  getBreadcrumbs: { ...FOLDER, path: '/getnodesbreadcrumbs', decode: decodeBreadcrumbs },
  getManufacturerResource: {
    ...RESOURCE,
    path: '/ressources/{manufacturer}/{language}/{name}',
    others: spelled('/ressource/{manufacturer}/{language}/{name}'),
    identity: ['manufacturer', 'language', 'name'],
  },
  getSeriesResource: {
    ...RESOURCE,
    path: '/ressources/{manufacturer}/{program}/{language}/{name}',
    others: spelled('/ressource/{manufacturer}/{program}/{language}/{name}'),
    identity: ['manufacturer', 'program', 'language', 'name'],
  },
  getResource: {
    ...RESOURCE,
    path: '/ressource/{path...}',
    others: spelled('/ressources/{path...}'),
    identity: ['path'],
  },
  search: {
    ...FOLDER,
    path: '/search/{manufacturer}',
    query: [required('q', 'query'), ...LANGUAGES],
    upperCase: ['manufacturer'],
    decode: decodeNodes,
    missingMeans: 'the catalogue has no such manufacturer',
    identity: ['manufacturer', 'query'],
  },
  logoutCatalogue: { ...LOGOUT, group: 'xcf' },
  getArticle: {
    ...GET,
    ...COMMERCIAL,
    path: '/articles',
    query: [
      optional('profile'),
      ...ARTICLE,
      ...LANGUAGES,
      optional('currency'),
      optional('varcode'),
      optional('ocdreinitstring', 'reinitstring'),
      optional('getallproperties'),
    ],
    identity: [...ARTICLE_ID, 'reinitstring', 'varcode'],
  },
  changeProperty: {
    ...POST,
    ...COMMERCIAL,
    path: '/articles',
    // The opening of section 4 names the languages, but the list of this operation does not: D-781.
    query: [...ARTICLE, optional('ocdreinitstring', 'reinitstring'), ...LANGUAGES],
    body: ['id', 'rootid', 'proptype', 'propclass', 'prop', 'newvalue', 'jsondata'],
    refused: 'PROPERTY_VALUE_REFUSED',
    identity: [ID_FIELDS, 'proptype', 'propclass', 'prop', 'newvalue'],
  },
  getPreview: {
    ...IMAGE,
    group: 'ofml',
    path: PREVIEW_PATH,
    others: inGroupOcd(PREVIEW_PATH),
    identity: ['manufacturer', 'program', 'name'],
  },
  storePlanning: {
    ...POST,
    ...COMMERCIAL,
    path: '/reinit',
    body: ['json'],
    answer: 'text',
    decode: decodePermanentId,
    missingMeans: 'the service has no such article, or stores no plannings',
  },
  // The specification names the operation but does not show its call: not verified against a live service (D-782).
  restoreConfiguration: {
    ...POST,
    ...COMMERCIAL,
    path: '/ocd/reinit',
    others: inGroupOcd('/reinit'),
    query: [...ARTICLE, required('ocdreinitstring', 'reinitstring'), ...LANGUAGES],
    identity: [...ARTICLE_ID, 'reinitstring'],
  },
  getPartsList: {
    ...GET,
    ...OF_ARTICLE,
    group: 'odb',
    path: '/btg',
    query: [
      optional('profile'),
      ...ARTICLE,
      required('finalarticlenumber'),
      optional('reinitstring'),
      optional('metareinitstring'),
    ],
    decode: decodePartsList,
    missing: 'ARTICLE_NOT_FOUND',
    missingMeans: 'the service has no parts list of this article',
    identity: ID_FIELDS,
  },
  getBlock: {
    ...GET,
    group: 'odb',
    path: '/block/{name}',
    decode: decodeBlock,
    missing: 'BLOCK_MISSING',
    missingMeans: 'the service has no such block',
    identity: ['name'],
  },
  getMaterial: {
    ...IMAGE,
    group: 'odb',
    path: '/materials/{manufacturer}/{name}.JPG',
    identity: ['manufacturer', 'name'],
  },
  logoutGraphics: { ...LOGOUT, group: 'odb' },
  /** @deprecated The service may remove it in a later version (section 9, rule 6). */
  getArticleImage: {
    ...IMAGE,
    ...OF_ARTICLE,
    group: 'odb',
    path: '/articlesimage.jpg',
    query: [...ARTICLE, required('finalarticlenumber'), required('reinitstring')],
    identity: [...ARTICLE_ID, 'finalarticlenumber', 'reinitstring'],
  },
} as const satisfies Record<string, Operation<unknown>>;

function sizeOf(body: Uint8Array): number {
  if (body.length > 0) return body.length;
  throw new ConverterError('RESPONSE_INVALID', 'expected a resource, received nothing');
}

export type OperationName = keyof typeof ROWS;

/** The value that the decoder of an operation makes of its body. */
export type AnswerOf<Name extends OperationName> = ReturnType<(typeof ROWS)[Name]['decode']>;

/** Every operation of the service. See spec 4.1 to 4.4. */
export const OPERATIONS: { readonly [Name in OperationName]: Operation<AnswerOf<Name>> } = ROWS;

/**
 * The key of a request, equal for requests that one service answers alike. A missing value counts as empty.
 *
 * @example `requestKey('search', { manufacturer: 'acme', query: "a'b" }); // → '["ACME","a\'b"]'`
 */
export function requestKey(name: OperationName, values: Values): string {
  const operation = OPERATIONS[name];
  const keyOf = (identity: Operation<unknown>['identity']): string => {
    const parts = identity.map((part) =>
      typeof part === 'string' ? spell(operation, part, values[part]) : keyOf(part),
    );
    return JSON.stringify(parts);
  };
  return keyOf(operation.identity);
}
