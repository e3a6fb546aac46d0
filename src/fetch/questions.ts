/**
 * Questions: the operations of the service as fetch asks them, each through recall.
 *
 * In: what is wanted, in the model's terms. Out: decoded answers, or bodies by digest.
 * It must not know why a question is asked nor what follows from its answer.
 */

import type { Wanted } from '../cache/cacheable-request.ts';
import { missingBecause } from '../cache/missing-body.ts';
import {
  type Answer,
  answering,
  type Decode,
  readAnswer,
  type Send,
} from '../cache/read-answer.ts';
import { joinKey } from '../cache/request-key.ts';
import type { Recall, RecallOptions } from '../cache/response-cache.ts';
import type { Article, ArticleKey, ArticleRequest } from '../model/article.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import { articleLabel, configurationKey } from '../model/configuration-id.ts';
import type { PartsList } from '../model/graphics.ts';
import type { Fetched } from '../model/snapshot.ts';
import type { Validators } from '../service/client.ts';
import { decodeArticle } from '../service/wire-article.ts';
import { decodeNodes } from '../service/wire-catalogue.ts';
import { decodePartsList } from '../service/wire-parts-list.ts';
import type { BlockRequest } from './block-requests.ts';
import { locateImage } from './image-location.ts';
import type { Configured, PropertyChange } from './selection.ts';

/** Whose images are looked for. */
export interface ImageOwners {
  /** Manufacturer of the article. */
  manufacturer: string;
  /** Manufacturers of its blocks. */
  blockManufacturers: readonly string[];
}

/** What can be asked. */
export interface Questions {
  nodes(parentnode: string, manufacturer: string): Promise<CatalogueNode[]>;
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
  /** @param varcode - Variant code, or empty. */
  article(request: ArticleRequest, varcode?: string): Promise<Answer<Article>>;
  partsList(key: ArticleKey): Promise<Answer<PartsList>>;
  /** The article that one changed property makes of another. */
  change(from: Configured, change: PropertyChange): Promise<Answer<Article>>;
  /** @param vouchedBy - Manufacturer of the article that needs it. */
  block(block: BlockRequest, vouchedBy: string): Promise<Fetched>;
  /** @param reference - As a material spells it. */
  image(reference: string, owners: ImageOwners): Promise<Fetched>;
}

