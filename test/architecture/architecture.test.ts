/**
 * The rules of the architecture: folders and layers, purity, printing, file operations, DECISIONS.md.
 *
 * Each rule is a row: it finds nothing in the project, and it finds the breaches made for it.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONVERT_DEFAULTS } from '../../src/convert/transform/convert-options.ts';
import { READING_OPTIONS } from '../../src/survey/readings/readings.ts';
import {
  brokenDecisions,
  fixedGuesses,
  markedReadings,
  optionDefaults,
  unknownDecisions,
} from './decision-rules.ts';
import {
  cycles,
  dependentEvaluators,
  forbiddenImports,
  impurities,
  privateImports,
  unknownFolders,
  unmirroredTests,
  upwardImports,
} from './import-rules.ts';
import { readTree, type SourceFile, sourceFile } from './source-tree.ts';
import {
  breaches,
  strayFileOperations,
  type TEXT_RULES,
  topLevelEntries,
  undocumentedExports,
  valuesInModel,
} from './text-rules.ts';

const ROOT = new URL('../../', import.meta.url);
let project: SourceFile[];
let table: string;

beforeAll(async () => {
  project = await readTree(ROOT, 'src', 'test', 'pipelines', '.github');
  table = project.find((f) => f.path === 'src/DECISIONS.md')?.text ?? '';
  const readme = await readFile(new URL('README.md', ROOT), 'utf8').catch(() => '');
  project.push(sourceFile('README.md', readme));
});

type Check = (files: SourceFile[]) => string[];
/** Small projects that break a rule, and the sentence that reports it. */
type Fault = [files: Record<string, string>, says: RegExp];

const row = (name: string, check: Check, ...faults: Fault[]) => ({ name, check, faults });
const textRule = (name: keyof typeof TEXT_RULES, ...faults: Fault[]) =>
  row(name, (files) => breaches(files, name), ...faults);

