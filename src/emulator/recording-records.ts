/**
 * Records: pairs of a request and its response, found again by what identifies the request.
 *
 * @see D-724 for the matching.
 */
import { join } from 'node:path';
import type { Json, Query } from '../sample/range.ts';
import { listFolder, readText } from '../support/files.ts';
import { memberText, spelledAs } from './json-text.ts';
import { expectObject, parseJson, recordingInvalid } from './recording-files.ts';

/** Parameters that identify a request of GET articles. */
export const ARTICLE_IDENTITY = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'varcode',
  'ocdreinitstring',
] as const;

/** Parameters that identify a request of GET btg. */
export const PARTS_LIST_IDENTITY = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'finalarticlenumber',
  'reinitstring',
  'metareinitstring',
] as const;

/** What identifies a changed property: the article before, by both its configurations, and the change. */
export const CHANGE_IDENTITY = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'ocdreinitstring',
  'proptype',
  'propclass',
  'prop',
  'newvalue',
  'metareinitstring',
] as const;

const CASELESS = ['manufacturer', 'program'];

/** The records of one operation. */
export interface Records {
  /** Response to a request that is identified alike. */
  find(query: Query): Json | undefined;
  /** All responses, in the order of their file names. */
  responses: Json[];
}

/**
 * Reads all records of one operation.
 *
 * A missing identity parameter equals an empty one, manufacturer and program are compared without
 * regard to case, everything else that a request holds is ignored. A response is sent as it is
 * spelled in its file. Where two records are identified
 * alike (recorded in two languages, say), the first by file name answers.
 *
 * @throws {@link ConverterError} `RECORDING_INVALID`, naming the file.
 */
export async function readRecords(folder: string, identity: readonly string[]): Promise<Records> {
  const byIdentity = new Map<string, Json>();
  const responses: Json[] = [];
  for (const file of await listFolder(folder)) {
    if (!file.endsWith('.json')) continue;
    const path = join(folder, file);
    const text = await readText(path);
    const record = expectObject(parseJson(text, path), path, 'record');
    const key = identityOf(requestOf(record, path), identity);
    const response = expectObject(record.response, path, 'response');
    spelledAs(response, memberText(text, 'response')!);
    responses.push(response);
    if (!byIdentity.has(key)) byIdentity.set(key, response);
  }
  return { find: (query) => byIdentity.get(identityOf(query, identity)), responses };
}

function requestOf(record: Json, path: string): Query {
  const request: Record<string, string> = {};
  for (const [name, value] of Object.entries(expectObject(record.request, path, 'request'))) {
    if (typeof value === 'object') {
      throw recordingInvalid(path, `request.${name}: expected a string, received an object`);
    }
    request[name] = String(value);
  }
  return request;
}

function identityOf(query: Query, identity: readonly string[]): string {
  return JSON.stringify(
    identity.map((name) => {
      const value = query[name] ?? '';
      return CASELESS.includes(name) ? value.toUpperCase() : value;
    }),
  );
}
