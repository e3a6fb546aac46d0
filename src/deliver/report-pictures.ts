/** Small pictures of new and changed articles, for the page of the report: only pictures that a run has taken anyway. */

import { compareConfigurations, configurationKey } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import type { ManifestLine } from '../run/lists/manifest-line.ts';
import type { Run } from '../run/open/open-run.ts';
import { publishedAsset } from '../run/output/publish.ts';
import type { Deliveries } from '../run/publishing/deliveries.ts';
import type { ArticlePictures } from '../run/report/run-report.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { cutText } from '../support/text-limits.ts';
import { FileContents } from './making/file-contents.ts';
import { cachedContents } from './making/made-files.ts';
import { pictureDifference } from './pictures/picture-difference.ts';
import { mainView } from './pictures/picture-options.ts';
import { pictureFiles } from './pictures/pictures.ts';
import { sectionOf } from './section.ts';

/** Most articles of each kind. */
const MOST = 24;
/** Most rows of each kind that are examined: many configurations share a GLB, which is shown once. */
const MOST_ROWS = 500;
/** Width and height, pixels. */
const SIDE = 360;
const AT_ONCE = 4;
/** Most characters of a number or a name below a picture. */
const MOST_CHARACTERS = 120;

interface Candidate extends Pick<ArticlePictures, 'kind' | 'row'> {
  is: Digest;
  was: Digest | undefined;
}

/**
 * Finds the pictures of the first new and changed configurations in the cache.
 *
 * @param lines - Lines of the new manifest.
 * @returns The most different changed ones first, then the new ones; none if the pipeline takes no pictures.
 */
export const reportPictures: Deliveries['reportPictures'] = async (run, { changes }, lines) => {
  const wanted = sectionOf(run.options.pipeline)?.pictures;
  if (wanted === undefined) return [];
  const { derived } = run.sources;
  const { previous } = run.output;
  const files = pictureFiles(mainView(wanted));
  const contents = FileContents.of(run);
  const read = async (sha256: Digest | undefined): Promise<Uint8Array | undefined> =>
    sha256 === undefined ? undefined : (await cachedContents(derived, contents, files, sha256))[0];
  const found: ArticlePictures[] = [];
  for (const kind of ['changed', 'new'] as const) {
    const chosen: (Candidate & { now: Uint8Array })[] = [];
    for (const one of candidates(kind, changes[kind].rows, lines, previous)) {
      const now = await read(one.is);
      if (now !== undefined) chosen.push({ ...one, now });
      if (chosen.length === MOST) break;
    }
    const of: ArticlePictures[] = [];
    await inParallel(chosen, AT_ONCE, async (one) => {
      of.push(await smallPictures(one, await read(one.was)));
    });
    found.push(...of.sort(compareChanges));
  }
  return found;
};

/** Each pair of GLBs once, with its first configuration. */
function* candidates(
  kind: Candidate['kind'],
  rows: readonly Candidate['row'][],
  lines: PackedMap<ManifestLine>,
  previous: Run['output']['previous'],
): Iterable<Candidate> {
  const seen = new Set<string>();
  const digestOf = (line: ManifestLine | undefined) => line && publishedAsset(line)?.sha256;
  for (const row of rows.slice(0, MOST_ROWS)) {
    const key = configurationKey(row);
    const is = lines.get(key)?.sha256;
    const was = kind === 'changed' ? digestOf(previous.lines.get(key)) : undefined;
    if (is === undefined || is === was || seen.has(`${was} ${is}`)) continue;
    seen.add(`${was} ${is}`);
    yield { kind, row, is, was };
  }
}

async function smallPictures(
  { kind, row, now }: Candidate & { now: Uint8Array },
  before: Uint8Array | undefined,
): Promise<ArticlePictures> {
  const { default: sharp } = await import('sharp');
  const { data, info } = await sharp(now)
    .flatten({ background: '#ffffff' })
    .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
    .jpeg(JPEG)
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const former =
    before &&
    (await sharp(before)
      .flatten({ background: '#ffffff' })
      .resize(width, height, { fit: 'contain', background: '#ffffff' })
      .jpeg(JPEG)
      .toBuffer());
  const difference = before && (await pictureDifference(before, now));
  return { kind, row: shortened(row), now: data, before: former, difference, width, height };
}

const JPEG = { quality: 74, mozjpeg: true } as const;

function shortened(row: Candidate['row']): Candidate['row'] {
  const cut = (text: string) => cutText(text, MOST_CHARACTERS);
  return {
    ...row,
    basearticlenumber: cut(row.basearticlenumber),
    finalarticlenumber: cut(row.finalarticlenumber),
    ...(row.name !== undefined && { name: cut(row.name) }),
  };
}

/** Sorts the most different first, then by key. */
function compareChanges(a: ArticlePictures, b: ArticlePictures): number {
  const changeOf = ({ difference }: ArticlePictures) =>
    difference === undefined ? 0 : Math.max(difference.edges, difference.tone);
  return changeOf(b) - changeOf(a) || compareConfigurations(a.row, b.row);
}
