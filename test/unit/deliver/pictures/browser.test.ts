/** The folder of a browser: it has all that a browser writes, and is removed however the browser ends. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeTree, sha256Hex } from '../../../../src/support/files.ts';
import { browserProcesses, killBrowserProcesses } from '../../../helpers/browser-processes.ts';
import { HAS_BROWSER, pictureBrowser } from '../../../helpers/picture-browser.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';
import { until } from '../../../helpers/until.ts';

/** What the names of the folders of this process begin with. */
const OWN = `btg2gltf-${sha256Hex(hostname()).slice(0, 4)}-${process.pid}-`;
/** Where a browser has the socket of its profile, below its temporary folder; Linux allows 107 bytes in all. */
const SOCKET = '/org.chromium.Chromium.XXXXXX/SingletonSocket';

describe.runIf(HAS_BROWSER && process.platform === 'linux')('the folder of a browser', () => {
  const { TMPDIR } = process.env;
  let folder: string;
  /** Of other tests. */
  let others: ReturnType<typeof browserProcesses>;
  let foldersOfOthers: string[];
  let startBrowser: typeof import('../../../../src/deliver/pictures/browser.ts').startBrowser;
  let endBrowser: typeof import('../../../../src/deliver/pictures/browser.ts').endBrowser;
  beforeAll(async () => {
    folder = await temporaryFolder();
    process.env.TMPDIR = folder;
    others = browserProcesses();
    foldersOfOthers = await readdir('/tmp');
    // As in a process that has not started a browser yet: the first start looks for what others have left.
    const again = '../../../../src/deliver/pictures/browser.ts?again';
    ({ startBrowser, endBrowser } = await import(again));
  });
  afterAll(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });

  /** In the temporary folder; where its path is too long for a socket, below `/tmp`. */
  const folders = async () => [
    ...(await readdir(folder)),
    ...(await readdir('/tmp')).filter(
      (name) => name.startsWith(OWN) && !foldersOfOthers.includes(name),
    ),
  ];

  /** Of the processes of the browser. */
  const environments = () => {
    const own = browserProcesses().filter(({ id }) => !others.some((other) => other.id === id));
    return Promise.all(
      own.map(({ id }) => readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')),
    );
  };

  it('is the only one in the temporary folder, and goes with the browser; so do those of killed processes', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    const left = OWN.replace(`-${process.pid}-`, `-${pid}-abcdef`);
    for (const parent of [folder, '/tmp'])
      await mkdir(join(parent, left, 'profile'), { recursive: true });
    const browser = await startBrowser(await pictureBrowser());
    expect(await folders()).toEqual([expect.stringMatching(`^${OWN}`)]);
    expect(await readdir('/tmp')).not.toContain(left);
    await (await browser.newPage()).goto('about:blank');
    await endBrowser(browser);
    expect([await folders(), await environments()]).toEqual([[], []]);
  });

  describe('in a temporary folder with a long path, started by a process with a secret', () => {
    let long: string;
    let browser: Awaited<ReturnType<typeof startBrowser>>;
    let texts: string[];
    beforeAll(async () => {
      long = join(folder, 'a folder with a long name'.repeat(3));
      await mkdir(long);
      process.env.TMPDIR = long;
      process.env.SHOP_SECRET = 'a key';
      browser = await startBrowser(await pictureBrowser());
      texts = await environments();
    });
    afterAll(async () => {
      process.env.TMPDIR = folder;
      delete process.env.SHOP_SECRET;
      await endBrowser(browser);
      await removeTree(long);
      expect(await folders()).toEqual([]);
    });

    it('has a path short enough for a socket', () => {
      const [, path = ''] = /(?:^|\0)TMPDIR=([^\0]+)/.exec(texts.join('\0')) ?? [];
      expect(path).toContain(`/${OWN}`);
      expect(path.length + SOCKET.length).toBeLessThanOrEqual(107);
    });

    it('is that of a browser with a few variables, none of which has a secret', () => {
      expect(
        texts.filter((text) => text.startsWith('PATH=') || text.includes('\0PATH=')),
      ).not.toEqual([]);
      expect(texts.filter((text) => /SHOP_SECRET|a key|NODE_|VITEST/.test(text))).toEqual([]);
      // Chromium writes the arguments of some of its processes over their variables, which then begin within one of them.
      const variables = texts.flatMap((text) => text.split('\0')).filter((one) => !/ --/.test(one));
      const names = variables.flatMap((one) => /^[A-Za-z_]\w*(?==)/.exec(one) ?? []);
      const given = ['PATH', 'LANG', 'HOME', 'TMPDIR'];
      const ofUnpacked = ['LD_LIBRARY_PATH', 'FONTCONFIG_FILE', 'XDG_CACHE_HOME'];
      // What shells set, Chromium for its own processes, and the script by which Debian starts it.
      const ofPrograms =
        /^(?:PWD|OLDPWD|SHLVL|_|(?:CHROME|CHROMIUM|GNOME|SBX)_\w+|GOOGLE_(?:API_KEY|DEFAULT_CLIENT_(?:ID|SECRET)))$/;
      const known = new Set([...given, ...ofUnpacked]);
      expect(names.filter((name) => !known.has(name) && !ofPrograms.test(name))).toEqual([]);
    });
  });

  it('is that of a browser with a sandbox, where the system gives it one', async () => {
    const real = (await pictureBrowser()).path!;
    const program = join(folder, 'chromium');
    const tried = join(folder, 'tried');
    // Chromium itself ends like this where it gets no user namespace.
    const refusing = `case "$*" in *--no-sandbox*) exec "${real}" "$@";; esac; exit 1`;
    await writeFile(program, `#!/bin/sh\necho "$*" >> "${tried}"\n${refusing}\n`, { mode: 0o755 });
    const warnings: string[] = [];
    const found = { path: program, from: 'a test', cacheDir: folder };
    await endBrowser(await startBrowser(found, (text) => warnings.push(text)));
    const attempts = (await readFile(tried, 'utf8')).trimEnd().split('\n');
    const isRoot = process.getuid!() === 0;
    expect(attempts.map((line) => line.includes('--no-sandbox'))).toEqual(
      isRoot ? [true] : [false, true],
    );
    expect(warnings).toEqual([
      expect.stringMatching(
        isRoot
          ? /without its sandbox, because .*as root\. .*protect .* To use it, run btg2gltf as another user\.$/
          : /without its sandbox, because this system does not .*protect .* To use it, allow user namespaces/,
      ),
    ]);
    for (const path of [program, tried]) await removeTree(path);
  });

  it('goes with a browser that was killed', async () => {
    const browser = await startBrowser(await pictureBrowser());
    await (await browser.newPage()).goto('about:blank');
    expect(killBrowserProcesses('browser', others)).toBe(1);
    await until(() => !browser.isConnected());
    await endBrowser(browser);
    expect(await folders()).toEqual([]);
  });

  it('goes with a browser that does not start', async () => {
    const { cacheDir } = await pictureBrowser();
    const found = { path: process.execPath, from: 'a test', cacheDir };
    await expect(startBrowser(found)).rejects.toMatchObject({
      code: 'BROWSER_MISSING',
      message: expect.stringMatching(/it ended at once: \S*node: bad option: --remote-debugging-/),
    });
    expect(await folders()).toEqual([]);
  });

  it('is that of a second start, where the browser has ended at once', async () => {
    const real = (await pictureBrowser()).path!;
    const program = join(folder, 'chromium');
    const hasEnded = join(folder, 'ended');
    const ending = `[ -e "${hasEnded}" ] || { : > "${hasEnded}"; kill -KILL $$; }`;
    await writeFile(program, `#!/bin/sh\n${ending}\nexec "${real}" "$@"\n`, { mode: 0o755 });
    const browser = await startBrowser({ path: program, from: 'a test', cacheDir: folder });
    expect(await folders()).toContainEqual(expect.stringMatching(`^${OWN}`));
    await endBrowser(browser);
    for (const path of [program, hasEnded]) await removeTree(path);
    expect(await folders()).toEqual([]);
  });
});

it.runIf(process.platform !== 'win32')(
  'a program that is asked for its version gets no secret',
  async () => {
    const { browserVersion } = await import('../../../../src/deliver/pictures/browser.ts');
    const folder = await temporaryFolder();
    const path = join(folder, 'asked');
    await writeFile(path, '#!/bin/sh\nenv\n', { mode: 0o755 });
    process.env.SHOP_SECRET = 'a key';
    const printed = await browserVersion({ path, from: 'test', cacheDir: folder });
    delete process.env.SHOP_SECRET;
    expect(printed).toContain('PATH=');
    expect(printed).not.toContain('a key');
  },
);
