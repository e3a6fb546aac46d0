/** The client, the fetcher and the logger with checks of their parameters, for programs without types. */
import { z } from 'zod';
import * as fetching from './source/fetch/fetch-article.ts';
import * as service from './source/service/client.ts';
import { OPERATIONS } from './source/service/operations.ts';
import * as log from './support/log.ts';
import { CHECKS, checked, checkParameters } from './support/parameters.ts';

const { string: TEXT, object: OBJECT, function: FUNCTION } = CHECKS;

/** The parameters of each method, in their order. */
const METHOD_CHECKS = {
  call: {
    name: z.custom(
      (name) => typeof name === 'string' && Object.hasOwn(OPERATIONS, name),
      'the name of an operation',
    ),
    values: OBJECT,
    options: OBJECT.optional(),
  },
  getNodes: { parentnode: TEXT },
  getBreadcrumbs: { parentnode: TEXT },
  search: { manufacturer: TEXT, query: TEXT },
  getArticle: { query: OBJECT },
  getPartsList: { key: OBJECT },
  getBlock: { requestName: TEXT },
  getMaterial: { manufacturer: TEXT, name: TEXT },
  getManufacturerResource: { manufacturer: TEXT, language: TEXT, name: TEXT },
  getSeriesResource: { manufacturer: TEXT, program: TEXT, language: TEXT, name: TEXT },
  getResource: { rescontent: TEXT },
  changeProperty: { configuration: OBJECT, change: OBJECT },
  getPreview: { previewimage: TEXT },
  restoreConfiguration: { configuration: OBJECT },
  getArticleImage: { key: OBJECT },
} as const satisfies Partial<
  Record<keyof service.ServiceClient, Readonly<Record<string, z.ZodType>>>
>;

/** Makes each method check its parameters first, for programs without types. */
function withChecks(client: service.ServiceClient): service.ServiceClient {
  const methods = Object.entries(METHOD_CHECKS).map(([name, checks]) => {
    const method = client[name as keyof typeof METHOD_CHECKS];
    return [name, checked(method, checks, { name, isAsync: true })];
  });
  return { ...client, ...Object.fromEntries(methods) };
}

/** Creates a client of a service. */
export function createClient(config: Parameters<typeof service.createClient>[0]) {
  checkParameters('createClient', config, OBJECT.extend({ now: FUNCTION, random: FUNCTION }), true);
  return withChecks(service.createClient(config));
}

/** Creates a fetcher of articles. */
export function createFetcher(options: fetching.FetcherOptions): fetching.Fetcher {
  const client = OBJECT.extend({ getArticle: FUNCTION });
  const schema = OBJECT.extend({ client, store: OBJECT, database: OBJECT });
  checkParameters('createFetcher', options, schema, true);
  return fetching.createFetcher(options);
}

/** Creates a logger. */
export async function createLogger(options: Parameters<typeof log.createLogger>[0]) {
  checkParameters('createLogger', options, OBJECT.extend({ sink: OBJECT, now: FUNCTION }), true);
  return log.createLogger(options);
}
