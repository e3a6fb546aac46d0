/** Every manufacturer and series of the sample range, in catalogue order. */
import type { ArticleDefinition, SeriesDefinition, Text } from '../definition.ts';
import { AKTA } from './akta.ts';
import { DEPOT } from './depot.ts';
import { FORUM } from './forum.ts';
import { KONVA } from './konva.ts';
import { LINEA } from './linea.ts';
import { LUMO } from './lumo.ts';
import { text } from './properties.ts';
import { REGALO } from './regalo.ts';
import { SALUN } from './salun.ts';

/** A manufacturer with its series. All manufacturers are invented. */
interface ManufacturerDefinition {
  id: string;
  name: string;
  /** Text of its folder: what the manufacturer makes, in the language of the reader. */
  text: Text;
  /** Conversion date, `YYYY-MM-DD`; caches keep their data if the date is unchanged. */
  convertdate: string;
  series: readonly SeriesDefinition[];
}

/** The manufacturers. */
export const MANUFACTURERS: readonly ManufacturerDefinition[] = [
  {
    id: 'FJEL',
    name: 'Fjelmark Büromöbel',
    text: text('Fjelmark Büromöbel', 'Fjelmark office furniture'),
    convertdate: '2025-10-06',
    series: [LINEA, DEPOT, FORUM],
  },
  {
    id: 'BRNK',
    name: 'Brenkhoff Sitzmöbel',
    text: text('Brenkhoff Sitzmöbel', 'Brenkhoff seating'),
    convertdate: '2025-09-22',
    series: [AKTA, KONVA],
  },
  {
    id: 'AULI',
    name: 'Aulinde Wohnen',
    text: text('Aulinde Wohnen', 'Aulinde home furniture'),
    convertdate: '2025-08-25',
    series: [SALUN, REGALO, LUMO],
  },
];

/** Every article. */
export const ARTICLES: readonly ArticleDefinition[] = MANUFACTURERS.flatMap(({ series }) =>
  series.flatMap(({ articles }) => articles),
);

/** The article of a manufacturer, program and base number; undefined if there is none. */
export function findArticle(
  manufacturer: string | undefined,
  program: string | undefined,
  number: string | undefined,
): ArticleDefinition | undefined {
  return ARTICLES.find(
    (article) =>
      article.manufacturer === manufacturer &&
      article.program === program &&
      article.number === number,
  );
}

/** The date of an article's manufacturer. */
export function convertdateOf(article: ArticleDefinition): string {
  return MANUFACTURERS.find(({ id }) => id === article.manufacturer)!.convertdate;
}
