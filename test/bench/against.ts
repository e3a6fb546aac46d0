/**
 * This program against another build of it, in turns: how long starting takes, one article, and many.
 *
 * Each side fetches into a cache of its own, since their formats may differ.
 */
import { SIZES } from './article.ts';
import { fetchedPipeline, serveArticles } from './conversions.ts';
import { oursByTheirs } from './details.ts';
import { inPairs, runProcess, type Side } from './process.ts';
import { smallArticles } from './runs.ts';
import { ALL, inWorkspace, PROGRAM, programOf } from './workspace.ts';

/** Prints a line for each comparison: our time divided by that of the build in `checkout`. */
export async function against(checkout: string, isQuick: boolean): Promise<void> {
  const other = programOf(checkout);
  const compare = async (name: string, ours: Side, theirs: Side, pairs: number) => {
    const { value, detail } = oursByTheirs(
      await inPairs(ours, theirs, isQuick ? 2 : pairs),
      'other',
    );
    console.log(`${name}: ${value.toFixed(3)}×; ${detail}`);
  };
  for (const option of ['--version', '--help']) {
    const [ours, theirs] = [PROGRAM, other].map((program) => ({
      run: () => runProcess([...program, option]),
    }));
    await compare(`start, ${option}`, ours!, theirs!, 40);
  }
  await inWorkspace(async (workspace) => {
    const { S, M } = SIZES;
    const { service } = await serveArticles(workspace, { S, M });
    for (const size of ['S', 'M']) {
      const ours = await fetchedPipeline(workspace, service, size);
      const theirs = await fetchedPipeline(workspace, service, size, other);
      await compare(`article ${size}`, ours.forcedBuild, theirs.forcedBuild, 60);
    }
  });
  await inWorkspace(async (workspace) => {
    const service = await workspace.serve({ range: smallArticles(1000), latencyMs: 0 });
    const ours = await workspace.pipeline('ours', service, ALL);
    const theirs = await workspace.pipeline('theirs', service, ALL, other);
    for (const { fetch } of [ours, theirs]) await fetch();
    await compare('1,000 articles', ours.forcedBuild, theirs.forcedBuild, 20);
  });
}
