/**
 * Catalogue tree: folders below one another, read to a depth and drawn.
 *
 * In: a way to list a folder. Out: a tree, and its lines. A folder is opened once, wherever it first
 * stands: one that holds itself, or that several hold, does no harm.
 */
import type { CatalogueNode } from '../model/catalogue.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { textTable } from './text-table.ts';

/** A node with what stands in it. */
export interface TreeNode extends CatalogueNode {
  /** Undefined where it was not opened. */
  children?: TreeNode[];
  /** Why it was not opened, where not for its depth. */
  note?: string;
}

/** Lists the children of a folder. */
export type ListFolder = (nodeid: string) => Promise<CatalogueNode[]>;

const KINDS = { F: 'folder', A: 'article', I: 'info' } as const satisfies Record<
  CatalogueNode['nodetype'],
  string
>;

/**
 * Reads a folder and those below it, level by level, many at a time.
 *
 * A folder below that cannot be listed carries a note; the one asked for throws.
 *
 * @param depth - Levels to read, from 1.
 * @param most - Folders to open below the first; the others stay closed.
 * @throws {@link ConverterError} what listing the first folder throws; what ends a run.
 */
export async function readCatalogueTree(
  list: ListFolder,
  nodeid: string,
  depth: number,
  most = Number.POSITIVE_INFINITY,
): Promise<TreeNode[]> {
  const seen = new Set([nodeid]);
  const roots: TreeNode[] = await list(nodeid);
  let level = roots;
  for (let below = 1; below < depth && level.length > 0; below++) {
    const folders = level.filter(({ nodetype }) => nodetype === 'F');
    const fresh = folders.filter((folder) => {
      if (seen.has(folder.nodeid)) folder.note = 'listed elsewhere in this tree';
      else if (seen.size > most) return false;
      else seen.add(folder.nodeid);
      return folder.note === undefined;
    });
    await Promise.all(fresh.map((folder) => open(folder, list)));
    level = fresh.flatMap(({ children = [] }) => children);
  }
  return roots;
}

async function open(folder: TreeNode, list: ListFolder): Promise<void> {
  try {
    folder.children = await list(folder.nodeid);
  } catch (thrown) {
    const error = asConverterError(thrown);
    if (endsRun(error.code)) throw error;
    folder.note = `cannot be listed: ${error.code}`;
  }
}

/**
 * Draws a tree: kinds, texts, `MANUFACTURER/PROGRAM/number` as far as it goes, and ids, which the next
 * `ls` takes.
 *
 * @returns Lines, ended.
 *
 * @example
 * ```ts
 * drawTree(tree);
 * // → 'folder   Desks        ACME/DESK       ACME;:DESK@1\narticle  └─ Desk 160  ACME/DESK/D160  ACME;:DESK@1;:D160\n'
 * ```
 */
export function drawTree(roots: readonly TreeNode[]): string {
  const rows: string[][] = [];
  let closed = 0;
  const stack: { node: TreeNode; lead: string; stem: string }[] = [];
  const push = (nodes: readonly TreeNode[], stem: string, top: boolean): void => {
    for (let i = nodes.length - 1; i >= 0; i--) {
      const last = i === nodes.length - 1;
      const [branch, below] = top ? ['', ''] : last ? ['└─ ', '   '] : ['├─ ', '│  '];
      stack.push({ node: nodes[i]!, lead: stem + branch, stem: stem + below });
    }
  };
  push(roots, '', true);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, lead, stem } = next;
    const note = node.note === undefined ? '' : `(${node.note})`;
    rows.push([...factsOf(node, lead), note]);
    if (node.children !== undefined) push(node.children, stem, false);
    else if (node.nodetype === 'F' && note === '') closed++;
  }
  const folders = closed === 1 ? '1 folder was' : `${closed} folders were`;
  const hint = closed === 0 ? '' : `${folders} not opened: --depth N opens more\n`;
  return textTable(rows) + hint;
}

/** Nodes without a tree, such as a search finds. */
export function drawNodes(nodes: readonly CatalogueNode[]): string {
  return textTable(nodes.map((node) => factsOf(node, '')));
}

function factsOf(node: CatalogueNode, lead: string): string[] {
  const { manufacturer, program, basearticlenumber } = node;
  // As options and pipeline files take it: ids, not texts.
  const name = [manufacturer, program, basearticlenumber].filter((id) => id !== '').join('/');
  return [KINDS[node.nodetype], lead + node.text, name, node.nodeid];
}
