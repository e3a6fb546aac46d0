import { describe, expect, it } from 'vitest';
import type { PartsList, PartsListNode } from '../../../../src/convert/model/graphics.ts';
import { checkPlacement } from '../../../../src/convert/transform/placement.ts';
import type { ArticleRequest } from '../../../../src/model/article.ts';
import { ConverterError } from '../../../../src/support/errors.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { partsNode } from '../../../helpers/graphics.ts';
import { expectLinear } from '../../../helpers/growth.ts';

interface ChildParts {
  /** Index of the parent child, or -1. */
  parent: number;
  /** Whether it is the same article as the planning. */
  likeRoot: boolean;
  /** Undefined: its parts list cannot be fetched. */
  nodes: PartsListNode[] | undefined;
}

/** Whether a planning contains each child. */
async function placedChildren(planning: PartsListNode[], children: ChildParts[]) {
  const numbers = children.map(({ likeRoot }, index) => (likeRoot ? 'PLAN' : `C${index}`));
  const requests = children.map(({ parent }, i) => ({ ...acme(numbers[i]!), parent }));
  const partsListOf = async ({ basearticlenumber }: ArticleRequest) => {
    const { nodes } = children[numbers.indexOf(basearticlenumber)]!;
    if (nodes === undefined) throw new ConverterError('ARTICLE_NOT_FOUND', 'no such article');
    return { nodes } as PartsList;
  };
  const root = { nodes: planning } as PartsList;
  const { unplaced } = await checkPlacement(acme('PLAN'), root, requests, partsListOf);
  const missing = unplaced.map(({ request }) => request.basearticlenumber);
  return numbers.map((number) => !missing.includes(number));
}

const block = (name: string, x = 0, more: Partial<PartsListNode> = {}) =>
  partsNode('imp', { blockName: `ACME::DESK::${name}`, offsetMetres: [x, 0, 0], ...more });
const at = (offsetMetres: [number, number, number], children: PartsListNode[], turn = 0) =>
  partsNode('top', { offsetMetres, rotationDegrees: [0, turn, 0], children });

const DESK = [block('TOP', 0.5), block('LEG', 0), block('LEG', 1)];
const PEDESTAL = [partsNode('block', { params: [0.4, 0.6, 0.5] }), block('DRAWER', 0.02)];

const child = (nodes: PartsListNode[] | undefined, more: Partial<ChildParts> = {}): ChildParts => ({
  parent: -1,
  likeRoot: false,
  nodes,
  ...more,
});

