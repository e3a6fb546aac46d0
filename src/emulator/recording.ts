/**
 * Recording: a folder of recorded answers as a range.
 *
 * In: the folder. Out: an {@link EmulatedRange} that answers what was recorded, and nothing else.
 * It must not know HTTP; the format is the one that `btg2gltf record` writes.
 */
import { join } from 'node:path';
import {
  type EmulatedRange,
  type PropertyChange,
  type Query,
  RangeRefusal,
} from '../sample/range.ts';
import { recordedCatalogue } from './recording-catalogue.ts';
import {
  type BodyFiles,
  expectObject,
  expectString,
  listBodies,
  readJsonIfExists,
  recordingInvalid,
} from './recording-files.ts';
import {
  ARTICLE_IDENTITY,
  CHANGE_IDENTITY,
  PARTS_LIST_IDENTITY,
  readRecords,
} from './recording-records.ts';

const FORMAT = 1;
const SEPARATOR = '::';

/**
 * Opens a recording.
 *
 * Articles, parts lists and the catalogue are read at once; blocks, images, previews and resources
 * when asked for, by exactly the recorded name.
 *
 * @param dir - Folder that holds `recording.json`.
 * @throws {@link ConverterError} `RECORDING_INVALID`, naming the file, what was expected and what came.
 *
 * @example
 * ```ts
 * const range = await openRecording('recordings/showroom');
 * range.nodes('')?.length; // → number of top-level folders
 * ```
 *
 * @see D-724, D-795.
 */
export async function openRecording(dir: string): Promise<EmulatedRange> {
  const { name, convertdate } = await readHead(join(dir, 'recording.json'));
  const articles = await readRecords(join(dir, 'ofml', 'articles'), ARTICLE_IDENTITY);
  const changes = await readRecords(join(dir, 'ofml', 'changes'), CHANGE_IDENTITY);
  const plannings = await readRecords(join(dir, 'ofml', 'plannings'), ['permanentid']);
  const partsLists = await readRecords(join(dir, 'odb', 'btg'), PARTS_LIST_IDENTITY);
  const blocks = await listBodies(join(dir, 'odb', 'block'), 3, '.json');
  const materials = await listBodies(join(dir, 'odb', 'materials'), 2, '.JPG');
  const previews = await listBodies(join(dir, 'ocd', 'preview'), 3, '');
  const resources = await resourceFiles(join(dir, 'xcf', 'ressource'));
  const file = join(dir, 'xcf', 'nodes.json');
  const listings = await readJsonIfExists(file);
  return {
    name,
    ...recordedCatalogue({ listings, file, articles: articles.responses, convertdate }),
    article: (query) => articles.find(query),
    configure: (query, change) => changes.find(changeQuery(query, change)) ?? notRecorded(change),
    planning: (permanentid) => plannings.find({ permanentid }),
    partsList: (query) => partsLists.find(query),
    block: (blockName) => blocks.read(segmentsOf(blockName)),
    material: (manufacturer, materialName) => materials.read([manufacturer, materialName]),
    preview: (...path) => previews.read(path),
    resource: (path) => resources.read(path),
  };
}

function changeQuery(query: Query, { article, ...change }: PropertyChange): Query {
  return { ...query, ...change, metareinitstring: String(article.reinit ?? '') };
}

/** What was refused when it was recorded is refused again. */
function notRecorded({ propclass, prop, newvalue }: PropertyChange): never {
  throw new RangeRefusal(`${propclass}.${prop}: no such change to "${newvalue}" was recorded`);
}

/** Those of a manufacturer are three segments deep, those of a series four. */
async function resourceFiles(folder: string): Promise<BodyFiles> {
  const ofManufacturer = await listBodies(folder, 3, '');
  const ofSeries = await listBodies(folder, 4, '');
  return { read: async (path) => (await ofManufacturer.read(path)) ?? ofSeries.read(path) };
}

/** Manufacturer, program, and the name itself, which may hold the separator. */
function segmentsOf(blockName: string): string[] {
  const [manufacturer = '', program = '', ...name] = blockName.split(SEPARATOR);
  return [manufacturer, program, name.join(SEPARATOR)];
}

async function readHead(file: string): Promise<{ name: string; convertdate: string }> {
  const value = await readJsonIfExists(file);
  if (value === undefined) throw recordingInvalid(file, 'expected this file in a recording');
  const head = expectObject(value, file, 'recording');
  if (head.format !== FORMAT) {
    throw recordingInvalid(file, `format: expected ${FORMAT}, received ${String(head.format)}`);
  }
  return {
    name: expectString(head.name, file, 'name'),
    convertdate: expectString(head.convertdate ?? '', file, 'convertdate'),
  };
}
