import { stat, writeFile } from 'node:fs/promises';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import type { StoredResponse } from '../../../../src/source/cache/cached-responses.ts';
import type { SnapshotRecord } from '../../../../src/source/cache/cached-snapshots.ts';
import type { CacheDatabase } from '../../../../src/source/cache/database.ts';
import { MIGRATIONS } from '../../../../src/source/cache/schema.ts';
import { openSqlite } from '../../../../src/source/cache/sqlite.ts';
import { listFolder } from '../../../../src/support/files.ts';
import { cachePerTest } from '../../../helpers/cache-per-test.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { until } from '../../../helpers/until.ts';

const { at, open } = cachePerTest();

const LEG: StoredResponse = {
  service: 'https://h|public',
  operation: 'getBlock',
  request: 'ACME::DESK::LEG',
  answer: { digest: 'ab', bytes: 7 },
  etag: '"1"',
  lastModified: '',
  datedBy: 'ACME',
  convertdate: '2024-05-14',
  fetchedOn: '2024-05-15',
  requestedAt: 1_715_734_800_123,
};
const NONE: StoredResponse = {
  ...LEG,
  request: "O'X::Ä",
  answer: { missing: { code: 'BLOCK_MISSING', message: 'no such block' } },
};

describe('the tables', () => {
  it('stores responses, also missing ones, across runs', async () => {
    const first = await open();
    first.responses.put({ ...LEG, answer: { digest: 'old', bytes: 1 } });
    first.responses.put(LEG);
    first.responses.put(NONE);
    first.close();

    const second = await open();
    expect(second.responses.get(LEG)).toEqual(LEG);
    expect(second.responses.get(NONE)).toEqual(NONE);
    expect(second.responses.get({ ...LEG, service: 'other' })).toBeUndefined();
  });

  it('stores snapshots', async () => {
    const record: SnapshotRecord = {
      key: acme('D1', { finalarticlenumber: 'D1/ü', reinitstring: "a'b::" }),
      article: 'aa',
      partsList: 'bb',
      blocks: [['ACME::DESK::LEG', { digest: 'cc', bytes: 1 }]],
      images: [['x', { missing: { code: 'IMAGE_MISSING', message: 'm' } }]],
      warnings: [{ code: 'ARTICLE_REPORTED', message: 'w' }],
    };
    const state = await open();
    expect(state.snapshots.get('s', 'r')).toBeUndefined();
    state.snapshots.put('s', 'r', record);
    expect(state.snapshots.get('s', 'r')).toEqual(record);
    expect(state.snapshots.get('t', 'r')).toBeUndefined();
  });

  it('stores the planning behind a permanent identifier, for one service only', async () => {
    const state = await open();
    const planning = { id: 'r', rootid: 'r', children: [{ id: 'c', note: "ä'" }], unknown: [1] };
    state.permanentIds.put('https://test.example/api/', 'P-1', { id: 'old' });
    state.permanentIds.put('https://test.example/api', 'P-1', planning);
    expect(state.permanentIds.get('HTTPS://TEST.example/api', 'P-1')).toEqual(planning);
    expect(state.permanentIds.get('https://production.example/api', 'P-1')).toBeUndefined();
    expect(state.permanentIds.get('https://test.example/api', 'P-2')).toBeUndefined();
    state.permanentIds.put('emulator:sample', 'P-1', null);
    expect(state.permanentIds.get('emulator:sample', 'P-1')).toBeNull();
  });

  it('has mode 0600, and is one file once it is closed', async () => {
    const state = await open();
    state.responses.put(LEG);
    for (const name of await listFolder(at())) {
      expect([name, (await stat(at(name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    state.close();
    expect((await stat(at('state.db'))).size).toBeGreaterThan(4096);
  });

  it("is written by two processes' connections in turn", async () => {
    const [one, two] = [await open(), await open()];
    one.responses.put(LEG);
    two.responses.put(NONE);
    expect([one.responses.get(LEG), one.responses.get(NONE)]).toEqual([LEG, undefined]);
    for (const state of [one, two]) state.flush();
    expect(one.responses.get(NONE)).toEqual(NONE);
    expect(two.responses.get(LEG)).toEqual(LEG);
  });
});

it('says where it cannot be written', async () => {
  await writeFile(at('file'), '');
  await expect(open('file')).rejects.toMatchObject({
    code: 'OUTPUT_UNWRITABLE',
    message: expect.stringContaining(at('file')),
  });
});

describe('a batch', () => {
  const BODY = { digest: 'ab', bytes: 7, usedAt: 5 };
  const RECORD = { key: {}, article: 'aa', blocks: [], images: [], warnings: [] } as never;
  const SUMMARY = { key: {}, inputs: 'i', optionsDigest: 't', stamps: [] } as never;
  const BUILT = { sha256: 'x' } as never;
  const fill = ({ responses, bodies, snapshots, builds, objects }: CacheDatabase) => {
    responses.put(LEG);
    bodies.put(BODY);
    snapshots.put('s', 'r', RECORD, SUMMARY);
    builds.put('source', BUILT);
    objects.put('/out', 'cd', { bytes: 9, modifiedMs: 1.5 });
  };
  const rowsOf = ({ responses, bodies, snapshots, builds, objects }: CacheDatabase) => [
    ...[responses.get(LEG), bodies.has('ab'), bodies.totalBytes(), bodies.all()],
    ...[snapshots.get('s', 'r'), snapshots.summary('s', 'r'), [...snapshots.bodies()]],
    ...[snapshots.servicesOf(''), builds.get('source'), objects.all('/out')],
  ];

  it('of rows that wait reads as they do once they are written', async () => {
    const [one, two] = [await open(), await open()];
    fill(one);
    expect([one.responses.get(LEG), one.bodies.has('ab')]).toEqual([LEG, true]);
    expect([one.snapshots.get('s', 'r'), one.snapshots.summary('s', 'r')]).toEqual([
      RECORD,
      SUMMARY,
    ]);
    expect(one.builds.get('source')).toEqual(BUILT);
    expect([two.responses.get(LEG), two.bodies.has('ab')]).toEqual([undefined, false]);
    one.flush();
    expect(rowsOf(two)).toEqual(rowsOf(one));
    expect(rowsOf(one).slice(0, 5)).toEqual([LEG, true, 7, [BODY], RECORD]);
  });

  it('does not delay a durable row, and is written by itself', async () => {
    const [one, two] = [await open(), await open()];
    fill(one);
    one.permanentIds.put('s', 'P-1', 'kept');
    await one.work.start('/out', 'r');
    expect([two.permanentIds.get('s', 'P-1'), two.work.begin('/out')]).toEqual([
      'kept',
      [{ request: 'r', kills: 1, isNew: true }],
    ]);
    await until(() => expect(two.responses.get(LEG)).toEqual(LEG));
  });

  it('that cannot be written fails the next write, and is written once that is possible', async () => {
    const state = await open();
    const other = new Libsql(at('state.db'));
    other.exec(
      "CREATE TRIGGER full BEFORE INSERT ON cached_bodies BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    fill(state);
    expect(() => state.flush()).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    expect(() => state.bodies.all()).toThrow('full');
    const isLate = () => {
      try {
        state.builds.put('later', BUILT);
        return false;
      } catch {
        return true;
      }
    };
    await until(isLate);
    other.exec('DROP TRIGGER full');
    other.close();
    state.responses.put(NONE);
    state.close();
    const next = await open();
    expect([next.bodies.all(), next.responses.get(NONE)]).toEqual([[BODY], NONE]);
  });
});

describe('a database of an earlier version', () => {
  const AB = 'ab'.repeat(32);
  const KEY = ['ACME', 'DESK', 'D"1', '', 'ü::', ''];
  const OLD = `
    INSERT INTO responses VALUES ('s', 'getBlock', 'r', '${AB}', 7, NULL, NULL, '"1"', '',
      'ACME', '2024-05-14', '2024-05-15', 1715734800123);
    INSERT INTO responses VALUES ('s', 'getPartsList', '${JSON.stringify(KEY)}', '${AB}', 7, NULL, NULL, '', '',
      'ACME', '2024-05-14', '2024-05-15', 1715734800123);
    INSERT INTO bodies VALUES ('${AB}', 7, 1715734800123);
    INSERT INTO snapshots (service, request, kept, record) VALUES ('s', 'r',
      '{"key":{"manufacturer":"ACME","program":"DESK"},"inputs":"i","terms":"t","vouchers":[{"owner":"LIB","manufacturer":"ACME","convertdate":"2024-05-14","fetchedOn":"2024-05-15","askedAt":5}]}',
      '{"partsList":"${AB}"}');
    INSERT INTO snapshot_uses VALUES (1, 6);
    INSERT INTO permanent_ids VALUES ('s', 'P-1', '{"id":"r"}');
    INSERT INTO builds VALUES ('src', '{"sha256":"x"}', 0);
    INSERT INTO failures VALUES ('/out', 'r', 'C', 'm', 3, 2, 'a', 'b', 'c', '');
    INSERT INTO decisions VALUES ('/out', 'k', 'run', 'built', '["why"]');
    INSERT INTO runs (service, output, host, pid, started_at) VALUES ('s', '/out', 'h', 0, 1715734800123);`;

  it('keeps its contents, under the new names of the tables', async () => {
    (await openSqlite(at('state.db'), [...MIGRATIONS.slice(0, 7), OLD])).close();
    const patched = await openSqlite(at('state.db'), Array(8).fill(''));
    patched.run('PRAGMA user_version = 7');
    patched.close();

    const database = await open();
    const answer = { digest: AB, bytes: 7 };
    const get = (operation: string, request: string) =>
      database.responses.get({ service: 's', operation, request });
    expect(get('getBlock', 'r')).toMatchObject({ answer, requestedAt: 1_715_734_800_123 });
    const withBaseNumber = JSON.stringify(KEY.with(3, 'D"1'));
    expect(get('getPartsList', withBaseNumber)).toMatchObject({ answer });
    expect(database.bodies.all()).toHaveLength(1);
    expect(database.snapshots.summary('s', 'r')).toEqual({
      ...{ key: { manufacturer: 'ACME', program: 'DESK' }, inputs: 'i', optionsDigest: 't' },
      stamps: [
        {
          ...{ owner: 'LIB', datedBy: 'ACME', convertdate: '2024-05-14' },
          ...{ fetchedOn: '2024-05-15', requestedAt: 5 },
        },
      ],
    });
    expect([...database.snapshots.bodies()]).toEqual([{ digests: [AB], usedAt: 6 }]);
    expect(database.permanentIds.get('s', 'P-1')).toEqual({ id: 'r' });
    expect(database.builds.get('src')).toEqual({ sha256: 'x' });
    expect(database.failures.all('/out')).toMatchObject([{ attempts: 3, nights: 2 }]);
    const decision = { run: 'run', tier: 'built', why: ['why'] };
    expect(database.decisions.get('/out', 'k')).toEqual(decision);
    const run = { service: 's', output: '/out', pid: process.pid, startedAt: 1_715_734_800_124 };
    expect(database.runs.begin(run).interruptedSince).toBe(1_715_734_800_123);
  });
});
