/** After publishing: feeds, the list of changes, and the webhook that receives it. */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ChangeLine } from '../../src/run/output/changes.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { bmecatBreaches } from '../helpers/evaluator/bmecat.ts';
import { bytesBelow, filesBelow, parsedLines } from '../helpers/output-folder.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

const SECRET = 'signing-key-of-the-shop';
const FEEDS = {
  baseUrl: 'https://cdn.example',
  productUrl: 'https://shop.example/p/{id}',
  kinds: ['jsonld', 'google', 'shopify', 'csv'],
};
const D2 = 'ACME::DESK::D2';
let range: SmallRange;
let runs: DailyRuns;
let server: Server;
/** Of the requests that are answered in this order; 200 after the last. */
let statuses: number[];
let posted: { signature: string; body: string }[];
/** What happens to the next request once it has come, in place of an answer. */
let onPosted: (() => void) | undefined;

async function open(): Promise<void> {
  range = smallRange(['D1', 'D2'].map((number) => ({ number, blocks: [`ACME::DESK::${number}`] })));
  // Each article its own geometry.
  range.bodies.set(D2, blockOfWidth(2));
  runs = await openDailyRuns(range);
  statuses = [];
  posted = [];
  days = 0;
  onPosted = undefined;
  server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const signature = String(request.headers['x-btg2gltf-signature']);
      posted.push({ signature, body: Buffer.concat(chunks).toString() });
      if (onPosted !== undefined) {
        request.socket.destroy();
        return onPosted();
      }
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
}
async function close(): Promise<void> {
  await runs.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}

function blockOfWidth(metres: number): string {
  const solid = { N: D2, P: [0, 0, 0], R: [0, 0, 0], T: [] };
  const surfaces = [{ F: [0, 1, 2], TI: [], C: false }];
  return JSON.stringify({ ...solid, V: [0, 0, 0, metres, 0, 0, 0, 1, 0], A: surfaces });
}

const webhook = () => ({
  webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
  secretVariable: 'SHOP_SECRET',
  backoffMs: 1,
  // What the receiver refuses is the subject here, not the end of the run.
  accept: ['WEBHOOK_FAILED'],
});
const configure = (deliver: object) => runs.configure({ deliver });
const run = (env: Record<string, string> = { SHOP_SECRET: SECRET }, name = 'run') =>
  runs.call([name, runs.pipelineFile], { env: { ...runs.proxy.env, ...env } });
const read = (name: string) => readFile(join(runs.outputDir, name), 'utf8');
const changes = async () => parsedLines<ChangeLine>(await read('changes.jsonl'));
const brief = async () =>
  (await changes()).map((line) => `${line.change} ${line.basearticlenumber}`);

test('changes.jsonl lists what differs from the publication before, and nothing where nothing does', async () => {
  await open();
  onTestFinished(close);
  await configure({ feeds: { ...FEEDS, accept: ['FEED_EMPTY'] } });
  expect((await run()).exit).toBe(0);
  expect(await brief()).toEqual(['new D1', 'new D2']);
  const [{ files }] = (await changes()) as [ChangeLine];
  expect(files).toMatchObject([
    {
      change: 'new',
      delivery: 'articles',
      url: expect.stringMatching(/^https:\/\/cdn\.example\/articles\/ACME\/.*\.glb$/),
    },
  ]);

  await run();
  expect(await read('changes.jsonl')).toBe('');

  range.bodies.set(D2, blockOfWidth(3));
  range.convertdate = '2024-05-15';
  await run();
  expect(await brief()).toEqual(['changed D2']);

  range.nodes = without(range, 'D1');
  range.convertdate = '2024-05-16';
  await run();
  expect(await brief()).toEqual(['removed D1']);
  await run({}, 'deliver');
  expect(await read('changes.jsonl')).toBe('');
});

function without({ nodes }: SmallRange, number: string): SmallRange['nodes'] {
  return (parent) =>
    nodes(parent)?.filter(
      (node) => (node as { basearticlenumber?: string }).basearticlenumber !== number,
    );
}

