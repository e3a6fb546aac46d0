/**
 * Hostile texts: long ones and many of them do not make manifest, catalogue, report and memory grow.
 *
 * `npm test` takes one article with texts of 200,000 characters, with `BTG2GLTF_TEST_LONG=1` it is 12 with 10 million.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { LIVE } from '../helpers/command.ts';
import { openDailyRuns } from '../helpers/daily-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { smallRange } from '../helpers/small-range.ts';

const [ARTICLES, LENGTH, KEYS] = IS_LONG ? [12, 10_000_000, 100_000] : [1, 200_000, 2000];

/** Not so repetitive that its compression alone is refused. */
const long = Array.from({ length: Math.ceil(LENGTH / 64) }, (_, at) => sha256Hex(String(at)))
  .join('')
  .slice(0, LENGTH);

const property = (index: number) => {
  const flags = { enabled: true, visible: true, obligatory: true };
  const text = long.slice(0, 100_000);
  return { name: `P${index}`, text, proptype: 'C', currentvalue: '', ...flags };
};

/** Texts everywhere, and as many unknown keys of a material, each of which is a loss and a warning. */
function hostileRange() {
  const numbers = Array.from({ length: ARTICLES }, (_, index) => `D${index}`);
  const range = smallRange(
    numbers.map((number) => ({
      number,
      blocks: ['ACME::DESK::X'],
      article: {
        propclasses: [
          { name: 'C', text: 'C', properties: Array.from({ length: 20 }, (_, i) => property(i)) },
        ],
        ocd: {
          id: number,
          finalarticlenumber: `${number}-STD`,
          reinitstring: `${number};F=STD::`,
          ...{ shorttext: long, longtext: long, varianttext: long, pricecomponents: [long] },
        },
      },
    })),
  );
  const { partsList } = range;
  range.partsList = (request) => {
    const mname = `M${'m'.repeat(1000)}`;
    const keys = Array.from({ length: KEYS }, (_, i) => [`key_${i}`, 'v'.repeat(150)]);
    const { btg, ...rest } = partsList(request) as { btg: [{ prop: { childs: object[] } }] };
    const childs = [{ type: 'imp', prop: { btgname: 'ACME::DESK::X', mat: mname } }];
    return {
      ...rest,
      btg: [{ type: 'top', prop: { childs } }],
      mats: [{ mname, dif: '0x808080', ...Object.fromEntries(keys) }],
    };
  };
  return range;
}

test(`articles (${ARTICLES}) with texts of ${LENGTH} characters and ${KEYS} losses are small on disk`, async () => {
  const runs = await openDailyRuns(hostileRange(), {
    // An answer of the long form has 42 MB.
    service: { ...LIVE, maxResponseBytes: 2 ** 26, maxBytesInFlight: 2 ** 26 },
    limits: { maxTextCharacters: 1000 },
    convert: { maxListedLosses: 100 },
  });
  onTestFinished(() => runs.close());
  const { outputDir } = runs;
  const { exit, stderr } = await runs.run('2026-01-01');
  expect(exit, stderr.slice(-2000)).toBe(0);

  const reports = ['report.json', 'report.html', 'failures.jsonl'];
  const names = [
    'manifest.jsonl',
    'catalogue.jsonl',
    ...reports.map((name) => `runs/latest/${name}`),
  ];
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(outputDir, name))).size),
  );
  console.info(names.map((name, at) => `${name} ${sizes[at]}`).join(', '));
  const [manifestBytes, catalogueBytes, reportBytes, pageBytes] = sizes;
  expect(manifestBytes).toBeLessThan(ARTICLES * 1_000_000);
  expect(catalogueBytes).toBeLessThan(ARTICLES * 50_000);
  expect(reportBytes).toBeLessThan(1_000_000);
  expect(pageBytes).toBeLessThan(1_000_000);
  expect(stderr.length).toBeLessThan(100_000);

  const [line] = await readManifest(outputDir);
  expect(line!.losses).toHaveLength(100);
  const messagesOf = (wanted: string) =>
    line!.warnings.filter(({ code }) => code === wanted).map(({ message }) => message);
  expect(messagesOf('MATERIAL_KEY_UNKNOWN')).toHaveLength(500);
  expect(messagesOf('MORE_WARNINGS')).toEqual([`${KEYS - 500} more are not listed`]);
  expect(messagesOf('MORE_LOSSES')).toEqual([`${KEYS - 100} more losses are not listed`]);
  expect(messagesOf('TEXT_CUT')).toHaveLength(1);
  const [entry] = await readCatalogue(outputDir);
  expect(entry!.longtext).toMatch(/^[0-9a-f]{900,}… \(\d+ characters\)$/);
  expect(entry!.longtext).toContain(`(${LENGTH} characters)`);
  expect(entry!.pricecomponents).toBeNull();
  expect((await runs.report()).losses).toBeDefined();

  // An unchanged run lists each of these warnings once.
  const before = await readFile(join(outputDir, 'manifest.jsonl'));
  expect((await runs.run('2026-01-02')).exit).toBe(0);
  const unchanged = String(before).replaceAll('"status":"converted"', '"status":"unchanged"');
  expect(await readFile(join(outputDir, 'manifest.jsonl'), 'utf8')).toBe(unchanged);
});
