/**
 * Selects configurations of one base article: its default, one with named values, or one for each value of
 * named properties. Values of two properties are never combined, since their number has no limit.
 */
import type {
  Article,
  ArticleProperty,
  ArticleRequest,
  PropertyRange,
} from '../../model/article.ts';
import { articleLabel } from '../../model/configuration-id.ts';
import type { Warning } from '../../model/warning.ts';
import {
  asConverterError,
  ConverterError,
  endsRun,
  isConverterError,
} from '../../support/errors.ts';
import { didYouMean } from '../../support/nearest.ts';
import {
  type Configurator,
  type Configured,
  type PropertySetting,
  planningChildren,
} from './resolve-article.ts';
import {
  joinSelections,
  type SelectedArticle,
  type SelectionFailure,
  type SourceOf,
  type SourceSelection,
} from './selection.ts';

/** Allowed values that a message lists. */
const MOST_LISTED = 20;

type ConfigurationSource = SourceOf<'configurations'>;

type BaseArticle = Pick<ArticleRequest, 'manufacturer' | 'program' | 'basearticlenumber'>;

/** A value of a property, to be set on the previous configuration; a property that one class has needs no class. */
export type Setting = readonly [classAndProperty: string, value: string];

/**
 * Configures a base article: sets the named values, then each value of each property of `each` on that
 * configuration alone. A value that the service refuses is a failure of its own. @see Spec 4.3; D-803.
 */
export async function selectConfigurations(
  source: ConfigurationSource,
  configurator: Configurator,
): Promise<SourceSelection> {
  const named = Object.entries(source.values);
  const first = await attempt(source, named, () => configure(source, named, configurator));
  if ('code' in first) return { articles: [], failures: [first] };
  const { settings, failures, warnings } = await settingsOfEach(source, first, named);
  const results = await Promise.all(
    settings.map(async (setting): Promise<SourceSelection> => {
      const kept = named.filter(([name]) => name !== setting[0]);
      const all = [...kept, setting];
      const result = await attempt(source, all, async () =>
        withAll(all, await set(configurator, first, setting)),
      );
      if ('code' in result) return { articles: [], failures: [result] };
      return { articles: [selected(source, result, all)] };
    }),
  );
  const own = { articles: [selected(source, first, named)], failures, warnings };
  return joinSelections([own, ...results]);
}

/**
 * Configures a top-level article: its default configuration, then the values in their order.
 *
 * @throws {@link ConverterError} `PROPERTY_UNKNOWN`, `PROPERTY_VALUE_REFUSED`, `CHILD_WITHOUT_ROOT`, and as `resolve`.
 * @example
 * ```ts
 * await configure(desk, [['OBERFLÄCHE.DEKOR', 'EI']], fetcher);   // → { key: { finalarticlenumber: 'LN-M-V.EI', … }, … }
 * ```
 * @see Spec 4.3; D-803.
 */
export async function configure(
  article: BaseArticle,
  settings: readonly Setting[],
  configurator: Configurator,
): Promise<Configured> {
  let configured = await loadTopLevel(article, configurator);
  const named: Setting[] = [];
  for (const [given, value] of settings) {
    const setting = [findProperty(configured.article, given).name, value] as const;
    configured = await set(configurator, configured, setting);
    named.push(setting);
  }
  return withAll(named, configured);
}

/** Every other value of each property of `each`, up to the allowed number. */
async function settingsOfEach(
  source: ConfigurationSource,
  { article }: Configured,
  named: readonly Setting[],
): Promise<{ settings: Setting[]; failures: SelectionFailure[]; warnings: Warning[] }> {
  const all: Setting[] = [];
  const failures: SelectionFailure[] = [];
  for (const name of source.each) {
    const values = await attempt(source, [...named, [name, '*']], async () =>
      otherValues(article, name, source.max),
    );
    if ('code' in values) failures.push(values);
    else for (const value of values) all.push([name, value]);
  }
  const settings = all.slice(0, source.max - 1);
  if (settings.length === all.length) return { settings, failures, warnings: [] };
  const message = `${articleLabel(source)}: more than the ${source.max} configurations of max; the first are taken`;
  return { settings, failures, warnings: [{ code: 'CONFIGURATIONS_LIMITED', message }] };
}

