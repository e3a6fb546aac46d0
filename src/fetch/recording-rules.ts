/**
 * Recording rules: where in a recording the answer of each operation stands.
 *
 * In: what was asked. Out: the place of the answer. It must not read answers nor write files.
 */

import type { OperationName, Values } from '../service/operations.ts';

import { encodeFileName, sha256Hex } from '../support/files.ts';

/** How the answers of one operation are kept. */
export type RecordingRule =
  | {
      /** Not at all. */
      keep: 'nothing';
      why: string;
    }
  | {
      /** Among the listings of the catalogue, under an id. */
      keep: 'listing';
      id(values: Values): string;
    }
  | {
      /** As a pair of request and response. */
      keep: 'record';
      folder: string;
      /** Parameters that tell one record from another, as sent. */
      identity: readonly string[];
      /** Further ones, from the body that was sent. */
      more?(sent: unknown): Record<string, string>;
    }
  | {
      /** As it came. */
      keep: 'body';
      /** Whether it is text that may hold a secret. */
      json: boolean;
      folder: string;
      segments(values: Values): string[];
      suffix: string;
    };

const CHANGE = ['proptype', 'propclass', 'prop', 'newvalue'] as const;
const ARTICLE = ['manufacturer', 'program', 'basearticlenumber'] as const;

/** One row for every operation. */
export const RECORDING_RULES: { readonly [Name in OperationName]: RecordingRule } = {
  getPublicKey: { keep: 'nothing', why: 'replay has a key of its own' },
  getSessionToken: { keep: 'nothing', why: 'a token is a secret' },
  logoutCatalogue: { keep: 'nothing', why: 'its answer says nothing' },
  logoutGraphics: { keep: 'nothing', why: 'its answer says nothing' },
  getBreadcrumbs: { keep: 'nothing', why: 'replay knows the path from the listings' },
  storePlanning: {
    keep: 'nothing',
    why: 'no run asks for it; plannings stand by themselves: D-821',
  },
  restoreConfiguration: { keep: 'nothing', why: 'no run asks for it: D-782' },
  getArticleImage: { keep: 'nothing', why: 'deprecated, and no run asks for it' },
  getNodes: { keep: 'listing', id: ({ parentnode = '' }) => parentnode },
  // No folder has such an id: D-820.
  search: {
    keep: 'listing',
    id: ({ manufacturer = '', query = '' }) => `${manufacturer.toUpperCase()}${SEARCH}${query}`,
  },
  getArticle: {
    keep: 'record',
    folder: 'ofml/articles',
    identity: [...ARTICLE, 'varcode', 'ocdreinitstring'],
  },
  changeProperty: {
    keep: 'record',
    folder: 'ofml/changes',
    identity: [...ARTICLE, 'ocdreinitstring', ...CHANGE, 'metareinitstring'],
    more: changeOf,
  },
  getPartsList: {
    keep: 'record',
    folder: 'odb/btg',
    identity: [...ARTICLE, 'finalarticlenumber', 'reinitstring', 'metareinitstring'],
  },
  getBlock: {
    keep: 'body',
    json: true,
    folder: 'odb/block',
    segments: ({ name = '' }) => blockSegments(name),
    suffix: '.json',
  },
  getMaterial: {
    keep: 'body',
    json: false,
    folder: 'odb/materials',
    segments: ({ manufacturer = '', name = '' }) => [manufacturer, name],
    suffix: '.JPG',
  },
  getManufacturerResource: resource(({ manufacturer = '', language = '', name = '' }) => [
    manufacturer,
    language,
    name,
  ]),
  getSeriesResource: resource(({ manufacturer = '', program = '', language = '', name = '' }) => [
    manufacturer,
    program,
    language,
    name,
  ]),
  getResource: resource(({ path = '' }) => path.split('/')),
  getPreview: {
    keep: 'body',
    json: false,
    folder: 'ocd/preview',
    segments: ({ manufacturer = '', program = '', name = '' }) => [manufacturer, program, name],
    suffix: '',
  },
};

function resource(segments: (values: Values) => string[]): RecordingRule {
  return { keep: 'body', json: false, folder: 'xcf/ressource', segments, suffix: '' };
}

/** What is changed, and the meta configuration of the article before; all of that article is too much. */
function changeOf(sent: unknown): Record<string, string> {
  const { jsondata, ...change } = sent as Record<string, unknown>;
  const { reinit } = (jsondata ?? {}) as { reinit?: unknown };
  const named = CHANGE.map((name) => [name, String(change[name] ?? '')]);
  return { ...Object.fromEntries(named), metareinitstring: String(reinit ?? '') };
}

const SEARCH = ';SEARCH;';

/** Whether a listing is what a search found, and no folder. */
export function isSearchListing(id: string): boolean {
  return id.includes(SEARCH);
}

/**
 * The file of a record: readable, and a digest of all that identifies it.
 *
 * @param query - Parameters as sent.
 *
 * @example
 * ```ts
 * recordFile(['manufacturer', …], { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' });
 * // → 'ACME_DESK_D1~6d0d9b2a54a3a8c1.json'
 * ```
 */
export function recordFile(
  identity: readonly string[],
  query: Readonly<Record<string, string>>,
): string {
  const values = identity.map((name) => query[name] ?? '');
  const readable = ARTICLE.map((name) => query[name] ?? '').join('_');
  return `${encodeFileName(readable)}~${sha256Hex(JSON.stringify(values)).slice(0, 16)}.json`;
}

/** Manufacturer, program, and the name itself, which may hold the separator. */
function blockSegments(blockName: string): string[] {
  const [manufacturer = '', program = '', ...name] = blockName.split('::');
  return [manufacturer, program, name.join('::')];
}
