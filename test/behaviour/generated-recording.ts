/**
 * Writes generated articles as a recording folder, which a pipeline reads with `service: { recording }`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { articlePlan, generateArticle } from '../helpers/generated-articles/article-plan.ts';
import { imagePool } from '../helpers/generated-articles/image-pool.ts';

const SEED = 20240514;
const MANUFACTURER = 'GEN';
/** The name space that every generated article uses; here each article gets a series of its own. */
const SHARED_SERIES = /(gen::)range(::part_)/gi;

/**
 * Writes several recordings that hold different articles of one seeded sequence.
 *
 * @param dirs - One folder per recording.
 * @param articlesEach - Number of articles in each recording.
 */
export async function writeGeneratedRecordings(
  dirs: readonly string[],
  articlesEach: number,
): Promise<void> {
  const plans = fc.sample(articlePlan, { seed: SEED, numRuns: dirs.length * articlesEach });
  for (const [i, dir] of dirs.entries()) {
    const first = i * articlesEach;
    await writeRecording(dir, plans.slice(first, first + articlesEach), first);
  }
}

async function writeRecording(
  dir: string,
  plans: Parameters<typeof generateArticle>[0][],
  first: number,
): Promise<void> {
  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    const file = join(dir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  const writeJson = (path: string, value: unknown) => write(path, JSON.stringify(value));
  const nodes: object[] = [];
  for (const [i, plan] of plans.entries()) {
    const program = `R${String(first + i).padStart(4, '0')}`;
    const inSeries = (text: string) => text.replace(SHARED_SERIES, `$1${program}$2`);
    const number = `A${first + i}`;
    const ids = { manufacturer: MANUFACTURER, program, basearticlenumber: number };
    const { partsList, blocks } = generateArticle(plan);
    nodes.push({
      nodeid: `${MANUFACTURER};:${number}`,
      text: `Article ${number}`,
      nodetype: 'A',
      ...ids,
      manufacturername: MANUFACTURER,
      variantcode: '',
      ressources: [],
    });
    await writeJson(`ofml/articles/${number}.json`, { request: ids, response: articleJson(ids) });
    const request = JSON.stringify({ ...ids, ...configurationOf(number), metareinitstring: '' });
    await write(
      `odb/btg/${number}.json`,
      `{"request":${request},"response":${inSeries(partsList)}}`,
    );
    for (const [name, text] of blocks) {
      const [manufacturer, series, block] = inSeries(name).split('::');
      await write(`odb/block/${manufacturer}/${series}/${block}.json`, inSeries(text));
    }
  }
  for (const [name, { bytes }] of await imagePool()) {
    await write(`odb/materials/${MANUFACTURER}/${name}.JPG`, bytes);
  }
  const top = { nodeid: `${MANUFACTURER};`, text: MANUFACTURER, nodetype: 'F' };
  const names = { manufacturer: MANUFACTURER, manufacturername: MANUFACTURER };
  const none = { program: '', basearticlenumber: '', variantcode: '', ressources: [] };
  await writeJson('xcf/nodes.json', [
    { parentnode: '', nodes: [{ ...top, ...names, ...none }] },
    { parentnode: top.nodeid, nodes },
  ]);
  await writeJson('recording.json', { format: 1, name: 'generated', convertdate: '2024-05-14' });
}

function configurationOf(number: string) {
  return { finalarticlenumber: `${number}-STD`, reinitstring: `${number};F=STD::` };
}

function articleJson(ids: { basearticlenumber: string }): object {
  const id = ids.basearticlenumber;
  const ocd = { id, ...configurationOf(id), price: 1, shorttext: `Article ${id}`, propclasses: [] };
  return { id, rootid: id, ...ids, reinit: '', children: [], propclasses: [], ocd };
}
