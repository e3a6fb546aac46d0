/**
 * Deliveries of distributed runs: workers make the files of GLBs, and whatever fails meanwhile, what is delivered is what
 * a run in one process delivers, or one row says why it is not.
 *
 * All are of the long form, `BTG2GLTF_TEST_LONG=1`, on each queue. That another worker makes the files of one that was
 * killed: distributed.test.ts.
 */
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import type { DeliveryLine } from '../../src/run/output/delivered-files.ts';
import type { RunReport } from '../../src/run/report/run-report.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { type Child, environmentOf } from '../helpers/child.ts';
import { type CommandResult, command, writePipeline } from '../helpers/command.ts';
import { countedImage, countedRange } from '../helpers/counted-range.ts';
import {
  type DistributedStage,
  openDistributedStage,
  printed,
  ready,
  type SharedPlace,
  succeeded,
} from '../helpers/distributed.ts';
import { deliveryLines, parsedLines } from '../helpers/output-folder.ts';
import { BROWSER_ENVIRONMENT, HAS_BROWSER } from '../helpers/picture-browser.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { commandOf, descendantsOf, processorSeconds } from '../helpers/process-memory.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { closedGate, until } from '../helpers/until.ts';

shareBrowser();

const REDIS_URL = process.env.BTG2GLTF_TEST_REDIS_URL;
const ARTICLES = 60;
const SIZE = { articles: ARTICLES, blocks: 20, images: 10, articlesPerSeries: 20 };
const PROFILES = ['web', 'ar-ios'];
const DELIVER = {
  profiles: PROFILES,
  ...(HAS_BROWSER && { pictures: { width: 64, height: 48 } }),
};
const KINDS = PROFILES.length + (HAS_BROWSER ? 1 : 0);
const BROWSER = 'BTG2GLTF_BROWSER';

let postgres: QueueServerUnderTest;

/** What goes wrong while files are made. */
interface Fault {
  place: SharedPlace;
  needs?: boolean;
  /** Does it, and returns how the coordinator ended. */
  happens(stage: DistributedStage): Promise<CommandResult>;
  /** Failures of deliveries. @defaultValue none: what is delivered is that of one process */
  failures?(stage: DistributedStage, report: RunReport): void | Promise<void>;
}