test('feeds have a row of each configuration, stay as they are, and go when they are no longer asked for', async () => {
  await open();
  onTestFinished(close);
  const plain = range.article;
  range.article = (query) => {
    const article = plain(query);
    if (article === undefined) return undefined;
    const ocd = {
      ...(article.ocd as object),
      shorttext: '=HYPERLINK("x")',
      price: 99.5,
      currency: 'EUR',
    };
    return { ...article, ocd };
  };
  await configure({ feeds: FEEDS });
  const { exit, stdout } = await run();
  expect(exit).toBe(1);
  expect(stdout).toContain('feed csv: 2 made · 0 unchanged · 0 failed');
  expect(stdout).toContain('FEED_EMPTY  expected rows, received none: 2 without a picture');
  const names = ['erp.csv', 'google.tsv', 'products.jsonl', 'shopify.csv'];
  const folder = join(runs.outputDir, 'feeds');
  expect(await filesBelow(folder)).toEqual(names.map((name) => join(folder, name)));
  const erp: Record<string, string>[] = parse(await read('feeds/erp.csv'), { columns: true });
  expect(erp.map((row) => row.basearticlenumber)).toEqual(['D1', 'D2']);
  for (const row of erp) {
    expect(row).toMatchObject({ shorttext: '\'=HYPERLINK("x")', price: '99.5', currency: 'EUR' });
    expect((await read(row.glb!)).length).toBeGreaterThan(100);
  }
  const before = await Promise.all(names.map((name) => read(`feeds/${name}`)));
  expect((await run()).stdout).toContain('feed csv: 0 made · 2 unchanged · 0 failed');
  expect(await Promise.all(names.map((name) => read(`feeds/${name}`)))).toEqual(before);
  await configure({ feeds: { ...FEEDS, kinds: ['csv'] } });
  await run({}, 'deliver');
  expect(await filesBelow(folder)).toEqual([join(folder, 'erp.csv')]);
});

test('configurations with one final article number are one row of a table, and the summary counts them', async () => {
  await open();
  onTestFinished(close);
  const plain = range.article;
  range.article = (query) => {
    const article = plain(query);
    const reinitstring = query.ocdreinitstring || 'D1;F=A::';
    const numbers = { finalarticlenumber: 'D1-STD', reinitstring };
    return article && { ...article, ocd: { ...(article.ocd as object), ...numbers } };
  };
  const article = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };
  const articles = ['D1;F=A::', 'D1;F=B::'].map((reinitstring) => ({
    article: { ...article, finalarticlenumber: 'D1-STD', reinitstring },
  }));
  const deliver = { feeds: { ...FEEDS, kinds: ['jsonld', 'csv', 'bmecat'] } };
  await runs.configure({ articles, deliver });
  const { stdout } = await run();
  expect(stdout).toContain('feed jsonld: 2 made');
  expect(stdout).toContain('feed csv: 1 made · 0 unchanged · 1 left out');
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'feed csv: 1 without a row: another has the same final article number',
  );
  const erp: Record<string, string>[] = parse(await read('feeds/erp.csv'), { columns: true });
  expect(erp.map((row) => row.reinitstring)).toEqual(['D1;F=A::']);
  expect(bmecatBreaches(await read('feeds/bmecat.xml'))).toEqual([]);
});

