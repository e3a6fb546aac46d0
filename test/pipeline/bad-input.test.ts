/**
 * Bad input: what each kind of it gets, with its exit code.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { interrupt } from '../../src/cli/command.ts';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { readManifest } from '../../src/write/manifest.ts';
import { command, manifestByNumber, writePipeline } from '../helpers/command.ts';
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts';
import { html, json, raw } from '../helpers/fault-server.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const LIVE = {
  authUrl: '${BTG2GLTF_AUTH_URL}',
  baseUrl: '${BTG2GLTF_BASE_URL}',
  retries: 1,
  backoffMs: 1,
};

let folder: string;
let range: SmallRange;
let emulator: Emulator;
let proxy: FaultProxy;
let file: string;
const out = () => join(folder, 'out');
const run = (...options: string[]) => command(['run', file, ...options], { env: proxy.env });

beforeEach(async () => {
  folder = await temporaryFolder();
  range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'], pics: ['WOOD'] },
    { number: 'D2', blocks: ['ACME::DESK::TOP'] },
    { number: 'D3', blocks: ['ACME::DESK::LEG'] },
  ]);
  range.images.add('ACME/WOOD');
  emulator = await startEmulator({ range });
  proxy = await startFaultProxy(emulator);
  file = await writePipeline(folder, { service: LIVE });
});
afterEach(async () => {
  await proxy.close();
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

test('an output folder that is a file: exit 3, before any request', async () => {
  await writeFile(out(), '');
  const { exit, stderr } = await run();
  expect(exit).toBe(3);
  expect(lastLines(stderr)).toContain(out());
  expect(proxy.seen).toEqual([]);
});

describe('a service that cannot be used', () => {
  test('a wrong password: exit 3, one sentence, no stack', async () => {
    const env = { ...proxy.env, BTG2GLTF_PASSWORD: 'wrong-password' };
    const { exit, stdout, stderr } = await command(['run', file], { env });
    expect(exit).toBe(3);
    expect(lastLines(stderr)).toMatch(/^btg2gltf: .+\n {2}→ check BTG2GLTF_USERNAME/);
    expect(stdout + stderr).not.toMatch(/wrong-password|\n\s+at /);
  });

  test('an error body of the authentication server: exit 3', async () => {
    proxy.break(/GetSessionToken/, json({ error: 'user locked' }));
    const { exit, stderr } = await run();
    expect({ exit, stderr }).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/user locked/),
    });
  });

  test('nothing that listens: exit 3, the host named without path and query', async () => {
    const port = await freePort();
    const env = { ...proxy.env, BTG2GLTF_AUTH_URL: `http://127.0.0.1:${port}/auth` };
    const { exit, stderr } = await command(['run', file], { env });
    expect(exit).toBe(3);
    expect(stderr).toContain(`127.0.0.1:${port}`);
    expect(lastLines(stderr)).not.toMatch(/\/auth|\?|\n\s+at /);
  });

  test('a catalogue that cannot be read: exit 3, since there is nothing to go on with', async () => {
    proxy.break(/getnodes/, raw('gone', {}, 503));
    expect(await run()).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/the articles cannot be selected: .*status 503/),
    });
  });

  test('a name that is not known, and a server that speaks no TLS: exit 3', async () => {
    const unknown = { ...proxy.env, BTG2GLTF_AUTH_URL: 'http://no-such-host.invalid/auth' };
    expect(await command(['run', file], { env: unknown })).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/no-such-host\.invalid/),
    });
    const tls = proxy.env.BTG2GLTF_AUTH_URL!.replace('http:', 'https:');
    const { exit, stderr } = await command(['run', file], {
      env: { ...proxy.env, BTG2GLTF_AUTH_URL: tls },
    });
    expect(exit).toBe(3);
    expect(stderr).toMatch(/speak.* TLS.*: is https right\?/);
  });

  test('a wrong address: exit 3, and the sentence names the variable', async () => {
    const wrong = (name: string) => {
      const env = { ...proxy.env, [name]: `${proxy.env[name]}/elsewhere` };
      return command(['run', file], { env });
    };
    const base = await wrong('BTG2GLTF_BASE_URL');
    expect(base.exit).toBe(3);
    expect(lastLines(base.stderr)).toMatch(
      /expected a catalogue at this address.*BTG2GLTF_BASE_URL/,
    );
    const auth = await wrong('BTG2GLTF_AUTH_URL');
    expect(auth.exit).toBe(3);
    expect(lastLines(auth.stderr)).toMatch(
      /expected an authentication server at this address.*BTG2GLTF_AUTH_URL/,
    );
    expect(base.stderr + auth.stderr).not.toContain('elsewhere');
  });

  test('a given token that is invalid: exit 3, a sentence, and no logout', async () => {
    const { BTG2GLTF_AUTH_URL, BTG2GLTF_BASE_URL } = proxy.env as Record<string, string>;
    const env = { BTG2GLTF_AUTH_URL, BTG2GLTF_BASE_URL, BTG2GLTF_TOKEN: 'dead-token-0001' };
    const { exit, stderr } = await command(['run', file], { env: env as Record<string, string> });
    expect({ exit, stderr }).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/BTG2GLTF_TOKEN/),
    });
    expect(stderr).not.toContain('dead-token-0001');
    expect(proxy.seen.filter((url) => url.includes('logout'))).toEqual([]);
  });

  test('no credentials at all: exit 2, naming the variables', async () => {
    const { BTG2GLTF_AUTH_URL, BTG2GLTF_BASE_URL } = proxy.env as Record<string, string>;
    const env = { BTG2GLTF_AUTH_URL, BTG2GLTF_BASE_URL } as Record<string, string>;
    expect(await command(['run', file], { env })).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/BTG2GLTF_USERNAME and BTG2GLTF_PASSWORD: expected values, or/),
    });
  });
});

describe('a request that cannot be understood: exit 2 with file, line and the nearest known name', () => {
  test.each([
    [
      'an unknown key',
      '{"service": {"emulater": true}}',
      /x\.yaml:1: expected a known key, received "emulater"; did you mean "emulator"\?/,
    ],
    [
      'a variable that is not set',
      'name: x\nservice: { recording: "${BTG2GLTF_BASEURL}" }',
      /x\.yaml:2: variable BTG2GLTF_BASEURL: expected a value, received nothing; did you mean "BTG2GLTF_BASE_URL"\?/,
    ],
    ['no YAML', 'name: [', /x\.yaml:1: the YAML cannot be read: /],
  ])('%s', async (_, text, sentence) => {
    const path = join(folder, 'x.yaml');
    await writeFile(path, text);
    expect(await command(['run', path])).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(sentence),
    });
  });

  test('a list without a column, and a list that is not there', async () => {
    await writeFile(join(folder, 'list.csv'), 'manufacturer,program,basearticleno\nACME,DESK,D1\n');
    const list = (name: string) =>
      writePipeline(folder, { service: LIVE, articles: [{ list: name }] });
    await list('list.csv');
    expect(await run()).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(
        /list\.csv:1: expected a column "basearticlenumber", received the header "manufacturer,program,basearticleno"; is "basearticleno" meant\?/,
      ),
    });
    await list('nowhere.csv');
    expect(await run()).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/nowhere\.csv: expected a file, received none/),
    });
  });

  test.each([
    [['rnu'], /expected a command, received "rnu"; did you mean "run"\?/],
    [['run'], /run: expected PIPELINE\.yaml, received none; usage: btg2gltf run/],
    [['run', 'a.yaml', 'b.yaml'], /expected no further argument, received "b\.yaml"/],
    [
      ['run', 'a.yaml', '--outptu', 'x'],
      /expected a known option, received --outptu; did you mean "--output"\?/,
    ],
    [
      ['run', 'a.yaml', '--limit', 'many'],
      /--limit: expected a whole number from 1, received "many"/,
    ],
    [['run', 'a.yaml', '--limit', '1', '--limit', '2'], /--limit: expected one value/],
    [
      ['run', 'a.yaml', '--log-format', 'prety'],
      /expected pretty or json; did you mean "pretty"\?/,
    ],
    [['run', 'nowhere.yaml'], /nowhere\.yaml: expected a pipeline file, received none/],
    [
      ['convert', '--output', 'x.glb'],
      /expected --manufacturer and --program and --basearticlenumber, received/,
    ],
    [['catalogue', 'sl'], /expected ls, search, show, received "sl"; did you mean "ls"\?/],
    [['catalogue', 'ls', '--emulator', '--recording', 'x'], /expected one of --pipeline/],
    [['verify', 'nowhere'], /expected a manifest\.jsonl, received none; run the pipeline first/],
    [['serve', '--port', '70000'], /--port: expected a whole number from 0 to 65535/],
    [['serve', '--recording', 'nowhere'], /recording\.json/],
  ])('%j', async (words, sentence) => {
    const { exit, stderr } = await command(words);
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringMatching(sentence) });
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test.each([
    ['--until', '25:00', 'expected a time such as 05:30, received "25:00"'],
    ['--max-failures', 'some', 'expected '],
  ])('%s %s: exit 2', async (option, value, sentence) => {
    const { exit, stderr } = await run(option, value);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`${option}: ${sentence}`)]);
  });

  test('a selection that is empty: exit 2', async () => {
    expect(await run('--only', 'ACME/CHAIR/*')).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(
        /--only ACME\/CHAIR\/\*: expected a match among 3 configurations, received none/,
      ),
    });
  });

  test('help is no error, and no command at all is one', async () => {
    expect(await command(['--help'])).toMatchObject({ exit: 0, stderr: '' });
    expect((await command(['run', '--help'])).stdout).toContain('--dry-run');
    expect(await command([])).toMatchObject({ exit: 2 });
    expect(await command(['--version'])).toMatchObject({ exit: 0, stdout: '0.0.0\n' });
  });
});

describe('one article that the service gets wrong', () => {
  test.each([
    ['404', json({ error: 'unknown' }, 404), 'ARTICLE_NOT_FOUND'],
    ['500', raw('oops', {}, 500), 'HTTP_STATUS'],
    ['HTML', html, 'RESPONSE_INVALID'],
    [
      'truncated JSON',
      raw('{"btg":[{"type":"top"', { 'content-type': 'application/json' }),
      'RESPONSE_INVALID',
    ],
  ])('btg answers %s: it fails with a code, all others go on, exit 1', async (_, answer, code) => {
    proxy.break(/\/btg\?.*basearticlenumber=D2/, answer);
    const { exit, stdout } = await run();
    const lines = await manifestByNumber(out());
    expect({ exit, code: lines.D2!.error?.code }).toEqual({ exit: 1, code });
    expect([lines.D1!.status, lines.D3!.status]).toEqual(['converted', 'converted']);
    expect(lines.D2!.glb).toBeUndefined();
    expect(lines.D2!.error!.message).not.toMatch(/127\.0\.0\.1|:\d{4}/);
    expect(stdout).toMatch(/1 failed/);
    expect(stdout).toMatch(new RegExp(`${code} {2}1 failed: .*\\n +ACME/DESK/D2-STD`));
  });

  test('it keeps what it had before as lastGood, still linked, until it is well again', async () => {
    expect((await run()).exit).toBe(0);
    const before = (await manifestByNumber(out())).D2!;
    proxy.break(/basearticlenumber=D2/, raw('oops', {}, 500));
    expect((await run('--force')).exit).toBe(1);
    const failed = (await manifestByNumber(out())).D2!;
    expect(failed).toMatchObject({
      finalarticlenumber: 'D2-STD',
      status: 'failed',
      lastGood: { glb: before.glb, sha256: before.sha256 },
    });
    expect((await readFile(join(out(), before.glb!))).length).toBe(before.bytes);
    expect((await command(['verify', out()])).exit).toBe(0);
    proxy.mend();
    expect((await run()).exit).toBe(0);
    expect((await manifestByNumber(out())).D2!.lastGood).toBeUndefined();
  });

  test('a missing block fails its articles by name, unless parts may be missing', async () => {
    range.missing.add('ACME::DESK::LEG');
    expect((await run()).exit).toBe(1);
    const lines = await manifestByNumber(out());
    expect(lines.D1!.error).toMatchObject({
      code: 'BLOCK_MISSING',
      message: expect.stringContaining('ACME::DESK::LEG'),
    });
    expect([lines.D2!.status, lines.D3!.status]).toEqual(['converted', 'failed']);
    await run('--allow-missing-parts');
    const allowed = await manifestByNumber(out());
    expect(allowed.D1!.status).toBe('converted');
    expect(allowed.D1!.warnings.map(({ code }) => code)).toContain('BLOCK_MISSING');
  });

  test('a corrupt block is as a missing one', async () => {
    range.bodies.set('ACME::DESK::LEG', '{"N":"LEG","V":"nonsense"');
    expect((await run()).exit).toBe(1);
    const lines = await manifestByNumber(out());
    expect(lines.D3!.error!.message).toContain('ACME::DESK::LEG');
    expect(lines.D2!.status).toBe('converted');
  });

  test('a missing texture falls back to the colour, with a warning', async () => {
    range.images.clear();
    expect((await run()).exit).toBe(0);
    const { D1 } = await manifestByNumber(out());
    expect(D1).toMatchObject({ status: 'converted', textures: 0 });
    expect([...D1!.warnings, ...D1!.losses].length).toBeGreaterThan(0);
  });

  test('a corrupt texture fails its article, unless parts may be missing', async () => {
    proxy.break(/WOOD\.JPG/, raw('no picture', { 'content-type': 'image/jpeg' }));
    expect((await run()).exit).toBe(1);
    expect((await manifestByNumber(out())).D1!.error).toMatchObject({
      code: 'RESPONSE_INVALID',
      message: expect.stringContaining('WOOD'),
    });
    await run('--allow-missing-parts');
    expect((await manifestByNumber(out())).D1).toMatchObject({ status: 'converted', textures: 0 });
  });

  test('an article that is unknown: convert exits with 1', async () => {
    const words = ['convert', '--manufacturer', 'ACME', '--program', 'DESK'];
    const output = join(folder, 'x.glb');
    const convert = (number: string) =>
      command([...words, '--basearticlenumber', number, '--output', output], { env: proxy.env });
    expect(await convert('D9')).toMatchObject({ exit: 1 });
    expect(await convert('D1')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/triangles.* m \(width × depth × height\)/),
    });
    expect((await readFile(output)).subarray(0, 4).toString()).toBe('glTF');
  });
});

describe('names that are no file names', () => {
  const NUMBERS = [
    'A/B',
    'A:B',
    'A;B',
    'A+B',
    "A'B",
    'A"B',
    'A B',
    'ÄÖÜß',
    '..',
    'con',
    'x'.repeat(200),
  ];

  test('work, are never used raw, and go over the wire byte for byte', async () => {
    const asked: string[] = [];
    const awkward = smallRange(
      NUMBERS.map((number) => ({ number, blocks: [`ACME::DESK::${number.slice(0, 20)}`] })),
    );
    const { article } = awkward;
    awkward.article = (query) => {
      asked.push(query.basearticlenumber!);
      return article(query);
    };
    const other = await startEmulator({ range: awkward });
    const env = {
      BTG2GLTF_AUTH_URL: other.authUrl,
      BTG2GLTF_BASE_URL: other.baseUrl,
      BTG2GLTF_USERNAME: other.username,
      BTG2GLTF_PASSWORD: other.password,
    };
    const { exit, stdout } = await command(['run', file], { env });
    await other.close();
    expect({ exit, stdout }).toMatchObject({ exit: 0 });
    expect(new Set(asked)).toEqual(new Set(NUMBERS));
    for (const { glb } of await readManifest(out())) {
      expect(glb).toMatch(/^articles\/ACME\/DESK\/[\w\-.~%]{1,89}\/[0-9a-f]{16}\.glb$/);
      expect((await readFile(join(out(), glb!))).length).toBeGreaterThan(0);
    }
  });
});

describe('what ends a run', () => {
  test('an output that cannot be written: exit 3', async () => {
    await writeFile(out(), 'a file stands where the folder should be');
    const { exit, stderr } = await run();
    expect({ exit, stderr }).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/permissions of the path/),
    });
  });

  test('Ctrl-C: logs out, exit 130, the previous manifest stays, and the next run resumes', async () => {
    const controller = new AbortController();
    range.block = async () => {
      interrupt(controller, 'SIGINT');
      return new Promise(() => {});
    };
    const { exit, stderr } = await command(['run', file], {
      env: proxy.env,
      signal: controller.signal,
    });
    expect({ exit, stderr }).toMatchObject({
      exit: 130,
      stderr: expect.stringMatching(
        /0 of 3 configurations processed; finished work is kept[\s\S]*run the same command again/,
      ),
    });
    expect(emulator.openSessions()).toBe(0);
    expect(await readManifest(out())).toEqual([]);
  });

  test('every way a run ends, its session is logged out', async () => {
    range.missing.add('ACME::DESK::LEG');
    await run();
    expect(emulator.openSessions()).toBe(0);
  });
});

/** The sentence at the end, without the log lines before it. */
function lastLines(stderr: string): string {
  return stderr.slice(stderr.indexOf('btg2gltf: '));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
