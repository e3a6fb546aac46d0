/** Short forms for the nodes of a parts list, in the field names of the service. */
import type { ArticleDefinition, Part } from './definition.ts';
import type { Point } from './shapes/surface.ts';

/** Placement, material and layer of a node. */
export interface NodeOptions {
  /** Position in metres, in the parent's frame. */
  at?: Point;
  /** Rotation in degrees. */
  rot?: Point;
  scale?: Point;
  mat?: string;
  lay?: string;
}

function node(type: string, options: NodeOptions, rest: Partial<Part>): Part {
  return {
    type,
    ...(options.at && { offs: options.at }),
    ...(options.rot && { rot: options.rot }),
    ...(options.scale && { scale: options.scale }),
    ...(options.mat !== undefined && { mat: options.mat }),
    ...(options.lay !== undefined && { lay: options.lay }),
    ...rest,
  };
}

/** A structure node. */
export function top(options: NodeOptions, children: Part[]): Part {
  return node('top', options, { children });
}

/** A movable group such as a drawer, named by the tag after `D3_` in its layer. */
export function movable(options: NodeOptions, children: Part[]): Part {
  return node('clsref', options, { children });
}

/** The node of an article, which a viewer lists under the article's German name. */
export function articleRoot(
  { manufacturer, program, short }: Pick<ArticleDefinition, 'manufacturer' | 'program' | 'short'>,
  parts: Part[],
): Part {
  return movable({ lay: `72_${manufacturer}_${program}_D3_${short.de}` }, parts);
}

/** A block by its qualified name. */
export function imp(btgname: string, options: NodeOptions = {}): Part {
  return node('imp', options, { btgname });
}

/** Returns a short form for the parts of a series on one layer: blocks by name, and solids. */
export function partsOn(lay: string) {
  return (shape: string | Part, mat: string, at?: Point, rot?: Point): Part => {
    const { type, ...rest } = typeof shape === 'string' ? imp(shape) : shape;
    return node(type, { lay, mat, ...(at && { at }), ...(rot && { rot }) }, rest);
  };
}

/** A solid: `block`, `frame`, `cyl`, `sphere` or `ellipsoid`. */
export function solid(
  type: 'block' | 'frame' | 'cyl' | 'sphere' | 'ellipsoid',
  params: unknown,
  options: NodeOptions = {},
): Part {
  return node(type, options, { params });
}

/** The parts list of GET btg: the tree, the names of its blocks and its materials. */
export function partsListJson(
  roots: readonly Part[],
  materialsFor: (references: readonly string[]) => Record<string, unknown>[],
): { btg: unknown[]; blocks: string[]; mats: Record<string, unknown>[] } {
  const blocks = new Set<string>();
  const references = new Set<string>();
  const write = (part: Part): unknown => {
    const { type, children, childsBesideProp, ...prop } = part;
    if (part.btgname !== undefined) blocks.add(canonical(part.btgname));
    if (part.mat !== undefined) references.add(part.mat);
    const childs = children?.map(write);
    if (childs === undefined) return { type, prop };
    return childsBesideProp ? { type, prop, childs } : { type, prop: { ...prop, childs } };
  };
  const btg = roots.map(write);
  return { btg, blocks: [...blocks].sort(), mats: materialsFor([...references]) };
}

/** The form of a block name in `blocks[]`: upper case, without a leading `::`. */
function canonical(name: string): string {
  return name.replace(/^::/, '').toUpperCase();
}
