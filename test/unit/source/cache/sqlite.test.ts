import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import Libsql from 'libsql';
import { beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../../../src/source/cache/sqlite.ts';
import { ERROR_CODES, isConverterError } from '../../../../src/support/errors.ts';
import { cachePerTest } from '../../../helpers/cache-per-test.ts';
import { samples } from '../../../helpers/samples.ts';

const CREATE = 'CREATE TABLE a (n INTEGER NOT NULL) STRICT;';

const { at, open } = cachePerTest();
let path: string;
beforeEach(() => {
  path = at('state.db');
});

const IDS = Array.from({ length: 40 }, (_, index) => `P-${index}`);

/** A whole state, made in another folder. */
async function filled(): Promise<Buffer> {
  const state = await open('whole');
  for (const id of IDS) state.permanentIds.put('s', id, { note: id.repeat(400) });
  state.close();
  return readFile(at('whole', 'state.db'));
}

async function readAll(folder = ''): Promise<void> {
  const state = await open(folder);
  for (const id of IDS) expect(state.permanentIds.get('s', id)).toEqual({ note: id.repeat(400) });
}

describe('a damaged database', () => {
  it.each([
    ['cut', (whole: Buffer) => whole.subarray(0, whole.length - 4096)],
    ['without its header', (whole: Buffer) => Buffer.from(whole).fill(0, 0, 100)],
    ['with other text inside', (whole: Buffer) => Buffer.from(whole).fill('x', 100, 4096)],
  ])('that is %s is named, and left as it is', async (_, damage) => {
    const damaged = damage(await filled());
    await writeFile(path, damaged);
    await expect(readAll()).rejects.toMatchObject({
      code: 'STATE_INVALID',
      message: expect.stringContaining(`${path}: expected a usable database`),
    });
    expect(damaged.equals(await readFile(path))).toBe(true);
  });

  it('is reported wherever it is cut, or reads as before', async () => {
    const whole = await filled();
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: whole.length }), async (bytes) => {
        const folder = `cut ${tried++}`;
        await mkdir(at(folder));
        await writeFile(at(folder, 'state.db'), whole.subarray(0, bytes));
        await readAll(folder).catch((error: unknown) => {
          if (!isConverterError(error, 'STATE_INVALID')) throw error;
        });
      }),
      { seed: 6, numRuns: samples(25) },
    );
  });

  it('is reported if a row has text that is not JSON', async () => {
    await writeFile(path, await filled());
    const other = new Libsql(path);
    other.exec(`UPDATE durable_permanent_ids SET article = '{"note":' WHERE id = 'P-7'`);
    other.close();
    const message = `${path}: expected a usable database, received: expected JSON in a row, received other text`;
    await expect(readAll()).rejects.toMatchObject({ code: 'STATE_INVALID', message });
  });

  it('is not to be deleted: it alone has the permanent identifiers', () => {
    expect(ERROR_CODES.STATE_INVALID.help).toMatch(/safe place.*keep/);
    expect(ERROR_CODES.STATE_INVALID.help).not.toMatch(/remove|delete/);
  });
});

describe('a database', () => {
  const refusal = (code: string, message: string) =>
    expect.objectContaining({ code, message: expect.stringContaining(message) });

  it('gets each change of its schema once', async () => {
    (await openSqlite(path, [CREATE])).close();
    for (let times = 0; times < 2; times++) {
      const db = await openSqlite(path, [CREATE, 'INSERT INTO a VALUES (1);']);
      expect(db.all('SELECT n FROM a')).toMatchObject([{ n: 1 }]);
      db.close();
    }
  });

  it('rolls a transaction back as a whole', async () => {
    const db = await openSqlite(path, [CREATE]);
    const insertBoth = () => {
      for (const n of [1, 'no number']) db.run('INSERT INTO a VALUES (?)', n);
    };
    expect(() => db.transaction(insertBoth)).toThrow(refusal('INTERNAL', ''));
    expect(db.all('SELECT n FROM a')).toEqual([]);
    db.close();
  });

  it('of a newer version is refused', async () => {
    (await openSqlite(path, [CREATE, CREATE.replace(' a ', ' b ')])).close();
    await expect(openSqlite(path, [CREATE])).rejects.toMatchObject({
      code: 'STATE_INVALID',
      message: `${path}: expected a database of version 1 or older, received version 2 of a newer btg2gltf`,
    });
  });

  it('that has no space left keeps what it had', async () => {
    const db = await openSqlite(path, [CREATE.replace('INTEGER', 'TEXT')]);
    db.get('PRAGMA max_page_count = 4');
    const insert = (text: string) => db.run('INSERT INTO a VALUES (?)', text);
    insert('first');
    expect(() => {
      for (let n = 0; n < 100; n++) insert('x'.repeat(1000));
    }).toThrow(refusal('DISK_FULL', path));
    expect(db.all('SELECT n FROM a')[0]).toMatchObject({ n: 'first' });
    db.close();
  });

  it('that another process writes to for too long is reported', async () => {
    const one = await openSqlite(path, [CREATE]);
    const two = await openSqlite(path, [CREATE]);
    two.exec('PRAGMA busy_timeout = 1');
    const write = () => two.run('INSERT INTO a VALUES (1)');
    const locked = `${path}: expected a usable database, received: database is locked`;
    expect(() => one.transaction(write)).toThrow(refusal('STATE_LOCKED', locked));
    write();
    one.close();
    two.close();
  });

  it('that is a folder is reported', async () => {
    await expect(openSqlite(at(), [CREATE])).rejects.toThrow(refusal('OUTPUT_UNWRITABLE', at()));
  });
});

/** What another process finds there. */
const READS = `
  const database = new (require('libsql'))(process.argv[1]);
  process.stdout.write(database.prepare('SELECT n FROM a ORDER BY n').all().map(({ n }) => n).join());
`;
/** What another process does to the database before it ends. */
const OTHER = `
  const database = new (require('libsql'))(process.argv[1]);
  database.exec('INSERT INTO a VALUES (2)');
  database.close();
`;

it('is shared with other processes, also after this one has opened it twice', async () => {
  const first = await openSqlite(path, [CREATE]);
  const second = await openSqlite(path, [CREATE]);
  first.run('INSERT INTO a VALUES (1)');
  // It is not the last that uses the file, so it must leave what lies beside it.
  execFileSync(process.execPath, ['--eval', OTHER, path], { stdio: 'inherit' });
  first.run('INSERT INTO a VALUES (3)');
  const inAnother = execFileSync(process.execPath, ['--eval', READS, path], { encoding: 'utf8' });
  expect(inAnother).toBe('1,2,3');
  second.close();
  first.close();
});
