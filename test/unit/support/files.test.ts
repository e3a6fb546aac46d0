import { rmSync, symlinkSync } from 'node:fs';
import { link, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseLinksBelow, watchFileOperations } from '../../../src/support/file-operations.ts';
import {
  digestOfFile,
  exists,
  listFolder,
  makeFolder,
  makePrivateFile,
  makeReadOnly,
  publishOnce,
  readBytes,
  readPieces,
  readText,
  readTextIfExists,
  removeFile,
  removeStaleTemporaries,
  replaceFile,
  sha256Hex,
} from '../../../src/support/files.ts';
import { listEntries } from '../../../src/support/folders.ts';
import { linkOrCopy, replaceLink } from '../../../src/support/links.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let dir = '';
const at = (...names: string[]): string => join(dir, ...names);

beforeEach(async () => {
  dir = await temporaryFolder();
});

afterEach(async () => {
  watchFileOperations(undefined);
  await rm(dir, { recursive: true, force: true });
});

/** Makes every operation of a kind fail with an errno. */
function failing(operation: string, code: string, only?: (path: string) => boolean): void {
  watchFileOperations((name, path) => {
    if (name === operation && (only?.(path) ?? true))
      throw Object.assign(new Error(code), { code });
  });
}

describe('writing', () => {
  it('replaces a file completely, readable by all, and leaves no temporary file', async () => {
    await replaceFile(at('deep', 'a.txt'), 'one');
    await replaceFile(at('deep', 'a.txt'), 'two', { tmpDir: at('.tmp') });
    expect(await readText(at('deep', 'a.txt'))).toBe('two');
    expect((await stat(at('deep', 'a.txt'))).mode & 0o777).toBe(0o644 & ~process.umask());
    expect(await listFolder(at('deep'))).toEqual(['a.txt']);
    expect(await listFolder(at('.tmp'))).toEqual([]);
  });

  it('copies another file where that is the content', async () => {
    await writeFile(at('source'), 'one');
    const copy = { path: at('source') };
    expect(await publishOnce(at('x', 'f'), copy, at('.tmp'))).toBe('published');
    expect(await publishOnce(at('x', 'f'), copy, at('.tmp'))).toBe('existed');
    await replaceFile(at('g'), copy, { tmpDir: at('.tmp') });
    await writeFile(at('source'), 'two');
    expect([await readText(at('x', 'f')), await readText(at('g'))]).toEqual(['one', 'one']);
    expect(await listFolder(at('.tmp'))).toEqual([]);
    const none = replaceFile(at('g'), { path: at('none') });
    await expect(none).rejects.toMatchObject({ code: 'FILE_MISSING' });
  });

  it('publishes a name once: a second content does not touch the first', async () => {
    const file = at('x', 'f');
    expect(await publishOnce(file, Buffer.from('one'), at('.tmp'))).toBe('published');
    const before = await stat(file);
    expect(await publishOnce(file, Buffer.from('two'), at('.tmp'))).toBe('existed');
    expect(await readText(file)).toBe('one');
    expect((await stat(file)).mtimeMs).toBe(before.mtimeMs);
    expect(await listFolder(at('.tmp'))).toEqual([]);
  });

  it('keeps a private file to its owner', async () => {
    await writeFile(at('state'), 'kept', { mode: 0o644 });
    await makePrivateFile(at('state'));
    expect((await stat(at('state'))).mode & 0o777).toBe(0o600);
    expect(await readText(at('state'))).toBe('kept');
  });

  it('has an answer for what is not there', async () => {
    expect(await readTextIfExists(at('nothing'))).toBeUndefined();
    expect(await exists(at('nothing'))).toBe(false);
    expect(await listFolder(at('nothing'))).toEqual([]);
    const message = expect.stringContaining(at('nothing'));
    await expect(readText(at('nothing'))).rejects.toMatchObject({ code: 'FILE_MISSING', message });
  });
});

describe('linkOrCopy', () => {
  it('links, replaces what stood there, and does nothing the second time', async () => {
    await replaceFile(at('from'), 'new');
    await replaceFile(at('to'), 'old');
    expect(await linkOrCopy(at('from'), at('to'), at('.tmp'))).toBe('linked');
    expect((await stat(at('to'))).ino).toBe((await stat(at('from'))).ino);
    const before = await stat(at('to'));
    expect(await linkOrCopy(at('from'), at('to'), at('.tmp'))).toBe('present');
    expect((await stat(at('to'))).ctimeMs).toBe(before.ctimeMs);
  });

  it('copies where the file system has no hard links', async () => {
    await replaceFile(at('from'), 'new');
    failing('link', 'EPERM');
    expect(await linkOrCopy(at('from'), at('sub', 'to'))).toBe('copied');
    expect(await readText(at('sub', 'to'))).toBe('new');
    expect(await linkOrCopy(at('from'), at('sub', 'to'))).toBe('present');
    expect(await publishOnce(at('object'), new Uint8Array(3), dir)).toBe('published');
    expect(await listFolder(dir)).toEqual(['from', 'object', 'sub']);
  });
});

