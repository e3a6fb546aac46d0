import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCacheDatabase } from '../../../src/cache/database.ts';
import { openSqlite } from '../../../src/cache/sqlite.ts';
import { ERROR_CODES, isConverterError } from '../../../src/support/errors.ts';
import { samples } from '../../helpers/samples.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const CREATE = 'CREATE TABLE a (t TEXT NOT NULL) STRICT;';

let dir = '';
let path = '';

beforeEach(async () => {
  dir = await temporaryFolder();
  path = join(dir, 'state.db');
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const IDS = Array.from({ length: 40 }, (_, index) => `P-${index}`);

/** A whole state, made in another folder. */
async function filled(): Promise<Buffer> {
  const folder = await temporaryFolder();
  const state = await openCacheDatabase(folder);
  for (const id of IDS) state.permanentIds.put('s', id, { note: id.repeat(400) });
  state.close();
  return readFile(join(folder, 'state.db'));
}

async function readAll(folder = dir): Promise<void> {
  const state = await openCacheDatabase(folder);
  try {
    for (const id of IDS) {
      expect(state.permanentIds.get('s', id)).toEqual({ note: id.repeat(400) });
    }
  } finally {
    state.close();
  }
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
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: whole.length }), async (bytes) => {
        const folder = await temporaryFolder();
        await writeFile(join(folder, 'state.db'), whole.subarray(0, bytes));
        await readAll(folder).catch((error: unknown) => {
          if (!isConverterError(error, 'STATE_INVALID')) throw error;
        });
      }),
      { seed: 6, numRuns: samples(25) },
    );
  });

  it('is reported if a row has text that is not JSON', async () => {
    await writeFile(path, await filled());
    const { default: Libsql } = await import('libsql');
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
  it('that has no space left keeps what it had', async () => {
    const db = await openSqlite(path, [CREATE]);
    db.get('PRAGMA max_page_count = 4');
    const insert = { run: (value: string | number) => db.run('INSERT INTO a VALUES (?)', value) };
    insert.run('first');
    expect(() => {
      for (let n = 0; n < 100; n++) insert.run('x'.repeat(1000));
    }).toThrow(
      expect.objectContaining({ code: 'DISK_FULL', message: expect.stringContaining(path) }),
    );
    expect(db.all('SELECT t FROM a')[0]).toMatchObject({ t: 'first' });
    db.close();
  });

  it('that another process writes to for too long is reported', async () => {
    const one = await openSqlite(path, [CREATE]);
    const two = await openSqlite(path, [CREATE], { busyTimeoutMs: 1 });
    const write = () => two.run('INSERT INTO a VALUES (?)', 'x');
    expect(() => one.transaction(write)).toThrow(
      expect.objectContaining({
        code: 'STATE_LOCKED',
        message: expect.stringContaining(
          `${path}: expected a usable database, received: database is locked`,
        ),
      }),
    );
    write();
    one.close();
    two.close();
  });

  it('that is a folder is reported', async () => {
    await expect(openSqlite(dir, [CREATE])).rejects.toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
      message: expect.stringContaining(dir),
    });
  });
});
