/**
 * The service that the contract is held against: the emulator with its sample range, or a live one
 * where `BTG2GLTF_AUTH_URL`, `BTG2GLTF_BASE_URL` and credentials are set in the environment.
 *
 * What to ask for is looked up in its catalogue, so that the same tests fit any service.
 */

import type { PartsList } from '../../src/convert/model/graphics.ts';
import { imageReferences } from '../../src/convert/wire/material.ts';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import type { Article, ArticleKey, ArticleProperty } from '../../src/model/article.ts';
import type { CatalogueNode } from '../../src/model/catalogue.ts';
import {
  type Configuration,
  createClient,
  type ServiceClient,
} from '../../src/source/service/client.ts';
import type {
  Credentials,
  ServiceConfig,
  ServiceDrift,
} from '../../src/source/service/service-config.ts';

const { env } = process;

/** Whether a live service is asked. */
export const IS_LIVE =
  Boolean(env.BTG2GLTF_BASE_URL && env.BTG2GLTF_AUTH_URL) &&
  Boolean(env.BTG2GLTF_TOKEN || (env.BTG2GLTF_USERNAME && env.BTG2GLTF_PASSWORD));

/** The server profile; a live service accepts only its own. */
export const PROFILE = IS_LIVE ? env.BTG2GLTF_TEST_PROFILE : 'public';

/** A service, with something of each kind that it holds. */
export interface ServiceUnderTest {
  client: ServiceClient;
  credentials: Credentials;
  /** What any client of it had to tolerate. */
  drifts: ServiceDrift[];
  /** Another client of it; closed with it. */
  open(more?: Partial<ServiceConfig>): ServiceClient;
  close(): Promise<void>;
}

/** What was found in a catalogue. */
export interface Subject {
  top: CatalogueNode[];
  /** A folder that holds the article. */
  folder: CatalogueNode;
  node: CatalogueNode;
  article: Article;
  /** The article's JSON as it came. */
  json: Record<string, unknown>;
  key: ArticleKey;
  /** Class, property and a value that it does not have yet. */
  change: { propclass: string; property: ArticleProperty; newvalue: string };
  partsList: PartsList;
  /** Name of a block. */
  block: string;
  /** A reference to an image, its manufacturer and name. */
  image: { manufacturer: string; name: string } | undefined;
  /** Values of `rescontent`, those of a manufacturer and those of a series. */
  resources: { ofManufacturer: string | undefined; ofSeries: string | undefined };
  /** A value of `previewimage`. */
  preview: string | undefined;
}

/** Opens the service that is to be tested. */
export async function openServiceUnderTest(): Promise<ServiceUnderTest> {
  const emulator = IS_LIVE ? undefined : await startEmulator({ range: createSampleRange() });
  const credentials: Credentials = emulator ?? liveCredentials();
  const clients: ServiceClient[] = [];
  const drifts: ServiceDrift[] = [];
  const open = (more: Partial<ServiceConfig> = {}) => {
    const client = createClient({
      authUrl: emulator?.authUrl ?? env.BTG2GLTF_AUTH_URL!,
      baseUrl: emulator?.baseUrl ?? env.BTG2GLTF_BASE_URL!,
      credentials,
      now: Date.now,
      random: Math.random,
      retries: 1,
      onDrift: (drift) => drifts.push(drift),
      ...more,
    });
    clients.push(client);
    return client;
  };
  return {
    client: open(),
    credentials,
    drifts,
    open,
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await emulator?.close();
    },
  };
}

function liveCredentials(): Credentials {
  const { BTG2GLTF_TOKEN: token, BTG2GLTF_APP_KEY: appKey } = env;
  if (token) return { token };
  const login = { username: env.BTG2GLTF_USERNAME!, password: env.BTG2GLTF_PASSWORD! };
  return appKey ? { ...login, appKey } : login;
}

const MOST_ARTICLES = 40;

