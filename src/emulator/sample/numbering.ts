/**
 * Converts values to reinit strings and final article numbers, and back.
 *
 * Each manufacturer has its own notation, as in real life; a converter must treat both as opaque.
 * Only the exact strings that this file writes are accepted.
 */
import {
  type ArticleDefinition,
  isAllowed,
  type PropertyDefinition,
  type Values,
  valuesOf,
  withChildValues,
} from './definition.ts';

interface Notation {
  number: { first: string; between: string; withNames: boolean };
  reinit: Record<'open' | 'first' | 'before' | 'mid' | 'after' | 'between' | 'close', string>;
}

const NOTATIONS: Readonly<Record<string, Notation>> = {
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

/** Code of a property without a value in the final number. */
const NOT_EVALUATED = '0';

/** Code of a value in the final number. Numbers have a comma, since some notations separate by points. */
function codeOf(property: PropertyDefinition, value: string): string {
  if (value === '') return NOT_EVALUATED;
  const choice = property.choices?.find((candidate) => candidate.value === value);
  return choice?.code ?? value.replace('.', ',');
}

function valueOfCode(property: PropertyDefinition, code: string): string | undefined {
  if (property.mustChoose && code === NOT_EVALUATED) return '';
  if (property.ranges !== undefined) return code.replace(',', '.');
  const choice = property.choices?.find((candidate) => candidate.code === code);
  return choice?.value ?? (property.others === undefined ? undefined : code);
}

/** Final article number of a configuration; the base number of an article without properties. */
export function finalNumberOf(article: ArticleDefinition, values: Values): string {
  if (article.properties.length === 0) return article.number;
  const { first, between, withNames } = NOTATIONS[article.manufacturer]!.number;
  const codes = article.properties.map((property) => {
    const code = codeOf(property, values[property.name]!);
    return withNames ? `${property.name}=${code}` : code;
  });
  return article.number + first + codes.join(between);
}

/** The values of a final number; undefined if it is not of this article. */
export function valuesOfFinalNumber(
  article: ArticleDefinition,
  number: string,
): Values | undefined {
  const { first, between } = NOTATIONS[article.manufacturer]!.number;
  const codes = number.slice(article.number.length + first.length).split(between);
  const changes = article.properties.map((property, i) => {
    const code = (codes[i] ?? '').replace(`${property.name}=`, '');
    return [property.name, valueOfCode(property, code) ?? property.initial] as const;
  });
  const values = valuesOf(article, Object.fromEntries(changes));
  const isSame = finalNumberOf(article, values) === number;
  return isSame && areAllowed(article.properties, values) ? values : undefined;
}

/** Reinit string of a configuration; it ends with `::`. */
export function reinitOf(article: ArticleDefinition, values: Values): string {
  const d = NOTATIONS[article.manufacturer]!.reinit;
  const pairs = article.properties.map(
    ({ name }) => d.before + name + d.mid + values[name]! + d.after,
  );
  return d.open + article.number + d.first + pairs.join(d.between) + d.close;
}

/** The values of a reinit string; undefined if it is not of this article. */
export function valuesOfReinit(article: ArticleDefinition, reinit: string): Values | undefined {
  const d = NOTATIONS[article.manufacturer]!.reinit;
  const head = d.open + article.number + d.first;
  const pairs = reinit.slice(head.length, reinit.length - d.close.length).split(d.between);
  const changes = article.properties.map(({ name }, i) => {
    const start = d.before + name + d.mid;
    const pair = pairs[i] ?? '';
    return [name, pair.slice(start.length, pair.length - d.after.length)] as const;
  });
  const values = valuesOf(article, Object.fromEntries(changes));
  // The string is accepted only if writing its values gives the same string.
  const isSame = reinitOf(article, values) === reinit;
  return isSame && areAllowed(article.properties, values) ? values : undefined;
}

function areAllowed(properties: readonly PropertyDefinition[], values: Values): boolean {
  return properties.every((property) => isAllowed(property, values[property.name]!, values));
}

/**
 * Meta reinit string of a planning; empty for any other article.
 *
 * The string lists the children, and the properties of the planning that differ from the default.
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
 * Adds the values of the planning to the commercial values.
 *
 * @param reinit - Meta reinit string; empty for the default planning.
 * @returns Undefined if the string does not belong to this planning with these values.
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
  const own = { ...values, ...Object.fromEntries(changes) };
  if (!areAllowed(properties, own)) return undefined;
  // The final number of a child may differ from the one that the planning gives it.
  const numbers = /\{(.*)\}/.exec(reinit)?.[1]?.split('|') ?? [];
  const all = (article.meta?.children(own) ?? []).reduce<Values>(
    (before, { article: child }, i) => {
      const number = (numbers[i] ?? '').slice(child.program.length + 1);
      const changed = valuesOfFinalNumber(child, number);
      return (changed && withChildValues(article, before, child, changed)) ?? before;
    },
    own,
  );
  return metaReinitOf(article, all) === reinit ? all : undefined;
}