const ROWS = [
  row(
    'every folder of src is a wing, or a room of one',
    unknownFolders,
    [{ 'src/utils/a.ts': '' }, /^src\/utils\/a\.ts: src\/utils is not a known folder/],
    [{ 'src/run/other/a.ts': '' }, /src\/run\/other is not a known folder/],
  ),
  row(
    'imports go to lower wings, and within a wing to lower rooms',
    upwardImports,
    [
      { 'src/source/fetch/a.ts': "import type { B } from '../../run/output/b.ts';" },
      /^src\/source\/fetch\/a\.ts:1 imports src\/run\/output\/b\.ts: run is above source/,
    ],
    [
      { 'src/source/cache/a.ts': "\nexport { b } from '../fetch/b.ts';" },
      /^src\/source\/cache\/a\.ts:2 .* fetch is above cache/,
    ],
    [{ 'src/run/file/a.ts': "import type { R } from '../run.ts';" }, /is above file/],
    [{ 'src/cli/a.ts': "const b = await import('../index.ts');" }, /index is above cli/],
    [{ 'src/web/planning/a.tsx': "import { b } from '../servers/b.ts';" }, /servers is above/],
    [{ 'src/cli/a.ts': "import '../../test/helpers/b.ts';" }, /src may import only from src/],
  ),
  row(
    'other wings import public files only, each of which is needed',
    privateImports,
    [
      {
        'src/run/README.md': '## Public files\n\n- `run.ts`\n',
        'src/cli/a.ts': "import '../run/run.ts';\nimport { b } from '../run/output/b.ts';",
      },
      /^src\/cli\/a\.ts:2 imports src\/run\/output\/b\.ts: it is not public/,
    ],
    [{ 'src/run/README.md': '## Public files\n\n- `run.ts`\n' }, /no other wing imports it/],
  ),
  row(
    'emulator, decoders, writers and planning page import only what they may',
    forbiddenImports,
    [
      { 'src/convert/wire/a.ts': "import { c } from '../math/color.ts';" },
      /know nothing of the transformation/,
    ],
    [
      { 'src/emulator/a.ts': "import { c } from '../convert/wire/value.ts';" },
      /independent reading/,
    ],
    [
      { 'src/web/planning/a.ts': "import { c } from '../../source/cache/c.ts';" },
      /runs in a browser/,
    ],
  ),
  row(
    'a test helper that checks a result does not use the code that made it',
    dependentEvaluators,
    [
      {
        'test/helpers/evaluate-parts-list.ts':
          "import { r } from '../../src/convert/math/ofml-frame.ts';",
      },
      /imports src\/convert\/math\/ofml-frame\.ts, which it checks/,
    ],
  ),
  row('a unit test mirrors a file of src', unmirroredTests, [
    { 'src/cache/a.ts': '', 'test/unit/cache/ab.test.ts': '' },
    /^test\/unit\/cache\/ab\.test\.ts mirrors no file of src/,
  ]),
  row('there are no cycles', cycles, [
    {
      'src/cache/a.ts': "import type { B } from './b.ts';",
      'src/cache/b.ts': "export const c = await import('./c.ts');",
      'src/cache/c.ts': "export * from './a.ts';",
    },
    /^src\/cache\/a\.ts → src\/cache\/b\.ts → src\/cache\/c\.ts → src\/cache\/a\.ts: a cycle/,
  ]),
  row(
    'pure folders need neither Node nor a package',
    impurities,
    [
      { 'src/convert/math/a.ts': "import { cpus } from 'node:os';" },
      /^src\/convert\/math\/a\.ts:1 imports node:os/,
    ],
    [{ 'src/convert/transform/a.ts': "import sharp from 'sharp';" }, /imports sharp/],
    [{ 'src/model/a.ts': "import type { z } from 'zod';" }, /imports zod/],
    [{ 'src/convert/write/glb.ts': 'Buffer.from([1]);' }, /:1 uses Buffer/],
    [
      {
        'src/convert/wire/a.ts':
          "import { z } from 'zod'; import { f } from '../../support/files.ts';",
        'src/support/files.ts': "import { open } from 'fs/promises';",
      },
      /^src\/support\/files\.ts:1 imports fs\/promises \(loaded by src\/convert\/wire\/a\.ts\)/,
    ],
  ),
  row(
    'model contains only types',
    valuesInModel,
    [{ 'src/model/a.ts': '\nexport const A = 1;' }, /:2 declares a value/],
    [{ 'src/model/a.ts': 'export function a() {}' }, /only types/],
  ),
  textRule(
    'only cli/ prints, reads argv and env, or ends the process',
    [{ 'src/run/output/a.ts': 'console.log(1);' }, /:1 has console\.: only src\/cli may/],
    [{ 'src/index.ts': 'process.exitCode = 1;' }, /process\.exitCode/],
    [{ 'src/pipeline/a.ts': 'const { env } = process.env;' }, /process\.env/],
    [{ 'src/fetch/a.ts': `f(\`\${process.argv[1]}\`);` }, /process\.argv/],
  ),
  textRule(
    'no clock and no random but in commands',
    [{ 'src/run/output/a.ts': 'const t = Date.now();' }, /:1 has Date\.now: the same input/],
    [{ 'src/fetch/a.ts': 'const t = new Date( );' }, /new Date/],
    [{ 'src/emulator/auth.ts': 'Math.random()' }, /Math\.random/],
  ),
  textRule(
    'no output depends on the engine',
    [
      { 'src/convert/transform/a.ts': '\nMath.acos(Math.sqrt(x));' },
      /^src\/convert\/transform\/a\.ts:2 has Math\.acos: engines differ[^\n]*$/,
    ],
    [{ 'src/emulator/sample/a/b.ts': 'const { hypot } = Math;' }, /:1 has Math:/],
    [{ 'src/convert/math/a.ts': 'x ** 2.4' }, /has \*\*/],
    [{ 'src/convert/math/a.ts': '10 ** -n' }, /has \*\*/],
    [{ 'src/convert/math/a.ts': '2 ** 0.5' }, /has \*\*/],
    [{ 'src/run/output/a.ts': 'a.localeCompare(b)' }, /has \.localeCompare/],
  ),
  textRule('nothing is left to do', [{ 'src/a.ts': `// ${'TO'}${'DO'}: later` }, /:1 has .*do it/]),
  textRule('no path of one machine', [
    { 'pipelines/a.yaml': `output: ${['', 'home', 'me'].join('/')}` },
    /relative/,
  ]),
  textRule('the project refers to itself only', [
    { 'src/a.ts': '// see semantics.md' },
    /DECISIONS/,
  ]),
  textRule(
    'src uses no retired word',
    [{ 'src/cli/a.ts': '/** What it told. */' }, /:1 has told: use the standard term/],
    [{ 'src/cli/a.ts': 'const nightLines = 1;' }, /has night:/],
    [{ 'src/cli/a.ts': "f('lastVerdict');" }, /has Verdict:/],
  ),
  textRule(
    'a test waits for a condition, never for a time',
    [
      { 'test/unit/a.test.ts': 'await new Promise((done) => setTimeout(done, 5));' },
      /:1 has setTimeout\(: wait with until/,
    ],
    [{ 'test/helpers/a.ts': 'setInterval(look, 100);' }, /setInterval/],
    [{ 'test/unit/a.test.ts': 'await delay(20);' }, /delay/],
    [{ 'test/unit/a.test.ts': "import { setTimeout } from 'node:timers/promises';" }, /setTimeout/],
    [{ 'test/unit/a.test.ts': 'await vi.waitFor(check);' }, /vi\.waitFor/],
    [{ 'test/unit/a.test.ts': 'it(name, { timeout: 9_000 }, f);' }, /timeout:/],
    [{ 'test/unit/a.test.ts': 'expect.poll(() => f(), POLL)' }, /POLL|poll/],
    [{ 'test/unit/a.test.ts': "it('a', () => {\n  f();\n}, 60_000);" }, /:3 has/],
  ),
  textRule(
    'a test compares no duration',
    [
      { 'test/exact/a.test.ts': 'expect(Date.now() - start).toBeLessThan(5);' },
      /:1 has expect\(Date\.now\(\): hand in a clock/,
    ],
    [{ 'test/a.test.ts': 'f(performance.now() - start);' }, /performance/],
    [{ 'test/a.test.ts': 'expect(a).toBeLessThan(2 * MOST_MS);' }, /MOST_MS/],
  ),
  textRule('a test listens where the system finds a place', [
    { 'test/gateway/a.test.ts': 'server.listen(8080);' },
    /:1 has \.listen\(8: listen on port 0/,
  ]),
  textRule('a test makes its folders in one place', [
    { 'test/pipeline/a.test.ts': "await mkdtemp(join(tmpdir(), 'a'));" },
    /:1 has mkdtemp\(: use temporaryFolder/,
  ]),
  row(
    'file operations go through support/files.ts',
    strayFileOperations,
    [{ 'src/cache/a.ts': "import { open } from 'node:fs/promises';" }, /:1 imports/],
    [{ 'src/cli/a.ts': "await import('fs');" }, /add what you need there/],
  ),
  row(
    'every export is documented directly above it',
    undocumentedExports,
    [{ 'src/convert/math/a.ts': 'export const A = 1;' }, /:1 exports A without/],
    [{ 'src/convert/math/a.ts': '/** A. */\n\nexport function a() {}' }, /exports a/],
    [{ 'src/convert/math/a.ts': '/* no */\nexport class B {}' }, /exports B/],
    [{ 'src/convert/math/a.ts': '/** A. */\nlet x;\n/* no */\nexport class C {}' }, /C/],
  ),
];

describe.each(ROWS)('$name', ({ check, faults }) => {
  it('finds nothing in this project', () => {
    expect(check(project)).toEqual([]);
  });

  it.each(faults)('finds the breach made for it (%#)', (files, says) => {
    const broken = Object.entries(files).map(([path, text]) => sourceFile(path, text));
    expect(check(broken).join('\n')).toMatch(says);
  });
});

describe('the checks read code, not prose', () => {
  it('sees no import, print or clock in a comment, a string, a template or a pattern', () => {
    const text = [
      "// import { a } from '../cli/a.ts'; console.log(Date.now())",
      '/** `process.env` */',
      'const s = "console.log(1)" + \'Math.random()\';',
      `const t = \`console.log \${s.length / 2} process.exit\`;`,
      'const p = /console.log"/.test(s) || [/`/, 1];',
    ].join('\n');
    const files = [sourceFile('src/convert/math/a.ts', text)];
    for (const { check } of ROWS) expect(check(files)).toEqual([]);
  });

  it('still sees code behind all of these', () => {
    const text = `const a = \`x\${\`y\${1}\`}\`; const b = 4 / 2; const c = "\\""; /["/\`]/; console.log();`;
    const files = [sourceFile('src/convert/math/a.ts', text)];
    expect(
      breaches(files, 'only cli/ prints, reads argv and env, or ends the process'),
    ).toHaveLength(1);
  });
});

describe('src/DECISIONS.md', () => {
  it('has an entry for every D-number that the code cites', () => {
    expect(unknownDecisions(project, table)).toEqual([]);
  });

  it('is sorted, of short entries with an owner and a test that exist', () => {
    expect(brokenDecisions(table, (path) => existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  it('has a named option for what is not certain, or says why there is none', () => {
    expect(fixedGuesses(table)).toEqual([]);
  });

  it('lists every convert option with the default of the code', () => {
    const text = (value: unknown) =>
      Array.isArray(value)
        ? value.join(' ')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value);
    const inCode = Object.entries(CONVERT_DEFAULTS).map(([name, value]) => [name, text(value)]);
    expect(optionDefaults(table)).toEqual(Object.fromEntries(inCode));
  });

  it('marks the options that are readings', () => {
    expect(markedReadings(table).sort()).toEqual(READING_OPTIONS.toSorted());
  });

  it('is at most 9,750 words', () => {
    expect(table.split(/\s+/).length).toBeLessThanOrEqual(9_750);
  });

  it('has its faults found', () => {
    const entries = [
      '### D-101 A\nSo.\n\nown (H): `src/a.ts`',
      '### D-502 B\nSo.\n\nown (H)',
      '### D-501 C\n1\n2\n3\n4\n5\n6\n\nown (H): `src/c.ts`; `test/c.test.ts`',
    ].join('\n\n');
    const cited = [sourceFile('src/x.ts', '/** See D-101, D-999. */')];
    expect(unknownDecisions(cited, entries)).toEqual([
      'src/x.ts:1 cites D-999, which is not in src/DECISIONS.md; add the entry or correct the number',
    ]);
    expect(
      brokenDecisions(entries, (path) => path !== 'src/c.ts' && !path.includes('unit')),
    ).toEqual([
      'src/DECISIONS.md:1 D-101 names no test, and test/unit/a.test.ts does not exist; name a test',
      'src/DECISIONS.md:6 D-502 names no owner file; add its path',
      'src/DECISIONS.md:11 D-501 names src/c.ts, which does not exist; correct it',
      'src/DECISIONS.md:11 D-501 has 9 lines; shorten it to 8',
      'src/DECISIONS.md:11 D-501 follows D-502; sort by number, each once',
    ]);
    const guess = '### D-101 A\nSo.\n\nODB 3 (H; kept: M): `x`\n';
    expect(fixedGuesses(guess)).toEqual([
      'src/DECISIONS.md:1 D-101 is M or L without an option; add one, or say "No option" and why',
    ]);
    for (const mended of [
      guess.replace('kept: M', 'kept'),
      guess.replace('So.', 'So. Option `a`.'),
      guess.replace('So.', 'So. No option: why.'),
      guess.replace('D-101', 'D-601'),
    ])
      expect(fixedGuesses(mended)).toEqual([]);
  });
});

describe('the top of the repository', () => {
  it('contains what it should and nothing else', async () => {
    expect(topLevelEntries(await readdir(ROOT))).toEqual([]);
  });

  it('must not contain a stray file', () => {
    expect(topLevelEntries(['notes.txt', 'node_modules', '.git']).join('\n')).toMatch(
      /^notes\.txt: not one of/,
    );
  });
});
