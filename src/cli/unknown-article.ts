/** Why an article that a person has typed is unknown, and which one was probably meant. */
import { type ArticleId, articleLabel } from '../model/configuration-id.ts';
import type { ServiceClient } from '../source/service/client.ts';
import { asConverterError, ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';

/**
 * Explains why an article requested by its name is unknown: its manufacturer, number or configuration.
 *
 * @param where - What asked for it, such as `catalogue show`.
 * @param configuration - Its configuration as it was asked for; may be empty.
 * @throws {@link ConverterError} `NODE_NOT_FOUND`, `ARTICLE_NOT_FOUND` or `CONFIGURATION_REFUSED`; any other error as it is.
 */
export async function rethrowUnknownArticle(
  client: ServiceClient,
  where: string,
  name: ArticleId,
  configuration: string,
  error: unknown,
): Promise<never> {
  if (asConverterError(error).code !== 'ARTICLE_NOT_FOUND') throw error;
  const { manufacturer, basearticlenumber: number } = name;
  await checkManufacturer(client, manufacturer, where);
  const label = articleLabel(name);
  // One search finds the article itself, too, whose configuration is unknown then.
  const beginning = number.slice(0, Math.ceil(number.length / 2));
  const found = await client.search(manufacturer, beginning).catch(() => []);
  const known = found.map(articleLabel);
  if (known.includes(label) && configuration !== '') {
    const message = `${where}: expected a configuration of ${label}, received "${configuration}"`;
    throw new ConverterError('CONFIGURATION_REFUSED', message, { cause: error });
  }
  const message = `${where}: the service has no article ${label}${didYouMean(label, known)}`;
  throw new ConverterError('ARTICLE_NOT_FOUND', message, { cause: error });
}

/** A search for an unknown manufacturer finds nothing without an error; a folder that has none may contain any. */
export async function checkManufacturer(
  client: ServiceClient,
  manufacturer: string,
  where: string,
): Promise<void> {
  const { nodes } = await client.getNodes('');
  const catalogues = nodes.filter(({ nodetype }) => nodetype !== 'I');
  const ids = new Set(catalogues.map((node) => node.manufacturer.toUpperCase()));
  if (ids.size === 0 || ids.has('') || ids.has(manufacturer)) return;
  const known = [...ids].sort();
  const message = `${where}: there is no manufacturer ${manufacturer}${didYouMean(manufacturer, known)}`;
  const help = `the service has ${known.join(', ')}; btg2gltf catalogue ls lists their series`;
  throw new ConverterError('NODE_NOT_FOUND', message, { help });
}
