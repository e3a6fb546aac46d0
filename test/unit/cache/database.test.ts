import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredResponse } from '../../../src/cache/cached-responses.ts';
import type { SnapshotRecord } from '../../../src/cache/cached-snapshots.ts';
import { openCacheDatabase } from '../../../src/cache/database.ts';
import { openDatabase } from '../../../src/cache/sqlite.ts';
import { listFolder } from '../../../src/support/files.ts';

let dir = '';

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'btg2gltf-state-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const LEG: StoredResponse = {
  service: 'https://h|public',
  operation: 'getBlock',
  request: 'ACME::DESK::LEG',
  answer: { digest: 'ab', bytes: 7 },
  etag: '"1"',
  lastModified: '',
  manufacturer: 'ACME',
  convertdate: '2024-05-14',
  fetchedOn: '2024-05-15',
  askedAt: 1_715_734_800_123,
};
const NONE: StoredResponse = {
  ...LEG,
  request: "O'X::Ä",
  answer: { missing: { code: 'BLOCK_MISSING', message: 'no such block' } },
};

describe('state', () => {
  it('remembers answers, and that there was none, across runs', async () => {
    const first = await openCacheDatabase(dir);
    first.responses.put({ ...LEG, answer: { digest: 'old', bytes: 1 } });
    first.responses.put(LEG);
    first.responses.put(NONE);
    first.close();

    const second = await openCacheDatabase(dir);
    expect(second.responses.get(LEG)).toEqual(LEG);
    expect(second.responses.get(NONE)).toEqual(NONE);
    expect(second.responses.get({ ...LEG, service: 'other' })).toBeUndefined();
    second.close();
  });

  it('remembers snapshots', async () => {
    const record: SnapshotRecord = {
      key: {
        manufacturer: 'ACME',
        program: 'DESK',
        basearticlenumber: 'D1',
        finalarticlenumber: 'D1/ü',
        reinitstring: "a'b::",
        metareinitstring: '',
      },
      article: 'aa',
      partsList: 'bb',
      blocks: [['ACME::DESK::LEG', { digest: 'cc', bytes: 1 }]],
      images: [['x', { missing: { code: 'IMAGE_MISSING', message: 'm' } }]],
      warnings: [{ code: 'ARTICLE_REPORTED', message: 'w' }],
    };
    const state = await openCacheDatabase(dir);
    expect(state.snapshots.get('s', 'r')).toBeUndefined();
    state.snapshots.put('s', 'r', record);
    expect(state.snapshots.get('s', 'r')).toEqual(record);
    expect(state.snapshots.get('t', 'r')).toBeUndefined();
    state.close();
  });

  it('remembers the planning behind a permanent identifier, for one service only', async () => {
    const state = await openCacheDatabase(dir);
    const planning = { id: 'r', rootid: 'r', children: [{ id: 'c', note: "ä'" }], unknown: [1] };
    state.permanentIds.put('https://test.example/api/', 'P-1', { id: 'old' });
    state.permanentIds.put('https://test.example/api', 'P-1', planning);
    expect(state.permanentIds.get('HTTPS://TEST.example/api', 'P-1')).toEqual(planning);
    expect(state.permanentIds.get('https://production.example/api', 'P-1')).toBeUndefined();
    expect(state.permanentIds.get('https://test.example/api', 'P-2')).toBeUndefined();
    state.permanentIds.put('emulator:sample', 'P-1', null);
    expect(state.permanentIds.get('emulator:sample', 'P-1')).toBeNull();
    state.close();
  });

  it("is its owner's alone, and one file once it is closed", async () => {
    const state = await openCacheDatabase(dir);
    state.responses.put(LEG);
    for (const name of await listFolder(dir)) {
      expect([name, (await stat(join(dir, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    state.close();
    expect((await stat(join(dir, 'state.db'))).size).toBeGreaterThan(4096);
  });

  it("is written by two processes' connections in turn", async () => {
    const [one, two] = [await openCacheDatabase(dir), await openCacheDatabase(dir)];
    one.responses.put(LEG);
    two.responses.put(NONE);
    expect(one.responses.get(NONE)).toEqual(NONE);
    expect(two.responses.get(LEG)).toEqual(LEG);
    one.close();
    two.close();
  });
});

describe('database', () => {
  const CREATE = 'CREATE TABLE a (n INTEGER NOT NULL) STRICT;';

  it('runs each schema change once', async () => {
    const path = join(dir, 'x.db');
    (await openDatabase(path, [CREATE])).close();
    const db = await openDatabase(path, [CREATE, 'INSERT INTO a VALUES (1);']);
    db.close();
    const again = await openDatabase(path, [CREATE, 'INSERT INTO a VALUES (1);']);
    expect(again.prepare('SELECT n FROM a').all()).toMatchObject([{ n: 1 }]);
    again.close();
  });

  it('rolls a transaction back as a whole', async () => {
    const db = await openDatabase(join(dir, 'x.db'), [CREATE]);
    const insert = db.prepare('INSERT INTO a VALUES (?)');
    expect(() =>
      db.transaction(() => {
        insert.run(1);
        insert.run('no number');
      }),
    ).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    expect(db.prepare('SELECT n FROM a').all()).toEqual([]);
    db.close();
  });

  it("refuses a newer version's file, and one that is no database", async () => {
    const path = join(dir, 'x.db');
    (await openDatabase(path, [CREATE, CREATE.replace(' a ', ' b ')])).close();
    await expect(openDatabase(path, [CREATE])).rejects.toMatchObject({
      code: 'STATE_INVALID',
      message: `${path}: expected state of version 1 or older, found 2, which a newer btg2gltf wrote`,
    });
    await writeFile(path, 'junk '.repeat(999));
    await expect(openDatabase(path, [CREATE])).rejects.toMatchObject({ code: 'STATE_INVALID' });
  });

  it('says where it cannot be written', async () => {
    await writeFile(join(dir, 'file'), '');
    await expect(openCacheDatabase(join(dir, 'file'))).rejects.toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
      message: expect.stringContaining(join(dir, 'file')),
    });
  });
});
