/** An article of the sample: what was fetched of it, and its scene in any reading. */

import type { PartsList } from '../../convert/model/graphics.ts';
import type { Scene } from '../../convert/model/scene.ts';
import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import type { MeshCache } from '../../convert/transform/mesh-cache.ts';
import { transformArticle } from '../../convert/transform/transform-article.ts';
import { decodeBlock } from '../../convert/wire/block.ts';
import { decodePartsList } from '../../convert/wire/parts-list.ts';
import { articleLabel } from '../../model/configuration-id.ts';
import type { ImageCodec } from '../../model/image-codec.ts';
import type { ArticleSnapshot } from '../../model/snapshot.ts';
import type { ContentStore } from '../../source/cache/content-store.ts';
import { type BlockFacts, blockFacts } from './block-facts.ts';
import { type DrawnNode, type Features, featuresOf } from './features.ts';

/** An article, as far as it was fetched. */
export interface SurveyedArticle {
  /** For people, such as `FJEL/LINEA/LN-M`. */
  label: string;
  snapshot: ArticleSnapshot;
  partsList: PartsList;
  /** Facts about its blocks, each once. */
  blocks: readonly BlockFacts[];
  drawn: readonly DrawnNode[];
  features: Features;
}

/** Reads articles and converts them in any reading; what several need is made once. */
export class ArticleReader {
  readonly #bodies: Pick<ContentStore, 'get'>;
  readonly #images: ImageCodec;
  readonly #cache: MeshCache;
  readonly #signal: AbortSignal;
  readonly #blocks = new Map<string, BlockFacts>();

  constructor(
    bodies: Pick<ContentStore, 'get'>,
    images: ImageCodec,
    cache: MeshCache,
    signal: AbortSignal,
  ) {
    this.#bodies = bodies;
    this.#images = images;
    this.#cache = cache;
    this.#signal = signal;
  }

  /** @throws {@link ConverterError} `PARTS_LIST_INVALID`, `BLOCK_INVALID`. */
  async read(snapshot: ArticleSnapshot): Promise<SurveyedArticle> {
    const partsList = decodePartsList(await this.#bodies.get(snapshot.partsList));
    const blocks: BlockFacts[] = [];
    let missing = 0;
    for (const block of snapshot.blocks.values()) {
      if ('missing' in block) missing++;
      else blocks.push(await this.#factsOf(block.digest));
    }
    const { features, drawn } = featuresOf(partsList, blocks);
    features.add('missing', 'block', missing);
    const images = [...snapshot.images.values()].filter((image) => 'missing' in image);
    features.add('missing', 'image', images.length);
    for (const { code } of snapshot.warnings) features.add('drift', code);
    return { label: articleLabel(snapshot.key), snapshot, partsList, blocks, drawn, features };
  }

  async #factsOf(digest: string): Promise<BlockFacts> {
    this.#signal.throwIfAborted();
    const known = this.#blocks.get(digest);
    if (known !== undefined) return known;
    const facts = blockFacts(decodeBlock(await this.#bodies.get(digest)));
    this.#blocks.set(digest, facts);
    return facts;
  }

  /** The scene of an article in one reading. @throws {@link ConverterError} as `transformArticle`. */
  sceneOf({ snapshot }: SurveyedArticle, options: ConvertOptions): Promise<Scene> {
    return transformArticle({
      snapshot,
      options: { ...options, strict: false, allowMissingParts: true },
      read: (digest) => this.#bodies.get(digest),
      images: this.#images,
      cache: this.#cache,
      betweenSteps: async () => {
        await new Promise(setImmediate);
        this.#signal.throwIfAborted();
      },
    });
  }

  /** The bytes of an image of an article; undefined if it is missing. */
  async image({ snapshot }: SurveyedArticle, reference: string): Promise<Uint8Array | undefined> {
    const image = snapshot.images.get(reference);
    return image && 'digest' in image ? this.#bodies.get(image.digest) : undefined;
  }
}
