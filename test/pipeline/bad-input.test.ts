/**
 * Bad input: what each kind of it gets, with its exit code.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { interrupt } from '../../src/cli/command.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { command, manifestByNumber } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type Answer, html, json, raw } from '../helpers/fault-server.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

let range: SmallRange;
let runs: DailyRuns;
const run = (...options: string[]) => runs.call(['run', runs.pipelineFile, ...options]);
const runWith = (env: Record<string, string>) =>
  runs.call(['run', runs.pipelineFile], { env: { ...runs.proxy.env, ...env } });
const lines = () => manifestByNumber(runs.outputDir);

beforeEach(async () => {
  range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'], pics: ['WOOD'] },
    { number: 'D2', blocks: ['ACME::DESK::TOP'] },
    { number: 'D3', blocks: ['ACME::DESK::LEG'] },
  ]);
  range.images.add('ACME/WOOD');
  runs = await openDailyRuns(range);
});
afterEach(() => runs.close());

test('an output folder that is a file: exit 3, before any request', async () => {
  await writeFile(runs.outputDir, '');
  const { exit, stderr } = await run();
  expect(exit).toBe(3);
  expect(lastLines(stderr)).toContain(runs.outputDir);
  expect(stderr).toContain('→ choose another folder');
  expect(runs.proxy.seen).toEqual([]);
});

describe('a service that cannot be used', () => {
  test('a wrong password: exit 3, one sentence, no stack', async () => {
    const { exit, stdout, stderr } = await runWith({ BTG2GLTF_PASSWORD: 'wrong-password' });
    expect(exit).toBe(3);
    expect(lastLines(stderr)).toMatch(/^btg2gltf: .+\n {2}→ check BTG2GLTF_USERNAME/);
    expect(stdout + stderr).not.toMatch(/wrong-password|\n\s+at /);
  });

  test('an error body of the authentication server: exit 3', async () => {
    runs.proxy.break(/GetSessionToken/, json({ error: 'user locked' }));
    expect(await run()).toMatchObject({ exit: 3, stderr: expect.stringContaining('user locked') });
  });

  test('nothing that listens: exit 3, the host named without path and query', async () => {
    const { exit, stderr } = await runWith({ BTG2GLTF_AUTH_URL: 'http://127.0.0.1:9/auth' });
    expect(exit).toBe(3);
    expect(stderr).toContain('127.0.0.1:9');
    expect(lastLines(stderr)).not.toMatch(/\/auth|\?|\n\s+at /);
  });

  test.each([
    ['BTG2GLTF_BASE_URL', 'a catalogue'],
    ['BTG2GLTF_AUTH_URL', 'an authentication server'],
  ])('a wrong address: exit 3, and the sentence names %s', async (name, what) => {
    const { exit, stderr } = await runWith({ [name]: `${runs.proxy.env[name]}/elsewhere` });
    expect(exit).toBe(3);
    expect(lastLines(stderr)).toMatch(new RegExp(`expected ${what} at this address.*${name}`));
    expect(stderr).not.toContain('elsewhere');
  });

  test.each([
    ['a given token that is invalid', 3, { BTG2GLTF_TOKEN: 'dead-token-0001' }, 'BTG2GLTF_TOKEN'],
    ['no credentials', 2, {}, 'BTG2GLTF_USERNAME and BTG2GLTF_PASSWORD are not set, nor is'],
  ])('%s: exit %i, naming the variables, and no logout', async (_, exit, token, sentence) => {
    const { BTG2GLTF_AUTH_URL = '', BTG2GLTF_BASE_URL = '' } = runs.proxy.env;
    const env = { BTG2GLTF_AUTH_URL, BTG2GLTF_BASE_URL, ...token };
    const ended = await runs.call(['run', runs.pipelineFile], { env });
    expect(ended).toMatchObject({ exit, stderr: expect.stringContaining(sentence) });
    expect(ended.stderr).not.toContain('dead-token-0001');
    expect(runs.proxy.seen.filter((url) => url.includes('logout'))).toEqual([]);
  });
});

describe('a request that cannot be understood: exit 2 with file, line and the nearest known name', () => {
  test('a list without a column, and a list that is not there', async () => {
    const list = join(runs.folder, 'list.csv');
    await writeFile(list, 'manufacturer,program,basearticleno\nACME,DESK,D1\n');
    await runs.configure({ articles: [{ list: 'list.csv' }] });
    expect(await run()).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(
        /list\.csv:1: expected a column "basearticlenumber", received the header "manufacturer,program,basearticleno"; is "basearticleno" meant\?/,
      ),
    });
    await runs.configure({ articles: [{ list: 'nowhere.csv' }] });
    expect(await run()).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/nowhere\.csv: there is no such file/),
    });
  });

  test('a command line', async () => {
    const wrong: [words: string[], sentence: RegExp][] = [
      [['run'], /run: PIPELINE\.yaml is missing; usage: btg2gltf run/],
      [['run', 'a.yaml', 'b.yaml'], /run: "b\.yaml" is one argument too many; usage: btg2gltf run/],
      [
        ['run', 'a.yaml', '--outptu', 'x'],
        /run: there is no option --outptu; did you mean --output\?/,
      ],
      [
        ['run', 'a.yaml', '--limit', 'many'],
        /--limit: expected a whole number from 1, received "many"/,
      ],
      [['run', 'a.yaml', '--limit', '1', '--limit', '2'], /--limit is given 2 times; name it once/],
      [
        ['run', 'a.yaml', '--log-format', 'prety'],
        /expected pretty or json, received "prety"; did you mean "pretty"\?/,
      ],
      [
        ['run', 'nowhere.yaml'],
        /nowhere\.yaml: there is no such file\n {2}→ check the path; btg2gltf init writes/,
      ],
      [
        ['convert', '--output', 'x.glb'],
        /convert: --manufacturer, --program and --basearticlenumber are missing/,
      ],
      [['explain', 'LN-M'], /explain: --pipeline is missing/],
      [['run', 'a.yaml', '--limit'], /--limit has no value/],
      [['run', 'a.yaml', '--force=no'], /--force takes no value/],
      [
        ['catalogue', 'ls', '--emulator', '--recording', 'x'],
        /--emulator and --recording each name a service/,
      ],
      [
        ['verify', 'nowhere'],
        /nowhere: there is no manifest\.jsonl, so nothing was published there\n {2}→ run the pipeline first/,
      ],
      [['serve', '--port', '70000'], /--port: expected a whole number from 0 to 65535/],
      [['serve', '--recording', 'nowhere'], /recording\.json/],
    ];
    for (const [words, sentence] of wrong) {
      const { exit, stderr } = await command(words);
      expect({ words, exit, stderr }).toEqual({
        ...{ words, exit: 2 },
        stderr: expect.stringMatching(sentence),
      });
      expect(stderr).not.toMatch(/\n\s+at /);
    }
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
        /--only ACME\/CHAIR\/\* matches none of the selected configurations \(3\)/,
      ),
    });
  });

  test('help is no error, and no command at all is one', async () => {
    expect(await command(['--help'])).toMatchObject({ exit: 0, stderr: '' });
    expect((await command(['run', '--help'])).stdout).toContain('--dry-run');
    expect(await command([])).toMatchObject({ exit: 2 });
  });
});

describe('one article that the service gets wrong', () => {
  const truncated = raw('{"btg":[{"type":"top"', { 'content-type': 'application/json' });
  const [unknown, broken] = [json({ error: 'unknown' }, 404), raw('oops', {}, 500)];
  type Row = [string, [Answer, string], [Answer, string]];
  const ALSO: Row[] = [
    ['500, and truncated JSON', [broken, 'HTTP_STATUS'], [truncated, 'RESPONSE_INVALID']],
  ];
  test.each<Row>([
    ['404, and HTML', [unknown, 'ARTICLE_NOT_FOUND'], [html, 'RESPONSE_INVALID']],
    // A status and a body that cannot be read, too.
    ...(IS_LONG ? ALSO : []),
  ])(
    'btg answers %s for two articles: they fail with a code, all others go on, exit 1',
    async (_, one, other) => {
      const [[answer, code], [otherAnswer, otherCode]] = [one, other];
      runs.proxy.break(/\/btg\?.*basearticlenumber=D2/, answer);
      runs.proxy.break(/\/btg\?.*basearticlenumber=D3/, otherAnswer);
      const { exit, stdout } = await run();
      const { D1, D2, D3 } = await lines();
      expect([exit, D1!.status]).toEqual([1, 'converted']);
      expect(stdout).toMatch(/2 failed/);
      for (const [line, its] of [
        [D2!, code],
        [D3!, otherCode],
      ] as const) {
        expect(line.error!.code).toBe(its);
        expect(line.glb).toBeUndefined();
        expect(line.error!.message).not.toMatch(/127\.0\.0\.1|:\d{4}/);
        const name = `ACME/DESK/${line.finalarticlenumber}`;
        expect(stdout).toMatch(new RegExp(`${its} {2}1 failed: .*\\n +${name}`));
      }
    },
  );

  test('it keeps what it had before as lastGood, still linked, until it is well again', async () => {
    expect((await run()).exit).toBe(0);
    const before = (await lines()).D2!;
    runs.proxy.break(/basearticlenumber=D2/, raw('oops', {}, 500));
    expect((await run('--force')).exit).toBe(1);
    const failed = (await lines()).D2!;
    expect(failed).toMatchObject({
      finalarticlenumber: 'D2-STD',
      status: 'failed',
      lastGood: { glb: before.glb, sha256: before.sha256 },
    });
    expect((await readFile(join(runs.outputDir, before.glb!))).length).toBe(before.bytes);
    expect((await command(['verify', runs.outputDir])).exit).toBe(0);
    runs.proxy.mend();
    expect((await run()).exit).toBe(0);
    expect((await lines()).D2!.lastGood).toBeUndefined();
  });

  test('a missing block fails its articles by name, unless parts may be missing', async () => {
    range.missing.add('ACME::DESK::LEG');
    expect((await run()).exit).toBe(1);
    expect(runs.emulator.openSessions()).toBe(0);
    const { D1, D2, D3 } = await lines();
    expect(D1!.error).toMatchObject({
      code: 'BLOCK_MISSING',
      message: expect.stringContaining('ACME::DESK::LEG'),
    });
    expect([D2!.status, D3!.status]).toEqual(['converted', 'failed']);
    await run('--allow-missing-parts');
    const allowed = (await lines()).D1!;
    expect(allowed.status).toBe('converted');
    expect(allowed.warnings.map(({ code }) => code)).toContain('BLOCK_MISSING');
  });

  test('a missing texture falls back to the colour, with a warning', async () => {
    range.images.clear();
    expect((await run()).exit).toBe(0);
    const { D1 } = await lines();
    expect(D1).toMatchObject({ status: 'converted', textures: 0 });
    expect([...D1!.warnings, ...D1!.losses].length).toBeGreaterThan(0);
  });

  test('a corrupt texture fails its article, unless parts may be missing', async () => {
    runs.proxy.break(/WOOD\.JPG/, raw('no picture', { 'content-type': 'image/jpeg' }));
    expect((await run()).exit).toBe(1);
    expect((await lines()).D1!.error).toMatchObject({
      code: 'RESPONSE_INVALID',
      message: expect.stringContaining('WOOD'),
    });
    await run('--allow-missing-parts');
    expect((await lines()).D1).toMatchObject({ status: 'converted', textures: 0 });
  });

  test('an article that is unknown: convert exits with 1', async () => {
    const words = ['convert', '--manufacturer', 'ACME', '--program', 'DESK'];
    const output = join(runs.folder, 'x.glb');
    const convert = (number: string) =>
      runs.call([...words, '--basearticlenumber', number, '--output', output]);
    expect(await convert('D11')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(
        'convert: the service has no article ACME/DESK/D11; did you mean "ACME/DESK/D1"?',
      ),
    });
    expect(await convert('D1')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/triangles.* m \(width × depth × height\)/),
    });
    expect((await readFile(output)).subarray(0, 4).toString()).toBe('glTF');
  });
});

// Both take the same path.
test.each(IS_LONG ? (['SIGINT', 'SIGTERM'] as const) : (['SIGTERM'] as const))(
  '%s: logs out, exit 130, the previous manifest stays, and the next run resumes',
  async (signal) => {
    const controller = new AbortController();
    const { block } = range;
    range.block = async () => {
      interrupt(controller, signal);
      return new Promise(() => {});
    };
    const { exit, stderr } = await runs.call(['run', runs.pipelineFile], {
      signal: controller.signal,
    });
    expect({ exit, stderr }).toMatchObject({
      exit: 130,
      stderr: expect.stringMatching(
        /0 of 3 configurations processed; finished work is kept[\s\S]*run the same command again/,
      ),
    });
    expect(runs.emulator.openSessions()).toBe(0);
    expect(await readManifest(runs.outputDir)).toEqual([]);
    range.block = block;
    expect((await run()).exit).toBe(0);
  },
);

/** The sentence at the end, without the log lines before it. */
function lastLines(stderr: string): string {
  return stderr.slice(stderr.indexOf('btg2gltf: '));
}
