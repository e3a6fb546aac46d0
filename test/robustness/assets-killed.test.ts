/** Two servers of assets on one bucket, of which one is killed while it makes a file. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Child, startChild } from '../helpers/child.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { LIVE_ONCE, openDailyRuns } from '../helpers/daily-runs.ts';
import { startS3Server } from '../helpers/s3-server.ts';
import { until } from '../helpers/until.ts';

test('the other makes the file, and whole files only are answered', async () => {
  const range = countedRange({ articles: 4, blocks: 6, images: 2 });
  const runs = await openDailyRuns(range);
  const s3 = await startS3Server();
  const servers: Child[] = [];
  try {
    await runs.configure({ service: LIVE_ONCE, store: { url: `s3://${s3.bucket}/assets` } });
    const serve = async (name: string) => {
      const folders = ['output', 'cache'].map((one) => `--${one}=${join(runs.folder, name, one)}`);
      const words = ['assets', runs.pipelineFile, '--port', '0', ...folders];
      const server = startChild(words, { ...runs.proxy.env, ...s3.env });
      servers.push(server);
      const find = () => /http:\/\/127\.0\.0\.1:\d+/.exec(server.printed.stdout)?.[0];
      await until(() => expect(find()).toBeDefined());
      return { server, origin: find()! };
    };
    const [first, second] = await Promise.all([serve('first'), serve('second')]);
    const { manufacturer, program, number } = range.articleAt(0);
    const path = `/a/${manufacturer}/${program}/${number}.glb`;
    runs.proxy.slowBy(200);
    const asked = fetch(`${first.origin}${path}`).catch(() => 'cut off');
    await until(() => expect(runs.proxy.seen.some((url) => url.includes('/btg'))).toBe(true));
    first.server.kill('SIGKILL');
    expect(await asked).toBe('cut off');
    runs.proxy.slowBy(0);
    const answer = await fetch(`${second.origin}${path}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, bytes.readUInt32LE(8)]).toEqual([200, bytes.length]);
    const third = await serve('third');
    runs.proxy.seen.splice(0);
    const again = await fetch(`${third.origin}${path}`);
    expect(Buffer.from(await again.arrayBuffer())).toEqual(bytes);
    expect(runs.proxy.seen).toEqual([]);
  } finally {
    for (const server of servers) server.kill('SIGINT');
    await Promise.all(servers.map(({ ended }) => ended));
    await runs.close();
    await s3.close();
  }
});
