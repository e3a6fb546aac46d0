/** The delivery of pages that show an article: of the files that the other deliveries have made. */
import {
  type ArticleId,
  articleKey,
  articleLabel,
  configurationKey,
} from '../../model/configuration-id.ts';
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';
import {
  type DeliveredFile,
  type DeliveryLines,
  deliveryKey,
} from '../../run/output/delivered-files.ts';
import { openCatalogue } from '../../run/output/manifest.ts';
import type { Master } from '../../run/publishing/masters.ts';
import { urlName } from '../../support/file-names.ts';
import { sha256Hex } from '../../support/files.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import { altText } from '../making/alt-text.ts';
import { type Delivery, mastersByArticle, type Subject } from '../making/delivery.ts';
import type { Opening } from '../making/kind.ts';
import { EMBED, MASTER, PICTURES, USDZ_PROFILE, VARIANTS, WEB_PROFILE } from '../making/names.ts';
import { publishedSize } from '../making/published-size.ts';
import { sizeText } from '../making/size-text.ts';
import {
  EMBED_PAGE_VERSION,
  type EmbedPage,
  type EmbedPageOptions,
  embedPage,
} from './embed-page.ts';
import {
  type ConfigurationFile,
  type EmbeddedConfiguration,
  embeddedModel,
} from './embedded-model.ts';

const FILE = 'index.html';

/**
 * Opens the delivery: one page for each article, which shows its default configuration, or the first one.
 *
 * @param accepted - Codes of failures that the pipeline file accepts.
 */
export function openEmbedPages(
  options: EmbedPageOptions,
  accepted: readonly string[],
  { run, again, contents }: Opening,
): Delivery {
  const pages = new Map<Subject, EmbedPage>();
  return {
    ...{ name: EMBED, kind: 'profiles', atOnce: 4, accepted, again, isLast: true },
    async subjectsOf(masters, made) {
      const catalogue = await openCatalogue(run.options.pipeline.outputDir);
      const taken = new Set<string>();
      for (const article of mastersByArticle(masters)) {
        const page = { path: placeOf(article[0].id, taken), ...shownOf(article, made, catalogue) };
        const source = sha256Hex(JSON.stringify([EMBED_PAGE_VERSION, options, page]));
        pages.set({ label: articleLabel(article[0].id), masters: article, source }, page);
      }
      return pages.keys();
    },
    async make(subject, { keep }) {
      const page = pages.get(subject)!;
      const html = new TextEncoder().encode(embedPage(page, options));
      const stored = await contents.put(html, FILE);
      const file = await keep({ ...stored, name: FILE, path: page.path, facts: {} });
      return subject.masters.map(() => ({ files: [file] }));
    },
  };
}

/** The path of a page: another default configuration does not change it. Names compare without case. */
function placeOf({ manufacturer, program, basearticlenumber }: ArticleId, taken: Set<string>) {
  const folder = [EMBED, ...[manufacturer, program, basearticlenumber].map(urlName)].join('/');
  const isTaken = taken.has(folder.toUpperCase());
  taken.add(folder.toUpperCase());
  const digest = sha256Hex(articleKey({ manufacturer, program, basearticlenumber })).slice(0, 16);
  return `${folder}${isTaken ? `~${digest}` : ''}/default/${FILE}`;
}

function shownOf(
  article: Subject['masters'],
  made: DeliveryLines,
  catalogue: PackedMap<CatalogueLine>,
): Omit<EmbedPage, 'path'> {
  const all = article.map((master) => configurationOf(master, made, catalogue));
  const [shown] = all;
  return { name: shown!.name, caption: shown!.caption, model: embeddedModel(shown!, all) };
}

function configurationOf(
  { id, glb }: Master,
  made: DeliveryLines,
  catalogue: PackedMap<CatalogueLine>,
): EmbeddedConfiguration & Pick<EmbedPage, 'name' | 'caption'> {
  const filesOf = (delivery: string) => made.get(deliveryKey({ delivery, ...id }))?.files ?? [];
  const entry = catalogue.get(configurationKey(id));
  const name = entry?.shorttext || id.finalarticlenumber || id.basearticlenumber;
  const pictures = filesOf(PICTURES).filter(({ facts }) => facts.camera !== undefined);
  const own = pictures.filter(({ facts }) => facts.isFormerAddress !== true);
  const models = [VARIANTS, WEB_PROFILE, USDZ_PROFILE].flatMap((delivery) =>
    filesOf(delivery).map((file) => configurationFile(delivery, file)),
  );
  return {
    ...{ name, caption: captionOf(entry) },
    alt: altText({ name, variant: entry?.varianttext ?? '' }),
    poster: (own.find(({ facts }) => facts.camera === 'hero') ?? own[0])?.path,
    files: [{ delivery: MASTER, path: glb }, ...models],
  };
}

function captionOf(entry: CatalogueLine | undefined): string[] {
  if (entry === undefined) return [];
  const { manufacturername, programname } = entry;
  const size = publishedSize(entry);
  const sizes = size === null ? '' : sizeText([size.width, size.depth, size.height]);
  const origin = [manufacturername, programname].filter(Boolean).join(' · ');
  return [origin, sizes].filter(Boolean);
}

function configurationFile(delivery: string, { path, facts }: DeliveredFile): ConfigurationFile {
  const { variant, requiredExtensions } = facts;
  return {
    ...{ delivery, path },
    ...(variant !== undefined && { finish: String(variant) }),
    ...(requiredExtensions !== undefined && {
      requiredExtensions: String(requiredExtensions).split(' '),
    }),
  };
}
