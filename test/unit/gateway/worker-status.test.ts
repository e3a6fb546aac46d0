/** The status server of a worker, without a worker: what it answers to probes and to Prometheus. */
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkerStatus, type WorkerStatusServer } from '../../../src/gateway/worker-status.ts';
import type { ChunkResult } from '../../../src/pipeline/chunks.ts';
import type { Logger } from '../../../src/support/log.ts';
import { documentedMetrics } from '../../helpers/documented-metrics.ts';

let status: WorkerStatusServer;
let infos: string[];
const quiet = () => {};
beforeEach(async () => {
  infos = [];
  const log: Logger = {
    ...{ debug: quiet, warn: quiet, error: quiet },
    info: (message) => void infos.push(message),
  };
  status = await openWorkerStatus({ port: 0, pipeline: 'nightly', now: Date.now, log });
});
afterEach(() => status.close());

async function get(path: string): Promise<[status: number, text: string]> {
  const response = await fetch(new URL(path, status.url));
  return [response.status, await response.text()];
}

const metrics = async () => (await get('/metrics'))[1];

/** What a worker did for a chunk of three articles, of which one failed. */
function chunkResult(): ChunkResult {
  const request = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };
  const failed = {
    status: 'failed',
    request: { ...request, finalarticlenumber: '', reinitstring: '', metareinitstring: '' },
    key: undefined,
    error: { code: 'BLOCK_INVALID', message: 'token=s3cret' },
  } as const;
  const skipped = { ...failed, status: 'skipped' } as unknown as typeof failed;
  return {
    worker: 'host-1-abc',
    results: [failed, skipped, skipped].map((result, place) => ({ place, ms: 5, result })),
    measured: {
      stageMs: {},
      requests: {
        ...{ sent: 7, bytesReceived: 900, byOperation: {} },
        byStatus: { '200': 6, none: 1 },
      },
      timed: { attempts: 7, ms: 70 },
      drift: [],
      fromCache: 4,
    },
    peakBytes: 1e8,
  };
}

test('it is alive at once, and ready only while the worker takes chunks', async () => {
  expect(await get('/health')).toEqual([200, 'alive\n']);
  expect((await get('/ready'))[0]).toBe(503);
  status.watch.onReady(true);
  expect(await get('/ready')).toEqual([200, 'ready\n']);
  expect(await metrics()).toContain('btg2gltf_worker_ready{pipeline="nightly"} 1\n');
  status.watch.onReady(false);
  expect((await get('/ready'))[0]).toBe(503);
  expect((await get('/health'))[0]).toBe(200);
});

test('the metrics count chunks, configurations, requests and seconds', async () => {
  status.watch.onShare({ index: 1, count: 4 });
  status.watch.onChunk(1500, chunkResult());
  status.watch.onChunk(500, chunkResult());
  status.watch.onChunk(250, undefined);
  const lines = (await metrics()).split('\n');
  const of = (name: string) => lines.find((line) => line.startsWith(`btg2gltf_worker_${name} `));
  const value = (name: string) => Number(of(name)?.split(' ').at(-1));
  expect(value('chunks_total{result="done",pipeline="nightly"}')).toBe(2);
  expect(value('chunks_total{result="failed",pipeline="nightly"}')).toBe(1);
  expect(value('chunk_seconds_total{pipeline="nightly"}')).toBe(2.25);
  expect(value('configurations_total{result="failed",pipeline="nightly"}')).toBe(2);
  expect(value('configurations_total{result="skipped",pipeline="nightly"}')).toBe(4);
  expect(value('requests_total{status="200",pipeline="nightly"}')).toBe(12);
  expect(value('requests_total{status="none",pipeline="nightly"}')).toBe(2);
  expect(value('received_bytes_total{pipeline="nightly"}')).toBe(1800);
  expect(value('cache_hits_total{pipeline="nightly"}')).toBe(8);
  expect(value('share{pipeline="nightly"}')).toBe(0.25);
  expect(value('memory_bytes{pipeline="nightly"}')).toBeGreaterThan(1e7);
});

test('messages of failures, which may quote anything, are in no metric', async () => {
  status.watch.onChunk(10, chunkResult());
  expect(await metrics()).not.toMatch(/s3cret|BLOCK_INVALID|D1/);
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
