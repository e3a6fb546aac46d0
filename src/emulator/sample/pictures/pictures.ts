/** Pictures of articles, drawn from their parts on request. */
import type { ArticleDefinition, Values } from '../definition.ts';
import { materialsFor } from '../materials/materials.ts';
import type { FacetSources } from './facets.ts';
import { renderParts } from './render.ts';

/** Pictures are drawn twice as large and scaled down for smooth edges. */
const OVERSAMPLED = 2;

/**
 * Draws a configuration as JPEG, three quarters as high as wide.
 *
 * @param width - Width in pixels.
 */
export async function drawArticle(
  article: ArticleDefinition,
  values: Values,
  block: FacetSources['block'],
  width: number,
): Promise<Uint8Array> {
  const [wide, high] = [width * OVERSAMPLED, width * OVERSAMPLED * 0.75];
  const { data } = renderParts(article.parts(values), { block, colour }, wide, high);
  const { default: sharp } = await import('sharp');
  const raw = { width: wide, height: high, channels: 3 } as const;
  return new Uint8Array(await sharp(data, { raw }).resize(width).jpeg().toBuffer());
}

/** Colour of a material's `dif`; grey for an inline definition. */
const colour: FacetSources['colour'] = (reference) => {
  const [material] = reference === undefined ? [] : materialsFor([reference]);
  const hex = Number.parseInt(String(material?.dif ?? '0xB0B0B0').slice(2), 16);
  return [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
};
