/**
 * Numbering: values ↔ reinit strings, and values → final article numbers.
 *
 * Each manufacturer has its own way to spell both, as in real life; a converter must treat them
 * as opaque. A reinit string is read strictly: only what this file itself would write is known.
 */
import { type ArticleDefinition, isAllowed, type Values, valuesOf } from './definition.ts';

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

/** Code of a value in the final number; `0` where it is not evaluated. */
function codesOf(article: ArticleDefinition, values: Values): { name: string; code: string }[] {
  return article.properties.map((property) => {
    const value = values[property.name]!;
    const choice = property.choices?.find((candidate) => candidate.value === value);
    return { name: property.name, code: choice?.code ?? (value === '' ? '0' : value) };
  });
}

/** Final article number of a configuration; the base number of an article without properties. */
export function finalNumberOf(article: ArticleDefinition, values: Values): string {
  if (article.properties.length === 0) return article.number;
  const { first, between, withNames } = DIALECTS[article.manufacturer]!.number;
  const codes = codesOf(article, values).map(({ name, code }) =>
    withNames ? `${name}=${code}` : code,
  );
  return article.number + first + codes.join(between);
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
  const allowed = article.properties.every((p) => isAllowed(p, values[p.name]!, values));
  return allowed ? values : undefined;
}

/** Meta reinit string of a planning; empty for an article that is none. */
export function metaReinitOf(article: ArticleDefinition, values: Values): string {
  if (article.meta === undefined) return '';
  const children = article.meta.children(values).map((child) => {
    return `${child.article.program}:${finalNumberOf(child.article, child.values)}`;
  });
  return `${article.meta.typename}{${children.join('|')}}::`;
}
