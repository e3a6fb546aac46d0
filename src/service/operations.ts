/**
 * Operations: the one table of what the service is asked and how its answers are read.
 *
 * In: nothing. Out: one row for each operation of the specification. A row is data: it must not
 * know of tokens, retries or connections. A new operation is one row here and one contract test.
 */
import type { ErrorCode } from '../support/errors.ts';
import { decodeArticle } from './wire-article.ts';
import { decodeFirstResult, decodeResults } from './wire-auth.ts';
import { decodeBlock } from './wire-block.ts';
import { decodeBreadcrumbs, decodeNodes } from './wire-catalogue.ts';
import { checkImage } from './wire-image.ts';
import { decodePartsList } from './wire-parts-list.ts';

/** Groups of operations that share a base path. */
export type Group = 'auth' | 'xcf' | 'ofml' | 'odb';

/** Base path of each group below its address. */
export const GROUPS: Readonly<Record<Group, { address: 'authUrl' | 'baseUrl'; path: string }>> = {
  auth: { address: 'authUrl', path: '' },
  xcf: { address: 'baseUrl', path: '/api/xcf.dll/xcf' },
  ofml: { address: 'baseUrl', path: '/api/ofml.dll/ofml' },
  odb: { address: 'baseUrl', path: '/api/odb.dll/odb' },
};

/** One query parameter of an operation. */
export interface QueryParameter {
  /** Its name on the wire. */
  name: string;
  /** Our name of the value, where it differs. */
  from?: string;
  /** A required one is sent even if it is empty, an optional one only if it holds something. */
  required: boolean;
}

/** One row of {@link OPERATIONS}. */
export interface Operation<Answer> {
  method: 'GET' | 'POST';
  group: Group;
  /** Path below the group's; each `{name}` stands for one encoded segment, all else is sent as it is. */
  path: string;
  /** Where the session token stands. */
  token: 'none' | 'query' | 'path';
  query: readonly QueryParameter[];
  /** Values that are identifiers: the service takes them in upper case. */
  upperCase: readonly string[];
  /** What is due: anything else may mean that the token has died. */
  answer: 'json' | 'image' | 'any';
  /** Checks and reads a complete body. */
  decode: (body: Uint8Array) => Answer;
  /** Code of a 404. */
  missing: ErrorCode;
  /** What a 404 means, as a sentence about the thing that was asked for. */
  missingMeans: string;
  /** Section of the specification. */
  spec: string;
}

const required = (name: string, from?: string): QueryParameter => parameter(name, from, true);
const optional = (name: string, from?: string): QueryParameter => parameter(name, from, false);

function parameter(name: string, from: string | undefined, isRequired: boolean): QueryParameter {
  return { name, required: isRequired, ...(from === undefined ? {} : { from }) };
}

const LANGUAGES = [optional('lang'), optional('langalt')] as const;
const ARTICLE = [
  required('manufacturer'),
  required('program'),
  required('basearticlenumber'),
] as const;
const ARTICLE_IDS = ['manufacturer', 'program'] as const;

const LOGOUT = {
  method: 'POST',
  path: '/logout/{token}',
  token: 'path',
  query: [],
  upperCase: [],
  answer: 'any',
  decode: () => undefined,
  missing: 'HTTP_STATUS',
  missingMeans: 'the service knows no such session',
} as const;

const ROWS = {
  getPublicKey: {
    method: 'GET',
    group: 'auth',
    path: '/GetPublicKey/',
    token: 'none',
    query: [],
    upperCase: [],
    answer: 'json',
    decode: decodeFirstResult,
    missing: 'AUTH_PROTOCOL',
    missingMeans: 'there is no authentication server at this address',
    spec: '4.1',
  },
  getSessionToken: {
    method: 'POST',
    group: 'auth',
    // The quotes belong to the name and stay encoded: D-601.
    path: '/%22GetSessionToken%22/',
    token: 'none',
    query: [],
    upperCase: [],
    answer: 'json',
    decode: decodeResults,
    missing: 'AUTH_PROTOCOL',
    missingMeans: 'there is no authentication server at this address',
    spec: '4.1',
  },
  getNodes: {
    method: 'GET',
    group: 'xcf',
    path: '/getnodes',
    token: 'query',
    query: [optional('profile'), optional('parentnode'), ...LANGUAGES],
    upperCase: [],
    answer: 'json',
    decode: decodeNodes,
    missing: 'NODE_NOT_FOUND',
    missingMeans: 'the catalogue has no such folder',
    spec: '4.2',
  },
  getBreadcrumbs: {
    method: 'GET',
    group: 'xcf',
    path: '/getnodesbreadcrumbs',
    token: 'query',
    query: [optional('profile'), optional('parentnode'), ...LANGUAGES],
    upperCase: [],
    answer: 'json',
    decode: decodeBreadcrumbs,
    missing: 'NODE_NOT_FOUND',
    missingMeans: 'the catalogue has no such folder',
    spec: '4.2',
  },
  search: {
    method: 'GET',
    group: 'xcf',
    path: '/search/{manufacturer}',
    token: 'query',
    query: [required('q', 'query'), ...LANGUAGES],
    upperCase: ['manufacturer'],
    answer: 'json',
    decode: decodeNodes,
    missing: 'NODE_NOT_FOUND',
    missingMeans: 'the catalogue has no such manufacturer',
    spec: '4.2',
  },
  logoutCatalogue: { ...LOGOUT, group: 'xcf', spec: '4.2' },
  getArticle: {
    method: 'GET',
    group: 'ofml',
    path: '/articles',
    token: 'query',
    query: [
      optional('profile'),
      ...ARTICLE,
      ...LANGUAGES,
      optional('currency'),
      optional('varcode'),
      optional('ocdreinitstring', 'reinitstring'),
      optional('getallproperties'),
    ],
    upperCase: ARTICLE_IDS,
    answer: 'json',
    decode: decodeArticle,
    missing: 'ARTICLE_NOT_FOUND',
    missingMeans: 'the service knows no such article',
    spec: '4.3',
  },
  getPartsList: {
    method: 'GET',
    group: 'odb',
    path: '/btg',
    token: 'query',
    query: [
      optional('profile'),
      ...ARTICLE,
      required('finalarticlenumber'),
      optional('reinitstring'),
      optional('metareinitstring'),
    ],
    upperCase: ARTICLE_IDS,
    answer: 'json',
    decode: decodePartsList,
    missing: 'ARTICLE_NOT_FOUND',
    missingMeans: 'the service has no parts list of this article',
    spec: '4.4',
  },
  getBlock: {
    method: 'GET',
    group: 'odb',
    path: '/block/{name}',
    token: 'query',
    query: [],
    upperCase: [],
    answer: 'json',
    decode: decodeBlock,
    missing: 'BLOCK_MISSING',
    missingMeans: 'the service has no such block',
    spec: '4.4',
  },
  getMaterial: {
    method: 'GET',
    group: 'odb',
    path: '/materials/{manufacturer}/{name}.JPG',
    token: 'query',
    query: [],
    upperCase: [],
    answer: 'image',
    decode: checkImage,
    missing: 'IMAGE_MISSING',
    missingMeans: 'the service has no such image',
    spec: '4.4',
  },
  logoutGraphics: { ...LOGOUT, group: 'odb', spec: '4.4' },
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
