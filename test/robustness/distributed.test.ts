/**
 * Distributed runs: workers take chunks of a run from a queue, and whatever fails meanwhile, nothing is lost, and what
 * is published is what a run in one process publishes.
 *
 * `npm test` has each fault once; with `BTG2GLTF_TEST_LONG=1` each is at every place where machines can share data, on
 * each queue, and of a larger run.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runChild } from '../helpers/child.ts';
import { type CommandResult, command, writePipeline } from '../helpers/command.ts';
import { toldBy, toldTheSame } from '../helpers/compared-reports.ts';
import { hold } from '../helpers/counted-range.ts';
import {
  type DistributedStage,
  leaksOf,
  openDistributedStage,
  publishedHere,
  ready,
  type SharedPlace,
  type StageOptions,
  succeeded,
} from '../helpers/distributed.ts';
import { raw } from '../helpers/fault-server.ts';
import { HAS_GIVEN_S3 } from '../helpers/given-s3.ts';
import { damagesOf } from '../helpers/output-folder.ts';
import { type QueueServerUnderTest, rowsOf, startPostgres } from '../helpers/postgres.ts';
import { type S3Fault, type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { closedGate, type Gate, until } from '../helpers/until.ts';

const REDIS_URL = process.env.BTG2GLTF_TEST_REDIS_URL;
/** Of which the short form has one chunk, or two: a chunk has 50 or more. */
const [ONE_CHUNK, CHUNKS] = IS_LONG ? [2000, 2000] : [10, 51];
const sizeOf = (articles: number) => ({
  ...{ articles, blocks: 40, images: articles, articlesPerSeries: 50 },
});
/** Without it, the last chunk alone is not done. */
const isLastImage = (name: string) => name === `I${String(CHUNKS).padStart(3, '0')}`;
/** Without one of them, no chunk is done, but some articles of each. */
const isBlock6 = (name: string) => name.endsWith('B006');
const isBlock9 = (name: string) => name.endsWith('B009');
const SKEW_MS = 60 * 60 * 1000;

let postgres: QueueServerUnderTest;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

const STORES: SharedPlace[] = [
  'S3',
  'folder store',
  ...(HAS_GIVEN_S3 ? ['given S3' as const] : []),
];

/** What goes wrong in a run, of which all must come out well. */
interface Fault {
  /** Where machines share data; `npm test` has the first. */
  places: SharedPlace[];
  options?: Partial<StageOptions>;
  /** @defaultValue those of one chunk */
  articles?: number;
  /** Does it, and returns how the coordinator ended. */
  happens(stage: DistributedStage): Promise<Pick<CommandResult, 'exit' | 'stderr'>>;
  /** What is done once the result is that of one process. */
  afterwards?(stage: DistributedStage): Promise<void>;
  /** The name of who coordinated. */
  coordinator?: string;
}