describe('a child of a planning', () => {
  it('is placed if all its parts are there, in any position and rotation', async () => {
    const planning = [at([2, 0.74, 1], DESK, 30), at([0.1, 0, 0.3], PEDESTAL, -90)];
    expect(await placedChildren(planning, [child(DESK), child(PEDESTAL)])).toEqual([true, true]);
  });

  it('is found in a list without a node for each child, in any order and letter case', async () => {
    const spelled = (name: string, x: number) =>
      partsNode('imp', { blockName: `::acme::desk::${name}`, offsetMetres: [x, 0, 0] });
    const desk = [spelled('leg', 3), spelled('Top', 2.5), block('LEG', 2)];
    const planning = [desk[0]!, block('DRAWER', 9.02), ...desk.slice(1)];
    expect(await placedChildren(planning, [child(DESK)])).toEqual([true]);
    expect(await placedChildren(planning, [child(PEDESTAL)])).toEqual([false]);
  });

  it('is not found if a part is missing, moved, turned or of another size', async () => {
    const [top, leg, other] = DESK as [PartsListNode, PartsListNode, PartsListNode];
    const wrong = {
      missing: [top, leg],
      moved: [top, leg, { ...other, offsetMetres: [1.01, 0, 0] as const }],
      turned: [top, leg, { ...other, rotationDegrees: [0, 1, 0] as const }],
      scaled: [top, leg, { ...other, scale: [1, 1.01, 1] as const }],
    };
    for (const [what, nodes] of Object.entries(wrong)) {
      expect(await placedChildren([at([1, 0, 0], nodes)], [child(DESK)]), what).toEqual([false]);
    }
    const rounded = [top, leg, { ...other, offsetMetres: [1.0004, 0, 0] as const }];
    expect(await placedChildren([at([1, 0, 0], rounded)], [child(DESK)])).toEqual([true]);
  });

  it('needs a place of its own: of two equal ones the one of the right material is there', async () => {
    const coloured = (material: string) => [partsNode('top', { material, children: DESK })];
    const planning = [at([1, 0, 0], coloured('OAK'))];
    const desks = [child(coloured('WHITE')), child(coloured('oak'))];
    expect(await placedChildren(planning, desks)).toEqual([false, true]);
    expect(await placedChildren([...planning, at([3, 0, 0], DESK)], desks)).toEqual([true, true]);
  });

  it('leaves larger children their parts', async () => {
    const [, leg] = DESK;
    const planning = [at([1, 0, 0], DESK)];
    expect(await placedChildren(planning, [child([leg!]), child(DESK)])).toEqual([false, true]);
  });

  it("is not taken for the planning's own article", async () => {
    const like = child(DESK, { likeRoot: true });
    expect(await placedChildren(DESK, [like])).toEqual([false]);
    expect(await placedChildren([...DESK, at([2, 0, 0], DESK)], [like])).toEqual([true]);
  });

  it('is searched in its parent child, too', async () => {
    const island = [...DESK, at([0.2, 0, 0], PEDESTAL)];
    const children = [child(island), child(PEDESTAL, { parent: 0 })];
    expect(await placedChildren([at([1, 0, 0], island)], children)).toEqual([true, true]);
    const alone = [child(DESK), child(PEDESTAL, { parent: 0 })];
    expect(await placedChildren([at([1, 0, 0], island)], alone)).toEqual([true, true]);
    expect(await placedChildren([at([1, 0, 0], DESK)], alone)).toEqual([true, false]);
  });

  it('is placed if it draws nothing, and not if its parts list is unknown', async () => {
    const children = [child([partsNode('top')]), child(undefined)];
    expect(await placedChildren(DESK, children)).toEqual([true, false]);
  });

  it('is found in lists that are thousands deep', async () => {
    let deep = DESK;
    for (let level = 0; level < 5000; level++) deep = [at([0.001, 0, 0], deep)];
    expect(await placedChildren(deep, [child(DESK)])).toEqual([true]);
  });
});

it('takes linear time for children that are not in the parts list', async () => {
  const children = (size: number) =>
    Array.from({ length: size }, (_, index) => ({ ...acme(`C${index}`), parent: -1 }));
  const error = new ConverterError('ARTICLE_NOT_FOUND', 'no such article');
  const empty = { nodes: [] } as unknown as PartsList;
  await expectLinear(1_000, children, async (given) => {
    const partsListOf = () => Promise.reject(error);
    const { unplaced } = await checkPlacement(acme('PLAN'), empty, given, partsListOf);
    expect(unplaced).toHaveLength(given.length);
  });
});

it('takes linear time for parts in one place, and for children of another material', async () => {
  const of = (parts: PartsListNode[]) => ({ nodes: parts }) as unknown as PartsList;
  const legs = (size: number, more: Partial<PartsListNode> = {}) =>
    Array.from({ length: size }, () => block('LEG', 0, more));
  const root = { ...acme('C'), parent: -1 };
  // The last part of the child has no place, so that each candidate is tried.
  const stacked = (size: number) => ({
    planning: of(legs(size)),
    child: of([...legs(size - 1), block('LEG', 5)]),
  });
  await expectLinear(100, stacked, async ({ planning, child: list }) => {
    const { unplaced } = await checkPlacement(acme('PLAN'), planning, [root], async () => list);
    expect(unplaced).toHaveLength(1);
  });
  const coloured = (size: number) =>
    Array.from({ length: size }, (_, index) => block('LEG', index, { material: 'OAK' }));
  await expectLinear(100, coloured, async (nodes) => {
    const children = nodes.map((_, index) => ({ ...acme(`C${index}`), parent: -1 }));
    const list = of([block('LEG', 0, { material: 'ASH' })]);
    const { unplaced } = await checkPlacement(acme('PLAN'), of(nodes), children, async () => list);
    expect(unplaced).toEqual([]);
  });
});
