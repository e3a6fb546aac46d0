/** Failures are shown by cause, with help that fits it and the line that selected each. */
import { lstat, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { helpFor } from '../../src/run/lists/messages.ts';
import { watchFileOperations } from '../../src/support/file-operations.ts';
import { withSentences } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { type SmallArticle, smallRange } from '../helpers/small-range.ts';

const REFUSED = 'D1;F=GONE::';
let runs: DailyRuns;
/** The articles of the service. */
let served: SmallArticle[];

beforeEach(async () => {
  served = [{ number: 'D1', blocks: ['ACME::DESK::A'] }];
  const range = smallRange(served);
  const { article } = range;
  range.article = (query) =>
    query.ocdreinitstring?.startsWith('D1;F=GONE') || query.varcode === 'D1-GONE'
      ? undefined
      : article(query);
  runs = await openDailyRuns(range);
});
afterEach(async () => {
  watchFileOperations(undefined);
  await runs.close();
});

const DAY = '2026-01-01';
const HEADER = 'manufacturer,program,basearticlenumber,finalarticlenumber,reinitstring';

async function list(name: string, ...rows: string[]): Promise<void> {
  const file = join(dirname(runs.pipelineFile), name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, [HEADER, ...rows, ''].join('\n'));
}

const explained = async (pattern: string) => (await runs.explain(pattern)).stdout;
const latest = () => join(runs.outputDir, 'runs', 'latest');

test('a cause is shown once, with three examples, their lines and the number of the others', async () => {
  const unknown = Array.from({ length: 6 }, (_, i) => `ACME,DESK,NO${i},,`);
  await list('articles.csv', 'ACME,DESK,D1,,', ...unknown, `ACME,DESK,D1,,${REFUSED}`);
  await runs.configure({
    articles: [{ list: 'articles.csv' }],
    failures: { quarantineAfterNights: 1 },
  });
  const { exit, stdout } = await runs.run(DAY);
  expect(exit).toBe(1);
  expect(stdout).toContain(`
    ARTICLE_NOT_FOUND  6 failed for one reason: the service has no such article
      ACME/DESK/NO0  articles.csv:3
      ACME/DESK/NO1  articles.csv:4
      ACME/DESK/NO2  articles.csv:5
      … and 3 more in failures.jsonl of the report
      → ${helpFor('ARTICLE_NOT_FOUND')}
    CONFIGURATION_REFUSED  1 failed: expected a reinitstring that the service accepts, received "${REFUSED}"
      ACME/DESK/D1  articles.csv:9
      → the article exists: correct its reinitstring`);
  expect((await runs.report()).causes).toMatchObject([
    { code: 'ARTICLE_NOT_FOUND', count: 6, examples: [{}, {}, {}] },
    { code: 'CONFIGURATION_REFUSED', count: 1 },
  ]);
  const rows = await runs.failures();
  expect(rows.find(({ basearticlenumber }) => basearticlenumber === 'NO5')).toMatchObject({
    selectedBy: ['articles.csv:8'],
  });
  // In quarantine it is still said who asks for it.
  await runs.run('2026-01-02');
  const quarantined = (await runs.failures()).find(({ basearticlenumber: n }) => n === 'NO5');
  expect(quarantined).toMatchObject({ quarantined: true, selectedBy: ['articles.csv:8'] });
});

test('a cause with several values states what was expected, and each example its own value', async () => {
  const refused = [1, 2, 3, 4].map((n) => `ACME,DESK,D1,,D1;F=GONE${n}::`);
  await list('articles.csv', 'ACME,DESK,D1,,', ...refused);
  await runs.configure({ articles: [{ list: 'articles.csv' }] });
  const { stdout } = await runs.run(DAY);
  expect(stdout).toContain(`
    CONFIGURATION_REFUSED  4 failed for one reason: expected a reinitstring that the service accepts
      ACME/DESK/D1  articles.csv:3; received "D1;F=GONE1::"
      ACME/DESK/D1  articles.csv:4; received "D1;F=GONE2::"
      ACME/DESK/D1  articles.csv:5; received "D1;F=GONE3::"
      … and 1 more in failures.jsonl of the report
`);
  const [cause] = (await runs.report()).causes;
  expect(cause?.message).toBe('expected a reinitstring that the service accepts');
});

test('an unknown article of the pipeline file names the nearest, with one search for those alike', async () => {
  const ids = { manufacturer: 'ACME', program: 'DESK' };
  const articles = ['D11', 'D12', 'D1'].map((basearticlenumber) => {
    return { article: { ...ids, basearticlenumber } };
  });
  await list('articles.csv', 'ACME,DESK,D13,,');
  await runs.configure({ articles: [...articles, { list: 'articles.csv' }] });
  const { stdout } = await runs.run(DAY);
  expect(stdout).toContain(`
    ARTICLE_NOT_FOUND  3 failed for one reason: the service has no such article
      ACME/DESK/D11  article of the pipeline file; did you mean "ACME/DESK/D1"?
      ACME/DESK/D12  article of the pipeline file; did you mean "ACME/DESK/D1"?
      ACME/DESK/D13  articles.csv:2
`);
  expect((await runs.report()).requests.byOperation).toMatchObject({ search: 1 });
});

test('unknown properties of several names are one cause', async () => {
  const base = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };
  const entries = ['NIX.NIX', 'FOO.BAR'].map((name) => {
    return { configurations: { ...base, values: { [name]: '1' } } };
  });
  await runs.configure({ articles: entries });
  await runs.run(DAY);
  expect((await runs.report()).causes).toMatchObject([{ code: 'PROPERTY_UNKNOWN', count: 2 }]);
});

