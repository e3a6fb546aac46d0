/** Compares, before a run publishes, pictures of the GLBs that have changed with those of the GLBs that they replace. */

import type { Digest } from '../model/snapshot.ts';
import type { PictureDifference } from '../run/file/gate-table.ts';
import type { Run } from '../run/open/open-run.ts';
import type { Deliveries } from '../run/publishing/deliveries.ts';
import { asConverterError } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import { whenBegun } from './begin.ts';
import { FileContents } from './making/file-contents.ts';
import { madeFiles } from './making/made-files.ts';
import type { Maker } from './making/maker.ts';
import { whyNoBrowser } from './pictures/browser.ts';
import { pictureDifference } from './pictures/picture-difference.ts';
import { mainView } from './pictures/picture-options.ts';
import { createPictureMaker } from './pictures/pictures.ts';
import { rendererOf } from './pictures/run-renderer.ts';
import { sectionOf } from './section.ts';

/**
 * Compares the picture that represents each GLB. The former pictures are mostly in the cache, where the delivery of the
 * last run has left them; the delivery of this run will use the new ones.
 *
 * @param pairs - Each pair once.
 * @returns Also the pairs that could not be compared: that is no difference, and no error of the run.
 */
export const comparePictures: Deliveries['comparePictures'] = async (run, pairs) => {
  const none = (reason: string) => {
    return { differences: new Map(), notCompared: `pictures were not compared: ${reason}` };
  };
  const wanted = sectionOf(run.options.pipeline)?.pictures;
  if (wanted === undefined) return none('the pipeline file has no deliver: pictures:');
  const renderer = await rendererOf(run);
  if (renderer === undefined) return none(whyNoBrowser(run.environment.env).why);
  const maker = createPictureMaker(renderer, mainView(wanted));
  // The renderer is that of the deliveries: what has begun them closes it.
  return run.metrics.stopwatch.during('deliver', () => compareAll(run, maker, pairs));
};

async function compareAll(
  run: Run,
  maker: Maker,
  pairs: readonly (readonly [was: Digest, is: Digest])[],
) {
  const { derived } = run.sources;
  const { objects, published } = run.output;
  const read = (sha256: Digest) => (published ? published.readObject(sha256) : objects.get(sha256));
  const contents = FileContents.of(run);
  const filesOf = madeFiles(maker, derived, contents);
  const [{ name }] = maker.files as [Maker['files'][number]];
  const differences = new Map<string, PictureDifference>();
  let problem: string | undefined;
  let isOver = false;
  const pictureOf = async (sha256: Digest): Promise<Uint8Array> => {
    // The picture of a new GLB is one of the delivery, too.
    await whenBegun(run, maker.name, sha256);
    const [file] = await filesOf(sha256, { read: () => read(sha256) });
    return (await contents.read(file!, name))!;
  };
  await inParallel(pairs, maker.atOnce, async ([was, is]) => {
    isOver ||= run.environment.signal.aborted || run.isOutOfTime();
    if (isOver) return;
    try {
      const [before, now] = await Promise.all([was, is].map(pictureOf));
      differences.set(`${was} ${is}`, await pictureDifference(before!, now!));
    } catch (thrown) {
      const { code, message } = asConverterError(thrown);
      problem ??= `${code}: ${message}`;
      // Without a browser no other picture can be taken either.
      isOver ||= code === 'BROWSER_MISSING';
    }
  });
  const missing = pairs.length - differences.size;
  if (missing === 0) return { differences };
  const reason = problem ?? 'the run had no time left';
  const [some, all] = [missing, pairs.length].map((count) => count.toLocaleString('en-US'));
  const which = differences.size === 0 ? 'pictures' : `${some} of ${all} pictures`;
  return { differences, notCompared: `${which} were not compared: ${reason}` };
}
