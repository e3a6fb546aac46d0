/** The configurations that the demo converts beside the default of each article. */
import { valuesOf } from '../../src/sample/definition.ts';
import { finalNumberOf, metaReinitOf, reinitOf } from '../../src/sample/numbering.ts';
import { ARTICLES } from '../../src/sample/series/range.ts';

/** One configuration in the columns of an article list. */
export interface SampleConfiguration {
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  finalarticlenumber: string;
  reinitstring: string;
  metareinitstring: string;
}

/** Every configuration that is no default, in catalogue order. */
export const SAMPLE_CONFIGURATIONS: readonly SampleConfiguration[] = ARTICLES.flatMap((article) =>
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

const COLUMNS = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'finalarticlenumber',
  'reinitstring',
  'metareinitstring',
] as const satisfies readonly (keyof SampleConfiguration)[];

/** The configurations as the text of a CSV file. */
export function configurationsCsv(): string {
  const cell = (text: string): string =>
    /[",;\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const rows = SAMPLE_CONFIGURATIONS.map((row) => COLUMNS.map((column) => cell(row[column])));
  return `${[[...COLUMNS], ...rows].map((row) => row.join(',')).join('\n')}\n`;
}
