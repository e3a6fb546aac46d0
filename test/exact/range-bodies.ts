/**
 * The raw bodies of one configuration of a range, for evaluator and converter alike.
 */

import type { EmulatedRange, Json } from '../../src/emulator/sample/range.ts';
import type { ArticleKey } from '../../src/model/article.ts';
import { canonical } from '../helpers/evaluator/json.ts';
import { jsonText } from '../helpers/generated-articles/json-text.ts';
import { utf8 } from '../helpers/graphics.ts';
import type { Bodies } from '../helpers/snapshot.ts';

/** The default configuration of every article of a range. */
export function configurationsOf(range: EmulatedRange): ArticleKey[] {
  const found: ArticleKey[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const node of range.nodes(folder) ?? []) {
      if (node.nodetype === 'F') folders.push(String(node.nodeid));
      if (node.nodetype === 'A') found.push(configurationOf(range, node));
    }
  const keys = found.map((configuration) => JSON.stringify(configuration));
  return found.filter((_, index) => keys.indexOf(keys[index]!) === index);
}

function configurationOf(range: EmulatedRange, node: Json): ArticleKey {
  const key = {
    manufacturer: String(node.manufacturer),
    program: String(node.program),
    basearticlenumber: String(node.basearticlenumber),
  };
  const article = range.article(key) as { reinit?: string; ocd: Record<string, string> };
  const { finalarticlenumber = '', reinitstring = '' } = article.ocd;
  return { ...key, finalarticlenumber, reinitstring, metareinitstring: article.reinit ?? '' };
}

/** Reads what a configuration is made of. */
export async function bodiesOf(range: EmulatedRange, configuration: ArticleKey): Promise<Bodies> {
  const list = range.partsList({ ...configuration });
  if (!list) throw new Error(`no parts list for ${JSON.stringify(configuration)}`);
  const blocks = new Map<string, Uint8Array | undefined>();
  for (const name of list.blocks as string[])
    blocks.set(canonical(name), await once(range, name, () => range.block(name)));
  const images = new Map<string, Uint8Array | undefined>();
  for (const material of list.mats as Json[])
    for (const key of ['pic', 'bump', 'roughness_image', 'metallic_image']) {
      const reference = material[key];
      if (typeof reference !== 'string' || images.has(reference)) continue;
      images.set(reference, await imageOf(range, reference, configuration.manufacturer));
    }
  return { partsList: utf8(jsonText(list)), blocks, images };
}

/** The last segment names it; the manufacturer is the first one, or the article's. */
async function imageOf(range: EmulatedRange, reference: string, manufacturer: string) {
  const segments = reference.split(/::|\/|\\/).filter((segment) => segment !== '');
  const name = segments.at(-1)!.replace(/\.(jpg|jpeg|png|bmp|tga)$/i, '');
  const image = (owner: string) =>
    once(range, `${owner}/${name}`, () => range.material(owner, name));
  return (await image(segments[0]!.toUpperCase())) ?? (await image(manufacturer));
}

type Body = Promise<Uint8Array | undefined>;
const read = new WeakMap<EmulatedRange, Map<string, Body>>();

/** Reads a body at the first call; the same bytes are later parsed and evaluated once. */
function once(range: EmulatedRange, name: string, load: () => Body): Body {
  const known = read.get(range) ?? new Map<string, Body>();
  read.set(range, known);
  const body = known.get(name) ?? load();
  known.set(name, body);
  return body;
}
