import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Fetcher } from '../../../../src/source/fetch/fetch-article.ts';
import { selectArticles } from '../../../../src/source/fetch/select-articles.ts';
import { loadSnapshot } from '../../../../src/source/fetch/snapshot.ts';
import { ConverterError } from '../../../../src/support/errors.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { startFaultProxy } from '../../../helpers/fault-proxy.ts';
import {
  type Answer,
  type FaultServer,
  json,
  raw,
  startFaultServer,
} from '../../../helpers/fault-server.ts';
import { clientOf } from '../../../helpers/faulty-client.ts';
import {
  acme,
  contentOf,
  type FetchBench,
  failingClient,
  openFetchBench,
} from '../../../helpers/fetch-bench.ts';
import { type SmallArticle, smallRange } from '../../../helpers/small-range.ts';
import { until } from '../../../helpers/until.ts';

let bench: FetchBench;

const LEG = 'ACME::DESK::LEG';
const TOP = 'ACME::DESK::TOP';
const OWN = 'ACME::DESK::OWN';

async function benchFor(...articles: SmallArticle[]) {
  const range = smallRange(articles);
  bench = await openFetchBench(range);
  return range;
}

/** Where a bench keeps its snapshots. */
const source = () => ({ service: 'bench', database: bench.database, store: bench.store });

describe('the requests of a run', () => {
  it('include each block and image once, 16 at a time', async () => {
    const articles = Array.from({ length: 12 }, (_, i) => ({
      number: `D${i}`,
      blocks: [LEG, TOP, `${OWN}${i}`],
      pics: ['OAK.JPG', `own${i}`],
    }));
    const range = await benchFor(...articles);
    range.images.add('ACME/OAK');
    const fetcher = bench.fetcher();
    const snapshots = await Promise.all(articles.map(({ number }) => fetcher.fetch(acme(number))));

    expect(bench.requests()).toEqual({
      block: 14,
      btg: 12,
      getarticles: 12,
      getnodes: 1,
      materials: 13,
    });
    expect(new Set(range.asked).size).toBe(range.asked.length);
    expect(new Set(snapshots.map(({ blocks }) => JSON.stringify(blocks.get(LEG)))).size).toBe(1);
    expect(fetcher.counts.get('getBlock')).toMatchObject({ sent: 14, deduplicated: 22, cached: 0 });
  });

  it('are not repeated, even if they failed', async () => {
    const range = await benchFor({ number: 'D1', blocks: [LEG, TOP] });
    range.missing.add(LEG);
    range.bodies.set(TOP, '[]');
    const fetcher = bench.fetcher();
    const first = await fetcher.fetch(acme('D1'));
    bench.requests();
    expect(await fetcher.fetch(acme('D1'))).toEqual(first);
    expect(bench.requests()).toEqual({});
  });

  it('shares one parts list between two requests that resolve alike', async () => {
    await benchFor({ number: 'D1', blocks: [LEG] });
    const fetcher = bench.fetcher();
    const asked = [
      acme('D1'),
      acme('D1', { reinitstring: 'D1;F=STD::' }),
      acme('D1', { program: 'desk' }),
    ];
    const keys = (await Promise.all(asked.map((request) => fetcher.fetch(request)))).map(
      (s) => s.key,
    );
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(1);
    expect(keys[0]).toEqual(
      acme('D1', { finalarticlenumber: 'D1-STD', reinitstring: 'D1;F=STD::' }),
    );
    expect(bench.requests()).toMatchObject({ getarticles: 2, btg: 1 });
  });

  it('name a variant by its code if only its final number is known', async () => {
    await benchFor({ number: 'D1' });
    const fetcher = bench.fetcher();
    const red = await fetcher.resolve(acme('D1', { finalarticlenumber: 'D1-RED' }));
    expect(red).toMatchObject({ key: { reinitstring: 'D1;F=RED::' }, warnings: [] });
    await fetcher.resolve(acme('D1', { finalarticlenumber: 'D1-STD' }));
    expect(bench.requests()).toEqual({ getarticles: 2, getnodes: 1 });
  });
});