describe('a read-only file', () => {
  const modeOf = async (name: string) => (await stat(at(name))).mode & 0o777;

  it('can be linked, copied, replaced and removed', async () => {
    const bytes = new Uint8Array([1]);
    expect(await publishOnce(at('from'), bytes, dir, 'readOnly')).toBe('published');
    expect(await modeOf('from')).toBe(0o444 & ~process.umask());
    expect(await linkOrCopy(at('from'), at('link'))).toBe('linked');
    failing('link', 'EPERM');
    expect(await linkOrCopy(at('from'), at('copy'))).toBe('copied');
    expect(await modeOf('copy')).toBe(0o444 & ~process.umask());
    watchFileOperations(undefined);
    await replaceFile(at('from'), 'new', { access: 'readOnly' });
    expect(await modeOf('from')).toBe(0o444 & ~process.umask());
    expect(await readBytes(at('link'))).toEqual(Buffer.from(bytes));
    expect(await linkOrCopy(at('from'), at('link'))).toBe('linked');
    for (const name of ['from', 'link', 'copy']) await removeFile(at(name));
    expect(await listFolder(dir)).toEqual([]);
  });

  it('has been one that may be written', async () => {
    await replaceFile(at('a'), 'old');
    await makeReadOnly(at('a'), await modeOf('a'));
    expect(await modeOf('a')).toBe(0o444 & ~process.umask());
    failing('chmod', 'EPERM');
    await makeReadOnly(at('a'), 0o644);
  });
});

describe('failures', () => {
  it.each([
    ['write', 'ENOSPC', 'DISK_FULL'],
    ['fsync', 'EDQUOT', 'DISK_FULL'],
    ['open', 'EACCES', 'OUTPUT_UNWRITABLE'],
    ['rename', 'EROFS', 'OUTPUT_UNWRITABLE'],
    ['fsync', 'EIO', 'OUTPUT_UNWRITABLE'],
    ['close', 'EIO', 'OUTPUT_UNWRITABLE'],
  ])(
    '%s that fails with %s is %s, and the file of before is whole',
    async (operation, errno, code) => {
      await replaceFile(at('a.txt'), 'before');
      failing(operation, errno, (path) => path !== dir);
      const message = expect.stringMatching(/^cannot .*btg2gltf-.*: E/);
      await expect(replaceFile(at('a.txt'), 'after')).rejects.toMatchObject({ code, message });
      watchFileOperations(undefined);
      expect(await readText(at('a.txt'))).toBe('before');
      expect(await listFolder(dir)).toEqual(['a.txt']);
    },
  );

  it('names a folder that cannot be made in words', async () => {
    await writeFile(at('file'), '');
    await expect(makeFolder(at('file'))).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' });
    await expect(makeFolder(at('file', 'below'))).rejects.toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
      message: `cannot create the folder ${at('file', 'below')}: a part of this path is a file (ENOTDIR)`,
      help: 'choose another folder',
    });
  });

  // The kernel makes the folders below /proc.
  it.runIf(process.platform === 'linux')('says that a place takes no folders', async () => {
    const message =
      'cannot create the folder /proc/x: the system allows no new folders there (ENOENT)';
    const help = 'choose another folder';
    await expect(makeFolder('/proc/x/y')).rejects.toMatchObject({ message, help });
  });
});