const FAULTS: Record<string, Fault> = {
  'a worker is killed, and the store refuses for a while: another one does its chunks again, and no secret is left':
    {
      places: [...STORES, 'folders'],
      // What becomes of files while a worker makes them: distributed-deliveries.test.ts, in the long form.
      options: { hasProxy: true, pipeline: { deliver: { profiles: ['ar-ios'] } } },
      async happens(stage) {
        const first = hold(stage.range, 'block', isBlock6);
        const second = hold(stage.range, 'block', isBlock9);
        const victim = stage.worker('victim');
        const run = stage.run();
        await until(() => first.count() > 0);
        if (stage.place !== 'folders')
          await until(async () => (await stage.keys('objects/')).length > 0);
        if (stage.s3) await refuse(stage.s3, first.release);
        first.release();
        // It has stored the first GLBs of its chunks, and waits for the rest.
        await until(() => second.count() > 0);
        const before = [...(stage.s3?.stored ?? [])];
        const middle = await rowsOf(postgres.url);
        await ready(stage.worker('other'));
        victim.kill('SIGKILL');
        await victim.ended;
        second.release();
        const { stdout, stderr, exit } = await run;
        const states = (await stage.reportOf()).workers!.map(({ state, configurations }) => ({
          ...{ state, configurations },
        }));
        expect(states).toContainEqual({ state: 'lost', configurations: 0 });
        // The other may send a content again, but the store keeps what is there.
        const contents = (stage.s3?.stored ?? []).filter((key) => key.includes('/objects/'));
        expect(contents).toEqual(
          expect.arrayContaining(before.filter((key) => key.includes('/objects/'))),
        );
        expect(contents).toEqual([...new Set(contents)]);
        // What the queue has in the middle of a run, and at its end.
        const end = await rowsOf(postgres.url);
        expect(middle + end).toMatch(/bullmq\.job .*chunk/);
        expect(await leaksOf(stage, { middle, end, stdout, stderr })).toEqual([]);
        return { exit, stderr };
      },
      async afterwards(stage) {
        if (stage.place !== 'folders') await areFilesStored(stage);
        const { workers, configurations } = await stage.reportOf();
        const made = workers!.reduce((sum, { made = 0 }) => sum + made, 0);
        expect(made).toBe(configurations.selected);
      },
    },

  // That the first result counts, by the objects of a run alone: test/unit/distribute/chunks.test.ts.
  'two workers finish one chunk, since the first was stopped meanwhile: its result is refused': {
    places: IS_LONG ? ['S3'] : [],
    async happens(stage) {
      const { switches, seen, stored } = stage.s3!;
      const isResult = (text: string) => text.includes('/results/');
      const gate = closedGate();
      let late: string | undefined;
      switches.hold = ({ method, url }) => {
        if (method !== 'PUT' || !isResult(url) || late !== undefined) return undefined;
        late = url;
        return gate.opened;
      };
      const stopped = stage.worker('stopped');
      const run = stage.run();
      await until(() => late !== undefined);
      stopped.kill('SIGSTOP');
      const other = stage.worker('other');
      await until(() => stored.some((key) => late!.endsWith(key)));
      gate.open();
      stopped.kill('SIGCONT');
      const ended = await run;
      const results = stored.filter(isResult);
      expect(results).toEqual([...new Set(results)]);
      const { workers } = await stage.reportOf();
      expect(workers!.reduce((sum, { chunks }) => sum + chunks, 0)).toBe(results.length);
      // Each has sent it, and may have repeated it: on a busy machine an answer may come too late.
      const sent = seen.filter(({ method, url }) => method === 'PUT' && url === late);
      expect(sent.length).toBeGreaterThanOrEqual(2);
      // Neither has been harmed.
      for (const worker of [stopped, other]) {
        worker.kill('SIGTERM');
        succeeded(await worker.ended);
      }
      return ended;
    },
  },

  'a run is cancelled; the coordinator of the next one is killed, and another machine continues it':
    {
      // That a worker drops its job, and continues a run whose coordinator was killed: test/execute/queue.test.ts.
      places: IS_LONG ? STORES : [],
      // Deliveries in a store are those of a run in one process: test/pipeline/published-store.test.ts.
      options: { pipeline: { deliver: { gallery: true, profiles: ['planner'] } } },
      articles: CHUNKS,
      coordinator: 'm4',
      async happens(stage) {
        const images = hold(stage.range, 'material', isLastImage);
        stage.worker();
        const first = stage.run('m1');
        await until(async () => (await stage.keys('/results/')).length > 0);
        const id = await runIn(stage);
        const [same, other] = await Promise.all([stage.run('m1'), stage.run('m2')]);
        isSentence(same, 3, /another run uses this folder.*wait until the other run ends/s);
        const others = `expected no other run, but run ${id} of process ${process.pid} on .* publishes there.*wait until the other run ends`;
        isSentence(other, 3, new RegExp(others, 's'));
        const { stdout } = await command(['cancel', stage.file], { env: stage.env });
        expect(stdout).toBe(`cancelled: ${id}\n`);
        const cancelled = await first;
        expect(cancelled, cancelled.stderr).toMatchObject({ exit: 130 });
        expect(cancelled.stderr).toContain('cancelled from another process');
        expect(await stage.keys('manifest')).toEqual([]);

        const killed = stage.runApart('m3');
        await until(async () => (await stage.keys('/results/')).some((key) => !key.includes(id)));
        killed.kill('SIGKILL');
        await killed.ended;
        const next = await runIn(stage);
        expect(next).not.toBe(id);
        const run = stage.run('m4');
        // It has the lock when the killed run's is replaced.
        const pid = `"pid":${process.pid},`;
        await until(async () => (await stage.read('lock.json'))?.includes(pid) === true);
        images.release();
        const ended = await run;
        succeeded(ended);
        expect(ended.stderr).toContain(`"continued":"${next}"`);
        expect((await stage.reportOf('m4')).run).toBe(next);
        const sent = (stage.s3?.seen ?? []).filter(
          ({ method, url }) => method === 'PUT' && url.includes(`${next}/results/`),
        );
        expect(sent.map(({ url }) => url)).toEqual([...new Set(sent.map(({ url }) => url))]);
        expect(await stage.keys('work/')).toEqual([]);
        await isDelivered(stage);
        return ended;
      },
      async afterwards(stage) {
        await isUnchangedOn('m5', stage);
        expect((await command(['cancel', stage.file], { env: stage.env })).stdout).toContain(
          'no run',
        );
        const [worker] = stage.children;
        worker!.kill('SIGTERM');
        succeeded(await worker!.ended);
      },
    },
};

