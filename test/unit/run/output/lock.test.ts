import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { lockOutput, startOfProcess } from '../../../../src/run/output/lock.ts';
import { exists } from '../../../../src/support/files.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';

const LOCK_FILE = '.lock';
const at = folderPerTest();
const lock = (startedAt: number) => lockOutput(at(), startedAt);
const lockOf = (pid: number, host = hostname()) => JSON.stringify({ pid, host, startedAt: 1 });
const leave = (text: string, suffix = '') => writeFile(at(`${LOCK_FILE}${suffix}`), text);

/** A greater id than any process has. */
const DEAD = 2 ** 30;

describe('lockOutput', () => {
  it('lets one in and keeps the second out, also within one process', async () => {
    const release = await lock(1);
    await expect(lock(2)).rejects.toMatchObject({ code: 'OUTPUT_LOCKED' });
    await release();
    expect(await exists(at(LOCK_FILE))).toBe(false);
    await (await lock(3))();
  });

  it('names the process and host that hold it', async () => {
    await leave(lockOf(1));
    const message = `another run uses this folder: process 1 on ${hostname()}`;
    await expect(lock(1)).rejects.toThrow(message);
  });

  it('respects the lock of another host, whose processes it cannot check, and names the file to remove', async () => {
    await leave(lockOf(DEAD, 'other-host'));
    const message = expect.stringContaining(`remove ${at(LOCK_FILE)}`);
    await expect(lock(1)).rejects.toMatchObject({ code: 'OUTPUT_LOCKED', message });
    await leave(lockOf(1));
    await expect(lock(1)).rejects.not.toThrow('remove');
  });

  it.runIf(process.platform === 'linux')(
    'takes over from a process whose id another one has by now',
    async () => {
      const owner = JSON.parse(lockOf(process.ppid));
      await leave(JSON.stringify({ ...owner, born: await startOfProcess(process.ppid) }));
      await expect(lock(1)).rejects.toMatchObject({ code: 'OUTPUT_LOCKED' });
      await leave(JSON.stringify({ ...owner, born: 'another start of this machine' }));
      await (await lock(1))();
    },
  );

  it.each([
    ['a dead process', lockOf(DEAD)],
    ['an earlier process that had the id of this one', lockOf(process.pid)],
    ['rubbish', '{'],
  ])('takes over the lock of %s', async (_, text) => {
    await leave(text);
    const release = await lock(7);
    const taken = JSON.parse(await readFile(at(LOCK_FILE), 'utf8'));
    expect(taken).toMatchObject({ pid: process.pid, startedAt: 7 });
    await release();
  });

  it('takes over after a process that died while it took over', async () => {
    await leave(lockOf(DEAD));
    await leave(lockOf(DEAD), '.takeover');
    await (await lock(7))();
    expect(await readdir(at())).toEqual(['.tmp']);
  });

  it('leaves the takeover to the process that has the guard', async () => {
    await leave(lockOf(DEAD));
    await leave(lockOf(1), '.takeover');
    await expect(lock(1)).rejects.toThrow('another run uses this folder: process 1 on');
  });

  it('makes the folder where there is none', async () => {
    const release = await lockOutput(at('new'), 1);
    expect(await readdir(at('new'))).toContain(LOCK_FILE);
    await release();
  });
});

describe.runIf(process.platform === 'linux')('startOfProcess', () => {
  it('stays the same, and differs from that of a process born later', async () => {
    const own = await startOfProcess(process.pid);
    expect(own).toMatch(/^[0-9a-f-]{36} \d+$/);
    expect(await startOfProcess(process.pid)).toBe(own);
    const child = spawn('cat');
    await once(child, 'spawn');
    expect(await startOfProcess(child.pid!)).not.toBe(own);
    child.kill();
    await once(child, 'exit');
    expect(await startOfProcess(child.pid!)).toBeUndefined();
  });
});
