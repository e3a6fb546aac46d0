/**
 * Secrets: password, application key and every token, in no byte that a run leaves behind; the user name is none.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { forgetSecret, redact } from '../../src/support/redact.ts';
import { LIVE } from '../helpers/command.ts';
import { openDailyRuns } from '../helpers/daily-runs.ts';
import { type Answer, html, raw, reset } from '../helpers/fault-server.ts';
import { bytesBelow } from '../helpers/output-folder.ts';
import { type SmallArticle, smallRange } from '../helpers/small-range.ts';

const LOGIN = { username: 'jürgen@möbel', password: 'pä"ss +wörd/&=', appKey: 'app-key-4711' };

/** A service with a login of its own. */
const openWith = (account: Partial<typeof LOGIN>, articles: SmallArticle[], service: object) =>
  openDailyRuns(
    smallRange(articles),
    { service: { ...LIVE, ...service } },
    { login: { ...LOGIN, ...account }, random: (n) => randomBytes(n) },
  );

test('no secret is in the output, the cache or on a stream, however the run went', async () => {
  const articles = ['D1', 'D2', 'D3', 'D4', 'D5'].map((number) => {
    return { number, blocks: [`ACME::DESK::${number}`], pics: ['WOOD'] };
  });
  const faults = { retries: 1, backoffMs: 1, giveUpAfterMs: 10 };
  const runs = await openWith({}, articles, faults);
  const { folder, proxy } = runs;
  const machines = ['--metrics-file', join(folder, 'm.prom'), '--junit', join(folder, 'j.xml')];
  const run = (env = proxy.env) =>
    runs.call(['run', runs.pipelineFile, '--force', ...machines], { env });
  const streams = [await run()];
  // Faults of every kind, so that every sentence that there is gets written.
  proxy.break(/btg.*basearticlenumber=D1/, raw('oops', {}, 500));
  proxy.break(/btg.*basearticlenumber=D2/, html);
  proxy.break(/btg.*basearticlenumber=D3/, reset);
  proxy.break(/articles.*basearticlenumber=D4/, (response, request) =>
    raw(JSON.stringify({ error: `who is ${request.url}?` }))(response, request),
  );
  proxy.break(/block\/ACME::DESK::D5|block\/ACME%3A%3ADESK%3A%3AD5/, reset);
  streams.push(await run());
  expect(streams.map(({ exit }) => exit)).toEqual([0, 1]);
  // The service fails at the first parts list, and repeats the request in its response.
  const echo: Answer = (response, request) => raw(`at ${request.url}`, {}, 500)(response, request);
  proxy.mend();
  proxy.break(/btg/, (response, request) => {
    proxy.break(/getnodes/, echo);
    echo(response, request);
  });
  const gone = await run();
  expect([gone.exit, gone.stderr]).toEqual([
    3,
    expect.stringContaining('service: expected a response'),
  ]);
  proxy.mend();
  streams.push(gone, await run({ ...proxy.env, BTG2GLTF_PASSWORD: 'another-secret' }));
  proxy.break(/getnodes/, raw('gone', {}, 503));
  streams.push(await run(), await runs.call(['catalogue', 'ls']));

  const tokens = proxy.seen.flatMap((url) => /[?&]token=([^&]+)/.exec(url)?.[1] ?? []);
  expect(new Set(tokens).size).toBeGreaterThanOrEqual(3);
  const secrets = [
    LOGIN.password,
    LOGIN.appKey,
    'another-secret',
    ...tokens,
    ...tokens.map(decodeURIComponent),
  ];
  const spellings = new Set(
    secrets.flatMap((s) => [s, encodeURIComponent(s), JSON.stringify(s).slice(1, -1)]),
  );
  const left = [...(await bytesBelow(folder))].filter(([name]) => name !== 'pipeline.yaml');
  expect(left.length).toBeGreaterThan(20);
  const texts: [string, Buffer][] = [
    ...left,
    ...streams.flatMap(({ stdout, stderr }, i): [string, Buffer][] => [
      [`stdout ${i}`, Buffer.from(stdout)],
      [`stderr ${i}`, Buffer.from(stderr)],
    ]),
  ];
  const leaks = texts.flatMap(([name, bytes]) =>
    [...spellings].filter((s) => bytes.includes(s)).map((s) => `${name}: ${s}`),
  );
  expect(leaks).toEqual([]);
  await runs.close();
});

let usual: Map<string, string>;
beforeAll(async () => {
  usual = await outcomeFor({});
});

test('a user named like a manufacturer changes no byte of what is written or printed', async () => {
  const [plain, namesake] = [usual, await outcomeFor({ username: 'ACME' })];
  expect([...plain.keys()].length).toBeGreaterThan(8);
  expect(namesake).toEqual(plain);
});

test('a password that is a word of the data is masked in messages and logs, never in data', async () => {
  const [plain, masked] = [usual, await outcomeFor({ password: 'ACME' })];
  const inMessages = /(?<=getPartsList |"article":")ACME(?=\/DESK\/D2)/g;
  for (const [name, text] of plain) {
    const other = masked.get(name);
    // The page and the summary show a message beside the name of its article if the two differ.
    if (!/report.html|^run .*junit/.test(name)) expect(other).toBe(text.replace(inMessages, '***'));
    else expect(other?.replace(/getPartsList \*+|"article":"\*+/g, '')).not.toContain('***');
  }
});

/** Every file and stream of a run with a failure, and of commands that print data, by name. */
async function outcomeFor(account: Partial<typeof LOGIN>): Promise<Map<string, string>> {
  const articles = ['D1', 'D2'].map((number) => ({ number, blocks: [number] }));
  const own = await openWith(account, articles, { retries: 0 });
  const { folder: root, pipelineFile: file, proxy } = own;
  proxy.break(/btg.*basearticlenumber=D2/, raw('no D2', {}, 500));
  const at = () => Date.parse('2026-01-01T00:00:00Z');
  const texts = new Map<string, string>();
  for (const words of [
    ['run', file, '--junit', join(root, 'j.xml'), '--log-format', 'json'],
    ['run', file, '--dry-run'],
    ['explain', 'ACME/*', '--pipeline', file],
    ['catalogue', 'ls'],
    ['migrate-url', 'https://h/planning?manufacturer=ACME&token=T&username=ACME'],
  ]) {
    const { stdout, stderr } = await own.call(words, { at });
    texts.set(words.join(' '), stdout + stderr);
  }
  // Each command has registered it; other test files share this process.
  const { password = '' } = account;
  while (redact(password) !== password) forgetSecret(password);
  for (const [name, bytes] of await bytesBelow(root)) {
    if (!/cache|pipeline/.test(name)) texts.set(name, `${bytes}`);
  }
  await own.close();
  const { origin } = new URL(proxy.env.BTG2GLTF_BASE_URL!);
  const anywhere = (text: string) => text.replaceAll(root, 'ROOT').replaceAll(origin, 'ORIGIN');
  return new Map([...texts].map(([name, text]) => [anywhere(name), anywhere(text)]));
}