/** Last of all, since others use the same server. */
const QUEUE_KILLED: Fault = {
  places: ['folders'],
  async happens(stage) {
    const { stdout } = await command(['doctor', stage.file], { env: stage.env });
    expect(stdout).toMatch(/^ok +queue +postgres:\/\/127\.0\.0\.1:\d+\/postgres$/m);
    const blocks = hold(stage.range, 'block', isBlock6);
    const worker = stage.worker('', '--port', '0');
    const run = stage.run();
    await until(() => blocks.count() > 0);
    // That the queue refuses it: test/execute/queue.test.ts; that its process ends: test/unit/distribute/worker-processes.test.ts.
    if (IS_LONG) {
      const other = await stage.otherFile('other', { convert: { creaseAngleDegrees: 40 } });
      const refused = await stage.workerOf(other).ended;
      // The folders that it would share are beside its file.
      expect(refused, refused.stderr).toMatchObject({ exit: 2 });
      expect(refused.stderr).toContain('WORKER_REFUSED');
      expect(refused.stderr).toContain(
        'the options of the coordinator, received others: convert, store\n',
      );
    }

    await postgres.kill();
    const status = await ready(worker);
    const isReady = async () => (await fetch(`${status}/ready`)).status;
    await until(async () => (await isReady()) === 503);
    expect((await fetch(`${status}/health`)).status).toBe(200);
    blocks.release();
    await postgres.start();
    await until(async () => (await isReady()) === 200);
    const ended = await run;
    const { workers } = await stage.reportOf();
    const others = IS_LONG ? [{ configurations: 0 }] : [];
    expect(workers!.filter(({ state }) => state === 'refused')).toMatchObject(others);
    expect(workers).toHaveLength(1 + others.length);
    return ended;
  },
};

/** Has the store refuse each request: one, and the repetition of one. */
async function refuse({ switches, seen }: S3Server, begin: () => void): Promise<void> {
  const faults: S3Fault[] = [
    { status: 503, code: 'SlowDown' },
    { status: 403, code: 'AccessDenied' },
  ];
  for (const fault of faults) {
    switches.always = { fault };
    const before = seen.length;
    begin();
    await until(() => seen.length > before + 1);
  }
  switches.always = undefined;
}

const runIn = async (stage: DistributedStage) =>
  (await stage.keys('/run.json')).at(-1)!.split('/').at(-3)!;

