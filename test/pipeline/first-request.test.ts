/** A service that is away when a command begins: a run waits for it, and a person does not have to (D-843). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LIVE } from '../helpers/command.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';

let runs: DailyRuns;
beforeEach(async () => {
  const range = countedRange({ articles: 2, blocks: 2, images: 1, blocksPerArticle: 1 });
  runs = await openDailyRuns(range, { service: { ...LIVE, backoffMs: 1 } });
});
afterEach(() => runs.close());

/** Answers 503 so many times; then the service is there. */
function awayFor(requests: number, what: RegExp): void {
  let refused = 0;
  runs.proxy.break(what, (response) => {
    if (++refused === requests) runs.proxy.mend();
    response.writeHead(503).end();
  });
}

/** More than all attempts of one login, or of one request. */
const LONG = 8;

describe.each([
  ['the login', /GetPublicKey/, ['run']],
  ['the catalogue', /getnodes/, ['fetch']],
])('%s is answered with 503 for a while', (_, what, names) => {
  // In the short form, each of both with one of both commands.
  test.each(IS_LONG ? ['run', 'fetch'] : names)(
    '%s waits, says so, and ends well',
    async (name) => {
      awayFor(LONG, what);
      const { exit, stderr } = await runs.command(name, '2026-01-01');
      expect([exit, stderr]).toEqual([
        0,
        expect.stringMatching(
          /"warn".*status 503.*the service does not answer; trying again for at most 300 s.*the service answers again/s,
        ),
      ]);
    },
  );
});

const ARTICLE = ['--manufacturer', 'N01', '--program', 'S01', '--basearticlenumber', 'A00001'];

test.each([
  ['catalogue', 'ls', '--pipeline'],
  ['convert', ...ARTICLE, '--output', 'a.glb', '--pipeline'],
  ['doctor'],
  ['run', '--dry-run'],
])('%s %s ends at once', async (...words) => {
  runs.proxy.break(/GetPublicKey/, (response) => response.writeHead(503).end());
  // Doctor would also start a browser.
  const env = { ...runs.proxy.env, BTG2GLTF_BROWSER: 'none' };
  const { exit, stderr } = await runs.call([...words, runs.pipelineFile], { env });
  expect(exit).toBe(3);
  expect(stderr).not.toContain('trying again for');
});

test('a run sends nothing to an address without TLS beyond this machine, unless it is allowed', async () => {
  const env = { ...runs.proxy.env, BTG2GLTF_AUTH_URL: 'http://login.invalid/auth' };
  const words = ['run', runs.pipelineFile];
  const refused = await runs.call(words, { env });
  expect([refused.exit, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/authUrl: expected an address with https:.*--allow-http/s),
  ]);
  const allowed = await runs.call([...words, '--allow-http'], { env });
  expect([allowed.exit, allowed.stderr]).toEqual([3, expect.stringContaining('login.invalid')]);
  expect(runs.proxy.seen).toEqual([]);
});

test('a run ends at once where the password is refused or the host is not known', async () => {
  const password = { BTG2GLTF_PASSWORD: 'wrong-password' };
  const host = { BTG2GLTF_AUTH_URL: 'https://no-such-host.invalid/auth' };
  for (const [env, code] of [
    [password, 'LOGIN_REFUSED'],
    [host, 'SERVICE_UNREACHABLE'],
  ] as const) {
    const words = ['run', runs.pipelineFile];
    const { exit, stderr } = await runs.call(words, { env: { ...runs.proxy.env, ...env } });
    expect([exit, stderr]).toEqual([3, expect.stringContaining(code)]);
    expect(stderr).not.toContain('trying again for');
  }
});
