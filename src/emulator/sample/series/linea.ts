/**
 * LINEA by Fjelmark: desks, the workplace that is planned with them, the desk made to measure.
 */
import type { SeriesDefinition } from '../definition.ts';
import { LINEA_DESKS } from './linea-desks.ts';
import { MADE_TO_MEASURE } from './made-to-measure.ts';
import { text } from './properties.ts';
import { FORMER_WORKPLACE, WORKPLACE } from './workplace.ts';

/** The series. */
export const LINEA: SeriesDefinition = {
  program: 'LINEA',
  text: text('LINEA Arbeitstische', 'LINEA desks'),
  articles: [...LINEA_DESKS, WORKPLACE, MADE_TO_MEASURE, FORMER_WORKPLACE],
};