test('lists in several folders are distinguished, and every line that asks is named', async () => {
  await list('a/articles.csv', 'ACME,DESK,NO,,');
  await list('b/articles.csv', 'ACME,DESK,D1,,', 'ACME,DESK,NO,,', 'ACME,DESK,D1,D1-GONE,');
  await runs.configure({ articles: [{ list: 'a/articles.csv' }, { list: 'b/articles.csv' }] });
  await runs.run(DAY);
  expect(await runs.failures()).toMatchObject([
    { code: 'CONFIGURATION_REFUSED', selectedBy: ['b/articles.csv:4'] },
    { code: 'ARTICLE_NOT_FOUND', selectedBy: ['a/articles.csv:2', 'b/articles.csv:3'] },
  ]);
});

test('--only without a match says what the pipeline selects; the last line is the report, runs/latest leads to it, and standard error is JSON', async () => {
  const first = await runs.run('2026-01-01');
  expect(first.stdout.trimEnd().split('\n').at(-1)).toMatch(/2026-01-01T\S+[\\/]report\.html$/);
  const { exit, stdout, stderr } = await runs.run('2026-01-02', '--only', 'OTHER/*');
  expect(exit).toBe(2);
  expect(stdout).toContain('  test: nothing was selected · http');
  expect(stdout).toContain(
    '  Reason          --only OTHER/* matches none of the selected configurations (1)',
  );
  expect(stdout).toMatch(
    /^ {18}→ --only takes MANUFACTURER.*the pipeline selects ACME\/DESK\/D1$/m,
  );
  expect(stderr).toContain('--only OTHER/* matches none of the selected configurations (1)');
  expect(stderr).toMatch(/→ --only takes MANUFACTURER.*the pipeline selects ACME\/DESK\/D1\n/);
  expect((await runs.report()).stop?.help).toContain('the pipeline selects ACME/DESK/D1');
  const path = stdout.trimEnd().split('\n').at(-1)!;
  expect(await readFile(path, 'utf8')).toBe(await readFile(join(latest(), 'report.html'), 'utf8'));
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    msg: 'stopped',
    run: expect.any(String),
    exit,
  });
  expect(stderr).toBe(withSentences(`${lines.join('\n')}\n`));
  const { stderr: ofNumber } = await runs.run(DAY, '--only', 'd1');
  expect(ofNumber).toContain('selected configurations (1); did you mean "ACME/DESK/D1"?');
  await runs.configure({ articles: [{ catalogue: { programs: ['NONE'] } }] });
  expect((await runs.run(DAY)).stderr).toContain(
    '→ check the section "articles" of the pipeline file',
  );
  const wrong = await runs.run(DAY, '--oops');
  expect(JSON.parse(wrong.stderr.split('\n')[0]!)).toMatchObject({ code: 'USAGE', level: 'error' });
  expect((await runs.run(DAY, '--oops', '--log-format', 'pretty')).stderr).toMatch(/^btg2gltf: /);
});