/** Looks through the catalogue for an article that has everything, and for what belongs to others. */
export async function findSubject(client: ServiceClient): Promise<Subject> {
  const { nodes: top } = await client.getNodes('');
  const found: Partial<Subject> = {};
  const resources: Subject['resources'] = { ofManufacturer: undefined, ofSeries: undefined };
  const seen = new Set<string>();
  let tried = 0;
  for await (const { folder, node } of walk(client, top)) {
    for (const { rescontent } of node.resources) {
      const level = rescontent.split('/').length > 5 ? 'ofSeries' : 'ofManufacturer';
      resources[level] ??= rescontent;
    }
    if (node.nodetype !== 'A' || seen.has(node.nodeid)) continue;
    seen.add(node.nodeid);
    const tries = await tryArticle(client, folder, node);
    found.preview ??= tries.preview;
    if (found.article === undefined && isWhole(tries)) Object.assign(found, tries);
    tried += 1;
    const { ofManufacturer, ofSeries } = resources;
    if (found.article && found.preview && ofManufacturer && ofSeries) break;
    if (tried >= MOST_ARTICLES) break;
  }
  if (found.article === undefined) throw new Error('no article with properties, parts and blocks');
  return { preview: undefined, ...found, top, resources } as Subject;
}

interface Step {
  folder: CatalogueNode;
  node: CatalogueNode;
}

/** Nodes depth first. */
async function* walk(client: ServiceClient, top: CatalogueNode[]): AsyncGenerator<Step> {
  const pending: Step[] = top.map((node) => ({ folder: node, node }));
  const visited = new Set<string>();
  for (let step = pending.shift(); step !== undefined; step = pending.shift()) {
    yield step;
    const { node } = step;
    if (node.nodetype !== 'F' || visited.has(node.nodeid)) continue;
    visited.add(node.nodeid);
    const { nodes } = await client.getNodes(node.nodeid);
    pending.unshift(...nodes.map((child) => ({ folder: node, node: child })));
  }
}

async function tryArticle(
  client: ServiceClient,
  folder: CatalogueNode,
  node: CatalogueNode,
): Promise<Partial<Subject>> {
  const { manufacturer, program, basearticlenumber } = node;
  const ids = { manufacturer, program, basearticlenumber };
  const { article, bytes } = await client.getArticle(ids);
  const { finalarticlenumber = '', reinitstring = '' } = article.ocd ?? {};
  const key = { ...ids, finalarticlenumber, reinitstring, metareinitstring: article.reinit };
  const { partsList } = await client.getPartsList(key);
  const values = article.ocd?.propclasses
    .flatMap(({ properties }) => properties)
    .flatMap(({ propertyvalues }) => propertyvalues);
  const change = changeOf(article);
  const block = partsList.blockNames[0];
  return {
    ...{ folder, node, article, key, partsList, image: imageOf(partsList, manufacturer) },
    ...(change === undefined ? {} : { change }),
    ...(block === undefined ? {} : { block }),
    json: JSON.parse(new TextDecoder().decode(bytes)),
    preview: values?.find(({ previewimage }) => previewimage !== '')?.previewimage,
  };
}

function isWhole({ change, block, image }: Partial<Subject>): boolean {
  return change !== undefined && block !== undefined && image !== undefined;
}

function changeOf(article: Article): Subject['change'] | undefined {
  for (const { name, properties } of article.ocd?.propclasses ?? []) {
    for (const property of properties) {
      const other = property.propertyvalues.find(
        ({ valuefrom }) => valuefrom !== property.currentvalue,
      );
      if (!property.enabled || !property.visible || other === undefined) continue;
      return { propclass: name, property, newvalue: other.valuefrom };
    }
  }
  return undefined;
}

function imageOf(partsList: PartsList, manufacturer: string): Subject['image'] {
  const reference = imageReferences(partsList)[0];
  if (reference === undefined) return undefined;
  const parts = reference.split(/::|[\\/]/);
  const name = parts.at(-1)!.replace(/\.(?:jpe?g|png|bmp|tga)$/i, '');
  return { manufacturer: reference.includes('::') ? parts[0]! : manufacturer, name };
}

/** Which configuration of the article was found. */
export function configurationOf({ key }: Subject): Configuration {
  const { manufacturer, program, basearticlenumber, reinitstring } = key;
  return { manufacturer, program, basearticlenumber, reinitstring };
}