const FAULTS: Record<string, Fault> = {
  'a worker is killed while it uploads, and the store refuses for a while': {
    place: 'S3',
    async happens(stage) {
      const { switches } = stage.s3!;
      const uploads = held(({ method, url }) => method === 'PUT' && url.includes('/bodies/'));
      // The pictures are taken by the other.
      const victim = stage.worker('victim', '--kinds', 'convert,profiles');
      await ready(victim);
      const run = stage.run();
      await until(async () => (await stage.keys('/results/')).length > 0);
      switches.hold = uploads.hold;
      await uploads.reached;
      await ready(stage.worker('other'));
      switches.always = { fault: { status: 503, code: 'SlowDown' } };
      await until(() => stage.s3!.seen.length > 0);
      victim.kill('SIGKILL');
      await victim.ended;
      switches.always = undefined;
      uploads.release();
      return run;
    },
  },

  'no worker takes pictures, as one may not, and the other has another browser: the coordinator does':
    {
      ...{ place: 'folders', needs: HAS_BROWSER },
      async happens(stage) {
        const other = await browserScript(stage, 'other-browser', 'echo Other 1.0');
        await ready(stage.worker('', '--kinds', 'convert,profiles'));
        const worker = stage.workerWith({ [BROWSER]: other }, '');
        await ready(worker);
        const ended = await stage.run();
        await printed(worker, 'takes no pictures, since the run has another browser');
        expect(ended.stderr).toContain('no worker makes pictures: this process does');
        return ended;
      },
    },

  'a worker is killed while it makes files': {
    place: 'folders',
    async happens(stage) {
      const victim = stage.worker();
      await ready(victim);
      const run = stage.run();
      await inDeliveries(stage);
      await ready(stage.worker());
      victim.kill('SIGKILL');
      return run;
    },
  },

  'workers are killed one after another, each while a picture is taken': {
    ...{ place: 'folders', needs: HAS_BROWSER },
    async happens(stage) {
      await ready(stage.worker('', '--kinds', 'convert,profiles'));
      let victim = stage.worker('', '--kinds', 'pictures');
      await ready(victim);
      const run = stage.run();
      for (let kills = 0; kills < 2; kills++) {
        // The browser of a worker is a process below it.
        await printed(victim, 'browser');
        const next = stage.worker('', '--kinds', 'pictures');
        victim.kill('SIGKILL');
        await victim.ended;
        victim = next;
        await ready(victim);
      }
      return run;
    },
  },

  'the browser of a worker hangs while it takes a picture: one row, and all others': {
    ...{ place: 'folders', needs: HAS_BROWSER },
    async happens(stage) {
      await ready(stage.worker('', '--kinds', 'convert,profiles'));
      const worker = stage.worker('', '--kinds', 'pictures');
      await ready(worker);
      const run = stage.run();
      // One that has worked for so long has opened its page, and takes pictures.
      const busy = () =>
        descendantsOf(worker.pid).find(
          (id) => commandOf(id).includes('--type=renderer') && processorSeconds(id) > 0.5,
        );
      await until(() => busy() !== undefined);
      process.kill(busy()!, 'SIGSTOP');
      return run;
    },
    failures(_, { delivered }) {
      expect(delivered!.failures).toMatchObject([
        { code: 'PICTURE_FAILED', message: expect.stringContaining('took longer than 120 s') },
      ]);
    },
  },

  'the queue is away for a while': {
    place: 'folders',
    async happens(stage) {
      const server = await startPostgres();
      stage.env.BTG2GLTF_QUEUE_URL = server.url;
      await ready(stage.worker());
      const run = stage.run();
      await inDeliveries(stage);
      await server.kill();
      await server.start();
      return run.finally(() => server.close());
    },
  },

  'the browser of the worker does not start: it takes no more pictures, and the coordinator does': {
    ...{ place: 'folders', needs: HAS_BROWSER },
    async happens(stage) {
      const real = BROWSER_ENVIRONMENT[BROWSER]!;
      const broken = await browserScript(stage, 'broken', `exec '${real}' --version`);
      const worker = stage.workerWith({ [BROWSER]: broken }, '');
      await ready(worker);
      const ended = await stage.run();
      expect(worker.printed.stderr).toContain('does no more jobs of this kind');
      expect(worker.printed.stderr).toContain('BROWSER_MISSING');
      return ended;
    },
  },

  'the disk of one worker is full: the others make the files': {
    ...{ place: 'S3', needs: await canMount(join(await temporaryFolder(), 'probe')) },
    async happens(stage) {
      const disk = await mountSmallDisk(join(stage.folder, 'full'), 700);
      const full = stage.worker('full', '--kinds', 'profiles');
      await ready(full);
      await ready(stage.worker('other', '--kinds', 'convert,pictures'));
      const run = stage.run();
      await printed(full, 'does no more jobs of this kind');
      expect(full.printed.stderr).toContain('DISK_FULL');
      return run.finally(async () => {
        full.kill('SIGKILL');
        await full.ended;
        await disk.remove();
      });
    },
  },

  'a GLB in the bucket is damaged, and one is missing: two rows of each delivery, and all others': {
    place: 'S3',
    async happens(stage) {
      const { switches, objects } = stage.s3!;
      const reads = held(({ method, url }) => method === 'GET' && /\/objects\/\w\w\//.test(url));
      switches.hold = reads.hold;
      await ready(stage.worker('only'));
      const run = stage.run();
      await reads.reached;
      await until(async () => (await stage.keys('manifest.jsonl')).length > 0);
      const [first, second] = [...objects.keys()].filter((key) => key.includes('/objects/')).sort();
      const { content } = objects.get(first!)!;
      objects.get(first!)!.content = Buffer.from(content.map((byte, at) => (at < 99 ? byte : 0)));
      objects.delete(second!);
      reads.release();
      return run;
    },
    failures(_, { delivered }) {
      for (const { name, made, failed } of delivered!.deliveries)
        expect({ name, made, failed }).toEqual({ name, made: ARTICLES - 2, failed: 2 });
      const codes = new Set(delivered!.failures.map(({ code }) => code));
      expect([...codes]).toEqual(['STORE_DAMAGED']);
    },
  },

  'it is cancelled while files are made, and the next run makes the rest': {
    place: 'S3',
    async happens(stage) {
      const worker = stage.worker('only');
      await ready(worker);
      const first = stage.run();
      await inDeliveries(stage);
      const other = await stage.run('second');
      expect(other).toMatchObject({ exit: 3 });
      expect(other.stderr).toContain('wait until the other run ends');
      await command(['cancel', stage.file], { env: stage.env });
      expect(await first).toMatchObject({ exit: 130 });
      return stage.run();
    },
  },
};

/** Holds the first request of a kind, and all after it. */
function held(isMeant: (request: { method: string; url: string }) => boolean) {
  const [reached, released] = [closedGate(), closedGate()];
  return {
    reached: reached.opened,
    release: released.open,
    hold: (request: { method: string; url: string }) => {
      if (!isMeant(request)) return undefined;
      reached.open();
      return released.opened;
    },
  };
}

/** Waits until there is a list of tasks besides that of the articles. */
async function inDeliveries(stage: DistributedStage): Promise<void> {
  await until(async () => (await stage.keys('/chunks/')).length > 1);
}

/** A program that answers the question for its version, and is no browser. */
async function browserScript(
  { folder }: DistributedStage,
  name: string,
  version: string,
): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\nif [ "$1" = --version ]; then ${version}; exit; fi\nexit 1\n`);
  await chmod(path, 0o755);
  return path;
}

/** What a run in one process delivers, by where. */
const references = new Map<boolean, Promise<DeliveryLine[]>>();

async function deliveredHere(isStored: boolean): Promise<DeliveryLine[]> {
  const folder = await temporaryFolder();
  const emulator = await startEmulator({ range: countedRange(SIZE) });
  const env = { ...environmentOf(emulator), ...BROWSER_ENVIRONMENT };
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  const file = await writePipeline(folder, {
    ...{ service, deliver: DELIVER, ...(isStored && { store: { url: 'store' } }) },
  });
  succeeded(await command(['run', file], { env }));
  await emulator.close();
  return deliveryLines(join(folder, isStored ? 'store' : 'out'));
}

const deliveredBy = async (stage: DistributedStage): Promise<DeliveryLine[]> =>
  stage.place === 'folders'
    ? deliveryLines(join(stage.folder, 'out'))
    : parsedLines((await stage.read('deliveries.jsonl'))!);

async function comesOutWell(
  { fault, queue }: { fault: Fault; queue: string },
  context: Parameters<typeof openDistributedStage>[0],
): Promise<void> {
  const stage = await openDistributedStage(context, {
    ...{ queue, size: SIZE, place: fault.place, pipeline: { deliver: DELIVER } },
  });
  Object.assign(stage.env, BROWSER_ENVIRONMENT);
  const ended = await fault.happens(stage);
  const report = await stage.reportOf();
  const lines = await deliveredBy(stage);
  const isStored = stage.place !== 'folders';
  if (!references.has(isStored)) references.set(isStored, deliveredHere(isStored));
  const reference = await references.get(isStored)!;
  if (fault.failures !== undefined) {
    expect(ended, ended.stderr).toMatchObject({ exit: 1 });
    await fault.failures(stage, report);
    const made = lines.filter(({ files }) => files.length > 0);
    expect(reference).toEqual(expect.arrayContaining(made));
    return;
  }
  succeeded(ended);
  expect(lines).toEqual(reference);
  expect(lines).toHaveLength(KINDS * ARTICLES);
}

const QUEUES: Record<string, () => string> = {
  PostgreSQL: () => postgres.url,
  ...(REDIS_URL !== undefined && { Redis: () => REDIS_URL }),
};
const rows = Object.entries(FAULTS)
  .filter(([, { needs = true }]) => needs)
  .map(([name, fault]) => ({ name, fault }));

describe.runIf(IS_LONG).each(Object.keys(QUEUES))('with a queue on %s', (queue) => {
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  test.concurrent.for(rows)('$name', ({ fault }, context) =>
    comesOutWell({ fault, queue: QUEUES[queue]!() }, context),
  );

  test.runIf(HAS_BROWSER)(
    'pictures that workers have taken are compared before the publication',
    async (context) => {
      const pictures = { width: 64, height: 64, format: 'png' };
      const gates = { pictureTone: { change: 0.1, refuse: '50%' } };
      const stage = await openDistributedStage(context, {
        ...{ queue: QUEUES[queue]!(), size: SIZE, pipeline: { deliver: { pictures }, gates } },
      });
      await ready(stage.workerWith(BROWSER_ENVIRONMENT, ''));
      // The browser of the coordinator has the same version, and does not start.
      const version = `exec '${BROWSER_ENVIRONMENT[BROWSER]}' --version`;
      stage.env[BROWSER] = await browserScript(stage, 'broken', version);
      succeeded(await stage.run());
      stage.range.convertdates.set('N01', '2020-01-01');
      for (let at = 1; at <= SIZE.images; at++) {
        const name = `N01/I${String(at).padStart(3, '0')}`;
        stage.range.bodies.set(name, await countedImage('N01/I180', 255));
      }
      const refused = await stage.run();
      expect(refused.exit, refused.stderr).toBe(4);
      const { gates: found } = await stage.reportOf();
      expect(found.notCompared).toBeUndefined();
      expect(found.byGate.pictureTone!.refuse).toBeGreaterThan(ARTICLES / 2);
    },
  );

  test('a GLB that kills each worker is one row, and waits after two nights', async (context) => {
    const stage = await openDistributedStage(context, {
      ...{ queue: QUEUES[queue]!(), place: 'S3', size: { ...SIZE, articles: 8 } },
      pipeline: { deliver: { profiles: ['web'] } },
    });
    const { switches } = stage.s3!;
    await ready(stage.worker('converting', '--kinds', 'convert'));
    let deadly: string | undefined;
    let kills = 0;
    let isOver = false;
    const over = closedGate();
    const dying = (async () => {
      while (!isOver) {
        const reads = held(({ method, url }) => {
          if (method !== 'GET' || !/\/objects\/\w\w\//.test(url)) return false;
          deadly ??= url;
          return url === deadly;
        });
        switches.hold = reads.hold;
        const victim = stage.worker('victim', '--kinds', 'profiles');
        await Promise.race([reads.reached, over.opened]);
        victim.kill('SIGKILL');
        await victim.ended;
        reads.release();
        kills++;
      }
    })();
    const night = async () => {
      expect(await stage.run()).toMatchObject({ exit: 1 });
      const { delivered } = await stage.reportOf();
      return delivered!.failures;
    };
    expect(await night()).toMatchObject([{ code: 'KILLED_THE_RUN' }]);
    expect(await night()).toMatchObject([{ code: 'KILLED_THE_RUN' }]);
    const before = kills;
    expect(await night()).toMatchObject([
      {
        code: 'KILLED_THE_RUN',
        message: expect.stringContaining('it failed 2 times, and waits'),
      },
    ]);
    isOver = true;
    over.open();
    await dying;
    expect(kills).toBe(before + 1);
    const made = (await deliveredBy(stage)).filter(({ files }) => files.length > 0);
    expect(made).toHaveLength(7);
  });

  test('workers make files with all finishes', async (context) => {
    const articles = [{ list: resolve('pipelines', 'demo-configurations.csv') }];
    const stage = await openDistributedStage(context, {
      ...{ queue: QUEUES[queue]!(), size: SIZE, served: createSampleRange() },
      pipeline: { articles, deliver: { variants: true } },
    });
    await ready(stage.worker());
    succeeded(await stage.run());
    const delivered = await deliveryLines(join(stage.folder, 'out'));
    const { workers } = await stage.reportOf();
    expect(workers!.reduce((sum, { made = 0 }) => sum + made, 0)).toBeGreaterThan(0);
    const file = await stage.otherFile('here', {});
    succeeded(await command(['run', file], { env: stage.env }));
    expect(delivered).toEqual(await deliveryLines(join(stage.folder, 'here/out')));
    expect(delivered.some(({ files }) => files.length > 0)).toBe(true);
  });

  test('workers make all files, and the report counts them', async (context) => {
    const stage = await openDistributedStage(context, {
      ...{ queue: QUEUES[queue]!(), size: SIZE, pipeline: { deliver: DELIVER } },
    });
    Object.assign(stage.env, BROWSER_ENVIRONMENT);
    const worker: Child = stage.worker('', '--port', '0');
    const status = await ready(worker);
    const ended = await stage.run();
    succeeded(ended);
    const { workers } = await stage.reportOf();
    expect(workers).toMatchObject([{ configurations: ARTICLES, made: KINDS * ARTICLES }]);
    const metrics = await (await fetch(`${status}/metrics`)).text();
    const counted = `btg2gltf_worker_delivery_tasks_total{worker="1",kind="profiles",result="made",`;
    expect(metrics).toContain(counted);
  });
});