test('a recording that lacks an article says so', async () => {
  const recording = join(runs.outputDir, '..', 'recording');
  expect((await runs.command('record', DAY, '--to', recording)).exit).toBe(0);
  await list('articles.csv', 'ACME,DESK,D1,,', 'ACME,DESK,D2,,');
  await runs.configure({ service: { recording }, articles: [{ list: 'articles.csv' }] });
  expect((await runs.run(DAY)).stdout).toContain('→ the recording may lack this response: record');
});

test('without symbolic links runs/latest is a file, and a folder of that name stays; prune keeps what it names, and removes nothing through it', async () => {
  watchFileOperations((operation) => {
    if (operation === 'symlink') throw Object.assign(new Error('no links'), { code: 'EPERM' });
  });
  await runs.run('2026-01-03');
  watchFileOperations(undefined);
  expect((await lstat(latest())).isFile()).toBe(true);
  // The clock was set back: the last run has the first id.
  await runs.run('2026-01-02');
  const last = await readlink(latest());
  expect(last).toMatch(/^2026-01-02/);
  const pruned = await runs.command('prune', DAY, '--keep-runs', '1', '--yes');
  expect(pruned.exit).toBe(0);
  expect((await lstat(join(latest(), 'report.html'))).isFile()).toBe(true);
  expect((await runs.command('verify', DAY)).exit).toBe(0);

  await rm(latest());
  await mkdir(join(latest(), 'mine'), { recursive: true });
  expect((await runs.run('2026-01-04')).exit).toBe(0);
  expect((await runs.command('prune', DAY, '--keep-runs', '1', '--yes')).exit).toBe(0);
  expect((await lstat(join(latest(), 'mine'))).isDirectory()).toBe(true);
});

test('explain prints what is stored of a failure, then what exists', async () => {
  await list('articles.csv', 'ACME,DESK,D1,,', 'ACME,DESK,NO,,', `ACME,DESK,D1,,${REFUSED}`);
  await runs.configure({
    articles: [{ list: 'articles.csv' }, { permanentids: ['P-17'] }],
  });
  await runs.run('2026-01-01');
  await runs.run('2026-01-02');
  const unknown = await runs.explain('ACME/DESK/NO');
  expect(unknown.exit).toBe(0);
  expect(unknown.stdout).toBe(`ACME/DESK/NO  failed
  ARTICLE_NOT_FOUND: getArticle ACME/DESK/NO: the service has no such article
  → ${helpFor('ARTICLE_NOT_FOUND')}
  since 1 Jan 2026, 02:00 UTC · 2 attempts, the last 2 Jan 2026, 02:01 UTC
  selected by articles.csv:3

These configurations exist:
  ACME/DESK/D1-STD
`);
  const { stdout } = await runs.explain('D1');
  expect(stdout.indexOf('CONFIGURATION_REFUSED')).toBeLessThan(stdout.indexOf('ACME/DESK/D1-STD'));
  expect(stdout).toContain('selected by articles.csv:4\n');
  expect(stdout).toContain('geometry:');
  expect(await explained('P-17')).toMatch(/^permanentid P-17 {2}failed\n {2}PERMANENT_ID/);
  const [row] = (await runs.explain('NO', '--json')).stdout.split('\n');
  expect(JSON.parse(row!)).toMatchObject({
    ...{ basearticlenumber: 'NO', status: 'failed', attempts: 2, selectedBy: ['articles.csv:3'] },
    error: { code: 'ARTICLE_NOT_FOUND' },
  });
  await rm(runs.cacheDir, { recursive: true });
  const afterwards = await runs.explain('NO');
  expect(afterwards.stdout).toContain('ARTICLE_NOT_FOUND: getArticle ACME/DESK/NO');
  const nothing = await runs.explain('NEVER');
  expect(nothing).toMatchObject({ exit: 2 });
  expect((await runs.explain('ACME/DESK/D11')).stderr).toContain(
    `it matches none of 3 configurations in ${runs.outputDir}; did you mean "ACME/DESK/D1"?`,
  );
  expect(nothing.stderr).toMatch(/→ use MANUFACTURER.*the output has ACME\/DESK\/D1/);
  await list('articles.csv', 'ACME,DESK,D1,,', 'ACME,DESK,NO,,', 'ACME,DESK,NO,,NO;F=X::');
  await runs.run('2026-01-03');
  expect((await runs.explain('NEVER')).stderr).toMatch(/has ACME\/DESK\/D1-STD, ACME\/DESK\/NO\n/);
  for (const { stdout, stderr } of [unknown, afterwards, nothing])
    expect(`${stdout}${stderr}`).not.toContain('fetch');
});

