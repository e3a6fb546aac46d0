/**
 * LINEA by Fjelmark: desks and the workplace that is planned with them.
 */
import type { SeriesDefinition } from '../definition.ts';
import { LINEA_DESKS } from './linea-desks.ts';
import { text } from './properties.ts';
import { WORKPLACE } from './workplace.ts';

/** The series. */
export const LINEA: SeriesDefinition = {
  manufacturer: 'FJEL',
  program: 'LINEA',
  text: text('LINEA Arbeitstische', 'LINEA desks'),
  articles: [...LINEA_DESKS, WORKPLACE],
};