test('the webhook receives the changes signed, after failures too, and the key is in no file or stream', async () => {
  await open();
  onTestFinished(close);
  await configure({
    feeds: { ...FEEDS, accept: ['FEED_EMPTY'] },
    afterPublish: webhook(),
  });
  statuses = [503, 500];
  const result = await run();
  expect(result.exit).toBe(0);
  expect(posted).toHaveLength(3);
  const { signature, body } = posted[2]!;
  expect(signature).toBe(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
  expect(JSON.parse(body)).toEqual({
    pipeline: 'test',
    run: (await runs.report()).run,
    file: 'changes.jsonl',
    url: 'https://cdn.example/changes.jsonl',
    changes: { new: 2, changed: 0, removed: 0 },
    complete: true,
    configurations: (await changes()).map((change, i) => ({
      ...change,
      id: expect.stringMatching(/^\d{4}-.*Z\.\d$/),
      sequence: i + 1,
    })),
  });
  const texts = [result.stdout, result.stderr, body];
  for (const bytes of (await bytesBelow(runs.folder)).values())
    texts.push(bytes.toString('latin1'));
  expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
});

test('a webhook that refuses, or whose key is not set, has failed; what it was told is published', async () => {
  await open();
  onTestFinished(close);
  await configure({ afterPublish: { ...webhook(), accept: [] } });
  statuses = [410];
  const refused = await run();
  expect(refused.exit).toBe(1);
  expect(refused.stdout).toMatch(/the webhook has not received the changes.*received 410/);
  const { delivered, published } = await runs.report();
  expect(published).toBe(true);
  expect(delivered?.deliveries).toMatchObject([{ name: 'webhook', made: 0, failed: 2 }]);
  expect(delivered?.failures).toMatchObject([{ code: 'WEBHOOK_FAILED', isAccepted: false }]);
  expect(posted).toHaveLength(1);
  const unset = await run({});
  expect(unset.exit).toBe(1);
  expect(unset.stdout).toContain('variable SHOP_SECRET: expected the key of the signature');
});

/** The changes of a message: id and sequence number apart. */
type Told = ChangeLine & { id: string; sequence: number };
const told = (at = -1) =>
  (JSON.parse(posted.at(at)!.body) as { configurations: Told[] }).configurations;
const briefly = (some: readonly Told[]) =>
  some.map(({ change, basearticlenumber }) => `${change} ${basearticlenumber}`);
/** Runs after the service has converted its data anew. */
async function nextRun(): Promise<void> {
  days++;
  range.convertdate = `2024-05-${14 + days}`;
  expect((await run()).exit).toBe(0);
}
let days: number;

test('what the receiver refused is sent with the next publication, one net change for each configuration', async () => {
  await open();
  onTestFinished(close);
  await configure({ afterPublish: webhook() });
  const all = range.nodes;
  range.nodes = without(range, 'D1');
  await nextRun();
  expect(briefly(told())).toEqual(['new D2']);

  // Refused: D1 is new, and D2 changes; then D1 is gone, and D2 changes again.
  statuses = [410, 410];
  range.nodes = all;
  range.bodies.set(D2, blockOfWidth(3));
  await nextRun();
  expect(briefly(told())).toEqual(['new D1', 'changed D2']);
  range.nodes = without({ ...range, nodes: all }, 'D1');
  range.bodies.set(D2, blockOfWidth(4));
  await nextRun();
  expect(briefly(told())).toEqual(['changed D2']);
  const last = told();

  await nextRun();
  expect(posted).toHaveLength(4);
  expect(briefly(told())).toEqual(['changed D2']);
  expect(told()).toEqual(last);
  const [{ files }] = told() as [Told];
  expect(files).toMatchObject([{ change: 'changed', sha256: (await masterOf('D2')).sha256 }]);
  // The receiver has it: there is nothing left.
  await nextRun();
  expect(told()).toEqual([]);
});

async function masterOf(number: string) {
  const lines = await readManifest(runs.outputDir);
  return lines.find(({ basearticlenumber }) => basearticlenumber === number)!;
}

describe('one change after the other', () => {
  // Each test goes on where the one before has ended.
  beforeAll(open);
  afterAll(close);

  test('`deliver` sends at once what waits, with the ids and numbers that it had', async () => {
    await configure({ afterPublish: webhook() });
    statuses = [410];
    await nextRun();
    const refused = told();
    expect(refused.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(new Set(refused.map(({ id }) => id)).size).toBe(2);
    const { exit, stdout } = await run(undefined, 'deliver');
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: 'webhook: 2 made · 0 unchanged · 0 failed\n',
    });
    expect(posted).toHaveLength(2);
    expect(told()).toEqual(refused);

    // Numbers go on where all was accepted.
    range.bodies.set(D2, blockOfWidth(3));
    await nextRun();
    expect(told()).toMatchObject([{ change: 'changed', sequence: 3 }]);
    expect(refused.map(({ id }) => id)).not.toContain(told()[0]!.id);
  });

  test('what is changed and changed back while the receiver refuses is no change', async () => {
    statuses = [503, 503, 503, 503, 503];
    range.bodies.set(D2, blockOfWidth(4));
    await nextRun();
    range.bodies.set(D2, blockOfWidth(3));
    await nextRun();
    expect(told()).toEqual([]);
    statuses = [];
  });

  test('a configuration of which the receiver may have heard, since it gave no answer, is told of in full', async () => {
    await configure({ afterPublish: { ...webhook(), retries: 0 } });
    onPosted = () => {
      onPosted = undefined;
    };
    range.bodies.set(D2, blockOfWidth(4));
    await nextRun();
    const lost = told();
    expect(briefly(lost)).toEqual(['changed D2']);
    // As it was when the receiver last answered; it may have the other one.
    range.bodies.set(D2, blockOfWidth(3));
    await nextRun();
    expect(briefly(told())).toEqual(['changed D2']);
    expect(told()[0]!.id).not.toBe(lost[0]!.id);
    expect(told()[0]!.files).toMatchObject([{ sha256: (await masterOf('D2')).sha256 }]);
  });
});

