import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { loadConverter } from '../../../../src/run/conversions/steps.ts';
import { openFileStore } from '../../../../src/source/cache/content-store.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';
import { makeSnapshot } from '../../../helpers/snapshot.ts';

/** As it is built: the sources have no program of a second thread. */
const BUILT = new URL('../../../../dist/run/conversions/steps.js', import.meta.url);
const built = ((await import(BUILT.href)) as { loadConverter: typeof loadConverter }).loadConverter;

const at = folderPerTest();
let threads = 0;
let threadEnd: Promise<unknown> | undefined;
const count = (worker: Worker) => {
  threads++;
  threadEnd = once(worker, 'exit');
};
beforeAll(() => void process.on('worker', count));
afterAll(() => void process.off('worker', count));

/** A processor alone gains nothing by a second thread. */
const SECOND_THREADS = availableParallelism() > 1 ? 1 : 0;
/** Blocks of more bytes are large. */
const LARGE_BYTES = 2 ** 20;

/** A wavy field of so many squares a side. */
function field(side: number, height: number) {
  const numbers = Array.from({ length: (side + 1) ** 2 }, (_, i) => i);
  const at = (i: number) => [i % (side + 1), Math.floor(i / (side + 1))] as const;
  const V = numbers.flatMap((i) => {
    const [x, z] = at(i);
    return [x / side, height * ((x * z) % 7), z / side];
  });
  const F = numbers.flatMap((i) => {
    const [x, z] = at(i);
    if (x === side || z === side) return [];
    return [i, i + side + 1, i + 1, i + 1, i + side + 1, i + side + 2];
  });
  return { N: 'field', P: [0, 0.1, 0], R: [0, 30, 0], V, A: [{ F, C: false }] };
}
/** A large one: most of it is a field that no block has, and that is not read. */
const largeField = (side: number, height: number) => ({
  ...field(side, height),
  remark: '-'.repeat(LARGE_BYTES),
});

/** Converts articles of these blocks at the same time. */
async function convert(
  load: typeof loadConverter,
  articles: Record<string, unknown>[],
  limits: Pick<Parameters<typeof loadConverter>[0], 'maxSurfaces'> = {},
) {
  const bodyFiles = { dir: at('bodies'), tmpDir: at('tmp') };
  const bodies = openFileStore(bodyFiles);
  const objects = openFileStore({ dir: at('objects'), tmpDir: at('tmp') });
  const options = { options: CONVERT_DEFAULTS, cacheBytes: 2 ** 24, ...limits };
  const converter = await load({ bodies, bodyFiles, objects, ...options });
  const made = articles.map((blocks) => {
    const btg = Object.keys(blocks).map((btgname) => ({ type: 'imp', btgname }));
    return makeSnapshot({ btg, blocks });
  });
  for (const { snapshot, read } of made) {
    const blocks = [...snapshot.blocks.values()].flatMap((it) => ('bytes' in it ? it.digest : []));
    for (const digest of [snapshot.partsList, ...blocks]) await bodies.put(await read(digest));
  }
  return Promise.all(
    made.map(({ snapshot }) =>
      converter.build(snapshot).catch(({ code, message }) => ({ code, message })),
    ),
  );
}

describe('large blocks', () => {
  const blocks = { 'A::B::ONE': largeField(20, 0.01), 'A::B::TWO': largeField(19, 0.02) };

  it('are prepared in a second thread, too, with the same bytes', async () => {
    const articles = [{ ...blocks, 'A::B::SMALL': field(3, 0) }];
    const alone = await convert(loadConverter, articles);
    expect(threads).toBe(0);
    expect(await convert(built, articles)).toEqual(alone);
    expect(threads).toBe(SECOND_THREADS);
    // With its memory: no other block of the article is for it.
    if (threads > 0) expect(await threadEnd).toEqual([0]);
  });

  it('that cannot be read there have the error that they have here', async () => {
    const { V, ...others } = largeField(20, 0.01);
    const wrong = { 'A::B::ONE': blocks['A::B::ONE'], 'A::B::TWO': { ...others, V: String(V) } };
    const alone = await convert(loadConverter, [wrong]);
    expect(alone).toMatchObject([{ code: 'BLOCK_INVALID' }]);
    expect(await convert(built, [wrong])).toEqual(alone);
  });

  it('that have too many surfaces are refused, wherever they are prepared', async () => {
    const A = Array.from({ length: 3 }, () => blocks['A::B::ONE'].A[0]!);
    const many = { 'A::B::ONE': blocks['A::B::ONE'], 'A::B::TWO': { ...blocks['A::B::TWO'], A } };
    const refused = { code: 'SCENE_TOO_LARGE', message: expect.stringContaining('2 surfaces') };
    for (const load of [loadConverter, built])
      expect(await convert(load, [many], { maxSurfaces: 2 })).toMatchObject([refused]);
  });

  it('that two articles have are prepared for both', async () => {
    const [one, two] = [blocks['A::B::ONE'], blocks['A::B::TWO']];
    const articles = [
      { 'A::B::ONE': one, 'A::B::TWO': two },
      { 'A::B::ONE': largeField(18, 0.03), 'A::B::TWO': two },
    ];
    expect(await convert(built, articles)).toEqual(await convert(loadConverter, articles));
  });
});