describe('names of blocks', () => {
  it('spell blocks like blocks[], and unlisted ones are reported', async () => {
    const range = await benchFor({
      number: 'D1',
      blocks: ['::acme::desk::leg', '::acme::desk::Knob'],
      listed: [LEG, TOP],
    });
    const { blocks, warnings } = await bench.fetcher().fetch(acme('D1'));
    expect(range.asked.sort()).toEqual(['ACME::DESK::Knob', LEG]);
    expect([...blocks.keys()]).toEqual(['ACME::DESK::KNOB', LEG]);
    expect(warnings).toEqual([
      {
        code: 'BLOCK_UNLISTED',
        message: 'block ::acme::desk::Knob is not in blocks[]: asked for as ACME::DESK::Knob',
      },
    ]);
  });
});

describe('what is missing', () => {
  it('is in the snapshot with a sentence that is the same in every run', async () => {
    const range = await benchFor({
      number: 'D1',
      blocks: [LEG, TOP, 'ACME::DESK::CUT'],
      pics: ['http://other.example/OAK.JPG', 'NONE.JPG', 'LIB::X::NONE'],
    });
    range.missing.add(LEG);
    range.bodies.set(TOP, '{"N":1');
    range.bodies.set('ACME::DESK::CUT', '<html>busy</html>');
    const { blocks, images } = await bench.fetcher().fetch(acme('D1'));
    expect(Object.fromEntries(blocks)).toEqual({
      [LEG]: {
        missing: { code: 'BLOCK_MISSING', message: `block ${LEG}: the service has no such block` },
      },
      [TOP]: {
        missing: { code: 'RESPONSE_INVALID', message: expect.stringContaining(`block ${TOP}: `) },
      },
      'ACME::DESK::CUT': { missing: { code: 'RESPONSE_INVALID', message: expect.any(String) } },
    });
    const none = (image: string) => {
      const message = `image ${image}: the service has no such image`;
      return { missing: { code: 'IMAGE_MISSING', message } };
    };
    expect(Object.fromEntries(images)).toEqual({
      'http://other.example/OAK.JPG': { missing: coded('IMAGE_REFUSED') },
      'NONE.JPG': none('ACME/NONE'),
      'LIB::X::NONE': none('LIB/NONE'),
    });
    expect(JSON.stringify([...blocks])).not.toMatch(/127\.0\.0\.1|localhost|attempt|\d\d:\d\d/);
    expect(range.asked).not.toContain('other.example/OAK');
  });

  it("is looked for once more at the article's own manufacturer", async () => {
    const range = await benchFor({ number: 'D1', pics: ['LIB::WOOD::OAK'] });
    range.images.add('ACME/OAK');
    const { images } = await bench.fetcher().fetch(acme('D1'));
    expect(range.asked).toEqual(['LIB/OAK', 'ACME/OAK']);
    expect(images.get('LIB::WOOD::OAK')).toMatchObject({ bytes: expect.any(Number) });
  });

  it('is requested again in the next run if it failed, not if it does not exist', async () => {
    const range = await benchFor({ number: 'D1', blocks: [LEG, TOP] });
    range.missing.add(LEG);
    range.bodies.set(TOP, '{"N":1');
    await bench.fetcher('2024-06-01').fetch(acme('D1'));
    range.bodies.delete(TOP);
    bench.requests();
    const { blocks } = await bench.fetcher('2024-06-02').fetch(acme('D1'));
    expect(bench.requests()).toEqual({ getnodes: 1, block: 1 });
    expect(blocks.get(TOP)).toMatchObject({ bytes: expect.any(Number) });
    expect(blocks.get(LEG)).toMatchObject({ missing: { code: 'BLOCK_MISSING' } });
  });
});

describe('what failed after all attempts', () => {
  it('is reported by its code, and requested again on the same data', async () => {
    await benchFor({ number: 'D1', blocks: [LEG] });
    const error500 = new ConverterError('HTTP_STATUS', 'GET http://h:1/ gave up', { status: 500 });
    const failing = failingClient(bench.client(), 'getBlock', () => error500);
    const { blocks } = await bench.fetcher('2024-06-01', { client: failing }).fetch(acme('D1'));
    const message = `block ${LEG}: the service answered with status 500`;
    expect(blocks.get(LEG)).toEqual({ missing: { code: 'HTTP_STATUS', message } });
    bench.requests();
    const next = await bench.fetcher('2024-06-02').fetch(acme('D1'));
    expect(next.blocks.get(LEG)).toMatchObject({ bytes: expect.any(Number) });
    expect(bench.requests()).toEqual({ getnodes: 1, block: 1 });
  });
});

