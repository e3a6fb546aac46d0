/** An article with small answers whose conversion takes long. */
import type { Child } from './child.ts';
import type { CountedRange } from './counted-range.ts';
import { body } from './graphics.ts';
import { commandOf, descendantsOf } from './process-memory.ts';
import { until } from './until.ts';

const BLOCK = 'N01::PART::GRID';

/** Nodes of a scale of their own, so that nothing can be shared, and squares along a side of their block. */
interface Size {
  nodes: number;
  squares: number;
}

/** Its conversion takes more than a minute with these options. */
export const SLOW_CONVERT = { tangents: 'mikktspace', maxTriangles: 1e9, maxSceneBytes: 2 ** 36 };
export const SLOW: Size = { nodes: 1500, squares: 120 };
/** Its conversion needs hundreds of megabytes of objects. */
export const MANY_NODES: Size = { nodes: 40_000, squares: 1 };

/** Makes the first article of a range slow; `requested` resolves when its block is requested. */
export function slowFirstArticle(range: CountedRange, { nodes, squares }: Size) {
  const article = range.articleAt(0);
  const { partsList, block } = range;
  range.partsList = (query) =>
    query.basearticlenumber === article.number ? scaledGrids(nodes) : partsList(query);
  const requested = new Promise<void>((resolve) => {
    range.block = async (name) => {
      if (name !== BLOCK) return block(name);
      resolve();
      return gridBody(squares);
    };
  });
  return { ...article, requested };
}

/**
 * Waits for the process in which a program converts, on Linux, and stops it: its conversion never ends by itself.
 *
 * @param known - Processes that were there before.
 * @returns Its process id; that of the program where the program has ended before.
 */
export async function stoppedConversion(
  { pid, ended }: Pick<Child, 'pid' | 'ended'>,
  known: readonly number[] = [],
): Promise<number> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  // Until a process runs its own program, the one that starts it waits.
  const isConversion = (one: number) =>
    !known.includes(one) && commandOf(one).includes('conversion-process');
  const found = await until(() =>
    isOver ? pid : (descendantsOf(pid).find(isConversion) ?? false),
  );
  if (found !== pid) process.kill(found as number, 'SIGSTOP');
  return found as number;
}

function scaledGrids(nodes: number) {
  const btg = Array.from({ length: nodes }, (_, index) => {
    return { type: 'imp', prop: { btgname: BLOCK, scale: [1 + index / nodes, 1, 1] } };
  });
  return { btg, blocks: [BLOCK], mats: [] };
}

/** Hills of `size` × `size` squares. */
function gridBody(size: number): Uint8Array {
  const V: number[] = [];
  const F: number[] = [];
  for (let y = 0; y <= size; y++) {
    for (let x = 0; x <= size; x++) V.push(x / 10, y / 10, ((x * 7 + y * 13) % 11) / 50);
  }
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = y * (size + 1) + x;
      F.push(at, at + 1, at + size + 2, at, at + size + 2, at + size + 1);
    }
  }
  return body({ V, A: [{ F }] });
}
