/**
 * Fetch an article: all that the service says about one configuration, as a snapshot.
 *
 * In: what a user asks for. Out: the article as resolved, its parts list, blocks and images by digest.
 * It must not know how any of it will be converted: what is missing is said, never judged.
 */
import type { Article, ArticleKey, ArticleRequest } from '../model/article.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import type { PartsList } from '../model/graphics.ts';
import type { ArticleSnapshot, Digest, Fetched, Warning } from '../model/snapshot.ts';
import { decodeArticle } from '../service/wire-article.ts';
import { decodeNodes } from '../service/wire-catalogue.ts';
import { imageReferences } from '../service/wire-material.ts';
import { decodePartsList } from '../service/wire-parts-list.ts';
import { ConverterError } from '../support/errors.ts';
import { blockRequests, manufacturersOf } from './block-requests.ts';
import { missingBecause } from './failures.ts';
import { locateImage } from './image-location.ts';
import {
  createRecall,
  digestOf,
  type RecallCount,
  type RecallOptions,
  type Wanted,
} from './recall.ts';
import { joinKey, requestKey } from './request-key.ts';
import { resolveKey } from './resolve-key.ts';
import { encodeNodes } from './search-body.ts';
import type { CatalogueReader } from './select-articles.ts';
import { recordOf } from './snapshot-record.ts';

/** What a fetcher works with. */
export interface FetcherOptions extends RecallOptions {
  /** How an image reference becomes a place to ask. @defaultValue `{manufacturer}/{name}` */
  imageLocation?: string;
}

/** An article as the service resolved it. */
export interface ResolvedArticle {
  key: ArticleKey;
  article: Article;
  /** Body of GET articles. */
  articleDigest: Digest;
  warnings: Warning[];
}

/** Fetches articles of one run; each body is asked for once, whoever needs it. */
export interface Fetcher extends CatalogueReader {
  /**
   * Asks who an article is: numbers and configuration strings as the service resolves them.
   *
   * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`; `ARTICLE_REPORTED` for one with a dump and without usable
   *   commercial data; what the client throws.
   */
  resolve(request: ArticleRequest): Promise<ResolvedArticle>;
  /**
   * Fetches all that an article is made of, and remembers it for a build without a network.
   *
   * A block or image that is not there, or cannot be had, is `{ missing }` in the snapshot.
   *
   * @throws as {@link resolve}, and `PARTS_LIST_INVALID`; every code that ends a run.
   */
  fetch(request: ArticleRequest): Promise<ArticleSnapshot>;
  /** How often each operation was asked for, remembered and shared. */
  readonly counts: ReadonlyMap<string, Readonly<RecallCount>>;
}

