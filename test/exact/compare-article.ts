/**
 * Compare article: the evaluator's expectation against the reader's findings in a GLB.
 */

import type { ConvertOptions } from '../../src/convert/transform/convert-options.ts';
import type { Loss } from '../../src/model/asset.ts';
import type { ExpectedArticle } from '../helpers/evaluator/evaluate.ts';
import { EVALUATOR_DEFAULTS } from '../helpers/evaluator/options.ts';
import type { ReadArticle } from '../helpers/glb-reader/read-glb.ts';
import type { Bodies } from '../helpers/snapshot.ts';
import { compareGlb, evaluateBodies } from './compare-glb.ts';
import { convert, SERIES } from './convert.ts';
import { createFindings, differ, type Findings } from './findings.ts';

/** Evaluates and converts the same bodies, and compares the two; nothing is read where nothing is drawn. */
export async function compareArticle(
  bodies: Bodies,
  options: Partial<ConvertOptions> = {},
): Promise<{ findings: Findings; read?: ReadArticle }> {
  const findings = createFindings();
  const expected = await evaluateBodies(bodies, SERIES, { ...EVALUATOR_DEFAULTS, ...options });
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
  const read = await compareGlb(glb, expected, findings);
  compareScales(expected, losses, findings);
  if (options.glassTint !== 'exact') compareLosses(expected, read, losses, findings);
  return { findings, read };
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
