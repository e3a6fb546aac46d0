/**
 * A pipeline with a store: what another machine has published there is read, checked and pruned in the store, whatever
 * the output folder of this machine has.
 */
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { filesBelow, parsedLines } from '../helpers/output-folder.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const DAYS_MS = 24 * 60 * 60 * 1000;

/** What a test does to a store behind the back of the program. */
interface StoreUnderTest {
  url: string;
  env: Record<string, string>;
  keys(): Promise<string[]>;
  read(key: string): Promise<string>;
  /** Those of its answers; a folder has none. */
  headers?(key: string): Record<string, string>;
  /** Undefined removes the object. */
  set(key: string, content: string | undefined): Promise<void>;
  /** Sets its clock ahead, if it has one. */
  setAhead(ms: number): void;
  close(): Promise<void>;
}

async function startFolder(): Promise<StoreUnderTest> {
  const folder = await temporaryFolder();
  return {
    url: folder,
    env: {},
    async keys() {
      return (await filesBelow(folder)).map((path) => path.slice(folder.length + 1));
    },
    read: (key) => readFile(join(folder, key), 'utf8'),
    async set(key, content) {
      const path = join(folder, key);
      await rm(path, { force: true });
      if (content === undefined) return;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    },
    setAhead() {},
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startS3(): Promise<StoreUnderTest> {
  const server: S3Server = await startS3Server();
  const prefix = 'nightly/';
  return {
    url: `s3://${server.bucket}/nightly`,
    env: { ...server.env },
    keys: async () => [...server.objects.keys()].map((key) => key.slice(prefix.length)),
    read: async (key) => server.objects.get(prefix + key)!.content.toString(),
    headers: (key) => server.objects.get(prefix + key)!.headers,
    async set(key, content) {
      if (content === undefined) server.objects.delete(prefix + key);
      else server.put(prefix + key, content);
    },
    setAhead(ms) {
      server.switches.clockAheadMs = ms;
    },
    close: () => server.close(),
  };
}

const LAMPS = ['LM-GLOBUS', 'LM-LINIE: 140'];

const STORES = [
  ['S3', startS3],
  ...(IS_LONG ? ([['a folder', startFolder]] as const) : []),
] as const;

describe.each(STORES)('a pipeline with a store in %s', (name, start) => {
  let store: StoreUnderTest;
  /** Two machines, which share nothing else. */
  let here: string;
  let there: string;
  let lines: ManifestLine[];

  const write = (folder: string, numbers: string[]) =>
    writePipeline(folder, {
      service: { emulator: true },
      store: { url: store.url },
      articles: numbers.map((basearticlenumber) => ({
        article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber },
      })),
      deliver: { profiles: ['google'], gallery: true },
    });
  const pipeline = (folder: string) => join(folder, 'pipeline.yaml');
  const call = (words: string[], options: { at?: string; signal?: AbortSignal } = {}) =>
    command(words, { env: store.env, ...options });
  const glbKey = ({ sha256 }: Pick<ManifestLine, 'sha256'>) =>
    `objects/${sha256!.slice(0, 2)}/${sha256}.glb`;
  const labelOf = ({ manufacturer, program, finalarticlenumber }: ManifestLine) =>
    `${manufacturer}/${program}/${finalarticlenumber}`;
  /** The keys that hold what is published. */
  const published = async () =>
    (await store.keys()).filter((key) => /^(?:objects|google|gallery)\//.test(key)).sort();

  beforeAll(async () => {
    store = await start();
    [here, there] = [await temporaryFolder(), await temporaryFolder()];
    for (const folder of [here, there]) await write(folder, LAMPS);
    const { exit, stderr } = await call(['run', pipeline(there)]);
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    lines = parsedLines(await store.read('manifest.jsonl'));
  });
  afterAll(async () => {
    await store.close();
    for (const folder of [here, there]) await rm(folder, { recursive: true, force: true });
  });

  test('verify reads each object of the store once, on a machine that has never run it', async () => {
    const { exit, stdout } = await call(['verify', pipeline(here)]);
    const { length } = await published();
    expect(stdout).toBe(
      `${length} files of articles (models, pictures and others) below ${store.url}: all intact, as published\n`,
    );
    expect(exit).toBe(0);
    // The output folder is that of runs.
    await expect(access(join(here, 'out'))).rejects.toThrow();
  });

  test.runIf(name === 'S3')(
    'a GLB by its digest is cached for ever, a delivered one is not',
    async () => {
      const delivered = (await published()).find(
        (key) => key.endsWith('.glb') && key.startsWith('google/'),
      )!;
      const type = { 'content-type': 'model/gltf-binary' };
      const forever = 'public, max-age=31536000, immutable';
      expect(store.headers!(glbKey(lines[0]!))).toMatchObject({
        ...type,
        'cache-control': forever,
      });
      expect(store.headers!(delivered)).toMatchObject({ ...type, 'cache-control': 'no-cache' });
      const list = { 'content-type': 'application/jsonl', 'cache-control': 'no-cache' };
      expect(store.headers!('manifest.jsonl')).toMatchObject(list);
    },
  );

  test('verify of the output folder of a machine says that its GLBs are in a store', async () => {
    const { exit, stderr } = await call(['verify', join(there, 'out')]);
    expect(exit).toBe(2);
    expect(stderr).toContain('whose GLBs are in a store');
    expect(stderr).toContain('name the pipeline file instead');
  });

  test('inspect and view show what the store has', async () => {
    const [line] = lines;
    const { stdout, exit } = await call([
      ...['inspect', labelOf(line!), '--pipeline', pipeline(here)],
    ]);
    expect([exit, stdout]).toEqual([0, expect.stringContaining(`${glbKey(line!)} (master)`)]);
    expect(stdout).toContain('(google)');
    const stop = new AbortController();
    let seen: Promise<void> | undefined;
    const look = async (url: string) => {
      const data = await (await fetch(`${url}articles.js`)).text();
      // Configurations may share an object, but not their names.
      const ids = data.match(/"id":"AULI\/LUMO\/LM-[^"]+"/g);
      expect(new Set(ids).size).toBe(lines.length);
      const glb = await fetch(new URL(`/${glbKey(line!)}`, url));
      expect(glb.headers.get('content-type')).toBe('model/gltf-binary');
      expect((await glb.arrayBuffer()).byteLength).toBe(line!.bytes);
    };
    const { exit: stopped } = await command(['view', pipeline(here), '--port', '0'], {
      env: store.env,
      signal: stop.signal,
      onPrint(text) {
        const [url] = /http:\S+/.exec(text) ?? [];
        if (url !== undefined) seen ??= look(url).finally(() => stop.abort());
      },
    });
    await seen;
    expect([stopped, seen]).toEqual([expect.any(Number), expect.any(Promise)]);
  });

  test.runIf(name === 'a folder')('explain reads what machines share', async () => {
    const words = ['explain', labelOf(lines[0]!), '--pipeline'];
    const { exit, stdout } = await call([...words, pipeline(there)]);
    expect([exit, stdout]).toEqual([0, expect.stringContaining(labelOf(lines[0]!))]);
    // Nobody has shared its snapshot: this machine fetches it, from what the other one has received.
    const before = await call([...words, pipeline(here)]);
    expect(before.stderr).toContain('run btg2gltf fetch');
    expect(await call(['fetch', pipeline(here)])).toMatchObject({ exit: 0 });
    expect((await call([...words, pipeline(here)])).exit).toBe(0);
  });

  test('verify names damaged and missing objects by their keys; run --repair stores them again', async () => {
    const [line] = lines;
    const delivered = (await published()).find((key) => key.startsWith('google/'))!;
    await store.set(glbKey(line!), 'no model');
    await store.set(delivered, undefined);
    const { exit, stdout } = await call(['verify', pipeline(here)]);
    expect(exit).toBe(1);
    expect(stdout).toContain(
      `${store.url}/${glbKey(line!)}: damaged: its content has another digest\n  shared by ${labelOf(line!)}`,
    );
    expect(stdout).toContain(`${store.url}/${delivered}: missing\n`);
    expect(stdout).toContain(': 2 damaged or missing\n');
    expect(await call(['run', pipeline(there), '--repair'])).toMatchObject({ exit: 0 });
    expect((await call(['verify', pipeline(here)])).stdout).toContain('all intact');
  });

  test('prune removes from the store what nothing refers to, a day later', async () => {
    const only = lines[0]!;
    await write(there, [only.basearticlenumber]);
    expect(await call(['run', pipeline(there), '--accept'])).toMatchObject({ exit: 0 });
    const unreferenced = (await published()).filter((key) => {
      return key.startsWith('objects/') && key !== glbKey(only);
    });
    expect(unreferenced.length).toBeGreaterThan(0);
    const young = await call(['prune', pipeline(here), '--yes']);
    expect(young.stdout).toContain('nothing to remove\n');
    const kept = unreferenced.length;
    expect(young.stdout).toMatch(
      new RegExp(`^${kept} stored files? younger than a day: kept$`, 'm'),
    );
    store.setAhead(2 * DAYS_MS);
    const at = new Date(Date.now() + 2 * DAYS_MS).toISOString();
    const words = ['prune', pipeline(here), '--keep-runs', '1', '--verbose'];
    const counted = await call(words, { at });
    for (const key of unreferenced) expect(counted.stdout).toContain(`${key}\n`);
    expect(counted.stdout).toMatch(/would remove: .* and the reports of 2 runs; --yes/);
    expect(await published()).toEqual(expect.arrayContaining(unreferenced));
    // The list of deliveries may have been edited.
    const list = await store.read('deliveries.jsonl');
    const first = JSON.parse(list.split('\n')[0]!);
    const files = ['bodies/x', 'x', '/x'].map((path) => ({ ...first.files[0], path }));
    await store.set(
      'deliveries.jsonl',
      `${list}${JSON.stringify({ ...first, delivery: 'x', files })}\n`,
    );
    expect((await call(words, { at })).stdout).toBe(counted.stdout);
    await store.set('deliveries.jsonl', list);
    // What a run has found in the store is still there when it continues.
    const unfinished = `work/${at.replaceAll(':', '-')}/steering/run.json`;
    await store.set(unfinished, JSON.stringify({ startedAt: Date.parse(at) }));
    const refused = await call([...words, '--yes'], { at });
    expect([refused.exit, refused.stderr]).toEqual([
      3,
      expect.stringContaining('can be continued'),
    ]);
    await store.set(unfinished, undefined);
    expect(await call([...words, '--yes'], { at })).toMatchObject({ exit: 0 });
    store.setAhead(0);
    const left = await store.keys();
    expect(left.filter((key) => unreferenced.includes(key))).toEqual([]);
    expect(new Set(left.filter((key) => key.startsWith('runs/')).map(runOf)).size).toBe(1);
    expect((await call(['verify', pipeline(here)])).stdout).toContain('all intact');
  });
});

const runOf = (key: string) => key.split('/')[1];