describe('an article whose blocks are not answered', () => {
  /** A fetcher with four connections, to a service that is silent about some blocks. */
  async function silentAbout(pattern: RegExp, articles: SmallArticle[]) {
    await benchFor(...articles);
    const proxy = await startFaultProxy(bench.emulator);
    const counts = { asked: 0, dropped: 0 };
    const silence: Answer = (response) => {
      counts.asked += 1;
      response.on('close', () => (counts.dropped += 1));
    };
    proxy.disturb((url) => (pattern.test(url) ? { answer: silence } : undefined));
    onTestFinished(() => proxy.close());
    const { BTG2GLTF_AUTH_URL: authUrl, BTG2GLTF_BASE_URL: baseUrl } = proxy.env;
    const client = bench.client({ authUrl: authUrl!, baseUrl: baseUrl!, concurrency: 4 });
    const fetcher = bench.fetcher(undefined, { client });
    const stops = articles.map(() => new AbortController());
    const fetch = (index: number) =>
      fetcher.fetch(acme(articles[index]!.number), undefined, stops[index]!.signal);
    return { fetch, stops, counts, proxy };
  }

  it('leaves connections and shared blocks to the others, and sends nothing once it is stopped', async () => {
    const silent = Array.from({ length: 60 }, (_, i) => `ACME::DESK::SILENT${i}`);
    const { fetch, stops, counts } = await silentAbout(/SILENT\d/, [
      { number: 'BAD', blocks: [...silent.slice(0, 30), TOP, ...silent.slice(30)] },
      ...Array.from({ length: 6 }, (_, i) => ({
        number: `D${i}`,
        blocks: [LEG, TOP, `${OWN}${i}`],
      })),
    ]);
    const bad = fetch(0).catch((error) => error);
    await until(() => counts.asked === 2);
    const good = await Promise.all(stops.slice(1).map((_, i) => fetch(1 + i)));
    for (const { blocks } of good) {
      expect([...blocks.values()].filter((block) => 'digest' in block)).toHaveLength(3);
    }
    expect(counts).toEqual({ asked: 2, dropped: 0 });
    stops[0]!.abort();
    expect(await bad).toMatchObject({ code: 'INTERRUPTED' });
    await until(() => counts.dropped === 2);
    expect(counts.asked).toBe(2);
  });

  it('gives up what it shares once the others do too; who comes later requests it anew', async () => {
    const shared = ['1', '2', '3'].map((number) => ({ number, blocks: [LEG, `${OWN}${number}`] }));
    const { fetch, stops, counts, proxy } = await silentAbout(/LEG|OWN/, shared);
    const [first, second] = [0, 1].map((index) => fetch(index).catch((error) => error));
    // The block of their own is requested after the shared one: both wait for the shared one then.
    await until(() => counts.asked === 3);
    stops[0]!.abort();
    expect(await first).toMatchObject({ code: 'INTERRUPTED' });
    await until(() => counts.dropped === 1);
    stops[1]!.abort();
    expect(await second).toMatchObject({ code: 'INTERRUPTED' });
    await until(() => counts.dropped === 3);
    expect(counts.asked).toBe(3);
    proxy.mend();
    expect((await fetch(2)).blocks.get(LEG)).toMatchObject({ bytes: expect.any(Number) });
  });
});

describe('what fails the article', () => {
  it('is a parts list that cannot be fetched', async () => {
    await benchFor({ number: 'D1' }, { number: 'D2' });
    const broken = failingClient(bench.client(), 'getPartsList', ({ basearticlenumber }) =>
      basearticlenumber === 'D1'
        ? new ConverterError('RESPONSE_INVALID', 'expected JSON')
        : undefined,
    );
    const fetcher = bench.fetcher(undefined, { client: broken });
    const all = await Promise.allSettled(
      [acme('D1'), acme('D2')].map((request) => fetcher.fetch(request)),
    );
    expect(all).toMatchObject([
      { status: 'rejected', reason: { code: 'RESPONSE_INVALID' } },
      { status: 'fulfilled' },
    ]);
    await expect(loadSnapshot(source(), acme('D1'))).rejects.toMatchObject({
      code: 'SNAPSHOT_MISSING',
    });
  });

  it('is an article that is not there, or that could not be built', async () => {
    await benchFor(
      { number: 'D1', article: { dump: 'at 3: no such thing', ocd: undefined } },
      { number: 'D2', article: { dump: 'a\nb', metamessages: [{ text: 'tall' }, 'tall'] } },
    );
    const fetcher = bench.fetcher();
    await expect(fetcher.fetch(acme('X'))).rejects.toMatchObject({ code: 'ARTICLE_NOT_FOUND' });
    await expect(fetcher.fetch(acme(''))).rejects.toMatchObject({ code: 'ARTICLE_NOT_FOUND' });
    await expect(fetcher.fetch(acme('D1'))).rejects.toMatchObject({
      code: 'ARTICLE_REPORTED',
      message: 'ACME/DESK/D1: expected an article, received the message: dump: at 3: no such thing',
    });
    expect((await fetcher.fetch(acme('D2'))).warnings).toEqual([
      { code: 'ARTICLE_REPORTED', message: 'dump: a b' },
      { code: 'ARTICLE_REPORTED', message: 'metamessages: tall' },
    ]);
  });
});