test('what waits is kept while the key is not set, and while the pipeline file names no webhook', async () => {
  await open();
  onTestFinished(close);
  await configure({ afterPublish: webhook() });
  await run({});
  await configure({});
  range.bodies.set(D2, blockOfWidth(3));
  await nextRun();
  expect(posted).toHaveLength(0);
  await configure({ afterPublish: webhook() });
  await nextRun();
  expect(briefly(told())).toEqual(['new D1', 'new D2']);
  expect(told()[1]!.files).toMatchObject([{ sha256: (await masterOf('D2')).sha256 }]);
});

test('many changes are several messages, of which those are sent again that were not accepted', async () => {
  await open();
  onTestFinished(close);
  const COUNT = 6;
  const many = smallRange(
    Array.from({ length: COUNT }, (_, i) => ({ number: `D${10 + i}`, blocks: [D2] })),
  );
  Object.assign(range, { nodes: many.nodes, article: many.article, partsList: many.partsList });
  // Changes with so long an address are many bytes: two messages.
  const baseUrl = `https://cdn.example/${'x'.repeat(100_000)}`;
  await configure({
    feeds: { baseUrl, kinds: ['csv'] },
    afterPublish: { ...webhook(), retries: 0 },
  });
  statuses = [200, 503];
  await nextRun();
  expect(posted).toHaveLength(2);
  const [first, second] = [told(0), told(1)];
  // The changes of a message are bounded, to which its own address is added.
  const most = 513 * 1024 + baseUrl.length;
  for (const { body } of posted) expect(Buffer.byteLength(body)).toBeLessThan(most);
  await run(undefined, 'deliver');
  expect(told(2)).toEqual(second);
  const all = [...first, ...posted.slice(2).flatMap((_, i) => told(2 + i))];
  expect(all.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: COUNT }, (_, i) => i + 1),
  );
  expect(posted.map(({ body }) => JSON.parse(body).complete).at(-1)).toBe(true);
});

const REFUSED: [deliver: object, sentence: string][] = [
  [{ feeds: { baseUrl: 'cdn.example' } }, 'expected an address that starts with http'],
  [{ feeds: { baseUrl: 'https://a.example', kinds: ['google'] } }, 'expected productUrl'],
  [
    {
      feeds: {
        ...{ baseUrl: 'https://a.example', productUrl: 'https://b.example/{id}' },
        ...{ kinds: ['google'], availability: 'backorder' },
      },
    },
    'expected availabilityDate',
  ],
  [
    { feeds: { baseUrl: 'https://a.example', bmecat: { catalogueVersion: '1' } } },
    'expected a version such as 1.0',
  ],
  [
    { feeds: { baseUrl: 'https://a.example', productUrl: 'https://b.example/{number}' } },
    'expected an address such as https://shop.example/p/{id}',
  ],
  [
    { afterPublish: { webhook: 'http://shop.example/hook', secretVariable: 'S' } },
    'expected an address with https://, or one of this machine',
  ],
  [
    { afterPublish: { webhook: 'https://shop.example/hook', secretVariable: 'not a name' } },
    'expected the name of an environment variable',
  ],
];

test('what cannot be delivered is refused with a sentence', async () => {
  await open();
  onTestFinished(close);
  for (const [deliver, sentence] of REFUSED) {
    await configure(deliver);
    expect(await run()).toMatchObject({ exit: 2, stderr: expect.stringContaining(sentence) });
  }
});
