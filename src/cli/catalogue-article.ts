/**
 * Catalogue article: an article as a person reads it: texts, price, and what can be chosen.
 */

import type {
  Article,
  ArticleProperty,
  CommercialData,
  PropertyClass,
  PropertyRange,
} from '../model/article.ts';
import { articleLabel, configurationLabel } from '../model/configuration-id.ts';
import { usageError } from './arguments.ts';
import { textTable } from './text-table.ts';

/** Who an article is. */
export interface ArticleName {
  manufacturer: string;
  program: string;
  basearticlenumber: string;
}

/**
 * Reads `MANUFACTURER/PROGRAM/number`; a number may hold further slashes.
 *
 * @throws {@link ConverterError} `USAGE`.
 *
 * @example
 * ```ts
 * readArticleName('sh3d/office/DT160/80');
 * // → { manufacturer: 'SH3D', program: 'OFFICE', basearticlenumber: 'DT160/80' }
 * ```
 */
export function readArticleName(text: string): ArticleName {
  const [manufacturer = '', program = '', ...number] = text.split('/');
  const basearticlenumber = number.join('/');
  if (manufacturer === '' || program === '' || basearticlenumber === '') {
    throw usageError(`catalogue show: expected MANUFACTURER/PROGRAM/number, received "${text}"`);
  }
  return {
    manufacturer: manufacturer.toUpperCase(),
    program: program.toUpperCase(),
    basearticlenumber,
  };
}

/**
 * Words an article.
 *
 * @returns Lines, ended: number and short text, texts, price, then a table of properties a class.
 *
 * @see Spec 2.2.
 */
export function tellArticle(article: Article): string {
  const { ocd, dump, children } = article;
  const name = articleLabel(article);
  const parts = [
    `${[name, ocd?.shorttext ?? ''].join('  ').trim()}\n`,
    ocd === undefined ? '  without commercial data\n' : tellCommercial(ocd, article.reinit),
    ...tellClasses('', ocd?.propclasses ?? []),
    ...tellClasses('planning: ', article.propclasses),
    ...(children.length === 0 ? [] : [`\n  Children\n${tellChildren(children)}`]),
    ...(dump === '' ? [] : [`\n  The service reports: ${dump}\n`]),
  ];
  return parts.join('');
}

function tellCommercial(ocd: CommercialData, metaConfiguration: string): string {
  const price = ocd.articlewithprice ? `${ocd.price} ${ocd.currency}`.trim() : 'none';
  const rows: [string, string][] = [
    ['final number', ocd.finalarticlenumber],
    ['price', price],
    ['converted', ocd.convertdate],
    ['configuration', ocd.reinitstring],
    ['of the planning', metaConfiguration],
  ];
  const open = ocd.obligatory2c ? '  not valid yet: a property must still be chosen\n' : '';
  const texts = [ocd.longtext, ocd.varianttext].filter((text) => text.trim() !== '');
  return [
    textTable(
      rows.filter(([, value]) => value !== ''),
      '  ',
    ),
    open,
    ...texts.map((text) => `\n${lines(text, '  ')}`),
  ].join('');
}

function lines(text: string, indent: string): string {
  const all = text.trimEnd().split(/\r\n|\r|\n/);
  return all
    .map((line) => `${indent}${line}`.trimEnd())
    .join('\n')
    .concat('\n');
}

const HEAD = ['property', 'text', 'type', 'now', 'allowed', ''];

function tellClasses(what: string, classes: readonly PropertyClass[]): string[] {
  return classes.map(({ name, text, properties }) => {
    const rows = properties.map((property) => [
      property.name,
      property.text,
      typeOf(property),
      property.currentvalue,
      allowedOf(property),
      flagsOf(property),
    ]);
    const title = `\n  ${what}${name}${text === '' || text === name ? '' : `  ${text}`}\n`;
    return title + (rows.length === 0 ? '' : textTable([HEAD, ...rows], '    '));
  });
}

/** `C 12`, `N 6.2`: alphanumeric or numeric, and how long. */
function typeOf({ proptype, digits, decdigits }: ArticleProperty): string {
  const length = digits === 0 ? '' : decdigits === 0 ? ` ${digits}` : ` ${digits}.${decdigits}`;
  return `${proptype}${length}`;
}

function allowedOf({ propertyvalues, ranges, addvalues }: ArticleProperty): string {
  const values = propertyvalues.map(({ valuefrom, text }) =>
    text === '' || text === valuefrom ? valuefrom : `${valuefrom} (${text})`,
  );
  const others = addvalues ? ['others'] : [];
  return [...values, ...ranges.map(rangeTold), ...others].join(' · ');
}

/** `600 ≤ … ≤ 1200 step 50`; a bound without a word is part of the range. */
function rangeTold({ valuefrom, opfrom, valueto, opto, raster }: PropertyRange): string {
  const from = valuefrom === undefined ? '' : `${valuefrom} ${opfrom === 'GT' ? '<' : '≤'} `;
  const to = valueto === undefined ? '' : ` ${opto === 'LT' ? '<' : '≤'} ${valueto}`;
  return `${from}…${to}${raster === undefined ? '' : ` step ${raster}`}`;
}

function flagsOf(property: ArticleProperty): string {
  const flags: [boolean, string][] = [
    [property.obligatory, 'required'],
    [property.obligatory2c && property.currentvalue === '', 'still to be chosen'],
    [!property.enabled, 'fixed'],
    [!property.visible, 'hidden'],
  ];
  return flags.flatMap(([holds, word]) => (holds ? [word] : [])).join(', ');
}

function tellChildren(children: readonly Article[]): string {
  return textTable(
    children.map(({ ocd, ...id }) => [
      configurationLabel({ ...id, finalarticlenumber: ocd?.finalarticlenumber ?? '' }),
      ocd?.shorttext ?? '',
    ]),
    '    ',
  );
}