test('a configuration that cannot be selected is found by explain and names its entry', async () => {
  const ids = { manufacturer: 'ACME', program: 'DESK' };
  const named = { ...ids, basearticlenumber: 'D1', values: { 'FRAME.COLOUR': 'RED' } };
  await list('articles.csv', 'ACME,DESK,D1,,');
  await runs.configure({
    articles: [
      { list: 'articles.csv' },
      { configurations: { ...ids, basearticlenumber: 'D 9' } },
      { configurations: named },
    ],
  });
  const { stdout } = await runs.run(DAY);
  const unknown = 'configuration ACME/DESK/D 9 default';
  const refused = 'configuration ACME/DESK/D1 FRAME.COLOUR=RED';
  expect(stdout).toContain(`${unknown}  articles, entry 2 of the pipeline file\n`);
  expect(await runs.failures()).toMatchObject([
    { what: unknown, selectedBy: ['articles, entry 2 of the pipeline file'] },
    { what: refused, selectedBy: ['articles, entry 3 of the pipeline file'] },
  ]);
  for (const pattern of ['D 9', 'ACME/DESK/D 9', 'ACME/DESK/D ?'])
    expect(await explained(pattern)).toMatch(
      /^configuration ACME.DESK.D 9 default {2}failed[\s\S]*selected by articles, entry 2 of the/,
    );
  const both = await explained('D1');
  expect(both).toContain('  selected by articles, entry 3 of the pipeline file\n');
  expect(both).toContain('geometry:');
  const [row] = (await runs.explain('D 9', '--json')).stdout.split('\n');
  expect(JSON.parse(row!)).toMatchObject({ what: unknown, ...ids, status: 'failed', attempts: 1 });
});