/**
 * Creates the fetcher of one run.
 *
 * @example
 * ```ts
 * const fetcher = createFetcher({ client, store, state, now: Date.now() });
 * const snapshot = await fetcher.fetch({ manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1', … });
 * snapshot.blocks.get('ACME::DESK::LEG');   // → { digest: '5f2c…', bytes: 13877 }
 * ```
 *
 * @see Spec 2.2 to 2.4, 4.3, 4.4; D-111, D-550, D-611, D-613, D-614.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { client, store, state } = options;
  const service = options.service ?? client.id;
  const { recall, topNodes, counts } = createRecall(options);

  /** Recalls a body and decodes it; one that was just received need not be decoded again. */
  const read = async <T>(
    wanted: Omit<Wanted, 'send'>,
    send: () => Promise<{ answer: T; body: Awaited<ReturnType<Wanted['send']>> }>,
    decode: (bytes: Uint8Array) => T,
  ): Promise<{ answer: T; digest: Digest }> => {
    let answer: T | undefined;
    const fetched = await recall({
      ...wanted,
      send: async () => {
        const received = await send();
        answer = received.answer;
        return received.body;
      },
    });
    const digest = digestOf(fetched);
    return { answer: answer ?? decode(await store.get(digest)), digest };
  };

  const nodes = async (parentnode: string, manufacturer: string): Promise<CatalogueNode[]> => {
    if (parentnode === '') return topNodes();
    const send = async () => {
      const { nodes: answer, ...body } = await client.getNodes(parentnode);
      return { answer, body };
    };
    const subject = `catalogue folder ${parentnode}`;
    const request = joinKey(parentnode);
    const wanted = { operation: 'getNodes', request, subject, manufacturer } as const;
    return (await read(wanted, send, decodeNodes)).answer;
  };

  const search = async (manufacturer: string, query: string): Promise<CatalogueNode[]> => {
    const send = async () => {
      const answer = await client.search(manufacturer, query);
      return { answer, body: { bytes: encodeNodes(answer), etag: '', lastModified: '' } };
    };
    const subject = `search of ${manufacturer} for ${JSON.stringify(query)}`;
    const request = joinKey(manufacturer.toUpperCase(), query);
    const wanted = { operation: 'search', request, subject, manufacturer } as const;
    return (await read(wanted, send, decodeNodes)).answer;
  };

  const readArticle = (request: ArticleRequest, varcode = '') => {
    const { manufacturer, program, basearticlenumber, reinitstring } = request;
    const query = { manufacturer, program, basearticlenumber, reinitstring, varcode };
    const send = async () => {
      const { article: answer, ...body } = await client.getArticle(query);
      return { answer, body };
    };
    const wanted = {
      operation: 'getArticle',
      request: joinKey(manufacturer, program, basearticlenumber, reinitstring, varcode),
      subject: `article ${nameOf(request)}`,
      manufacturer,
    } as const;
    return read(wanted, send, decodeArticle);
  };

  const resolve = async (asked: ArticleRequest): Promise<ResolvedArticle> => {
    const request = withUpperCaseIds(asked);
    let { answer: article, digest } = await readArticle(request);
    if (isAnotherVariant(request, article)) {
      // Without a configuration string the variant code is the only way to name a configuration.
      ({ answer: article, digest } = await readArticle(request, request.finalarticlenumber));
    }
    return { ...resolveKey(request, article), article, articleDigest: digest };
  };

  const readPartsList = (key: ArticleKey) => {
    // The final number is required, even where the article has none: then the base number is it.
    const finalarticlenumber = key.finalarticlenumber || key.basearticlenumber;
    const send = async () => {
      const { partsList, ...body } = await client.getPartsList({ ...key, finalarticlenumber });
      return { answer: partsList, body };
    };
    const wanted = {
      operation: 'getPartsList',
      request: requestKey(key),
      subject: `parts list of ${nameOf(key)}`,
      manufacturer: key.manufacturer,
    } as const;
    return read<PartsList>(wanted, send, decodePartsList);
  };

  const fetchBlock = (request: string, manufacturer: string, vouchedBy: string) => {
    const subject = `block ${request}`;
    return orMissing(subject, () =>
      recall({
        operation: 'getBlock',
        request: joinKey(request),
        subject,
        manufacturer,
        vouchedBy,
        missing: 'BLOCK_MISSING',
        send: () => client.getBlock(request),
      }),
    );
  };

  const fetchImage = (reference: string, key: ArticleKey, blockManufacturers: string[]) => {
    const context = { manufacturer: key.manufacturer, blockManufacturers };
    return orMissing(`image ${reference}`, async () => {
      let first: Fetched | undefined;
      for (const { manufacturer, name } of locateImage(reference, context, options.imageLocation)) {
        const fetched = await recall({
          operation: 'getMaterial',
          request: joinKey(manufacturer, name),
          subject: `image ${manufacturer}/${name}`,
          manufacturer,
          vouchedBy: key.manufacturer,
          missing: 'IMAGE_MISSING',
          send: () => client.getMaterial(manufacturer, name),
        });
        if ('digest' in fetched) return fetched;
        first ??= fetched;
      }
      return first!;
    });
  };

  const fetch = async (request: ArticleRequest): Promise<ArticleSnapshot> => {
    const { key, article, articleDigest, warnings } = await resolve(request);
    const { answer: partsList, digest } = await readPartsList(key);
    const wanted = blockRequests(partsList, key.manufacturer);
    const owners = manufacturersOf(wanted.requests);
    const [blocks, images] = await Promise.all([
      fetchEach(wanted.requests.keys(), (name) => {
        const block = wanted.requests.get(name)!;
        return fetchBlock(block.request, block.manufacturer, key.manufacturer);
      }),
      fetchEach(imageReferences(partsList), (reference) => fetchImage(reference, key, owners)),
    ]);
    const snapshot: ArticleSnapshot = {
      key,
      article,
      partsList: digest,
      blocks,
      images,
      warnings: [...warnings, ...wanted.warnings],
    };
    state.snapshots.put(service, requestKey(request), recordOf(snapshot, articleDigest));
    return snapshot;
  };

  return { nodes, search, resolve, fetch, counts };
}

/** Fetches all of a kind at once; the result is sorted by name, whatever came first. */
async function fetchEach(
  names: Iterable<string>,
  fetchOne: (name: string) => Promise<Fetched>,
): Promise<Map<string, Fetched>> {
  const sorted = [...names].sort();
  const fetched = await Promise.all(sorted.map(fetchOne));
  return new Map(sorted.map((name, index) => [name, fetched[index]!]));
}

/** What cannot be had is missing, with its reason, unless the reason ends the run. */
async function orMissing(subject: string, work: () => Promise<Fetched>): Promise<Fetched> {
  try {
    return await work();
  } catch (error) {
    return { missing: missingBecause(error, subject) };
  }
}

/** Whether the default configuration came although a final number of another was asked for. */
function isAnotherVariant(request: ArticleRequest, { ocd }: Article): boolean {
  if (request.finalarticlenumber === '' || request.reinitstring !== '') return false;
  return ocd !== undefined && ocd.finalarticlenumber !== request.finalarticlenumber;
}

function withUpperCaseIds(request: ArticleRequest): ArticleRequest {
  const { manufacturer, program } = request;
  if (manufacturer === '' || program === '' || request.basearticlenumber === '') {
    const message = `${nameOf(request)}: expected manufacturer, program and base article number`;
    throw new ConverterError('ARTICLE_NOT_FOUND', message, { article: nameOf(request) });
  }
  return { ...request, manufacturer: manufacturer.toUpperCase(), program: program.toUpperCase() };
}

function nameOf({ manufacturer, program, basearticlenumber }: ArticleRequest): string {
  return `${manufacturer}/${program}/${basearticlenumber}`;
}