/** Turns an error that does not end the run into a failure of this configuration alone. */
async function attempt<T>(
  source: ConfigurationSource,
  settings: readonly Setting[],
  work: () => Promise<T>,
): Promise<T | SelectionFailure> {
  try {
    return await work();
  } catch (thrown) {
    const { code, message } = asConverterError(thrown);
    if (endsRun(code)) throw thrown;
    const { manufacturer, program, basearticlenumber } = source;
    const article = { manufacturer, program, basearticlenumber };
    return { what: nameOf(source, settings), code, message, article };
  }
}

/** Loads a top-level article. A child cannot be configured alone: its root is configured with it. */
async function loadTopLevel(article: BaseArticle, configurator: Configurator) {
  const { manufacturer, program, basearticlenumber } = article;
  const loaded = await configurator.resolve({
    manufacturer,
    program,
    basearticlenumber,
    finalarticlenumber: '',
    reinitstring: '',
    metareinitstring: '',
  });
  const { id, rootid } = loaded.article;
  if (id === rootid || rootid === '') return loaded;
  const message = `${articleLabel(article)}: expected a top-level article, received a child of ${rootid}`;
  throw new ConverterError('CHILD_WITHOUT_ROOT', message);
}

async function set(configurator: Configurator, from: Configured, [given, value]: Setting) {
  const { property, name, ...place } = findProperty(from.article, given);
  if (isSame(property.currentvalue, value)) return from;
  const setting = { ...place, newvalue: value };
  const changed = await configurator.change(from, setting).catch((thrown: unknown) => {
    if (!isConverterError(thrown, 'PROPERTY_VALUE_REFUSED')) throw thrown;
    throw refused(name, value, property, thrown);
  });
  return withAll([[name, value]], changed);
}

/** Says what the article allows, too: what the service says of a refused value is not specified. */
function refused(name: string, value: string, property: ArticleProperty, cause: ConverterError) {
  const values = property.propertyvalues.map(({ valuefrom }) => valuefrom);
  const allowed = values.length > 0 ? values : property.ranges.map(rangeText);
  const isSaid = allowed.every((one) => cause.message.includes(one));
  const more = allowed.length > MOST_LISTED ? ` and ${allowed.length - MOST_LISTED} others` : '';
  const list = isSaid ? '' : `; ${name} may be ${allowed.slice(0, MOST_LISTED).join(', ')}${more}`;
  const message = `${cause.message}${list}${didYouMean(value, values)}`;
  return new ConverterError('PROPERTY_VALUE_REFUSED', message, { cause });
}

const rangeText = ({ valuefrom, valueto, raster }: PropertyRange): string =>
  `${valuefrom ?? ''}…${valueto ?? ''}${raster ? ` in steps of ${raster}` : ''}`;

/** Returns a configuration with all values: a later one may change an earlier one. @throws `PROPERTY_VALUE_REFUSED` */
function withAll(settings: readonly Setting[], configured: Configured): Configured {
  const known = properties(configured.article);
  for (const [name, value] of settings) {
    const now = known.get(name)?.property.currentvalue;
    // An answer without the property proves nothing; an answer with another value is a refusal.
    if (now === undefined || isSame(now, value)) continue;
    const isLast = settings.at(-1)![0] === name;
    const expected = isLast ? 'to be taken' : 'to stay when the values after it are set';
    const message = `${name}: expected ${JSON.stringify(value)} ${expected}, received ${JSON.stringify(now)}`;
    throw new ConverterError('PROPERTY_VALUE_REFUSED', message);
  }
  return configured;
}

