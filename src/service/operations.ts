/**
 * Operations: the one table of what the service is asked and how its answers are read.
 *
 * In: nothing. Out: one row for each operation of the specification. A row is data: it must not
 * know of tokens, retries or connections. A new operation is one row here and one contract test.
 */
import { type Operation, optional, required, spell, type Values } from './operation.ts';
import { decodeArticle } from './wire-article.ts';
import { decodeFirstResult, decodeResults } from './wire-auth.ts';
import { decodeBlock } from './wire-block.ts';
import { decodeBreadcrumbs, decodeNodes } from './wire-catalogue.ts';
import { findBlockDrift } from './wire-drift-block.ts';
import { findPartsListDrift } from './wire-drift-parts-list.ts';
import { checkImage } from './wire-image.ts';
import { decodePartsList } from './wire-parts-list.ts';
import { decodePermanentId } from './wire-permanent-id.ts';
import { checkResource } from './wire-resource.ts';

const LANGUAGES = [optional('lang'), optional('langalt')] as const;
const ARTICLE = [
  required('manufacturer'),
  required('program'),
  required('basearticlenumber'),
] as const;

/** What most rows have in common. */
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
  spec: '4.1',
} as const;
/** Identifies an article, and one of its configurations with its parts list. */
const ARTICLE_ID = ['manufacturer', 'program', 'basearticlenumber'] as const;
const CONFIGURATION_ID = [
  ...ARTICLE_ID,
  'finalarticlenumber',
  'reinitstring',
  'metareinitstring',
] as const;

const FOLDER = {
  identity: ['parentnode'],
  group: 'xcf',
  missing: 'NODE_NOT_FOUND',
  missingMeans: 'the catalogue has no such folder',
  spec: '4.2',
} as const;
const RESOURCE = {
  ...GET,
  group: 'xcf',
  answer: 'binary',
  decode: checkResource,
  missing: 'RESOURCE_MISSING',
  missingMeans: 'the service has no such resource',
  spec: '4.2',
} as const;
const COMMERCIAL = {
  group: 'ofml',
  decode: decodeArticle,
  missing: 'ARTICLE_NOT_FOUND',
  missingMeans: 'the service knows no such article',
  spec: '4.3',
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
  missingMeans: 'the service knows no such session',
} as const;

/** The same resource in the other of the two spellings that the specification has. */
const spelled = (path: string) => ({ group: 'xcf', path, order: 'after' }) as const;

