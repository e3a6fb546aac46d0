import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { createSampleRange } from '../../../src/emulator/sample/sample-range.ts';
import { forgetSecret, redact } from '../../../src/support/redact.ts';
import { environmentOf } from '../../helpers/child.ts';
import { command, writePipeline } from '../../helpers/command.ts';
import { pictureBrowser } from '../../helpers/picture-browser.ts';
import { type S3Server, startS3Server } from '../../helpers/s3-server.ts';
import { IS_LONG } from '../../helpers/samples.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let emulator: Emulator;
let folder: string;
beforeAll(async () => {
  emulator = await startEmulator({ range: createSampleRange() });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
/**
 * State and text of each check by its name, and the exit code. Without a browser, unless a test names one: it would be
 * started each time.
 */
async function doctor(words: string[] = [], env: Record<string, string> = {}) {
  const all = { BTG2GLTF_BROWSER: 'none', ...env };
  const { exit, stdout: printed } = await command(['doctor', ...words], { env: all });
  // What to do is below what was found.
  const stdout = printed.replace(/\n +→/g, ' →');
  const lines = stdout.trimEnd().split('\n');
  const rows = lines.map((line) => {
    const [, state, what, text] = /^(ok|warning|problem) +(.+?)(?: {2,}|(?<=access) )(.+)$/.exec(
      line,
    )!;
    return [what!, `${state}: ${text}`] as const;
  });
  return { exit, stdout, checks: Object.fromEntries(rows) };
}

describe('doctor', () => {
  test('finds nothing wrong with a service that is set by variables', async () => {
    const { exit, checks } = await doctor([], environmentOf(emulator));
    expect(exit).toBe(0);
    expect(Object.keys(checks)).toEqual([
      ...['Node.js', 'environment', 'login', 'catalogue', 'browser'],
      ...['write access', 'free space', 'hard links'],
    ]);
    for (const text of Object.values(checks)) expect(text).toMatch(/^(?:ok|warning): /);
    expect(checks.login).toBe(`ok: accepted by ${emulator.baseUrl}`);
    expect(checks.browser).toBe(
      'warning: BTG2GLTF_BROWSER=none turns the browser off: there will be no pictures → unset this environment variable, or set it to the path of Chrome or Chromium',
    );
    expect(checks.catalogue).toMatch(/^ok: \d+ top folders: \S/);
  });

  test('checks a pipeline, its lists and its folders, and writes nothing', async () => {
    const articles = [{ list: 'articles.csv' }];
    const file = await writePipeline(folder, { service: { emulator: true }, articles });
    await writeFile(join(folder, 'articles.csv'), 'manufacturer;program;number\n');
    const wrong = await doctor([file]);
    expect(wrong.exit).toBe(2);
    expect(wrong.checks.list).toMatch(/^problem: .*articles\.csv:1: .* → correct this list/);
    const header = 'manufacturer;program;basearticlenumber\nFJEL;LINEA;LN-M\n';
    await writeFile(join(folder, 'articles.csv'), header);
    const { exit, checks } = await doctor([file]);
    expect(exit).toBe(0);
    expect(checks.list).toMatch(/articles\.csv: 1 line$/);
    expect(checks['write access']).toBe(`ok: ${join(folder, 'out')}`);
    expect((await readdir(folder)).sort()).toEqual(['articles.csv', 'pipeline.yaml']);
  });

  test('says whether the key of the webhook is set, and never its value', async () => {
    const afterPublish = { webhook: 'https://shop.example/hook', secretVariable: 'SHOP_KEY' };
    const content = { service: { emulator: true }, deliver: { afterPublish } };
    const file = await writePipeline(folder, content);
    const unset = await doctor([file]);
    expect([unset.exit, unset.checks.webhook]).toEqual([
      2,
      'problem: SHOP_KEY: expected the key of the signature, received none → set SHOP_KEY; without it the webhook is not called',
    ]);
    const { stdout, checks } = await doctor([file], { SHOP_KEY: 'correct-horse' });
    expect(checks.webhook).toBe('ok: SHOP_KEY is set');
    expect(stdout).not.toContain('correct-horse');
  });

  test('starts the browser, since one that is found may not start', async () => {
    const file = await writePipeline(folder, { service: { emulator: true } });
    const program = join(folder, 'chromium');
    await writeFile(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { exit, checks } = await doctor([file], { BTG2GLTF_BROWSER: program });
    expect(exit).toBe(3);
    expect(checks.browser).toMatch(/^problem: the browser .*: expected it to start, received/);
    const { path, from } = await pictureBrowser();
    const real = await doctor([file], { BTG2GLTF_BROWSER: path ?? from });
    expect(real.checks.browser).toMatch(/^ok: .*Chromium \d+\./);
    expect((await readdir(folder)).sort()).toEqual(['chromium', 'pipeline.yaml']);
  });

  describe('of runs on several machines', () => {
    const QUEUE = 'postgres://robot:secret-of-the-queue@127.0.0.1:9/runs';
    let s3: S3Server;
    beforeEach(async () => {
      s3 = await startS3Server();
    });
    afterEach(() => s3.close());

    const doctorWith = async (variables: Record<string, string> = {}, bucket = s3.bucket) => {
      const store = { url: `s3://${bucket}/nightly` };
      const file = await writePipeline(folder, { service: { emulator: true }, store });
      const found = await doctor([file], { ...s3.env, ...variables });
      for (const secret of ['secret-of-the-queue', s3.env.AWS_SECRET_ACCESS_KEY!])
        expect(found.stdout).not.toContain(secret);
      return found;
    };

    test('checks that writes to the store can be conditional, and leaves nothing there', async () => {
      const { exit, checks } = await doctorWith();
      expect(exit).toBe(0);
      expect(checks.store).toBe(`ok: s3://${s3.bucket}/nightly: conditional writes are possible`);
      expect([...s3.objects.keys()]).toEqual([]);
      s3.switches.clockAheadMs = 300_000;
      expect((await doctorWith()).checks.store).toMatch(
        /^warning: .*; its clock is \d+.* ahead → synchronise the clocks/,
      );
    });

    test('says that writes to the store cannot be conditional', async () => {
      s3.switches.conditions = 'ignored';
      const { exit, checks } = await doctorWith();
      expect([exit, checks.store]).toEqual([
        2,
        expect.stringMatching(/^problem: s3:.*If-None-Match/),
      ]);
    });

    type Problem = [check: string, name: string, value: string, exit: number, says: RegExp];
    const PROBLEMS: Problem[] = [
      ['store', 'AWS_SECRET_ACCESS_KEY', 'another-secret', 3, /^problem: s3:.* → /],
      ['store', 'AWS_SECRET_ACCESS_KEY', '', 2, /^problem: AWS_ACCESS_KEY_ID and AWS_SECRET/],
      ['queue', 'BTG2GLTF_QUEUE_URL', QUEUE.replace('postgres:', 'amqp:'), 2, /received amqp:/],
      [
        'queue',
        'BTG2GLTF_QUEUE_URL',
        QUEUE,
        3,
        /^problem: queue postgres:\/\/127\.0\.0\.1:9\/runs: expected a connection, received: .* → check BTG2GLTF_QUEUE_URL/,
      ],
    ];
    /** Others that do not answer are said like these. */
    const MORE_PROBLEMS: Problem[] = [
      ['store', 'AWS_ENDPOINT_URL_S3', 'http://127.0.0.1:9', 3, /^problem: s3:/],
      [
        'queue',
        'BTG2GLTF_QUEUE_URL',
        'redis://127.0.0.1:9',
        3,
        /queue redis:\/\/127\.0\.0\.1:9: expected a connection/,
      ],
    ];
    test.each([...PROBLEMS, ...(IS_LONG ? MORE_PROBLEMS : [])])(
      'says what is wrong with the %s: %s=%s',
      async (check, name, value, code, says) => {
        const { exit, checks } = await doctorWith({ [name]: value });
        expect([exit, checks[check]]).toEqual([code, expect.stringMatching(says)]);
      },
    );
  });

  test('names the variables that are missing or misspelt: exit 2', async () => {
    const none = await doctor();
    expect(none.exit).toBe(2);
    expect(none.checks.environment).toMatch(
      /^problem: BTG2GLTF_AUTH_URL and BTG2GLTF_BASE_URL are not set → set .*btg2gltf demo/,
    );
    expect(none.checks.login).toMatch(/^warning: not checked → /);
    const { BTG2GLTF_PASSWORD, ...others } = environmentOf(emulator);
    const env = { ...others, BTG2GLTF_PASWORD: BTG2GLTF_PASSWORD! };
    const { exit, stdout } = await doctor([], env);
    expect(exit).toBe(2);
    expect(stdout).toMatch(/^problem +environment +BTG2GLTF_PASSWORD is not set, nor is/m);
    expect(stdout).toMatch(
      /^warning .*BTG2GLTF_PASWORD is not read → did you mean BTG2GLTF_PASSWORD\?$/m,
    );
    const file = await writePipeline(folder, { service: SERVICE });
    expect((await doctor([file])).checks.pipeline).toMatch(/^problem: .*BTG2GLTF_AUTH_URL/);
  });

  test('says what to do about a refused login and an unreachable service: exit 3, no secret', async () => {
    const env: Record<string, string> = environmentOf(emulator);
    env.BTG2GLTF_PASSWORD = 'not-the-password';
    const refused = await doctor([], env);
    expect(refused.exit).toBe(3);
    expect(refused.checks.login).toMatch(/^problem: .* → check BTG2GLTF_USERNAME/);
    expect(refused.checks.catalogue).toMatch(/^warning: not checked → /);
    for (const name of ['BTG2GLTF_PASSWORD', 'BTG2GLTF_APP_KEY']) {
      expect(refused.stdout).not.toContain(env[name]);
    }
    const address = 'http://127.0.0.1:9/nothing';
    const gone = { ...env, BTG2GLTF_AUTH_URL: address, BTG2GLTF_BASE_URL: address };
    const { exit, checks } = await doctor([], gone);
    expect(exit).toBe(3);
    expect(checks.login).toMatch(/^problem: .*127\.0\.0\.1:9.* → check BTG2GLTF_AUTH_URL/);
    expect(checks.catalogue).toMatch(/^warning: not checked → /);
  });

  test.each(['wrong', 'password', 'server'])(
    'has whole sentences of its own, though the refused password "%s" is a word of them',
    async (password) => {
      // The next file of this process has texts of its own with this word.
      onTestFinished(() => {
        while (redact(password) !== password) forgetSecret(password);
      });
      const env = { ...environmentOf(emulator), BTG2GLTF_PASSWORD: password };
      const { stdout, checks } = await doctor([], env);
      expect(checks.login).toMatch(
        /the authentication server \S+ refused the login: user or password is wrong → check/,
      );
      expect(stdout).not.toContain('***');
    },
  );

  test('says that a folder cannot be written: exit 3', async () => {
    await writeFile(join(folder, 'file'), '');
    const output = { dir: 'file/out' };
    const file = await writePipeline(folder, { service: { emulator: true }, output });
    const { exit, checks } = await doctor([file]);
    expect(exit).toBe(3);
    expect(checks['write access']).toMatch(/^problem: .*file.* → choose another folder/);
    expect(checks['hard links']).toMatch(/^warning: not checked → /);
  });
});
