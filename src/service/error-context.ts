/**
 * Error context: says where an error happened, in terms of what was asked for.
 *
 * In: an error of an attempt. Out: one with operation, article and address, without secrets.
 */
import { articleLabel } from '../model/configuration-id.ts';
import { ConverterError, type ErrorCode, isConverterError } from '../support/errors.ts';
import { operationAt, type Place } from './elsewhere.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import { type Addresses, shownUrl, type Values } from './target.ts';

/** What is asked for, for error messages. */
export interface Subject {
  /** `MANUFACTURER/PROGRAM/base number` where it is an article. */
  article?: string;
  /** Name of whatever else it is. */
  name?: string;
}

/** What an error happened to. */
export interface Occasion {
  name: OperationName;
  values: Values;
  place: Place;
  subject: Subject;
  addresses: Addresses;
  /** Taken out of what the service may have said; empty where there is none. */
  username: string;
}

/** What the session and the breaker say concerns the whole run, not this request. */
const OF_THE_RUN: readonly ErrorCode[] = ['SERVICE_UNREACHABLE', 'SERVICE_GONE', 'INTERRUPTED'];

/** Says where an error happened; one that says so already stays as it is. */
export function withContext(error: unknown, occasion: Occasion): unknown {
  if (!isConverterError(error) || error.operation !== undefined) return error;
  const { name, values, place, subject, addresses, username } = occasion;
  if (name === 'getNodes' && (values.parentnode ?? '') === '' && error.code === 'NODE_NOT_FOUND') {
    return noCatalogue(error, addresses);
  }
  const { code, status, cause } = error;
  const what = subject.article ?? subject.name ?? '';
  const where = what === '' ? name : `${name} ${what}`;
  const url = shownUrl(operationAt(OPERATIONS[name], place), values, addresses);
  const message = username === '' ? error.message : error.message.replaceAll(username, '***');
  return new ConverterError(code, OF_THE_RUN.includes(code) ? message : `${where}: ${message}`, {
    operation: name,
    cause,
    ...(url === undefined ? {} : { url }),
    ...(subject.article === undefined ? {} : { article: subject.article }),
    ...(status === undefined ? {} : { status }),
  });
}

/** The top of the catalogue is always there: where it is not, it is the address that is wrong. */
function noCatalogue({ status = 404, cause }: ConverterError, { baseUrl }: Addresses) {
  const { origin, path } = baseUrl;
  const where = new URL(origin).host;
  const message = `${where} has no catalogue at this address (status ${status}): is BTG2GLTF_BASE_URL (service.baseUrl) right?`;
  const context = { operation: 'getNodes', url: `${origin}${path}`, cause, status };
  return new ConverterError('SERVICE_UNREACHABLE', message, context);
}

/** What a request is about: an article, or else what identifies it. */
export function subjectOf(name: OperationName, values: Values): Subject {
  const { manufacturer = '', program = '', basearticlenumber, parentnode } = values;
  if (basearticlenumber !== undefined) {
    return { article: articleLabel({ manufacturer, program, basearticlenumber }) };
  }
  if (parentnode === '') return { name: 'the root' };
  return { name: OPERATIONS[name].identity.map((part) => values[String(part)]).join('/') };
}