async function linesIn(stage: DistributedStage, key: string) {
  const lines = (await stage.read(key))!.trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** All that a run has published and delivered is in the store. */
async function isDelivered(stage: DistributedStage): Promise<void> {
  const keys = new Set(await stage.keys(''));
  const lines = await linesIn(stage, 'manifest.jsonl');
  expect(lines).toHaveLength(CHUNKS);
  for (const { glb, sha256 } of lines)
    expect(glb).toBe(`objects/${sha256.slice(0, 2)}/${sha256}.glb`);
  // A run that was cancelled has a report in a folder, and none on S3, where its last requests are cancelled too.
  const reports = [...keys].filter((key) => key.endsWith('/report.json'));
  expect(reports).toHaveLength(stage.place === 'folder store' ? 2 : 1);
  await areFilesStored(stage);
  expect(keys).toContain('gallery/index.html');
}

/** Each file of the deliveries is in the store. */
async function areFilesStored(stage: DistributedStage): Promise<void> {
  const keys = await stage.keys('');
  const delivered = (await linesIn(stage, 'deliveries.jsonl')).flatMap(({ files }) => files);
  expect(delivered).not.toEqual([]);
  expect(keys).toEqual(expect.arrayContaining(delivered.map(({ path }) => path)));
}

/** The next night another machine coordinates, and nothing has changed. */
async function isUnchangedOn(machine: string, stage: DistributedStage): Promise<void> {
  const { range, s3 } = stage;
  range.asked.clear();
  const stores = s3?.count('PUT') ?? 0;
  succeeded(await stage.run(machine));
  expect(range.count('btg') + range.count('block')).toBe(0);
  const { configurations } = await stage.reportOf(machine);
  expect(configurations).toMatchObject({ unchanged: CHUNKS, kept: CHUNKS });
  // Lists, results, a lock, the report; no GLB, no row of the cache.
  if (s3) expect(s3.count('PUT') - stores).toBeLessThan(CHUNKS / 2);
}

const QUEUES: Record<string, () => string> = {
  PostgreSQL: () => postgres.url,
  ...(REDIS_URL !== undefined && { Redis: () => REDIS_URL }),
};
const rowsAt = (queue: string, faults: Record<string, Fault>) =>
  Object.entries(faults).flatMap(([name, fault]) =>
    fault.places
      .slice(0, IS_LONG ? undefined : 1)
      .map((place) => ({ ...{ name, place, queue }, fault })),
  );

/** What one process publishes, by what it depends on. */
const REFERENCES = new Map<string, ReturnType<typeof publishedHere>>();

async function comesOutWell(
  { fault, place, queue }: ReturnType<typeof rowsAt>[number],
  context: Parameters<typeof openDistributedStage>[0],
): Promise<void> {
  const { articles = ONE_CHUNK, options, coordinator } = fault;
  const size = sizeOf(articles);
  const stage = await openDistributedStage(context, {
    ...{ queue: QUEUES[queue]!(), size, place, ...options },
  });
  succeeded(await fault.happens(stage));
  const report = await stage.reportOf(coordinator);
  expect(report.workers!.reduce((sum, one) => sum + one.configurations, 0)).toBe(articles);
  expect(report.configurations).toMatchObject({ selected: articles, converted: articles });
  const isStored = place !== 'folders';
  const reference = JSON.stringify([articles, isStored, !isStored && options?.pipeline]);
  if (!REFERENCES.has(reference))
    REFERENCES.set(reference, publishedHere(size, isStored, options?.pipeline));
  expect(await stage.published()).toEqual(await REFERENCES.get(reference));
  if (!isStored) expect(await damagesOf(join(stage.folder, 'out'))).toEqual([]);
  await fault.afterwards?.(stage);
}

describe.each(Object.keys(QUEUES))('with a queue on %s', (queue) => {
  test.concurrent.for(rowsAt(queue, FAULTS))('$name; shared: $place', comesOutWell);
});

/** What changes in the service from run to run. */
const CHANGES: ((stage: DistributedStage) => void)[] = [
  ({ range }) => {
    range.missing.add(range.articleAt(0).blocks[0]!);
    range.gone.add(range.articleAt(range.size.articles - 1).number);
  },
  () => {},
  ({ range }) => {
    range.convertdates.set('N01', '2024-06-01');
    range.missing.clear();
  },
];
const PAUSE_S = 1;
/** Requests of the conversion. */
const PATHS = {
  ...{ getArticle: /\/articles/, getPartsList: /\/btg/ },
  ...{ getBlock: /\/block\//, getMaterial: /\/materials\// },
};

/** The values of a metric, by the number of the worker. */
async function metric(status: string, name: string): Promise<number[]> {
  const text = await (await fetch(`${status}/metrics`)).text();
  const pattern = new RegExp(`^btg2gltf_worker_${name}\\{.*?worker="(\\d)".*\\} (\\S+)$`, 'gm');
  const values: number[] = [];
  for (const [, worker, value] of text.matchAll(pattern))
    values[Number(worker) - 1] = (values[Number(worker) - 1] ?? 0) + Number(value);
  return values;
}

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

test.concurrent('workers of a machine have one login, port and budget, and a 429 pauses all; the report is that of a local run', async (context) => {
  const [workers, concurrency] = [IS_LONG ? 3 : 2, 2];
  const stage = await openDistributedStage(context, {
    // A chunk for each that works, although one article is gone: all requests for blocks wait until both have begun.
    ...{ queue: postgres.url, hasProxy: true },
    size: { articles: IS_LONG ? 102 : 52, blocks: 8, images: 6, looks: 6, articlesPerSeries: 50 },
    service: { rateLimit: { concurrency } },
  });
  const { emulator, range, folder, env } = stage;
  const proxy = stage.proxy!;
  const logins = () => emulator.counts.get('getsessiontoken') ?? 0;
  const own = await stage.otherFile('here', {});
  const local = async () => toldBy(await command(['run', own], { env }), join(folder, 'here/out'));
  const distributed = async () => toldBy(await stage.run(), join(folder, 'out'));
  /** Answers the first request of a block with a 429 when the gate opens, and tells when each has come. */
  const refuseOne = (seconds: number, { opened }: Gate) => {
    const arrivals: number[] = [];
    const refusal = raw('', { 'retry-after': String(seconds) }, 429);
    proxy.disturb((url) => {
      if (!/block/.test(url) || arrivals.push(performance.now()) > 1) return undefined;
      return { answer: (...request) => void opened.then(() => refusal(...request)) };
    });
    return arrivals;
  };

  CHANGES[0]!(stage);
  const refusal = closedGate();
  refuseOne(0, { ...refusal, opened: Promise.resolve() });
  const here = await local();
  const machine = stage.worker('', '--workers', String(workers), '--port', '0', '--verbose');
  const status = (await ready(machine))!;
  const shares = [...Array(workers - concurrency).fill(0), 0.5, 0.5];
  await until(async () => expect((await metric(status, 'share')).sort()).toEqual(shares));
  await until(async () => expect((await fetch(`${status}/ready`)).status).toBe(200));
  expect((await fetch(`${status}/health`)).status).toBe(200);
  // That of the run in one process: workers need none before they have work.
  expect(logins()).toBe(1);

  const begun = proxy.seen.length;
  const blocks = hold(range, 'block', () => true);
  const arrivals = refuseOne(PAUSE_S, refusal);
  const run = distributed();
  // Each of two waits for an answer, one of them for the refusal: those that may send requests work.
  await until(() => arrivals.length === concurrency && blocks.count() === concurrency - 1);
  // One of this run, one of the workers.
  expect(logins()).toBe(3);
  const texts: Record<string, string> = {};
  const environments: Record<string, string> = {};
  for (const pid of await childrenOf(machine.pid)) {
    environments[pid] = await readFile(`/proc/${pid}/environ`, 'utf8');
    texts[`${pid}`] = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  }
  expect(Object.keys(environments)).toHaveLength(workers);
  emulator.expireTokens();
  const refusedAt = performance.now();
  refusal.open();
  // All others hold their requests before the answer comes that one of them waits for.
  const pause = `"milliseconds":${1000 * PAUSE_S}`;
  await until(() => expect(machine.printed.stderr.split(pause)).toHaveLength(workers));
  expect(arrivals).toHaveLength(concurrency);
  blocks.release();
  const there = await run;
  expect(arrivals.length).toBeGreaterThan(concurrency);
  // The pause cannot end too late: a slow machine makes it longer. Timers are exact to the millisecond.
  for (const arrival of arrivals.slice(concurrency))
    expect(arrival - refusedAt).toBeGreaterThan(1000 * PAUSE_S - 2);
  expect(proxy.mostAtOnce()).toBe(concurrency);
  expect(logins()).toBe(4);
  toldTheSame(there, here);
  const rows = there.report.workers!;
  expect(rows).toHaveLength(workers);
  expect(rows.filter(({ requests }) => requests > 0)).toHaveLength(concurrency);
  const counted = (await metric(status, 'configurations_total')).filter((count) => count > 0);
  expect(counted).toHaveLength(concurrency);
  const { requests, configurations } = there.report;
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(configurations.selected);
  const sent = Object.entries(PATHS).map(([operation, path]) => [
    operation,
    proxy.seen.slice(begun).filter((url) => path.test(url)).length,
  ]);
  expect(requests.byOperation).toMatchObject(Object.fromEntries(sent));
  for (const change of CHANGES.slice(1, IS_LONG ? undefined : 1)) {
    change(stage);
    const again = await local();
    toldTheSame(await distributed(), again);
  }
  texts.metrics = await (await fetch(`${status}/metrics`)).text();

  machine.kill('SIGTERM');
  const { exit, stderr } = await machine.ended;
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  await expect(fetch(`${status}/health`)).rejects.toThrow();
  expect(emulator.openSessions()).toBe(0);
  for (const { name } of rows) expect(stderr).toContain(`"worker":"${name}"`);
  texts.queue = await rowsOf(postgres.url);
  expect(await leaksOf(stage, texts, environments)).toEqual([]);
});

/** A command that cannot begin. */
interface BadInput {
  exit: number;
  /** What the sentence says, and the action after it. */
  says: RegExp;
  /** Variables that are wrong. */
  env?: () => Record<string, string>;
  s3?: (server: S3Server) => void;
  bucket?: string;
  /** By how much the clock of the machine is ahead. */
  aheadMs?: number;
  /** Whether a worker, a process of its own, says it too: in the long form. */
  isOfWorker?: boolean;
}

const otherQueue = (change: Partial<URL>) => () => ({
  BTG2GLTF_QUEUE_URL: Object.assign(new URL(postgres.url), change).href,
});

const BAD_INPUTS: Record<string, BadInput> = {
  'a wrong password of the queue': {
    exit: 3,
    says: /queue postgres:.*password authentication failed.*check user, password/s,
    env: otherQueue({ password: 'not-its-password' }),
    isOfWorker: true,
  },
  'a clock that is not that of the queue': {
    exit: 2,
    says: /clock of this machine: expected that of the queue's server, received one that is 36\d\d\.\d s ahead.*synchronise the clocks/s,
    aheadMs: SKEW_MS,
  },
  'wrong keys of the store': {
    exit: 3,
    says: /s3:\/\/furniture\/nightly.*SignatureDoesNotMatch.*check AWS_ACCESS_KEY_ID/s,
    env: () => ({ AWS_SECRET_ACCESS_KEY: 'not-its-secret' }),
    isOfWorker: true,
  },
  'a bucket that does not exist': {
    exit: 3,
    says: /s3:\/\/none\/nightly.*the bucket does not exist.*create the bucket/s,
    bucket: 'none',
  },
  'a store without conditional writes': {
    exit: 2,
    says: /expected If-None-Match to keep what is there.*use a store with conditional writes/s,
    s3: ({ switches }) => {
      switches.conditions = 'ignored';
    },
  },
  'a clock that is not that of the store': {
    exit: 3,
    says: /the clock of this machine is (?:1 h|59 min(?: \d+ s)?) behind that of the store.*set the clock/s,
    s3: ({ switches }) => {
      switches.clockAheadMs = SKEW_MS;
    },
    isOfWorker: true,
  },
};

test.concurrent.for(Object.entries(BAD_INPUTS))(
  'refused at once: %s',
  async ([, fault], { onTestFinished }) => {
    const s3 = await startS3Server();
    onTestFinished(() => s3.close());
    fault.s3?.(s3);
    const folder = await temporaryFolder();
    const store = { url: `s3://${fault.bucket ?? s3.bucket}/nightly` };
    const file = await writePipeline(folder, { name: folder, service: { emulator: true }, store });
    const env = { ...s3.env, BTG2GLTF_QUEUE_URL: postgres.url, ...fault.env?.() };
    const at = () => Date.now() + (fault.aheadMs ?? 0);
    isSentence(
      await command(['run', file, '--executor', 'bullmq'], { env, at }),
      fault.exit,
      fault.says,
    );
    if (IS_LONG && fault.isOfWorker)
      isSentence(await runChild(['worker', file], env), fault.exit, fault.says);
  },
);

/** A command ends with one sentence and an action, and without a stack. */
function isSentence(
  { exit, stderr }: { exit: number | null; stderr: string },
  code: number,
  says: RegExp,
): void {
  expect({ exit, stderr }).toEqual({ exit: code, stderr: expect.stringMatching(says) });
  expect(stderr.match(/^btg2gltf: /gm)).toHaveLength(1);
  expect(stderr).not.toMatch(/^ +at /m);
}

// What kills the server is alone with it. That nothing is lost when connections break: test/execute/queue.test.ts.
test.runIf(IS_LONG)(
  'the queue is killed while a worker works, and started again',
  async (context) => {
    await comesOutWell(
      { name: '', place: 'folders', queue: 'PostgreSQL', fault: QUEUE_KILLED },
      context,
    );
  },
);
