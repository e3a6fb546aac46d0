/**
 * Compare article: the evaluator's expectation against the reader's findings in a GLB.
 */

import type { Loss } from '../../src/model/scene.ts';
import type { ConvertOptions } from '../../src/transform/convert-options.ts';
import { type ExpectedArticle, evaluateArticle } from '../helpers/evaluator/evaluate.ts';
import { imageFacts, isBmp } from '../helpers/evaluator/image-facts.ts';
import type { Json } from '../helpers/evaluator/json.ts';
import type { EvaluatorOptions } from '../helpers/evaluator/options.ts';
import { EVALUATOR_DEFAULTS } from '../helpers/evaluator/options.ts';
import { type ReadArticle, readGlb } from '../helpers/glb-reader/read-glb.ts';
import type { Bodies } from '../helpers/snapshot.ts';
import { compareMaterial } from './compare-materials.ts';
import { compareSolids } from './compare-solids.ts';
import { convert, SERIES } from './convert.ts';
import { createFindings, differ, type Findings } from './findings.ts';
import { movableMatcher } from './match-movables.ts';
import { matchTriangles } from './match-triangles.ts';

/** Evaluates and converts the same bodies, and compares the two; nothing is read where nothing is drawn. */
export async function compareArticle(
  bodies: Bodies,
  options: Partial<ConvertOptions> = {},
): Promise<{ findings: Findings; read?: ReadArticle }> {
  const findings = createFindings();
  const expected = await evaluate(bodies, { ...EVALUATOR_DEFAULTS, ...options });
  const drawn = expected.triangles.length + expected.solids.length > 0;
  const losses: Loss[] = [];
  let glb: Uint8Array;
  try {
    glb = await convert(bodies, options, losses);
  } catch (error) {
    const empty = (error as { code?: string }).code === 'NOTHING_TO_DRAW';
    if (drawn || !empty) throw error;
    return { findings };
  }
  const read = readGlb(glb);
  const isSame = movableMatcher();
  const rest = matchTriangles(expected.triangles, read.triangles, isSame, findings);
  compareSolids(expected.solids, rest, isSame, findings);
  await compareMaterials(expected, read, findings);
  compareScales(expected, losses, findings);
  if (options.glassTint !== 'exact') compareLosses(expected, read, losses, findings);
  return { findings, read };
}

/** Parsed bodies; the same bytes are parsed once. */
const parsed = new WeakMap<Uint8Array, Json>();

function parse(bytes: Uint8Array): Json {
  const json = parsed.get(bytes) ?? (JSON.parse(new TextDecoder().decode(bytes)) as Json);
  parsed.set(bytes, json);
  return json;
}

async function evaluate(bodies: Bodies, options: EvaluatorOptions): Promise<ExpectedArticle> {
  const blocks = new Map<string, Json>();
  for (const [name, bytes] of bodies.blocks) if (bytes) blocks.set(name, parse(bytes));
  const images = new Map();
  for (const [name, bytes] of bodies.images)
    if (bytes && !isBmp(bytes)) images.set(name, await imageFacts(bytes));
  const raw = { series: SERIES, partsList: parse(bodies.partsList), blocks, images };
  return evaluateArticle(raw, options);
}

/** Scales that are not applied are losses; those of zero are, too, but of an `imp`. */
function compareScales(expected: ExpectedArticle, losses: readonly Loss[], findings: Findings) {
  const scales = losses.filter(({ field, done }) => field === 'scale' && done !== 'not drawn');
  const wanted = [...expected.unappliedScales].sort().join(' ');
  const listed = scales
    .map(({ value }) => String(value))
    .sort()
    .join(' ');
  if (wanted !== listed) differ(findings, `scales not applied: ${wanted}, found ${listed}`);
}

/** What the written materials lost, field by field. */
function compareLosses(
  expected: ExpectedArticle,
  read: ReadArticle,
  losses: readonly Loss[],
  findings: Findings,
) {
  for (const name of new Set(read.materials.map((material) => material.name))) {
    if (name === 'default') continue;
    const found = losses.filter(({ where }) => where === name).map(({ field }) => field);
    const wanted = [...(expected.materials.get(name)?.lost ?? [])].sort().join();
    const listed = [...new Set(found)].sort().join();
    if (wanted !== listed) differ(findings, `losses of ${name}: ${wanted}, found ${listed}`);
  }
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
