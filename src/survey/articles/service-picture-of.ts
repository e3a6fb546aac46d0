/** Finds the service's own picture of an article: that of its node in the catalogue. */

import { articleKey } from '../../model/configuration-id.ts';
import type { Fetcher } from '../../source/fetch/fetch-article.ts';
import { asConverterError, endsRun } from '../../support/errors.ts';
import type { SurveyedArticle } from './surveyed-article.ts';

/** The kind of resource that is a picture in a catalogue. */
const PICTURE = 'IT';

/**
 * Returns the bytes of the picture; undefined without one. It shows the default configuration: of another one there is none.
 *
 * @throws {@link ConverterError} an error that ends a run.
 * @see Spec 2.1, 4.2
 */
export async function servicePictureOf(
  { snapshot: { key } }: SurveyedArticle,
  { search, resource }: Pick<Fetcher, 'search' | 'resource'>,
): Promise<Uint8Array | undefined> {
  try {
    const nodes = await search(key.manufacturer, key.basearticlenumber);
    const isSame = (node: (typeof nodes)[number]) =>
      node.nodetype === 'A' &&
      articleKey({ ...node, manufacturer: key.manufacturer }) === articleKey(key) &&
      ['', key.finalarticlenumber].includes(node.variantcode);
    const picture = nodes
      .find(isSame)
      ?.resources.find(({ restype }) => restype.toUpperCase() === PICTURE);
    return picture && (await resource(picture.rescontent));
  } catch (thrown) {
    const { code } = asConverterError(thrown);
    if (endsRun(code) || code === 'INTERNAL') throw thrown;
    // A service without a search, or without pictures, is none that can be asked.
    return undefined;
  }
}