test('each part of the selection that fails names the line of its file or its entry', async () => {
  const { proxy, pipelineFile } = runs;
  const near = (name: string) => join(dirname(pipelineFile), name);
  await list('lists/articles.csv', 'ACME,DESK,D1,,', 'ACME,DESK,NO,,');
  await writeFile(near('ids.txt'), '# orders\nP-1\nP-2\n\nP-1\n');
  await writeFile(
    near('broken.json'),
    '{"manufacturer":"ACME","program":"DESK","basearticlenumber":"C1"}',
  );
  proxy.break(/\/search\//, (response) => response.writeHead(500).end());
  await runs.configure({
    articles: [
      { list: 'lists/articles.csv' },
      { permanentids: 'ids.txt' },
      { permanentids: ['P-1', 'P-3'] },
      { catalogue: { parentnode: 'nofolder' } },
      { search: { manufacturer: 'ACME', query: 'desk' } },
      { carts: 'broken.json' },
      { configurations: { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D9' } },
    ],
  });
  const { stdout } = await runs.run(DAY);
  const selectors = (await runs.failures()).map(({ what = 'NO', selectedBy }) => [
    what,
    ...selectedBy!,
  ]);
  const entry = (n: number) => `articles, entry ${n} of the pipeline file`;
  expect(selectors).toEqual([
    ['permanentid P-1', 'ids.txt:2', 'ids.txt:5'],
    ['permanentid P-2', 'ids.txt:3'],
    ['permanentid P-1', entry(3)],
    ['permanentid P-3', entry(3)],
    ['catalogue nofolder', entry(4)],
    ['search ACME "desk"', entry(5)],
    [`cart ${near('broken.json')}`, entry(6)],
    ['configuration ACME/DESK/D9 default', entry(7)],
    ['NO', 'lists/articles.csv:3'],
  ]);
  expect(stdout).toContain('permanentid P-1  ids.txt:2; ids.txt:5\n');
  expect(await explained('P-1')).toContain(`selected by ids.txt:2, ids.txt:5, ${entry(3)}\n`);
  expect(await explained('nofolder')).toContain(`selected by ${entry(4)}\n`);
  expect(await explained('ACME/DESK/C1')).toContain(`selected by ${entry(6)}\n`);
});

describe('what could not be fetched', () => {
  const expectOneAttempt = async () => {
    const stored = await runs.failures();
    const codes = stored.map(({ code }) => code);
    expect(codes.sort()).toEqual(['ARTICLE_NOT_FOUND', 'CONFIGURATION_REFUSED']);
    for (const row of stored) expect(row).toMatchObject({ attempts: 1, nights: 1 });
    const unknown = await explained('NO');
    expect(unknown).toContain('ARTICLE_NOT_FOUND: getArticle ACME/DESK/NO');
    expect(unknown).toContain('1 attempt, the last 1 Jan 2026');
    expect(unknown).toContain('selected by articles.csv:3');
    const refused = await explained('D1');
    expect(refused).toContain('CONFIGURATION_REFUSED: ACME/DESK/D1');
    expect(unknown + refused).not.toContain('fetch');
  };

  beforeEach(async () => {
    await list('articles.csv', 'ACME,DESK,D1,,', 'ACME,DESK,NO,,', `ACME,DESK,D1,,${REFUSED}`);
    await runs.configure({ articles: [{ list: 'articles.csv' }] });
  });

  test.each(IS_LONG ? ['run', 'fetch'] : ['fetch'])(
    'by %s is what a build reports, which counts no attempt',
    async (first) => {
      expect((await runs.command(first, '2026-01-01')).exit).toBe(1);
      expect(await explained('NO')).toContain(`→ ${helpFor('ARTICLE_NOT_FOUND')}`);
      const { exit, stdout } = await runs.command('build', '2026-01-02');
      expect(exit).toBe(1);
      expect(stdout).toContain('ARTICLE_NOT_FOUND  1 failed: the service has no such article');
      expect(stdout).toContain(`→ ${helpFor('ARTICLE_NOT_FOUND')}`);
      expect(stdout).toContain('CONFIGURATION_REFUSED  1 failed');
      expect(stdout).not.toContain('SNAPSHOT_MISSING');
      await expectOneAttempt();
    },
  );

  test('is no failure after a fetch that succeeds, although the manifest still lists it', async () => {
    await runs.run('2026-01-01');
    served.push({ number: 'NO', blocks: ['ACME::DESK::A'] });
    await runs.command('fetch', '2026-01-02');
    expect(await explained('NO')).toMatch(/^ACME.DESK.NO {2}failed its sources .* the next build/);
    await runs.command('build', '2026-01-02');
    expect(await explained('NO')).toContain('geometry:');
  });

  test('is no failure after a fetch that succeeds', async () => {
    await runs.command('fetch', '2026-01-01');
    await runs.command('fetch', '2026-01-02');
    expect(await explained('NO')).toContain('2 attempts');
    served.push({ number: 'NO', blocks: ['ACME::DESK::A'] });
    await list('articles.csv', 'ACME,DESK,D1,,', 'ACME,DESK,NO,,');
    expect((await runs.command('fetch', '2026-01-03')).exit).toBe(0);
    expect(await explained('*')).toBe('');
    expect((await runs.command('build', '2026-01-03')).exit).toBe(0);
    expect(await runs.failures()).toEqual([]);
  });

  // test/pipeline/missing-parts.test.ts has this with every kind of selection.
  test.runIf(IS_LONG)('of the selection stays stored after a build', async () => {
    await runs.configure({ articles: [{ list: 'articles.csv' }, { permanentids: ['P-17'] }] });
    await runs.command('fetch', '2026-01-01');
    await runs.command('build', '2026-01-02');
    expect(await explained('P-17')).toContain('PERMANENT_ID_NOT_RESOLVABLE');
  });

  test('differs from what was never fetched, which is no attempt', async () => {
    await runs.command('fetch', '2026-01-01', '--limit', '1');
    const { stdout } = await runs.command('build', '2026-01-02');
    expect(stdout).toContain('SNAPSHOT_MISSING  2 failed for one reason');
    expect(stdout).toContain('→ run btg2gltf fetch first');
    for (const row of await runs.failures()) expect(row).not.toHaveProperty('attempts');
  });
});