const ROWS = {
  getPublicKey: { ...GET, ...AUTH, path: '/GetPublicKey/', decode: decodeFirstResult },
  getSessionToken: {
    ...POST,
    ...AUTH,
    // The quotes belong to the name and stay encoded: D-601.
    path: '/%22GetSessionToken%22/',
    body: ['User', 'Password', 'PublicKey', 'RememberMe', 'AppKey'],
    decode: decodeResults,
  },
  getNodes: {
    ...GET,
    ...FOLDER,
    path: '/getnodes',
    query: [optional('profile'), optional('parentnode'), ...LANGUAGES],
    decode: decodeNodes,
  },
  getBreadcrumbs: {
    ...GET,
    ...FOLDER,
    path: '/getnodesbreadcrumbs',
    query: [optional('profile'), optional('parentnode'), ...LANGUAGES],
    decode: decodeBreadcrumbs,
  },
  getManufacturerResource: {
    ...RESOURCE,
    path: '/ressources/{manufacturer}/{language}/{name}',
    other: spelled('/ressource/{manufacturer}/{language}/{name}'),
    identity: ['manufacturer', 'language', 'name'],
  },
  getSeriesResource: {
    ...RESOURCE,
    path: '/ressources/{manufacturer}/{program}/{language}/{name}',
    other: spelled('/ressource/{manufacturer}/{program}/{language}/{name}'),
    identity: ['manufacturer', 'program', 'language', 'name'],
  },
  getResource: {
    ...RESOURCE,
    path: '/ressource/{path...}',
    other: spelled('/ressources/{path...}'),
    identity: ['path'],
  },
  search: {
    ...GET,
    ...FOLDER,
    path: '/search/{manufacturer}',
    query: [required('q', 'query'), ...LANGUAGES],
    upperCase: ['manufacturer'],
    decode: decodeNodes,
    missingMeans: 'the catalogue has no such manufacturer',
    identity: ['manufacturer', 'query'],
  },
  logoutCatalogue: { ...LOGOUT, group: 'xcf', spec: '4.2' },
  getArticle: {
    ...GET,
    ...COMMERCIAL,
    ...OF_ARTICLE,
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
    ...OF_ARTICLE,
    path: '/articles',
    // The languages stand in the opening of section 4, not in the list of this operation: D-781.
    query: [...ARTICLE, optional('ocdreinitstring', 'reinitstring'), ...LANGUAGES],
    body: ['id', 'rootid', 'proptype', 'propclass', 'prop', 'newvalue', 'jsondata'],
    refused: 'PROPERTY_VALUE_REFUSED',
    identity: [CONFIGURATION_ID, 'proptype', 'propclass', 'prop', 'newvalue'],
  },
  getPreview: {
    ...IMAGE,
    group: 'ofml',
    path: '/preview/{manufacturer}/{program}/{name}',
    other: { group: 'ocd', path: '/preview/{manufacturer}/{program}/{name}', order: 'before' },
    spec: '4.3',
    identity: ['manufacturer', 'program', 'name'],
  },
  storePlanning: {
    ...POST,
    ...COMMERCIAL,
    path: '/reinit',
    body: ['json'],
    answer: 'text',
    decode: decodePermanentId,
    missingMeans: 'the service knows no such article, or stores no plannings',
  },
  // Named by the specification, its call is not shown: not verified against a live service (D-782).
  restoreConfiguration: {
    ...POST,
    ...COMMERCIAL,
    ...OF_ARTICLE,
    path: '/ocd/reinit',
    other: { group: 'ocd', path: '/reinit', order: 'after' },
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
    decode(body, onDrift) {
      const partsList = decodePartsList(body);
      if (onDrift !== undefined) findPartsListDrift(body, onDrift);
      return partsList;
    },
    missing: 'ARTICLE_NOT_FOUND',
    missingMeans: 'the service has no parts list of this article',
    spec: '4.4',
    identity: CONFIGURATION_ID,
  },
  getBlock: {
    ...GET,
    group: 'odb',
    path: '/block/{name}',
    decode(body, onDrift) {
      const block = decodeBlock(body);
      if (onDrift !== undefined) findBlockDrift(body, onDrift);
      return block;
    },
    missing: 'BLOCK_MISSING',
    missingMeans: 'the service has no such block',
    spec: '4.4',
    identity: ['name'],
  },
  getMaterial: {
    ...IMAGE,
    group: 'odb',
    path: '/materials/{manufacturer}/{name}.JPG',
    spec: '4.4',
    identity: ['manufacturer', 'name'],
  },
  logoutGraphics: { ...LOGOUT, group: 'odb', spec: '4.4' },
  /** @deprecated The service may remove it in a later version (section 9, rule 6). */
  getArticleImage: {
    ...IMAGE,
    ...OF_ARTICLE,
    group: 'odb',
    path: '/articlesimage.jpg',
    query: [...ARTICLE, required('finalarticlenumber'), required('reinitstring')],
    spec: '4.4',
    identity: [...ARTICLE_ID, 'finalarticlenumber', 'reinitstring'],
  },
} as const satisfies Record<string, Operation<unknown>>;

/** Name of an operation. */
export type OperationName = keyof typeof ROWS;

/** What the decoder of an operation makes of its body. */
export type AnswerOf<Name extends OperationName> = ReturnType<(typeof ROWS)[Name]['decode']>;

/**
 * Every operation that the client can ask for.
 *
 * @see Spec 4.1 to 4.4.
 */
export const OPERATIONS: { readonly [Name in OperationName]: Operation<AnswerOf<Name>> } = ROWS;

/**
 * The key of a request: equal for requests that one service answers alike.
 *
 * @param values - By the names of the row's `identity`; one that is missing counts as empty.
 *
 * @example
 * ```ts
 * requestKey('search', { manufacturer: 'acme', query: "a'b" }); // → '["ACME","a\'b"]'
 * ```
 */
export function requestKey(name: OperationName, values: Values): string {
  return keyOf(OPERATIONS[name], OPERATIONS[name].identity, values);
}

function keyOf(
  operation: Operation<unknown>,
  identity: Operation<unknown>['identity'],
  values: Values,
): string {
  const parts = identity.map((part) =>
    typeof part === 'string'
      ? spell(operation, part, values[part])
      : keyOf(operation, part, values),
  );
  return JSON.stringify(parts);
}
