import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { replaceFolder } from '../../../src/run/record.ts';
import { watchFileOperations } from '../../../src/support/file-operations.ts';
import { listFolder, makeFolder, replaceFile } from '../../../src/support/files.ts';
import { folderPerTest } from '../../helpers/folder-per-test.ts';

const at = folderPerTest();
afterEach(() => watchFileOperations(undefined));

describe('a folder is replaced completely or not at all', () => {
  const fill = (text: string) => (folder: string) => writeFile(join(folder, text), text);

  it('with what it is filled with', async () => {
    await replaceFolder(at('data'), fill('old'));
    await replaceFolder(at('data'), fill('new'));
    expect(await listFolder(at('data'))).toEqual(['new']);
    expect(await listFolder(at())).toEqual(['data']);
  });

  it('whichever of its operations fails', async () => {
    await replaceFolder(at('data'), fill('old'));
    let operations = 0;
    watchFileOperations(() => void operations++);
    await replaceFolder(at('data'), fill('old'));
    for (let failed = 1; failed <= operations; failed++) {
      let count = 0;
      watchFileOperations(() => {
        if (++count === failed) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      });
      const outcome = await replaceFolder(at('data'), fill('new')).catch(() => 'failed');
      watchFileOperations(undefined);
      const names = await listFolder(at('data'));
      expect([failed, names]).toEqual([failed, names.includes('new') ? ['new'] : ['old']]);
      if (outcome !== 'failed') expect(names).toEqual(['new']);
      await replaceFolder(at('data'), fill('old'));
      expect(await listFolder(at())).toEqual(['data']);
    }
  });

  it('and no link in it is followed', async () => {
    await makeFolder(at('victim'));
    await makeFolder(at(`.data.${process.pid}.new`));
    await writeFile(at(`.data.${process.pid}.new`, 'planted'), '');
    const fillLink = async (folder: string) => {
      expect(await listFolder(folder)).toEqual([]);
      await symlink(at('victim'), join(folder, 'xcf'));
      await replaceFile(join(folder, 'xcf', 'answer'), 'x');
    };
    const refused = { code: 'LINK_REFUSED' };
    await expect(replaceFolder(at('data'), fillLink)).rejects.toMatchObject(refused);
    await replaceFolder(at('data'), fill('new'));
    await symlink(at('victim'), at('data', 'ocd'));
    await expect(listFolder(at('data', 'ocd'))).rejects.toMatchObject(refused);
    expect(await listFolder(at('victim'))).toEqual([]);
  });

  it('and what a dead process had put aside returns', async () => {
    for (const name of ['.data.4194305.old', '.data.4194305.new', '.other.4194305.new']) {
      await makeFolder(at(name));
    }
    await writeFile(at('.data.4194305.old', 'mine'), '');
    await expect(replaceFolder(at('data'), () => Promise.reject('no'))).rejects.toBe('no');
    expect(await listFolder(at('data'))).toEqual(['mine']);
    expect(await listFolder(at())).toEqual(['.other.4194305.new', 'data']);
  });
});