/** Opens the questions of one run. */
export function createQuestions(
  { client, store, imageLocation }: RecallOptions & { imageLocation?: string },
  { recall, renew, topNodes }: Recall,
): Questions {
  const read = <T>(ids: Omit<Wanted, 'send'>, send: Send<T>, decode: Decode<T>) =>
    readAnswer(ids, send, decode, { recall, renew, store });

  const nodes: Questions['nodes'] = async (parentnode, manufacturer) => {
    if (parentnode === '') return topNodes();
    const send = async (validators?: Validators) =>
      answering(await client.getNodes(parentnode, validators), (body) => body.nodes);
    const subject = `catalogue folder ${parentnode}`;
    const request = joinKey(parentnode);
    const wanted = { operation: 'getNodes', request, subject, manufacturer } as const;
    return (await read(wanted, send, decodeNodes)).answer;
  };

  const search: Questions['search'] = async (manufacturer, query) => {
    const send = async () => {
      const answer = await client.search(manufacturer, query);
      return { bytes: encodeNodes(answer), etag: '', lastModified: '', answer };
    };
    const subject = `search of ${manufacturer} for ${JSON.stringify(query)}`;
    const request = joinKey(manufacturer.toUpperCase(), query);
    const wanted = { operation: 'search', request, subject, manufacturer } as const;
    return (await read(wanted, send, decodeNodes)).answer;
  };

  const article: Questions['article'] = (asked, varcode = '') => {
    const { manufacturer, program, basearticlenumber, reinitstring } = asked;
    const query = { manufacturer, program, basearticlenumber, reinitstring, varcode };
    const send = async (validators?: Validators) =>
      answering(await client.getArticle(query, validators), (body) => body.article);
    const request = joinKey(manufacturer, program, basearticlenumber, reinitstring, varcode);
    const subject = `article ${articleLabel(asked)}`;
    const wanted = { operation: 'getArticle', request, subject, manufacturer } as const;
    return read(wanted, send, decodeArticle);
  };

  const change: Questions['change'] = ({ key, article: before, articleDigest }, wish) => {
    const { manufacturer, program, basearticlenumber, reinitstring } = key;
    const send = async () => {
      const jsondata = JSON.parse(new TextDecoder().decode(await store.get(articleDigest)));
      const changed = await client.changeProperty(
        { manufacturer, program, basearticlenumber, reinitstring },
        { ...wish, id: before.id, rootid: before.rootid, jsondata },
      );
      return answering(changed, (body) => body.article);
    };
    const { proptype, propclass, prop, newvalue } = wish;
    const request = joinKey(configurationKey(key), proptype, propclass, prop, newvalue);
    const subject = `article ${articleLabel(key)} with ${propclass}.${prop} changed`;
    const wanted = { operation: 'changeProperty', request, subject, manufacturer } as const;
    return read(wanted, send, decodeArticle);
  };

  const partsList: Questions['partsList'] = (key) => {
    // The final number is required, even where the article has none: then the base number is it.
    const finalarticlenumber = key.finalarticlenumber || key.basearticlenumber;
    const send = async (validators?: Validators) => {
      const answered = await client.getPartsList({ ...key, finalarticlenumber }, validators);
      return answering(answered, (body) => body.partsList);
    };
    const { manufacturer } = key;
    const subject = `parts list of ${articleLabel(key)}`;
    const ids = {
      operation: 'getPartsList',
      request: configurationKey(key),
      manufacturer,
    } as const;
    return read<PartsList>({ ...ids, subject }, send, decodePartsList);
  };

  const block: Questions['block'] = ({ request, manufacturer }, vouchedBy) => {
    const subject = `block ${request}`;
    const send = (validators?: Validators) => client.getBlock(request, validators);
    const ids = { operation: 'getBlock', request: joinKey(request), manufacturer } as const;
    const wanted: Wanted = { ...ids, subject, vouchedBy, missing: 'BLOCK_MISSING', send };
    return orMissing(subject, async () => (await recall(wanted)).answer);
  };

  const imageAt = async (manufacturer: string, name: string, vouchedBy: string) => {
    const subject = `image ${manufacturer}/${name}`;
    const send = (validators?: Validators) => client.getMaterial(manufacturer, name, validators);
    const request = joinKey(manufacturer, name);
    const ids = { operation: 'getMaterial', request, manufacturer } as const;
    const wanted: Wanted = { ...ids, subject, vouchedBy, missing: 'IMAGE_MISSING', send };
    return (await recall(wanted)).answer;
  };

  const image: Questions['image'] = (reference, owners) =>
    orMissing(`image ${reference}`, async () => {
      let first: Fetched | undefined;
      for (const { manufacturer, name } of locateImage(reference, owners, imageLocation)) {
        const fetched = await imageAt(manufacturer, name, owners.manufacturer);
        if ('digest' in fetched) return fetched;
        first ??= fetched;
      }
      return first!;
    });

  return { nodes, search, article, change, partsList, block, image };
}

/** What cannot be had is missing, with its reason, unless the reason ends the run. */
async function orMissing(subject: string, work: () => Promise<Fetched>): Promise<Fetched> {
  try {
    return await work();
  } catch (error) {
    return { missing: missingBecause(error, subject) };
  }
}

/** The nodes of a search as a body of getnodes, so that they can be kept like any other answer. */
function encodeNodes(nodes: readonly CatalogueNode[]): Uint8Array {
  const wire = nodes.map(({ resources, ...node }) => ({ ...node, ressources: resources }));
  return new TextEncoder().encode(JSON.stringify(wire));
}
