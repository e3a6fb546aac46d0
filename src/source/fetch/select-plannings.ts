/** Selects stored plannings: a request for exactly the stored configuration, with the stored children. */

import { decodeArticle } from '../../convert/wire/article.ts';
import { isRecord, parseCart } from '../../convert/wire/value.ts';
import type { Article, ArticleRequest, PlanningChild } from '../../model/article.ts';
import { compareConfigurations, ID_FIELDS } from '../../model/configuration-id.ts';
import type { Warning } from '../../model/warning.ts';
import { asConverterError, asFailure, ConverterError, endsRun } from '../../support/errors.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { type Configurator, planningChildren, requestOfArticle } from './resolve-article.ts';
import {
  joinSelections,
  type SelectedArticle,
  type SelectionFailure,
  type SourceOf,
  type SourceSelection,
  type StoredPlanning,
} from './selection.ts';

/** Number of plannings whose children are compared with those of the service at the same time. */
const SELECTED_AT_ONCE = 256;

interface Root extends Omit<StoredPlanning, 'article'> {
  request: ArticleRequest;
  children: PlanningChild[];
}

/**
 * Reads stored plannings. An invalid planning is a failure of its own.
 *
 * @throws {@link ConverterError} an error that ends the run.
 * @see Spec 4.6; D-801, D-802.
 */
export async function selectPlannings(
  { plannings, maxArticles, ...source }: SourceOf<'planning'>,
  configurator: Pick<Configurator, 'resolve'>,
): Promise<Required<SourceSelection>> {
  const { roots, failures } = await readRoots(plannings, maxArticles);
  const selections: SourceSelection[] = [];
  await inParallel(roots, SELECTED_AT_ONCE, async (root, index) => {
    selections[index] = await selectRoot(root, source, configurator);
  });
  return joinSelections([...selections, { articles: [], failures }]);
}

/** Reads one planning after the other, and keeps only the selected parts: a planning may have many MiB. */
async function readRoots(
  plannings: SourceOf<'planning'>['plannings'],
  maxArticles = Number.POSITIVE_INFINITY,
) {
  const roots: Root[] = [];
  const failures: SelectionFailure[] = [];
  let articles = 0;
  for await (const planning of plannings) {
    try {
      const root = rootOf(planning);
      articles += 1 + root.children.length;
      if (articles > maxArticles) {
        const message = `expected at most ${maxArticles} carts and children of carts, received more: this cart and larger ones are omitted`;
        throw new ConverterError('CARTS_LIMITED', message);
      }
      roots.push(root);
    } catch (thrown) {
      const error = asFailure(thrown);
      failures.push(failureOf(planning, error));
      if (error.code === 'CARTS_LIMITED') break;
    }
  }
  return { roots, failures };
}

function rootOf(planning: StoredPlanning): Root {
  const { article: _, ...origin } = planning;
  const article = topLevelArticle(planning);
  return { ...origin, request: requestOfArticle(article), children: planningChildren(article) };
}

async function selectRoot(
  root: Root,
  { as, isUntried }: Pick<SourceOf<'planning'>, 'as' | 'isUntried'>,
  configurator: Pick<Configurator, 'resolve'>,
): Promise<SourceSelection> {
  const { name, request, children, onlyCarts } = root;
  try {
    const warnings = unconfigured(root);
    const isDefault = warnings.length > 0 && children.length === 0;
    const isTried = !(onlyCarts && isUntried?.(request));
    const isOther = !isDefault && isTried && !(await isAsServed(root, configurator));
    if (isOther && children.length === 0) {
      throw invalid('expected reinit, or the children of the planning, received neither');
    }
    const each = as === 'articles' || isOther ? children.map(childOf(root)) : [];
    if (isOther) return { articles: each, warnings: [withoutReinit(root)] };
    const planning = { request, why: [name], children, ...(onlyCarts && { onlyCarts }) };
    return { articles: [planning, ...each], warnings };
  } catch (thrown) {
    return {
      articles: [],
      failures: [failureOf({ ...root, article: { json: request } }, asFailure(thrown))],
    };
  }
}

function childOf({ name, onlyCarts }: Root) {
  return ({ parent: _, ...request }: PlanningChild, index: number): SelectedArticle => {
    checkIdentity(request, `child ${index + 1}`);
    return { request, why: [`child in ${name}`], ...(onlyCarts && { onlyCarts }) };
  };
}