interface Found extends Omit<PropertySetting, 'newvalue'> {
  /** `CLASS.PROPERTY` */
  name: string;
  property: ArticleProperty;
}

/** Every property by `CLASS.PROPERTY`; commercial properties come before those of the planning. */
function properties({ ocd, propclasses }: Article): Map<string, Found> {
  const found = new Map<string, Found>();
  const classesByType = { meta: propclasses, ocd: ocd?.propclasses ?? [] };
  for (const proptype of ['meta', 'ocd'] as const) {
    for (const { name: propclass, properties: members } of classesByType[proptype]) {
      for (const property of members) {
        const prop = property.name;
        const name = `${propclass}.${prop}`;
        found.set(name, { name, proptype, propclass, prop, property });
      }
    }
  }
  return found;
}

function findProperty(article: Article, name: string): Found {
  const known = properties(article);
  const found = known.get(name);
  if (found !== undefined) return found;
  const alike = [...known.values()].filter(({ prop }) => prop === name);
  if (alike.length === 1) return alike[0]!;
  const names = alike.length > 1 ? alike.map((one) => one.name) : [...known.keys()];
  const ofName = name.includes('.') ? names : names.map((one) => one.slice(one.indexOf('.') + 1));
  const hint = alike.length === 0 && didYouMean(name, ofName);
  const hintOrNames = hint || `; it has ${names.join(', ')}`;
  const message = `expected a property of the article, received ${JSON.stringify(name)}${hintOrNames}`;
  throw new ConverterError('PROPERTY_UNKNOWN', message);
}

/** Every value of a property except the current one; for ranges at most one more than allowed. */
function otherValues(article: Article, name: string, max: number): string[] {
  const { property } = findProperty(article, name);
  const listed = property.propertyvalues.map(({ valuefrom }) => valuefrom);
  const values = listed.length > 0 ? listed : steps(name, property.ranges, max + 1);
  return values.filter((value) => !isSame(value, property.currentvalue));
}

/** The values of closed ranges with a step, lowest first. */
function steps(name: string, ranges: readonly PropertyRange[], most: number): string[] {
  if (ranges.length === 0) throw notEnumerable(name, 'none');
  return ranges
    .flatMap(({ valuefrom, opfrom, valueto, opto, raster = 0 }) => {
      if (valuefrom === undefined || valueto === undefined || !(raster > 0)) {
        throw notEnumerable(name, 'a range without an end or a step');
      }
      const count = Math.floor((valueto - valuefrom) / raster + 1e-9) + 1;
      const isExcluded = (value: number) =>
        (opfrom === 'GT' && value === valuefrom) || (opto === 'LT' && value === valueto);
      return Array.from({ length: Math.min(count, most + 1) }, (_, index) =>
        // Ten digits undo the rounding errors of decimal steps.
        Number((valuefrom + index * raster).toPrecision(10)),
      ).filter((value) => !isExcluded(value));
    })
    .slice(0, most)
    .map(String);
}

function notEnumerable(name: string, received: string): ConverterError {
  const message = `${name}: expected values or a range with a step, received ${received}`;
  return new ConverterError('PROPERTY_NOT_ENUMERABLE', message);
}

/** Whether two values are the same text, or the same number in different spellings. */
function isSame(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.trim() === '' || b.trim() === '') return false;
  return Number(a.replace(',', '.')) === Number(b.replace(',', '.'));
}

function selected(
  source: ConfigurationSource,
  { key, article }: Configured,
  settings: readonly Setting[],
): SelectedArticle {
  const children = planningChildren(article);
  const why = [nameOf(source, settings)];
  return { request: key, why, ...(children.length > 0 && { children }) };
}

function nameOf(source: ConfigurationSource, settings: readonly Setting[]): string {
  const values = settings.map((setting) => setting.join('=')).join(' ');
  return `configuration ${articleLabel(source)} ${values || 'default'}`;
}
