/** Two servers of assets on one bucket, of which one is killed while it makes a file. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Child, startChild } from '../helpers/child.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { LIVE_ONCE, openDailyRuns } from '../helpers/daily-runs.ts';
import { type RunningCommand, startCommand } from '../helpers/running-command.ts';
import { startS3Server } from '../helpers/s3-server.ts';
import { until } from '../helpers/until.ts';

test('the other makes the file, and whole files only are answered', async () => {
  const range = countedRange({ articles: 4, blocks: 6, images: 2 });
  const runs = await openDailyRuns(range);
  const s3 = await startS3Server();
  const servers: RunningCommand[] = [];
  let first: Child | undefined;
  try {
    await runs.configure({ service: LIVE_ONCE, store: { url: `s3://${s3.bucket}/assets` } });
    const env = { ...runs.proxy.env, ...s3.env };
    const wordsOf = (name: string) => {
      const folders = ['output', 'cache'].map((one) => `--${one}=${join(runs.folder, name, one)}`);
      return ['assets', runs.pipelineFile, '--port', '0', ...folders];
    };
    const serve = async (name: string) => {
      const server = await startCommand(wordsOf(name), env);
      servers.push(server);
      return new URL(server.url).origin;
    };
    first = startChild(wordsOf('first'), env);
    const find = () => /http:\/\/127\.0\.0\.1:\d+/.exec(first!.printed.stdout)?.[0];
    await until(() => expect(find()).toBeDefined());
    const second = await serve('second');
    const { manufacturer, program, number } = range.articleAt(0);
    const path = `/a/${manufacturer}/${program}/${number}.glb`;
    runs.proxy.slowBy(200);
    const asked = fetch(`${find()}${path}`).catch(() => 'cut off');
    await until(() => expect(runs.proxy.seen.some((url) => url.includes('/btg'))).toBe(true));
    first.kill('SIGKILL');
    expect(await asked).toBe('cut off');
    runs.proxy.slowBy(0);
    const answer = await fetch(`${second}${path}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, bytes.readUInt32LE(8)]).toEqual([200, bytes.length]);
    const third = await serve('third');
    runs.proxy.seen.splice(0);
    const again = await fetch(`${third}${path}`);
    expect(Buffer.from(await again.arrayBuffer())).toEqual(bytes);
    expect(runs.proxy.seen).toEqual([]);
  } finally {
    first?.kill('SIGKILL');
    await Promise.all([first?.ended, ...servers.map(({ end }) => end())]);
    await runs.close();
    await s3.close();
  }
});