/** Whether the service plans the stored children by itself: without `reinit`, GET btg draws the default planning. */
async function isAsServed(
  { request, children }: Root,
  configurator: Pick<Configurator, 'resolve'>,
): Promise<boolean> {
  if (request.metareinitstring !== '') return true;
  try {
    const { article } = await configurator.resolve(request);
    return areAlike(children, planningChildren(article));
  } catch (thrown) {
    const { code } = asConverterError(thrown);
    if (endsRun(code) || code === 'INTERNAL') throw thrown;
    // The request fails again, as a configuration of its own, when it is converted.
    return true;
  }
}

/** Compares children in any order; a field that the cart leaves out may have any value. */
function areAlike(stored: readonly PlanningChild[], served: readonly PlanningChild[]): boolean {
  const [ours, theirs] = [stored, served].map((list) => [...list].sort(compareConfigurations));
  const isAlike = (child: ArticleRequest, other: ArticleRequest) =>
    ID_FIELDS.every((field) => child[field] === '' || child[field] === other[field]);
  return stored.length === served.length && ours!.every((child, i) => isAlike(child, theirs![i]!));
}

function withoutReinit({ name }: Root): Warning {
  const message = `${name}: expected reinit, received none, and the children are not those of the default planning: each is a configuration of its own, and the planning is not published`;
  return { code: 'CART_WITHOUT_REINIT', message };
}

/** Reads a top-level article: as received, or from the property `json` of a cart post. */
function topLevelArticle({ article }: StoredPlanning): Article {
  if ('error' in article) throw article.error;
  const decoded = decode(unwrap(article.json));
  const { id, rootid } = decoded;
  if (id === '' || rootid === '') {
    const isV1 = 'json' in article && isRecord(article.json) && 'manuid' in article.json;
    const hint = isV1 ? '; migrate() converts a cart of v1 to v2.5' : '';
    throw invalid(`expected id and rootid, received no ${id === '' ? 'id' : 'rootid'}${hint}`);
  }
  if (id !== rootid) {
    const message = `expected a top-level article, received a child (id ${id}, rootid ${rootid})`;
    throw new ConverterError('CHILD_WITHOUT_ROOT', message);
  }
  checkIdentity(requestOfArticle(decoded), 'the top-level article');
  return decoded;
}

/** Warns about a migrated cart without a configuration: the default is selected, unless its children are others. */
function unconfigured({ name, request }: Root): Warning[] {
  if (request.finalarticlenumber !== '' || request.reinitstring !== '') return [];
  const message = `${name}: expected a reinitstring, received none: its default configuration is used`;
  return [{ code: 'CART_WITHOUT_CONFIGURATION', message }];
}

function unwrap(json: unknown): unknown {
  const wrapped = isRecord(json) && 'json' in json && !('id' in json) ? json.json : json;
  if (typeof wrapped !== 'string') return wrapped;
  try {
    return parseCart(new TextEncoder().encode(wrapped));
  } catch (cause) {
    throw invalid(`json: ${asConverterError(cause).message}`, cause);
  }
}

function decode(json: unknown): Article {
  if (!isRecord(json)) throw invalid('expected an object, received something else');
  try {
    return decodeArticle(json, undefined, true);
  } catch (cause) {
    throw invalid(asConverterError(cause).message, cause);
  }
}

function checkIdentity(request: ArticleRequest, what: string): void {
  for (const field of ['manufacturer', 'program', 'basearticlenumber'] as const) {
    if (request[field] === '') throw invalid(`${what}: expected ${field}, received none`);
  }
}

/** Makes the failure of an article that cannot be used, with the ids that are known. */
function failureOf(
  { name, selectedBy, article, onlyCarts }: StoredPlanning,
  { code, message }: ConverterError,
): SelectionFailure {
  const json = 'json' in article ? article.json : undefined;
  const inner = isRecord(json) && isRecord(json.json) ? json.json : json;
  const { manufacturer, program, basearticlenumber } = isRecord(inner) ? inner : {};
  const origin = { what: name, ...(selectedBy && { selectedBy }), ...(onlyCarts && { onlyCarts }) };
  const failure = { ...origin, code, message };
  if (!isName(manufacturer) || !isName(program) || !isName(basearticlenumber)) return failure;
  const ids = { manufacturer: manufacturer.toUpperCase(), program: program.toUpperCase() };
  return { ...failure, article: { ...ids, basearticlenumber } };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

function invalid(message: string, cause?: unknown): ConverterError {
  return new ConverterError('CART_INVALID', message, { cause });
}
