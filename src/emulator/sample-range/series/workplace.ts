/**
 * The planned workplace: a meta planning whose children are articles of three series and two
 * manufacturers; its own parts list holds all of theirs.
 */
import type { ArticleDefinition, ChildDefinition, Values } from '../definition.ts';
import { valuesOf } from '../definition.ts';
import type { Point } from '../shapes/surface.ts';
import { type Part, top } from '../tree.ts';
import { DEPOT } from './depot.ts';
import { basis, DECOR, layer } from './fjelmark-common.ts';
import { FORUM } from './forum.ts';
import { LINEA_DESKS } from './linea-desks.ts';
import { LUMO } from './lumo.ts';
import { choice, choices, text } from './properties.ts';

/** A place in the planning: which article, where, and which of its values follow the planning's. */
interface Place {
  articles: readonly ArticleDefinition[];
  number: string;
  at: Point;
  rot: Point;
  values: (planning: Values) => Values;
}

const PLACES: readonly Place[] = [
  {
    articles: LINEA_DESKS,
    number: 'LN-S160/80',
    at: [0, 0, 0],
    rot: [0, 0, 0],
    values: ({ DEKOR }) => ({ DEKOR: DEKOR! }),
  },
  {
    articles: DEPOT.articles,
    number: 'DP-R3',
    at: [0.9, 0, 0.14],
    rot: [0, 0, 0],
    values: ({ DEKOR }) => ({ DEKOR: DEKOR! }),
  },
  {
    articles: FORUM.articles,
    number: 'FM-W160',
    at: [0, 0.74, 0],
    rot: [0, 0, 0],
    values: ({ SCHIRM }) => ({ FILZ: SCHIRM! }),
  },
  {
    articles: LUMO.articles,
    number: 'LM-TISCH 45',
    at: [0.28, 0.74, 0.22],
    rot: [0, -35, 0],
    values: () => ({}),
  },
];

function childrenOf(values: Values): ChildDefinition[] {
  return PLACES.map((place) => {
    const article = place.articles.find((one) => one.number === place.number)!;
    return { article, values: valuesOf(article, place.values(values)) };
  });
}

function parts(values: Values): Part[] {
  return childrenOf(values).map((child, i) => {
    const { at, rot } = PLACES[i]!;
    const lay = layer('LINEA', `D3_PLATZ ${i + 1}`);
    return top({ at, rot, lay, mat: basis('LICHTGRAU') }, child.article.parts(child.values));
  });
}

/** The article. */
export const WORKPLACE: ArticleDefinition = {
  manufacturer: 'FJEL',
  program: 'LINEA',
  number: 'LN-PLATZ 1',
  short: text(
    'Arbeitsplatz mit Container, Schirm und Leuchte',
    'Workplace with pedestal, screen and lamp',
  ),
  long: [text('Planung aus vier Artikeln', 'Planning of four articles')],
  price: 1740,
  properties: [
    DECOR,
    choices('SCHIRM', 'OBERFLÄCHE', text('Akustikschirm', 'Acoustic screen'), [
      choice('GRAU', 'G', 'Filz grau', 'Felt, grey'),
      choice('BLAU', 'B', 'Filz blau', 'Felt, blue'),
      choice('OCKER', 'O', 'Filz ocker', 'Felt, ochre'),
    ]),
  ],
  parts,
  meta: { typename: '::FJEL::LINEA::Arbeitsplatz', children: childrenOf },
  variants: [{ DEKOR: 'NB', SCHIRM: 'BLAU' }],
};
