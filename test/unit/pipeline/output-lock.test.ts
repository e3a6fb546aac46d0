import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockOutput, startOfProcess } from '../../../src/pipeline/output-lock.ts';
import { exists } from '../../../src/support/files.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const LOCK_FILE = '.lock';
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lockOf = (pid: number, host = hostname()) => JSON.stringify({ pid, host, startedAt: 1 });
const leave = (text: string) => writeFile(join(folder, LOCK_FILE), text);

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid!;
}

describe('lockOutput', () => {
  it('lets one in and keeps the second out, also within one process', async () => {
    const release = await lockOutput(folder, 1);
    await expect(lockOutput(folder, 2)).rejects.toMatchObject({ code: 'OUTPUT_LOCKED' });
    await release();
    expect(await exists(join(folder, LOCK_FILE))).toBe(false);
    await (await lockOutput(folder, 3))();
  });

  it('names the process and host that hold it', async () => {
    await leave(lockOf(1));
    await expect(lockOutput(folder, 1)).rejects.toThrow(
      `another run uses this folder: process 1 on ${hostname()}`,
    );
  });

  it('respects the lock of another host, whose processes it cannot check', async () => {
    await leave(lockOf(await deadProcess(), 'other-host'));
    await expect(lockOutput(folder, 1)).rejects.toMatchObject({ code: 'OUTPUT_LOCKED' });
  });

  it('names the file to remove if the process is on another machine', async () => {
    await leave(lockOf(1, 'other-host'));
    await expect(lockOutput(folder, 1)).rejects.toThrow(`remove ${join(folder, LOCK_FILE)}`);
    await leave(lockOf(1));
    await expect(lockOutput(folder, 1)).rejects.not.toThrow('remove');
  });

  it.runIf(process.platform === 'linux')(
    'takes over from a process whose id another one has by now',
    async () => {
      const lock = JSON.parse(lockOf(process.ppid));
      await leave(JSON.stringify({ ...lock, born: await startOfProcess(process.ppid) }));
      await expect(lockOutput(folder, 1)).rejects.toMatchObject({ code: 'OUTPUT_LOCKED' });
      await leave(JSON.stringify({ ...lock, born: 'another start of this machine' }));
      await (await lockOutput(folder, 1))();
    },
  );

  it.each(['dead process', 'own process id of an earlier life', 'rubbish'])(
    'takes over the lock of a %s',
    async (kind) => {
      const texts = new Map([
        ['dead process', lockOf(await deadProcess())],
        ['own process id of an earlier life', lockOf(process.pid)],
        ['rubbish', '{'],
      ]);
      await leave(texts.get(kind)!);
      const release = await lockOutput(folder, 7);
      expect(JSON.parse(await readFile(join(folder, LOCK_FILE), 'utf8'))).toMatchObject({
        pid: process.pid,
        startedAt: 7,
      });
      await release();
    },
  );

  it('takes over after a process that died while it took over', async () => {
    await leave(lockOf(await deadProcess()));
    await writeFile(join(folder, `${LOCK_FILE}.takeover`), lockOf(await deadProcess()));
    await (await lockOutput(folder, 7))();
    expect(await readdir(folder)).toEqual(['.tmp']);
  });

  it('leaves the takeover to the process that has the guard', async () => {
    await leave(lockOf(await deadProcess()));
    await writeFile(join(folder, `${LOCK_FILE}.takeover`), lockOf(1));
    await expect(lockOutput(folder, 1)).rejects.toThrow(
      'another run uses this folder: process 1 on',
    );
  });

  it('makes the folder where there is none', async () => {
    const release = await lockOutput(join(folder, 'new'), 1);
    await mkdir(join(folder, 'new'), { recursive: true });
    await release();
  });
});

describe.runIf(process.platform === 'linux')('startOfProcess', () => {
  it('stays the same, and differs from that of a process born later', async () => {
    const own = await startOfProcess(process.pid);
    expect(own).toMatch(/^[0-9a-f-]{36} \d+$/);
    expect(await startOfProcess(process.pid)).toBe(own);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    expect(await startOfProcess(child.pid!)).not.toBe(own);
    child.kill();
    await once(child, 'exit');
    expect(await startOfProcess(child.pid!)).toBeUndefined();
  });
});
