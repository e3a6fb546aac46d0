/** The configurations that the demo converts beside the default of each article. */

import { valuesOf } from '../../src/emulator/sample/definition.ts';
import { finalNumberOf, metaReinitOf, reinitOf } from '../../src/emulator/sample/numbering.ts';
import { ARTICLES } from '../../src/emulator/sample/series/range.ts';
import type { ArticleRequest } from '../../src/model/article.ts';
import { ID_FIELDS } from '../../src/model/configuration-id.ts';

/** Every configuration that is no default, in catalogue order. */
export const SAMPLE_CONFIGURATIONS: readonly ArticleRequest[] = ARTICLES.flatMap((article) =>
  (article.variants ?? []).map((changes) => {
    const values = valuesOf(article, changes);
    return {
      manufacturer: article.manufacturer,
      program: article.program,
      basearticlenumber: article.number,
      finalarticlenumber: finalNumberOf(article, values),
      reinitstring: reinitOf(article, values),
      metareinitstring: metaReinitOf(article, values),
    };
  }),
);

/** The configurations as the text of a CSV file. */
export function configurationsCsv(): string {
  const cell = (text: string): string =>
    /[",;\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const rows = SAMPLE_CONFIGURATIONS.map((row) => ID_FIELDS.map((column) => cell(row[column])));
  return `${[[...ID_FIELDS], ...rows].map((row) => row.join(',')).join('\n')}\n`;
}