describe('what ends the run', () => {
  it('is thrown if a block meets it, not recorded', async () => {
    await benchFor({ number: 'D1', blocks: [LEG] });
    const request = { service: 'bench', operation: 'getBlock', request: `["${LEG}"]` } as const;
    for (const code of [
      'TOKEN_DIED',
      'LOGIN_REFUSED',
      'SERVICE_UNREACHABLE',
      'DISK_FULL',
      'INTERRUPTED',
    ] as const) {
      const over = new ConverterError(code, 'over');
      const client = failingClient(bench.client(), 'getBlock', () => over);
      await expect(bench.fetcher(undefined, { client }).fetch(acme('D1'))).rejects.toBe(over);
      expect(bench.database.responses.get(request)).toBeUndefined();
    }
  });
});

describe('snapshots', () => {
  it('are loaded without a network as they were fetched', async () => {
    const range = await benchFor({ number: 'D1', blocks: [LEG, TOP], pics: ['OAK', '../x'] });
    range.images.add('ACME/OAK');
    range.missing.add(TOP);
    const fetched = await bench.fetcher().fetch(acme('D1'));
    await bench.emulator.close();
    expect(await loadSnapshot(source(), acme('D1'))).toEqual(contentOf(fetched));
    await expect(loadSnapshot(source(), acme('D2'))).rejects.toMatchObject({
      code: 'SNAPSHOT_MISSING',
      message: 'ACME/DESK/D2: expected a snapshot in the cache, received none',
    });
    await expect(loadSnapshot({ ...source(), service: 'other' }, acme('D1'))).rejects.toMatchObject(
      {
        code: 'SNAPSHOT_MISSING',
      },
    );
  });
});

describe('ids with more digits than a number holds', () => {
  const OCD = '"ocd":{"finalarticlenumber":4711.10,"reinitstring":"R::"}';
  let server: FaultServer;
  let fetcher: Fetcher;
  beforeEach(async () => {
    server = await startFaultServer();
    await benchFor();
    fetcher = bench.fetcher('2024-06-01', { client: clientOf(server) });
  });

  it('are those of folders and articles that are selected', async () => {
    const ids = '"manufacturer":"ACME","program":"DESK"';
    const found = `{"nodetype":"A","basearticlenumber":9007199254740995,${ids}}`;
    server.always('parentnode=9007199254740993', raw(`[${found}]`));
    server.always('/getnodes?', raw(`[{"nodetype":"F","nodeid":9007199254740993,${ids}}]`));
    server.always('/articles?', raw(`{"id":1,"children":[{"id":9007199254740997}],${OCD}}`));
    const catalogue = { kind: 'catalogue', parentnode: '' } as const;
    const { articles } = await selectArticles([catalogue], fetcher);
    expect(articles.map(({ request }) => request.basearticlenumber)).toEqual(['9007199254740995']);
    const { article } = await fetcher.resolve(articles[0]!.request);
    expect(article.children.map(({ id }) => id)).toEqual(['9007199254740997']);
    expect(server.seen.at(-1)!.url).toMatch(/basearticlenumber=9007199254740995/);
  });

  it('are those of an article whose property is changed', async () => {
    server.always('/getnodes?', json([]));
    server.always('/articles?', raw(`{"id":9007199254740993,"rootid":9007199254740993,${OCD}}`));
    const loaded = await fetcher.resolve(acme('D1'));
    expect(loaded.key.finalarticlenumber).toBe('4711.10');
    await fetcher.change(loaded, { proptype: 'ocd', propclass: 'A', prop: 'B', newvalue: 'C' });
    const { id, rootid, jsondata } = JSON.parse(server.seen.findLast(({ body }) => body)!.body);
    expect([id, rootid, jsondata.id]).toEqual(Array(3).fill('9007199254740993'));
  });
});
