/**
 * Ranges: the sample range and a recording of real furniture agree with an independent evaluation.
 *
 * `npm test` converts one article for each kind of part; with `BTG2GLTF_TEST_LONG=1` it is every one.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/emulator/replay.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { compareArticle } from './compare-article.ts';
import { createFindings, gather, worstTable } from './findings.ts';
import { bodiesOf, configurationsOf } from './range-bodies.ts';
import { compareTruth, HAS_RECORDING, RECORDING, trueConfigurations } from './truth.ts';

/** Glass, mirrored parts, and images with different transforms; of the real ones the smallest. */
const SHORT = new Set(['LM-GLOBUS', 'KV40/H', 'FM-W160', 'BC092']);
const isTested = ({ basearticlenumber }: { basearticlenumber: string }) =>
  IS_LONG || SHORT.has(basearticlenumber);

describe('the sample range', () => {
  const sum = createFindings();
  const range = createSampleRange();
  afterAll(() => {
    console.log(worstTable('worst errors over the sample range', sum));
  });

  test.for(configurationsOf(range).filter(isTested))(
    'is converted exactly: $finalarticlenumber',
    async (one) => {
      const { findings } = await compareArticle(await bodiesOf(range, one));
      gather(sum, findings);
      expect(findings.differences).toEqual([]);
    },
  );
});

describe.skipIf(!HAS_RECORDING)('real furniture', () => {
  const sum = createFindings();
  let range: EmulatedRange;
  beforeAll(async () => {
    range = await openRecording(RECORDING);
  });
  afterAll(() => {
    console.log(worstTable('worst errors over real furniture', sum));
  });

  test.for(trueConfigurations().filter(({ key }) => isTested(key)))(
    'is converted exactly: $key.finalarticlenumber',
    async ({ truth, key }) => {
      const { findings, read } = await compareArticle(await bodiesOf(range, key));
      compareTruth(truth, read!.triangles, findings);
      gather(sum, findings);
      expect(findings.differences).toEqual([]);
    },
  );
});
