/**
 * The fields and letters of section 2: each of them occurs in an answer of the sample range, with a value.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { allNodes, allRequests, articleOf, type Wire } from '../helpers/sample-range.ts';
import { someOf } from '../helpers/samples.ts';
import { FIELDS, IN_SENTENCES, type Structure } from '../helpers/specified-fields.ts';

/** Section 2.2: declared, but not implemented. */
const UNIMPLEMENTED = [
  'debugreinitstring',
  'debugiscommercialvalid',
  'debugisvisiblepropertieswithvalue',
];

const range = createSampleRange();
const served: Record<Structure | keyof typeof IN_SENTENCES, Wire[]> = {} as never;

function nodesBelow(parent: string): Wire[] {
  const nodes = range.nodes(parent)!;
  return [...nodes, ...nodes.flatMap(({ nodeid }) => nodesBelow(String(nodeid)))];
}

/** A desk whose height and switch depend on the base that is chosen last. */
function changedDesk(): Wire {
  const change = (article: Wire, propclass: string, prop: string, newvalue: string): Wire => {
    const named = { id: article.id, proptype: 'ocd', propclass, prop, newvalue } as const;
    return range.configure!(article, { ...named, article });
  };
  const query = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
  const higher = change(articleOf(range, query), 'MASS', 'HÖHE', '80.5');
  return change(higher, 'AUSSTATTUNG', 'UNTERGESTELL', 'HUB');
}

beforeAll(async () => {
  const nodes = nodesBelow('');
  // Articles that the tree does not show are found by search.
  const found = nodes
    .filter(({ convertdate }) => convertdate !== undefined)
    .flatMap(({ manufacturer }) => range.search(manufacturer, '-') as Wire[]);
  const asked = found.map((node) => articleOf(range, { ...node, getallproperties: 'true' }));
  const requests = allRequests(range);
  const roots = [changedDesk(), ...asked, ...requests.map(({ article }) => article)];
  const articles = roots.flatMap((root) => [root, ...root.children]);
  const classes = articles.flatMap(({ ocd, propclasses }) => [...ocd.propclasses, ...propclasses]);
  const properties = classes.flatMap((one) => one.properties);
  const partsLists = requests.map(({ partsList }) => partsList);
  const names: string[] = [...new Set(partsLists.flatMap(({ blocks }) => blocks))];
  const blocks = await Promise.all(
    someOf(names).map(async (name) =>
      JSON.parse(new TextDecoder().decode(await range.block(name))),
    ),
  );
  const parts = partsLists.flatMap(allNodes);
  Object.assign(served, {
    '2.1 node': nodes,
    '2.2 article': articles,
    '2.2 ocd': articles.map(({ ocd }) => ocd),
    '2.2 property': properties,
    '2.2 range': properties.flatMap(({ ranges }) => ranges),
    '2.3 node': parts.map((part) => ({ ...part, ...part.prop })),
    '2.3 material': partsLists.flatMap(({ mats }) => mats),
    '2.4 block': blocks.flatMap((block) =>
      block.A.map(({ F, TI, C }: Wire) => ({ ...block, 'A[].F': F, 'A[].TI': TI, 'A[].C': C })),
    ),
    resource: nodes.flatMap(({ ressources }) => ressources),
    breadcrumb: nodes.flatMap(({ nodeid }) => range.breadcrumbs(nodeid)!),
    propertyClass: classes,
    propertyValue: properties.flatMap(({ propertyvalues }) => propertyvalues),
    partsList: partsLists,
  } satisfies typeof served);
});

const hasValue = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : !['', 0, false, null, undefined].includes(value as '');

describe('the sample range serves every field, with a value', () => {
  const tables = { ...FIELDS, ...IN_SENTENCES };
  it.each(Object.keys(tables) as (keyof typeof tables)[])('of %s', (structure) => {
    const table: string | readonly string[] = tables[structure];
    const fields = (typeof table === 'string' ? table.split(' ') : table)
      .map((field) => field.split('=')[0]!)
      .filter((field) => !UNIMPLEMENTED.includes(field));
    const never = fields.filter((field) => !served[structure].some((one) => hasValue(one[field])));
    expect(never).toEqual([]);
  });
});

describe('the sample range serves every letter and both truth values', () => {
  it.each([
    ['2.1 node', 'nodetype', ['A', 'F', 'I']],
    ['resource', 'restype', ['IT']],
    ['2.2 ocd', 'articlewithprice', [false, true]],
    ['2.2 property', 'proptype', ['C', 'L', 'N']],
    ['2.2 property', 'enabled', [false, true]],
    ['2.2 property', 'visible', [false, true]],
    ['2.2 property', 'obligatory', [false, true]],
    ['2.2 property', 'obligatory2c', [false, true]],
    ['2.2 property', 'addvalues', [false, true]],
    ['2.2 range', 'opfrom', ['GE', 'GT', undefined]],
    ['2.2 range', 'opto', ['LE', 'LT', undefined]],
    ['2.4 block', 'A[].C', [false, true, undefined]],
    ['2.3 material', 'map', ['auto', 'env', 'rauto', undefined]],
  ] as const)('of %s: %s', (structure, field, values) => {
    const received = new Set(served[structure].map((one) => one[field]));
    expect([...received].sort()).toEqual([...values].sort());
  });

  it('of the types of parts in the specification', () => {
    const types = served['2.3 node'].map(({ type }) => type);
    const specified = ['top', 'imp', 'clsref', 'block', 'frame', 'cyl'];
    expect(types).toEqual(expect.arrayContaining(specified));
  });
});
