/**
 * Numbering: values ↔ reinit strings, and values → final article numbers.
 *
 * Each manufacturer has its own way to spell both, as in real life; a converter must treat them
 * as opaque. A reinit string is read strictly: only what this file itself would write is known.
 */
import {
  type ArticleDefinition,
  isAllowed,
  type PropertyDefinition,
  type Values,
  valuesOf,
} from './definition.ts';

interface Dialect {
  number: { first: string; between: string; withNames: boolean };
  reinit: {
    open: string;
    first: string;
    before: string;
    mid: string;
    after: string;
    between: string;
    close: string;
  };
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  FJEL: {
    number: { first: '-', between: '.', withNames: false },
    reinit: { open: '@', first: '+', before: '', mid: "='", after: "'", between: ':', close: '::' },
  },
  BRNK: {
    number: { first: ' ', between: '+', withNames: false },
    reinit: {
      open: '',
      first: '[',
      before: '"',
      mid: '"="',
      after: '"',
      between: ',',
      close: ']::',
    },
  },
  AULI: {
    number: { first: ';', between: ';', withNames: true },
    reinit: { open: '', first: '/', before: '', mid: ': ', after: '', between: '; ', close: ';::' },
  },
};

/** Stands in the final number where a property is not evaluated. */
const NOT_EVALUATED = '0';

/** Code of a value in the final number; numbers have a comma, since some dialects part by points. */
function codeOf(property: PropertyDefinition, value: string): string {
  if (value === '') return NOT_EVALUATED;
  const choice = property.choices?.find((candidate) => candidate.value === value);
  return choice?.code ?? value.replace('.', ',');
}

/** The value that a code stands for; undefined if there is none. */
function valueOfCode(property: PropertyDefinition, code: string): string | undefined {
  if (property.mustChoose && code === NOT_EVALUATED) return '';
  if (property.ranges !== undefined) return code.replace(',', '.');
  return property.choices?.find((candidate) => candidate.code === code)?.value;
}

/** Final article number of a configuration; the base number of an article without properties. */
export function finalNumberOf(article: ArticleDefinition, values: Values): string {
  if (article.properties.length === 0) return article.number;
  const { first, between, withNames } = DIALECTS[article.manufacturer]!.number;
  const codes = article.properties.map((property) => {
    const code = codeOf(property, values[property.name]!);
    return withNames ? `${property.name}=${code}` : code;
  });
  return article.number + first + codes.join(between);
}

/** The values that a final number stands for; undefined if it is none of this article. */
export function valuesOfFinalNumber(
  article: ArticleDefinition,
  number: string,
): Values | undefined {
  const { first, between } = DIALECTS[article.manufacturer]!.number;
  const codes = number.slice(article.number.length + first.length).split(between);
  const changes = article.properties.map((property, i) => {
    const code = (codes[i] ?? '').replace(`${property.name}=`, '');
    return [property.name, valueOfCode(property, code) ?? property.initial] as const;
  });
  const values = valuesOf(article, Object.fromEntries(changes));
  if (finalNumberOf(article, values) !== number) return undefined;
  return isAllowedAsAWhole(article.properties, values) ? values : undefined;
}

/** Reinit string of a configuration; it ends with `::`. */
export function reinitOf(article: ArticleDefinition, values: Values): string {
  const d = DIALECTS[article.manufacturer]!.reinit;
  const pairs = article.properties.map(
    ({ name }) => d.before + name + d.mid + values[name]! + d.after,
  );
  return d.open + article.number + d.first + pairs.join(d.between) + d.close;
}

/** The values that a reinit string stands for; undefined if it is none of this article. */
export function valuesOfReinit(article: ArticleDefinition, reinit: string): Values | undefined {
  const d = DIALECTS[article.manufacturer]!.reinit;
  const head = d.open + article.number + d.first;
  const pairs = reinit.slice(head.length, reinit.length - d.close.length).split(d.between);
  const changes = article.properties.map(({ name }, i) => {
    const start = d.before + name + d.mid;
    const pair = pairs[i] ?? '';
    return [name, pair.slice(start.length, pair.length - d.after.length)] as const;
  });
  const values = valuesOf(article, Object.fromEntries(changes));
  // What does not come out as it went in was none of ours.
  if (reinitOf(article, values) !== reinit) return undefined;
  return isAllowedAsAWhole(article.properties, values) ? values : undefined;
}

function isAllowedAsAWhole(properties: readonly PropertyDefinition[], values: Values): boolean {
  return properties.every((property) => isAllowed(property, values[property.name]!, values));
}

/**
 * Meta reinit string of a planning; empty for an article that is none.
 *
 * It names the children, and the properties of the planning that are not as by default.
 */
export function metaReinitOf(article: ArticleDefinition, values: Values): string {
  if (article.meta === undefined) return '';
  const { typename, properties } = article.meta;
  const children = article.meta.children(values).map((child) => {
    return `${child.article.program}:${finalNumberOf(child.article, child.values)}`;
  });
  const changed = properties
    .filter((property) => values[property.name] !== property.initial)
    .map((property) => `${property.name}=${values[property.name]}`);
  const settings = changed.length === 0 ? '' : `(${changed.join('|')})`;
  return `${typename}{${children.join('|')}}${settings}::`;
}

/**
 * Lays over commercial values those of the planning.
 *
 * @param reinit - Meta reinit string; empty for the planning as it is by default.
 * @returns Undefined where the string is none of this planning with these values.
 */
export function withMetaValues(
  article: ArticleDefinition,
  values: Values,
  reinit: string,
): Values | undefined {
  if (reinit === '') return values;
  const properties = article.meta?.properties ?? [];
  const settings = /\(([^()]*)\)::$/.exec(reinit)?.[1] ?? '';
  const changes = properties.map(({ name, initial }) => {
    const pair = settings.split('|').find((candidate) => candidate.startsWith(`${name}=`));
    return [name, pair === undefined ? initial : pair.slice(name.length + 1)] as const;
  });
  const all = { ...values, ...Object.fromEntries(changes) };
  if (!isAllowedAsAWhole(properties, all) || metaReinitOf(article, all) !== reinit) {
    return undefined;
  }
  return all;
}