describe('symbolic links below a root', () => {
  const tmpDir = () => at('out', '.tmp');
  const writers = {
    replaceFile: (path: string) => replaceFile(path, 'x', { tmpDir: tmpDir() }),
    publishOnce: (path: string) => publishOnce(path, new Uint8Array(1), tmpDir()),
    linkOrCopy: (path: string) => linkOrCopy(at('source'), path, tmpDir()),
    replaceLink: (path: string) => replaceLink(path, 'x', tmpDir()),
  };
  const refused = (path: string) => ({
    code: 'LINK_REFUSED',
    message: `${path}: expected a file or folder, received a symbolic link`,
  });

  beforeEach(async () => {
    await makeFolder(at('victim'));
    await makeFolder(at('real', 'articles'));
    await writeFile(at('source'), 'x');
    // The root itself may be a link.
    await symlink(at('real'), at('out'));
    refuseLinksBelow(at('out'));
  });

  it.each(Object.entries(writers))('%s follows none of them', async (_, write) => {
    const article = (...names: string[]) => at('out', 'articles', ...names);
    await symlink(at('victim'), article('ACME'));
    await expect(write(article('ACME', 'x'))).rejects.toMatchObject(refused(article('ACME')));
    await makeFolder(article('DESK'));
    await writeFile(article('y'), 'another');
    await write(article('DESK', 'x'));
    await rm(tmpDir(), { recursive: true, force: true });
    await symlink(at('victim'), tmpDir());
    await expect(write(article('y'))).rejects.toMatchObject(refused(tmpDir()));
    expect(await listFolder(at('victim'))).toEqual([]);
  });

  it('a file that became one while it was written is not published', async () => {
    watchFileOperations((name, path) => {
      if (name !== 'write') return;
      rmSync(path);
      symlinkSync(at('victim'), path);
    });
    const written = replaceFile(at('out', 'x'), 'x', { tmpDir: tmpDir() });
    await expect(written).rejects.toMatchObject({ code: 'LINK_REFUSED' });
    expect(await listFolder(at('real'))).toEqual(['.tmp', 'articles']);
    expect(await listFolder(at('victim'))).toEqual([]);
  });

  it('a folder is none of them for those that make it at the same time', async () => {
    const folders = ['a', 'a/b', 'a/b', 'a/b/c', 'a/b', 'a'].map((name) => at('out', name));
    await Promise.all(folders.map((folder) => makeFolder(folder)));
    expect(await listFolder(at('real', 'a', 'b'))).toEqual(['c']);
  });

  it('a shared folder inside another one is none of them', async () => {
    const cache = at('out', 'cache');
    await symlink(at('victim'), cache);
    refuseLinksBelow(cache);
    await expect(replaceFile(join(cache, 'x'), 'x')).rejects.toMatchObject(refused(cache));
    expect(await listFolder(at('victim'))).toEqual([]);
  });

  it('a private file is not made where one points', async () => {
    await symlink(at('victim', 'state.db'), at('state.db'));
    await expect(makePrivateFile(at('state.db'))).rejects.toMatchObject({ code: 'LINK_REFUSED' });
    expect(await listFolder(at('victim'))).toEqual([]);
  });

  it('are listed as what they are', async () => {
    await symlink(at('victim'), at('out', 'link'));
    await writeFile(at('out', 'file'), '');
    expect(await listEntries(at('out'))).toEqual([
      { name: 'articles', kind: 'folder' },
      { name: 'file', kind: 'file' },
      { name: 'link', kind: 'link' },
    ]);
  });
});

describe('temporary files', () => {
  it('of dead processes are removed, of running ones kept', async () => {
    const running = `.${process.ppid}-0-7.tmp`;
    for (const name of [running, '.4194305-0-1.tmp', `.${process.pid}-0-1.tmp`, 'data.tmp']) {
      await writeFile(at(name), '');
    }
    expect(await removeStaleTemporaries(dir)).toBe(2);
    expect(await listFolder(dir)).toEqual([running, 'data.tmp'].sort());
  });

  it("never take a name that is another's", async () => {
    await writeFile(at('mine'), 'mine');
    const next = /-(\d+)\.tmp$/;
    let number = -1;
    watchFileOperations((operation, path) => {
      if (operation === 'open') number = Number(next.exec(path)?.[1] ?? number);
    });
    await replaceFile(at('a'), 'a');
    watchFileOperations(undefined);
    await link(at('mine'), at(`.${process.pid}-0-${number + 1}.tmp`));
    await replaceFile(at('a'), 'b');
    expect(await readText(at('mine'))).toBe('mine');
    expect(await readText(at('a'))).toBe('b');
  });
});

it('hashes bytes and texts', () => {
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256Hex(new Uint8Array([0x61]))).toBe(sha256Hex('a'));
});

describe('reading a part', () => {
  it('gives the bytes from one place to another, of a small file and of a large one', async () => {
    for (const bytes of [1000, 3 * 1024 * 1024]) {
      const content = Buffer.alloc(
        bytes,
        Uint8Array.from({ length: 251 }, (_, n) => n),
      );
      await writeFile(at('f'), content);
      for (const [from, to] of [
        [0, bytes],
        [1, 999],
        [bytes - 10, bytes + 10],
        [bytes, bytes + 1],
      ] as const) {
        const pieces: Uint8Array[] = [];
        for await (const piece of readPieces(at('f'), from, to)) pieces.push(piece);
        expect(Buffer.concat(pieces).equals(content.subarray(from, to))).toBe(true);
      }
      expect(await digestOfFile(at('f'))).toEqual({ bytes, sha256: sha256Hex(content) });
    }
  });
});
