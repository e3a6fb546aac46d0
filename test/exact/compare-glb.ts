/**
 * Compare GLB: triangles, solids and materials of a GLB against what the evaluator makes of the same article.
 */
import { type ExpectedArticle, evaluateArticle } from '../helpers/evaluator/evaluate.ts';
import { imageFacts, isBmp } from '../helpers/evaluator/image-facts.ts';
import type { Json } from '../helpers/evaluator/json.ts';
import { EVALUATOR_DEFAULTS, type EvaluatorOptions } from '../helpers/evaluator/options.ts';
import { type ReadArticle, readGlb } from '../helpers/glb-reader/read-glb.ts';
import type { Bodies } from '../helpers/snapshot.ts';
import { compareMaterial } from './compare-materials.ts';
import { compareSolids } from './compare-solids.ts';
import { differ, type Findings } from './findings.ts';
import { movableMatcher } from './match-movables.ts';
import { matchTriangles } from './match-triangles.ts';

/** Reads a GLB, and compares what it draws. */
export async function compareGlb(
  glb: Uint8Array,
  expected: ExpectedArticle,
  findings: Findings,
): Promise<ReadArticle> {
  const read = readGlb(glb);
  const isSame = movableMatcher();
  const rest = matchTriangles(expected.triangles, read.triangles, isSame, findings);
  compareSolids(expected.solids, rest, isSame, findings);
  await compareMaterials(expected, read, findings);
  return read;
}

/** Parsed bodies; the same bytes are parsed once. */
const parsed = new WeakMap<Uint8Array, Json>();

function parse(bytes: Uint8Array): Json {
  const json = parsed.get(bytes) ?? (JSON.parse(new TextDecoder().decode(bytes)) as Json);
  parsed.set(bytes, json);
  return json;
}

/** Evaluates what the service sent of an article of a series, `MANUFACTURER::SERIES`. */
export async function evaluateBodies(
  bodies: Bodies,
  series: string,
  options: EvaluatorOptions = EVALUATOR_DEFAULTS,
): Promise<ExpectedArticle> {
  const blocks = new Map<string, Json>();
  for (const [name, bytes] of bodies.blocks) if (bytes) blocks.set(name, parse(bytes));
  const images = new Map();
  for (const [name, bytes] of bodies.images)
    if (bytes && !isBmp(bytes)) images.set(name, await imageFacts(bytes));
  const raw = { series, partsList: parse(bodies.partsList), blocks, images };
  return evaluateArticle(raw, options);
}

/** Each material that a triangle uses is written once a side, and nothing else is. */
async function compareMaterials(expected: ExpectedArticle, read: ReadArticle, findings: Findings) {
  const seen = new Set<string>();
  for (const material of read.materials) {
    const key = `${material.name} ${material.doubleSided}`;
    if (seen.has(key)) differ(findings, `material ${key}: written twice`);
    seen.add(key);
    const wanted = expected.materials.get(material.name);
    if (wanted) await compareMaterial(wanted, material, findings);
    else differ(findings, `material ${material.name}: not expected`);
  }
}
