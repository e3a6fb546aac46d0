/**
 * Catalogue nodes: manufacturers, series and articles as entries of getnodes and search.
 *
 * @see Spec 2.1.
 */

import { type ArticleDefinition, type SeriesDefinition, valuesOf } from './definition.ts';
import { finalNumberOf } from './numbering.ts';
import type { Json } from './range.ts';
import type { ManufacturerDefinition } from './series/range.ts';
import type { Teller } from './views.ts';

const NO_ARTICLE = { basearticlenumber: '', variantcode: '' };

/** File name of an article's catalogue image: nothing in it is a sign of a path or an encoding. */
export function imageName(article: ArticleDefinition): string {
  return `${article.number.replaceAll(/[/\\%?#"]/g, '_')}.JPG`;
}

function ownerOf({ id, name }: ManufacturerDefinition): Json {
  return { manufacturer: id, manufacturername: name };
}

/** A manufacturer on the top level. */
export function manufacturerNode(manufacturer: ManufacturerDefinition, nodeid: string): Json {
  const { id, name, convertdate } = manufacturer;
  return {
    nodeid,
    text: name,
    nodetype: 'F',
    ...ownerOf(manufacturer),
    program: '',
    ...NO_ARTICLE,
    convertdate,
    ressources: image(id, '', 'LOGO.PNG'),
  };
}

/** A series, with its text. */
export function seriesNode(
  manufacturer: ManufacturerDefinition,
  { program, text }: SeriesDefinition,
  nodeid: string,
  say: Teller,
): Json {
  return {
    nodeid,
    text: say(text),
    nodetype: 'F',
    ...ownerOf(manufacturer),
    program,
    ...NO_ARTICLE,
    ressources: image(manufacturer.id, program, `${program}.JPG`),
  };
}

/** An article in its default configuration. */
export function articleNode(
  manufacturer: ManufacturerDefinition,
  article: ArticleDefinition,
  nodeid: string,
  say: Teller,
): Json {
  return {
    nodeid,
    text: say(article.short),
    nodetype: 'A',
    ...ownerOf(manufacturer),
    program: article.program,
    basearticlenumber: article.number,
    variantcode: finalNumberOf(article, valuesOf(article)),
    ressources: image(manufacturer.id, article.program, imageName(article)),
  };
}

/** The page about a manufacturer. */
export function infoNode(manufacturer: ManufacturerDefinition, topId: string, say: Teller): Json {
  const { id, name, series } = manufacturer;
  return {
    nodeid: `${topId};:INFO@${series.length + 1}`,
    text: say({ de: `Über ${name}`, en: `About ${name}` }),
    nodetype: 'I',
    ...ownerOf(manufacturer),
    program: '',
    ...NO_ARTICLE,
    ressources: image(id, '', 'INFO.JPG'),
  };
}

function image(manufacturer: string, program: string, name: string): Json[] {
  const path = [manufacturer, ...(program === '' ? [] : [program]), 'any', name];
  return [{ restype: 'IT', rescontent: ['xcf/ressource', ...path].join('/') }];
}
