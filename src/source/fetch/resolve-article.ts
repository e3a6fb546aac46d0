/** Reads an answer of GET articles: its configuration, its children, and the messages of the service about it. */
import type {
  Article,
  ArticleKey,
  ArticleRequest,
  PlanningChild,
  PropertyChange,
} from '../../model/article.ts';
import type { CatalogueNode } from '../../model/catalogue.ts';
import { articleLabel } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { Warning } from '../../model/warning.ts';
import { ConverterError } from '../../support/errors.ts';
import { redact } from '../../support/redact.ts';

const MAX_MESSAGE_LENGTH = 500;

/**
 * Takes every number as the service spells it, or as requested if the service leaves it out. The
 * configuration of the meta planning is the requested one, since GET articles does not take it.
 *
 * @throws {@link ConverterError} `ARTICLE_REPORTED` for an article with a dump and without usable commercial data.
 * @see Spec 2.2, 3 rule 2; D-613, D-614, D-805.
 */
export function resolveKey(
  request: ArticleRequest,
  article: Article,
): { key: ArticleKey; warnings: Warning[] } {
  const { ocd } = article;
  const messages = articleMessages(article);
  if (article.dump !== '' && (ocd === undefined || ocd.finalarticlenumber === '')) {
    const name = articleLabel(request);
    const said = messages.map(({ message }) => message).join('; ');
    const message = `${name}: expected an article, received the message: ${said}`;
    throw new ConverterError('ARTICLE_REPORTED', message, { article: name });
  }
  const key = {
    manufacturer: article.manufacturer.toUpperCase() || request.manufacturer,
    program: article.program.toUpperCase() || request.program,
    basearticlenumber: article.basearticlenumber || request.basearticlenumber,
    finalarticlenumber: ocd?.finalarticlenumber || request.finalarticlenumber,
    reinitstring: ocd?.reinitstring || request.reinitstring,
    metareinitstring: request.metareinitstring || article.reinit,
  };
  const warnings = [...variantWarning(request, key), ...openProperties(article), ...messages];
  return { key, warnings };
}

function variantWarning(request: ArticleRequest, key: ArticleKey): Warning[] {
  const requested = request.finalarticlenumber;
  if (requested === '' || requested === key.finalarticlenumber) return [];
  const message = `finalarticlenumber: expected ${requested}, received ${key.finalarticlenumber}`;
  return [{ code: 'VARIANT_DIFFERS', message }];
}

/**
 * Finds the properties of an article and its children that need a value and have none.
 *
 * @returns `complete` is also false if the service leaves out the property because it is invisible. Then only
 *   its article as a whole has the flag.
 *
 * @example
 * ```ts
 * missingValues(planning); // → { complete: false, missing: ['PLAN.TOP', 'CH-1/FABRIC.COLOR'] }
 * ```
 *
 * @see Spec 2.2, 3 rule 2; D-805.
 */
export function missingValues(root: Article): { complete: boolean; missing: string[] } {
  const all = withChildren(root);
  const missing = all.flatMap((article) => {
    const owner = article === root ? '' : `${article.basearticlenumber}/`;
    return [...(article.ocd?.propclasses ?? []), ...article.propclasses].flatMap(
      ({ name, properties }) =>
        properties
          .filter(({ obligatory, obligatory2c }) => obligatory || obligatory2c)
          .filter(({ currentvalue }) => currentvalue.trim() === '')
          .map((property) => `${owner}${name}.${property.name}`),
    );
  });
  const isFlagged = all.some(({ ocd }) => ocd?.obligatory2c);
  return { complete: missing.length === 0 && !isFlagged, missing };
}

function openProperties(article: Article): Warning[] {
  const { complete, missing } = missingValues(article);
  if (complete) return [];
  const which = missing.length === 0 ? 'a property' : missing.join(', ');
  const verb = missing.length > 1 ? 'have' : 'has';
  const message = `the configuration is not complete: ${which} ${verb} no value`;
  return [{ code: 'CONFIGURATION_INVALID', message }];
}

/**
 * One warning for each of `dump`, `usermessages` and `metamessages` of an article and its children that
 * contains a text. The structure of messages is not specified: every text in them counts, each once.
 *
 * @see Spec 2.2; D-614.
 */
export function articleMessages(article: Article): Warning[] {
  const all = withChildren(article);
  const kinds: Readonly<Record<string, unknown[]>> = {
    dump: all.map(({ dump }) => dump),
    usermessages: all.map(({ ocd }) => ocd?.usermessages),
    metamessages: all.map(({ metamessages }) => metamessages),
  };
  return Object.entries(kinds).flatMap(([kind, messages]) => {
    const text = textOf(messages);
    return text === '' ? [] : [{ code: 'ARTICLE_REPORTED', message: `${kind}: ${text}` }];
  });
}

/** An article and its children at any depth, in document order. */
export function withChildren(root: Article): Article[] {
  const all: Article[] = [];
  const stack = [root];
  for (let article = stack.pop(); article !== undefined; article = stack.pop()) {
    all.push(article);
    // Articles are pushed one by one, because a call has a limited number of arguments.
    for (const child of article.children.toReversed()) stack.push(child);
  }
  return all;
}

/** Returns every text in a value of any shape, in its order, each once, on one line. */
function textOf(value: unknown): string {
  const texts = new Set<string>();
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === 'string') texts.add(next.replace(/[\p{Cc}\s]+/gu, ' ').trim());
    else if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next).reverse()) stack.push(inner);
    }
  }
  texts.delete('');
  const text = redact([...texts].join('; '));
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}

/** Lists all descendants of an article as requests, parents before their children. @see Spec 2.2; D-804. */
export function planningChildren(root: Pick<Article, 'children'>): PlanningChild[] {
  const children: PlanningChild[] = [];
  const open = [{ article: root, index: -1 }];
  // The list grows while it is iterated, so that the order is level by level.
  for (const { article, index } of open) {
    for (const child of article.children) {
      open.push({ article: child, index: children.length });
      children.push({ ...requestOfArticle(child), parent: index });
    }
  }
  return children;
}

/** An article as a request for exactly its configuration. */
export function requestOfArticle(article: Article): ArticleRequest {
  const { manufacturer, program, basearticlenumber, ocd, reinit } = article;
  return {
    manufacturer: manufacturer.toUpperCase(),
    program: program.toUpperCase(),
    basearticlenumber,
    finalarticlenumber: ocd?.finalarticlenumber ?? '',
    reinitstring: ocd?.reinitstring ?? '',
    metareinitstring: reinit,
  };
}

export interface CatalogueReader {
  /** Children of a folder. @param manufacturer - Manufacturer of the folder, or empty. */
  nodes(parentnode: string, manufacturer: string): Promise<CatalogueNode[]>;
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
}

export type PropertySetting = Pick<PropertyChange, 'proptype' | 'propclass' | 'prop' | 'newvalue'>;

/** An article in its current configuration. */
export interface Configured {
  key: ArticleKey;
  article: Article;
  /** Body of the answer, which a change sends back to the service. */
  articleDigest: Digest;
}

export interface Configurator {
  resolve(request: ArticleRequest): Promise<Configured>;
  /** Returns the same article with one property changed. */
  change(from: Configured, setting: PropertySetting): Promise<Configured>;
}
