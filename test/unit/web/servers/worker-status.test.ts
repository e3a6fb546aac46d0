/** The status server of a worker, without a worker: what it answers to probes and to Prometheus. */
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Logger } from '../../../../src/support/log.ts';
import {
  openWorkerStatus,
  type WorkerStatusServer,
} from '../../../../src/web/servers/worker-status.ts';
import { documentedMetrics } from '../../../helpers/documented-metrics.ts';

let status: WorkerStatusServer;
let infos: string[];
const quiet = () => {};
beforeEach(async () => {
  infos = [];
  const log: Logger = {
    ...{ debug: quiet, warn: quiet, error: quiet },
    info: (message) => void infos.push(message),
  };
  status = await openWorkerStatus({ port: 0, pipeline: 'nightly', workers: 2, now: Date.now, log });
});
afterEach(() => status.close());

async function get(path: string): Promise<[status: number, text: string]> {
  const response = await fetch(new URL(path, status.url));
  return [response.status, await response.text()];
}

const metrics = async () => (await get('/metrics'))[1];

const ready = (worker: number, isReady: boolean) =>
  status.watch(worker, { kind: 'ready', isReady });

/** What a worker did for a chunk of three articles, of which one failed. */
const FIGURES = {
  configurations: { skipped: 2, failed: 1 },
  requests: { '200': 6, none: 1 },
  ...{ bytesReceived: 900, fromCache: 4 },
};

test('it is alive at once, and ready only while all workers take chunks', async () => {
  expect(await get('/health')).toEqual([200, 'alive\n']);
  expect((await get('/ready'))[0]).toBe(503);
  expect(await metrics()).toContain('btg2gltf_worker_ready{worker="2",pipeline="nightly"} 0\n');
  ready(2, true);
  expect(await get('/ready')).toEqual([503, 'worker 1: not connected to the queue, or stopping\n']);
  ready(1, true);
  expect(await get('/ready')).toEqual([200, 'ready\n']);
  expect(await metrics()).toContain('btg2gltf_worker_ready{worker="2",pipeline="nightly"} 1\n');
  ready(2, false);
  expect((await get('/ready'))[0]).toBe(503);
  expect((await get('/health'))[0]).toBe(200);
});

test('the metrics count chunks, configurations, requests and seconds of each worker', async () => {
  status.watch(1, { kind: 'share', part: 0.25 });
  status.watch(1, { kind: 'memory', bytes: 1e8 });
  status.watch(1, { kind: 'chunk', jobs: 'convert', ms: 1500, figures: FIGURES });
  status.watch(1, { kind: 'chunk', jobs: 'convert', ms: 500, figures: FIGURES });
  status.watch(1, { kind: 'chunk', jobs: 'convert', ms: 250 });
  status.watch(2, { kind: 'chunk', jobs: 'convert', ms: 125, figures: FIGURES });
  const made = { tasks: { made: 11, failed: 1 } };
  // The queue of pictures names the browser.
  status.watch(1, { kind: 'chunk', jobs: 'pictures.0a1b', ms: 100, figures: made });
  const counts = [{ kind: 'pictures.0a1b', waiting: 7, running: 2 }];
  status.watch(2, { kind: 'jobs', counts });
  const lines = (await metrics()).split('\n');
  const value = (name: string, labels: string, worker = 1) => {
    const label = `{worker="${worker}",${labels}pipeline="nightly"}`;
    const line = lines.find((one) => one.startsWith(`btg2gltf_worker_${name}${label} `));
    return Number(line?.split(' ').at(-1));
  };
  expect(value('chunks_total', 'kind="convert",result="done",')).toBe(2);
  expect(value('chunks_total', 'kind="convert",result="failed",')).toBe(1);
  expect(value('chunks_total', 'kind="convert",result="done",', 2)).toBe(1);
  expect(value('chunk_seconds_total', 'kind="convert",')).toBe(2.25);
  expect(value('chunk_seconds_total', 'kind="convert",', 2)).toBe(0.125);
  expect(value('configurations_total', 'result="failed",')).toBe(2);
  expect(value('configurations_total', 'result="skipped",')).toBe(4);
  expect(value('requests_total', 'status="200",')).toBe(12);
  expect(value('requests_total', 'status="none",')).toBe(2);
  expect(value('received_bytes_total', '')).toBe(1800);
  expect(value('cache_hits_total', '')).toBe(8);
  expect(value('delivery_tasks_total', 'kind="pictures",result="made",')).toBe(11);
  expect(value('delivery_tasks_total', 'kind="pictures",result="failed",')).toBe(1);
  const jobs = 'btg2gltf_worker_jobs{kind="pictures",state="waiting",pipeline="nightly"} 7';
  expect(lines).toContain(jobs);
  expect(value('share', '')).toBe(0.25);
  expect(value('memory_bytes', '')).toBe(1e8);
});

test('anything else is a 404, a foreign name a 421, and no answer is logged above debug', async () => {
  expect((await get('/'))[0]).toBe(404);
  const foreign = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { host: 'evil.example' };
    request(new URL('/metrics', status.url), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(foreign).toBe(421);
  expect(infos).toEqual([]);
});

test('it ends at once, although a scraper keeps its connection', async () => {
  await get('/health');
  await status.close();
  await expect(get('/health')).rejects.toThrow();
});

test('the page on deployment names every metric of a worker and no other', async () => {
  const text = await metrics();
  const defined = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  expect(await documentedMetrics('pipelines/deploy/README.md')).toEqual(defined.sort());
});
