/**
 * Evaluates the JSON of a parts list, its blocks and its materials: the triangles, solids and material
 * values that a conversion must give, in double precision. It shares no code with the converter, on
 * purpose.
 */
import { type EvaluatedBlock, evaluateBlock } from './block.ts';
import { canonical, type Json } from './json.ts';
import {
  defaultMaterial,
  type ExpectedMaterial,
  evaluateMaterial,
  type Images,
} from './material.ts';
import { findMaterial } from './material-fields.ts';
import { type CornerNormal, cornerNormals } from './normals.ts';
import type { EvaluatorOptions } from './options.ts';
import { type Movable, type Part, partsOf } from './parts.ts';
import { boxProjections, type Uvs } from './projection.ts';
import { type Solid, solidOf } from './solid.ts';
import { apply, type Frame, largest, place, scaled, unit, type Vec3 } from './vectors.ts';

/** What the service sent, parsed. */
export interface RawArticle {
  /** `MANUFACTURER::SERIES` of the article. */
  series: string;
  partsList: Json;
  /** By canonical name; one that is not there is missing. */
  blocks: ReadonlyMap<string, Json>;
  images: Images;
}

/**
 * One triangle in the frame of its movable, or in the world without one; its corners run
 * counter-clockwise around its front.
 */
export interface ExpectedTriangle {
  corners: readonly [Vec3, Vec3, Vec3];
  normals: readonly [CornerNormal, CornerNormal, CornerNormal];
  /** Texture coordinates before the material's placement; more than one where either will do. */
  uvs: Uvs[];
  material: ExpectedMaterial;
  doubleSided: boolean;
  movable: Movable | undefined;
  /** Largest coordinate on its way, in metres: what float32 rounding follows. */
  reach: number;
  part: () => string;
}

export interface ExpectedSolid {
  solid: Solid;
  /** In the frame of its movable; in the world without one. */
  frame: Frame;
  material: ExpectedMaterial;
  movable: Movable | undefined;
  part: () => string;
}

export interface ExpectedArticle {
  triangles: ExpectedTriangle[];
  solids: ExpectedSolid[];
  materials: Map<string, ExpectedMaterial>;
  droppedTriangles: number;
  droppedLayers: number;
  zeroScales: number;
  unappliedScales: ReadonlySet<string>;
}

/** Evaluates one article. */
export function evaluateArticle(raw: RawArticle, options: EvaluatorOptions): ExpectedArticle {
  const { parts, ...counted } = partsOf(raw.partsList, options.dropLayers, raw.series);
  const materialOf = materials(raw, options);
  const blockOf = blocks(raw, options);
  const expected: ExpectedArticle = {
    triangles: [],
    solids: [],
    materials: materialOf.all,
    droppedTriangles: 0,
    ...counted,
  };
  for (const part of parts) {
    const block = part.type === 'imp' ? blockOf(part.blockName) : undefined;
    if (block) {
      expected.droppedTriangles += block.dropped;
      drawBlock(part, block, materialOf.find(part.material), options, expected.triangles);
    }
    if (part.type === 'imp') continue;
    const solid = solidOf(part.type, part.params, options.curveToleranceMetres);
    const { frame, movable, path } = part;
    const material = materialOf.find(part.material);
    if (solid) expected.solids.push({ solid, frame, material, movable, part: path });
  }
  return expected;
}

function materials({ partsList, images }: RawArticle, options: EvaluatorOptions) {
  const byReference = new Map<string, ExpectedMaterial>();
  const all = new Map<string, ExpectedMaterial>();
  const find = (reference: string): ExpectedMaterial => {
    const known = byReference.get(reference);
    if (known) return known;
    const found = findMaterial(reference, partsList, options.overrides) ?? defaultMaterial();
    const material = all.get(found.name) ?? evaluateMaterial(found, images, options);
    all.set(found.name, material);
    byReference.set(reference, material);
    return material;
  };
  return { all, find };
}

type BlockWithNormals = EvaluatedBlock & {
  normals: ReturnType<typeof cornerNormals>[];
  turn: (n: Vec3) => Vec3;
};

function blocks(raw: RawArticle, options: EvaluatorOptions) {
  return (name: string): BlockWithNormals | undefined => {
    const json = raw.blocks.get(canonical(name));
    return json && evaluatedOnce(json, options);
  };
}

/** Evaluated blocks by their JSON, then by what their evaluation depends on. */
const evaluated = new WeakMap<Json, Map<string, BlockWithNormals>>();

function evaluatedOnce(json: Json, options: EvaluatorOptions): BlockWithNormals {
  const { winding, creaseAngleDegrees } = options;
  const known = evaluated.get(json) ?? new Map<string, BlockWithNormals>();
  evaluated.set(json, known);
  const key = `${winding} ${creaseAngleDegrees}`;
  let result = known.get(key);
  if (result === undefined) {
    const block = evaluateBlock(json, winding);
    const normals = block.surfaces.map((s) => cornerNormals(s, creaseAngleDegrees));
    const origin = block.place([0, 0, 0]);
    const turn = (n: Vec3): Vec3 => {
      const [x, y, z] = block.place(n);
      return [x - origin[0], y - origin[1], z - origin[2]];
    };
    result = { ...block, normals, turn };
    known.set(key, result);
  }
  return result;
}

function drawBlock(
  part: Part,
  block: BlockWithNormals,
  material: ExpectedMaterial,
  options: EvaluatorOptions,
  into: ExpectedTriangle[],
): void {
  const { frame, scale, movable } = part;
  const mirrored = scale[0] * scale[1] * scale[2] < 0;

  const projected = material.uvSource !== 'stored';
  block.surfaces.forEach((surface, s) => {
    surface.triangles.forEach((triangle, t) => {
      const local = triangle.corners.map((v) => scaled(block.place(v), scale));
      const [a, b, c] = local as [Vec3, Vec3, Vec3];
      const placed = [place(frame, a), place(frame, b), place(frame, c)] as const;
      const stored = projected && !options.preferStoredUvs ? undefined : triangle.uvs;
      const exact = !block.placed && scale.every((k) => Math.abs(k) === 1);
      const noise = exact ? 0 : Math.max(largest(a), largest(b), largest(c)) * 2 ** -23;
      const uvs = stored
        ? [stored]
        : boxProjections([a, b, c], material.uvSource === 'rauto', noise);
      const normals = block.normals[s]![t]!.map(({ normal, sure }) => ({
        normal: unit(apply(frame.turn, divided(block.turn(normal), scale))),
        sure,
      })) as unknown as ExpectedTriangle['normals'];
      into.push({
        corners: mirrored ? swapped(placed) : placed,
        normals: mirrored ? swapped(normals) : normals,
        uvs: mirrored ? uvs.map((uv) => swapped(uv)) : uvs,
        material,
        doubleSided: !surface.closed,
        movable,
        reach: Math.max(...[a, b, c, ...placed].map(largest), largest(frame.move)),
        part: part.path,
      });
    });
  });
}

const divided = (n: Vec3, s: Vec3): Vec3 => [n[0] / s[0], n[1] / s[1], n[2] / s[2]];
const swapped = <T>([a, b, c]: readonly [T, T, T]): readonly [T, T, T] => [a, c, b];
