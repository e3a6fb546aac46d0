/** A generated article, and the bodies that a service would send for it; fast-check can shrink its choices. */
import fc from 'fast-check';
import { type BlockPlan, blockJson, blockPlan } from './block-plan.ts';
import { jsonText } from './json-text.ts';
import { type MaterialReference, materialRecord, spell } from './material-plan.ts';
import { type ChainPlan, chainPlan, type NodePlan, nodePlan, paramsJson } from './node-plan.ts';

export interface ArticlePlan {
  nodes: NodePlan[];
  chain: ChainPlan;
  blocks: BlockPlan[];
  materials: Record<string, unknown>[];
  /** Names of options with values other than the default. */
  options: Record<string, unknown>;
}

/** The bodies of one article. */
export interface GeneratedArticle {
  partsList: string;
  /** By canonical name. */
  blocks: Map<string, string>;
  /** Names that nodes may use, of blocks that do not exist. */
  missingBlocks: string[];
  /** Every image reference that occurs. */
  imageReferences: string[];
  options: Record<string, unknown>;
}

const options: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        winding: fc.constantFrom('auto', 'keep', 'flip'),
        creaseAngleDegrees: fc.constantFrom(0, 30, 50, 180),
        preferStoredUvs: fc.boolean(),
        textureTransform: fc.constantFrom('auto', 'bake'),
        textureRotation: fc.constantFrom('counter-clockwise', 'clockwise'),
        tintTextures: fc.boolean(),
        luminanceDivisor: fc.constantFrom(100, 40),
        glassTint: fc.constantFrom('balanced', 'exact'),
        unusedUvs: fc.constantFrom('keep', 'drop'),
        tangents: fc.constantFrom('none', 'none', 'mikktspace'),
        keepSourceExtras: fc.boolean(),
        dropLayers: fc.constantFrom([], ['D2*'], ['D3*', 'TEXT*']),
        overrides: fc.constantFrom(
          {},
          { '*Material 1': { metallic: 1, roughness: 0.1 } },
          { '*': { scaleu: 3, scalev: 2, rot: 33 }, '*0': { dif: '0x80ff40', tra: 0.4 } },
        ),
      },
      { requiredKeys: [] },
    ),
  },
);

export const articlePlan: fc.Arbitrary<ArticlePlan> = fc.record({
  nodes: fc.array(nodePlan, { minLength: 1, maxLength: 12, size: 'max' }),
  chain: chainPlan,
  blocks: fc.array(blockPlan, { minLength: 1, maxLength: 4, size: 'max' }),
  materials: fc.array(materialRecord, { maxLength: 4, size: 'max' }),
  options,
});

/** The name of every other series contains the mode of a layer. */
const blockName = (index: number) => `GEN::${index % 2 ? 'RANGE_D2' : 'RANGE'}::PART_${index}`;
const materialName = (index: number) => `Gen::Range::Material ${index}`;

/** Builds the bodies of a planned article. */
export function generateArticle(plan: ArticlePlan): GeneratedArticle {
  const blocks = new Map<string, string>();
  plan.blocks.forEach((block, index) => {
    blocks.set(blockName(index), jsonText(blockJson(blockName(index), block)));
  });
  const mats = plan.materials.map((record, index) => ({ mname: materialName(index), ...record }));
  const btg = tree(plan);
  const pictures = mats.flatMap((mat: Record<string, unknown>) =>
    ['pic', 'bump', 'roughness_image', 'metallic_image'].map((key) => mat[key]),
  );
  const imageReferences = [...pictures, 'WOOD'].filter((name) => typeof name === 'string');
  return {
    partsList: jsonText({ btg, blocks: [...blocks.keys()], mats }),
    blocks,
    missingBlocks: [blockName(plan.blocks.length)],
    imageReferences,
    options: plan.options,
  };
}

type JsonNode = { type: string; prop: Record<string, unknown>; [key: string]: unknown };

function tree(plan: ArticlePlan): JsonNode[] {
  const roots: JsonNode[] = [];
  const { chain } = plan;
  let siblings: JsonNode[] = roots;
  for (let i = 0; i < chain.length; i++) {
    const movable = chain.movableEvery > 0 && i % chain.movableEvery === 0;
    const childs: JsonNode[] = [];
    const prop = { offs: chain.offs, rot: chain.rot, childs };
    siblings.push({ type: movable ? 'clsref' : 'top', prop });
    siblings = childs;
  }
  const lists = [siblings];
  for (const node of plan.nodes) {
    const childs: JsonNode[] = [];
    lists[node.parent % lists.length]!.push(nodeJson(node, plan, childs));
    lists.push(childs);
  }
  return roots;
}

function nodeJson(node: NodePlan, plan: ArticlePlan, childs: JsonNode[]): JsonNode {
  const sent = (list: readonly number[] | undefined) => list?.map((n) => numberAs(n, node.numbers));
  const fields = {
    btgname:
      node.type === 'imp'
        ? spell(blockName(node.block.index % (plan.blocks.length + 1)), node.block.spelling)
        : undefined,
    offs: sent(node.offs),
    rot: sent(node.rot),
    scale: sent(node.scale),
    mat: node.mat && matOf(node.mat, plan.materials.length),
    lay: node.lay,
    params: paramsJson(node),
  };
  const prop = { ...(node.inProp ? fields : {}), ...(node.childsInProp ? { childs } : {}) };
  const beside = { ...(node.inProp ? {} : fields), ...(node.childsInProp ? {} : { childs }) };
  return { type: node.type, prop, ...beside };
}

function numberAs(value: number, as: NodePlan['numbers']): number | string {
  if (as === 'number') return value;
  return as === 'text' ? String(value) : String(value).replace('.', ',');
}

function matOf(reference: MaterialReference, count: number): string {
  if (reference.kind === 'unknown') return 'GEN::RANGE::NOWHERE';
  if (reference.kind === 'inline') return reference.text;
  const name = materialName(reference.index % Math.max(1, count));
  return reference.kind === 'named' ? spell(name, reference.spelling) : `${name}${reference.text}`;
}
