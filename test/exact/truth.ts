/**
 * Truth: figures of real furniture that were measured apart from its parts lists, against a GLB.
 *
 * The pieces of an article are its drawn nodes; which of them make up a measured part is found by
 * material, bounds and triangle counts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ArticleKey } from '../../src/model/article.ts';
import { facing, length, type Vec3 } from '../helpers/evaluator/vectors.ts';
import { toWorld } from '../helpers/glb-reader/nodes.ts';
import type { ReadTriangle } from '../helpers/glb-reader/read-glb.ts';
import { count, differ, type Findings, measure } from './findings.ts';

interface Figures {
  triangles: number;
  slivers: number;
  areaSquareMetres: number;
  boundsMetres: { min: Vec3; max: Vec3 };
}

interface TruePart extends Figures {
  object: string;
  material: string;
}

type NamedArticle = Pick<ArticleKey, 'manufacturer' | 'program' | 'basearticlenumber'>;

interface TrueArticle extends Figures, NamedArticle {
  parts: TruePart[];
  configurations: Omit<ArticleKey, keyof NamedArticle>[];
}

/** The recording of real furniture, which is not part of the sources. */
export const RECORDING = fileURLToPath(
  new URL('../../../shared/data/cc0-furniture', import.meta.url),
);
export const HAS_RECORDING = existsSync(RECORDING);

/** Each configuration of the recording, with what was measured of its article. */
export function trueConfigurations(): { truth: TrueArticle; key: ArticleKey }[] {
  if (!HAS_RECORDING) return [];
  const text = readFileSync(join(RECORDING, 'truth.json'), 'utf8');
  return (JSON.parse(text) as { articles: TrueArticle[] }).articles.flatMap((truth) => {
    const { manufacturer, program, basearticlenumber } = truth;
    return truth.configurations.map(({ finalarticlenumber, reinitstring, metareinitstring }) => ({
      truth,
      key: {
        ...{ manufacturer, program, basearticlenumber },
        ...{ finalarticlenumber, reinitstring, metareinitstring },
      },
    }));
  });
}

/** Coordinates of a recording are rounded to 0.01 mm of the measured ones. */
const BOUNDS_LIMIT = 2e-5;
const AREA_LIMIT = 2e-3;

/** Compares the whole article and each of its parts. */
export function compareTruth(truth: TrueArticle, read: ReadTriangle[], findings: Findings): void {
  const name = truth.basearticlenumber;
  compareFigures(truth, figuresOf(read), findings, name);
  const pieces = new Map<string, ReadTriangle[]>();
  for (const triangle of read) {
    const key = `${triangle.material.name.toUpperCase()} ${triangle.node.index}`;
    const piece = pieces.get(key);
    if (piece) piece.push(triangle);
    else pieces.set(key, [triangle]);
  }
  const parts = assign(truth.parts, [...pieces.values()].map(figuresAndMaterial));
  if (!parts) differ(findings, `${name}: the pieces do not make up the measured parts`);
  parts?.forEach((part, index) => {
    const { object } = truth.parts[index]!;
    compareFigures(truth.parts[index]!, part, findings, `${name} ${object}`);
    count(findings, 'measured parts compared');
  });
}

type Piece = Figures & { material: string };

const figuresAndMaterial = (triangles: ReadTriangle[]): Piece => ({
  ...figuresOf(triangles),
  material: triangles[0]!.material.name,
});

function figuresOf(triangles: ReadTriangle[]): Figures {
  let areaSquareMetres = 0;
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (const { corners, node } of triangles) {
    areaSquareMetres += length(facing(...corners)) / 2;
    for (const corner of corners.map((point) => toWorld(node, point)))
      for (let k = 0; k < 3; k++) {
        min[k] = Math.min(min[k]!, corner[k]!);
        max[k] = Math.max(max[k]!, corner[k]!);
      }
  }
  const boundsMetres = { min: min as unknown as Vec3, max: max as unknown as Vec3 };
  return { triangles: triangles.length, slivers: 0, areaSquareMetres, boundsMetres };
}

function compareFigures(truth: Figures, found: Figures, findings: Findings, name: string): void {
  const lost = truth.triangles - found.triangles;
  if (lost < 0 || lost > truth.slivers)
    differ(findings, `${name}: ${found.triangles} triangles, measured ${truth.triangles}`);
  const where = () => name;
  const area = Math.abs(found.areaSquareMetres / truth.areaSquareMetres - 1);
  measure(findings, { name: 'measured area, relative', value: area, limit: AREA_LIMIT, where });
  for (const side of ['min', 'max'] as const)
    truth.boundsMetres[side].forEach((value, k) => {
      const off = Math.abs(value - found.boundsMetres[side][k]!);
      const name = 'measured bounds, metres';
      measure(findings, { name, value: off, limit: BOUNDS_LIMIT, where });
    });
}

/** The pieces of each part, put together; undefined where no distribution fits. */
function assign(parts: TruePart[], pieces: Piece[]): Figures[] | undefined {
  const options = pieces.map((piece) => ({
    piece,
    into: parts.flatMap((part, index) => (mayHold(part, piece) ? [index] : [])),
  }));
  options.sort((a, b) => a.into.length - b.into.length || b.piece.triangles - a.piece.triangles);
  const held = parts.map(() => [] as Piece[]);
  let steps = 0;
  const full = (index: number) => sumOf(held[index]!);
  const fits = () =>
    parts.every((part, index) => {
      const sum = full(index);
      return sum !== undefined && agrees(part, sum);
    });
  const place = (at: number): boolean => {
    if (at === options.length) return fits();
    if (++steps > 200_000) return false;
    const { piece, into } = options[at]!;
    for (const index of into) {
      const used = held[index]!.reduce((total, p) => total + p.triangles, 0);
      if (used + piece.triangles > parts[index]!.triangles) continue;
      held[index]!.push(piece);
      if (place(at + 1)) return true;
      held[index]!.pop();
    }
    return false;
  };
  return place(0) ? parts.map((_, index) => full(index)!) : undefined;
}

function mayHold(part: TruePart, piece: Piece): boolean {
  const { min, max } = part.boundsMetres;
  const own = piece.boundsMetres;
  return (
    part.material.toUpperCase() === piece.material.toUpperCase() &&
    min.every((value, k) => own.min[k]! > value - BOUNDS_LIMIT) &&
    max.every((value, k) => own.max[k]! < value + BOUNDS_LIMIT)
  );
}

function sumOf(pieces: Piece[]): Figures | undefined {
  if (pieces.length === 0) return undefined;
  const axis = (side: 'min' | 'max', k: number) =>
    Math[side](...pieces.map((piece) => piece.boundsMetres[side][k]!));
  const side = (of: 'min' | 'max'): Vec3 => [axis(of, 0), axis(of, 1), axis(of, 2)];
  return {
    triangles: pieces.reduce((total, piece) => total + piece.triangles, 0),
    slivers: 0,
    areaSquareMetres: pieces.reduce((total, piece) => total + piece.areaSquareMetres, 0),
    boundsMetres: { min: side('min'), max: side('max') },
  };
}

function agrees(part: TruePart, sum: Figures): boolean {
  const lost = part.triangles - sum.triangles;
  const off = (side: 'min' | 'max') =>
    part.boundsMetres[side].some(
      (value, k) => Math.abs(value - sum.boundsMetres[side][k]!) > BOUNDS_LIMIT,
    );
  return lost >= 0 && lost <= part.slivers && !off('min') && !off('max');
}
