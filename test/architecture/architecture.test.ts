/**
 * The rules of the architecture: folders and layers, purity, printing, file operations, DECISIONS.md.
 *
 * Each rule is a row: it finds nothing in the project, and it finds the breaches made for it.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONVERT_DEFAULTS } from '../../src/transform/convert-options.ts';
import {
  brokenDecisions,
  fixedGuesses,
  optionDefaults,
  unknownDecisions,
} from './decision-rules.ts';
import {
  cycles,
  dependentEvaluators,
  forbiddenImports,
  impurities,
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

/** A check, small projects that break it, and the sentence that reports it. */
interface Row {
  check: (files: SourceFile[]) => string[];
  faults: { files: Record<string, string>; says: RegExp }[];
}

const textRule = (name: keyof typeof TEXT_RULES, ...faults: Row['faults']): [string, Row] => [
  name,
  { check: (files) => breaches(files, name), faults },
];

const ROWS: [string, Row][] = [
  [
    'every folder of src has a layer',
    {
      check: unknownFolders,
      faults: [
        {
          files: { 'src/utils/a.ts': '' },
          says: /^src\/utils\/a\.ts: src\/utils is not a known folder/,
        },
      ],
    },
  ],
  [
    'imports go to lower layers, never from a stage to a stage',
    {
      check: upwardImports,
      faults: [
        {
          files: { 'src/fetch/a.ts': "import type { B } from '../write/b.ts';" },
          says: /^src\/fetch\/a\.ts:1 imports src\/write\/b\.ts: a stage may not import another stage/,
        },
        {
          files: { 'src/cache/a.ts': "\nexport { b } from '../pipeline/b.ts';" },
          says: /^src\/cache\/a\.ts:2 .* pipeline is above cache/,
        },
        {
          files: { 'src/cli/a.ts': "const b = await import('../index.ts');" },
          says: /index is above cli/,
        },
        {
          files: { 'src/cli/a.ts': "import '../../test/helpers/b.ts';" },
          says: /src may import only from src/,
        },
      ],
    },
  ],
  [
    'transform, emulator and planning import only what they may',
    {
      check: forbiddenImports,
      faults: [
        {
          files: { 'src/transform/a.ts': "import { c } from '../service/client.ts';" },
          says: /pure decoders wire-\*\.ts/,
        },
        {
          files: { 'src/emulator/a.ts': "import { c } from '../service/wire-value.ts';" },
          says: /independent reading/,
        },
        {
          files: { 'src/planning/a.ts': "import { c } from '../cache/c.ts';" },
          says: /runs in a browser/,
        },
      ],
    },
  ],
  [
    'a test helper that checks a result does not use the code that made it',
    {
      check: dependentEvaluators,
      faults: [
        {
          files: {
            'test/helpers/evaluate-parts-list.ts':
              "import { r } from '../../src/math/ofml-frame.ts';",
          },
          says: /imports src\/math\/ofml-frame\.ts, which it checks/,
        },
      ],
    },
  ],
  [
    'a unit test mirrors a file of src',
    {
      check: unmirroredTests,
      faults: [
        {
          files: { 'src/cache/a.ts': '', 'test/unit/cache/ab.test.ts': '' },
          says: /^test\/unit\/cache\/ab\.test\.ts mirrors no file of src/,
        },
      ],
    },
  ],
  [
    'there are no cycles',
    {
      check: cycles,
      faults: [
        {
          files: {
            'src/cache/a.ts': "import { b } from './b.ts';",
            'src/cache/b.ts': "export const c = await import('./c.ts');",
            'src/cache/c.ts': "export * from './a.ts';",
          },
          says: /^src\/cache\/a\.ts → src\/cache\/b\.ts → src\/cache\/c\.ts → src\/cache\/a\.ts: a cycle/,
        },
      ],
    },
  ],
  [
    'pure folders need neither Node nor a package',
    {
      check: impurities,
      faults: [
        {
          files: { 'src/math/a.ts': "import { cpus } from 'node:os';" },
          says: /^src\/math\/a\.ts:1 imports node:os/,
        },
        { files: { 'src/transform/a.ts': "import sharp from 'sharp';" }, says: /imports sharp/ },
        { files: { 'src/model/a.ts': "import type { z } from 'zod';" }, says: /imports zod/ },
        { files: { 'src/write/glb.ts': 'Buffer.from([1]);' }, says: /:1 uses Buffer/ },
        {
          files: {
            'src/service/wire-a.ts':
              "import { z } from 'zod'; import { f } from '../support/files.ts';",
            'src/support/files.ts': "import { open } from 'fs/promises';",
          },
          says: /^src\/support\/files\.ts:1 imports fs\/promises \(loaded by src\/service\/wire-a\.ts\)/,
        },
      ],
    },
  ],
  [
    'model contains only types',
    {
      check: valuesInModel,
      faults: [
        { files: { 'src/model/a.ts': '\nexport const A = 1;' }, says: /:2 declares a value/ },
        { files: { 'src/model/a.ts': 'export function a() {}' }, says: /only types/ },
      ],
    },
  ],
  textRule(
    'only cli/ prints, reads argv and env, or ends the process',
    { files: { 'src/write/a.ts': 'console.log(1);' }, says: /:1 has console\.: only src\/cli may/ },
    { files: { 'src/index.ts': 'process.exitCode = 1;' }, says: /process\.exitCode/ },
    { files: { 'src/pipeline/a.ts': 'const { env } = process.env;' }, says: /process\.env/ },
    { files: { 'src/fetch/a.ts': `f(\`\${process.argv[1]}\`);` }, says: /process\.argv/ },
  ),
  textRule(
    'no clock and no random below pipeline/',
    {
      files: { 'src/write/a.ts': 'const t = Date.now();' },
      says: /:1 has Date\.now: the same input/,
    },
    { files: { 'src/fetch/a.ts': 'const t = new Date( );' }, says: /new Date/ },
    { files: { 'src/emulator/auth.ts': 'Math.random()' }, says: /Math\.random/ },
  ),
  textRule(
    'no output depends on the engine',
    {
      files: { 'src/transform/a.ts': '\nMath.acos(Math.sqrt(x));' },
      says: /^src\/transform\/a\.ts:2 has Math\.acos: engines differ[^\n]*$/,
    },
    { files: { 'src/sample/a/b.ts': 'const { hypot } = Math;' }, says: /:1 has Math:/ },
    { files: { 'src/math/a.ts': 'x ** 2.4' }, says: /has \*\*/ },
    { files: { 'src/math/a.ts': '10 ** -n' }, says: /has \*\*/ },
    { files: { 'src/math/a.ts': '2 ** 0.5' }, says: /has \*\*/ },
    { files: { 'src/write/a.ts': 'a.localeCompare(b)' }, says: /has \.localeCompare/ },
  ),
  textRule('nothing is left to do', {
    files: { 'src/a.ts': `// ${'TO'}${'DO'}: later` },
    says: /:1 has .*do it/,
  }),
  textRule('no path of one machine', {
    files: { 'pipelines/a.yaml': `output: ${['', 'home', 'me'].join('/')}` },
    says: /relative/,
  }),
  textRule('the project refers to itself only', {
    files: { 'src/a.ts': '// see semantics.md' },
    says: /DECISIONS/,
  }),
  textRule(
    'src uses no retired word',
    {
      files: { 'src/cli/a.ts': '/** What it told. */' },
      says: /:1 has told: use the standard term/,
    },
    { files: { 'src/cli/a.ts': 'const nightLines = 1;' }, says: /has night:/ },
    { files: { 'src/cli/a.ts': "f('lastVerdict');" }, says: /has Verdict:/ },
  ),
  textRule(
    'a test waits for a condition, never for a time',
    {
      files: { 'test/unit/a.test.ts': 'await new Promise((done) => setTimeout(done, 5));' },
      says: /:1 has setTimeout\(: wait with until/,
    },
    { files: { 'test/helpers/a.ts': 'setInterval(look, 100);' }, says: /setInterval/ },
    { files: { 'test/unit/a.test.ts': 'await delay(20);' }, says: /delay/ },
    {
      files: { 'test/unit/a.test.ts': "import { setTimeout } from 'node:timers/promises';" },
      says: /setTimeout/,
    },
    { files: { 'test/unit/a.test.ts': 'await vi.waitFor(check);' }, says: /vi\.waitFor/ },
    { files: { 'test/unit/a.test.ts': 'it(name, { timeout: 9_000 }, f);' }, says: /timeout:/ },
    { files: { 'test/unit/a.test.ts': 'expect.poll(() => f(), POLL)' }, says: /POLL|poll/ },
    { files: { 'test/unit/a.test.ts': "it('a', () => {\n  f();\n}, 60_000);" }, says: /:3 has/ },
  ),
  textRule(
    'a test compares no duration',
    {
      files: { 'test/exact/a.test.ts': 'expect(Date.now() - start).toBeLessThan(5);' },
      says: /:1 has expect\(Date\.now\(\): hand in a clock/,
    },
    { files: { 'test/a.test.ts': 'f(performance.now() - start);' }, says: /performance/ },
    { files: { 'test/a.test.ts': 'expect(a).toBeLessThan(2 * MOST_MS);' }, says: /MOST_MS/ },
  ),
  textRule('a test listens where the system finds a place', {
    files: { 'test/gateway/a.test.ts': 'server.listen(8080);' },
    says: /:1 has \.listen\(8: listen on port 0/,
  }),
  textRule('a test makes its folders in one place', {
    files: { 'test/pipeline/a.test.ts': "await mkdtemp(join(tmpdir(), 'a'));" },
    says: /:1 has mkdtemp\(: use temporaryFolder/,
  }),
  [
    'file operations go through support/files.ts',
    {
      check: strayFileOperations,
      faults: [
        {
          files: { 'src/cache/a.ts': "import { open } from 'node:fs/promises';" },
          says: /:1 imports/,
        },
        { files: { 'src/cli/a.ts': "await import('fs');" }, says: /add what you need there/ },
      ],
    },
  ],
  [
    'every export is documented directly above it',
    {
      check: undocumentedExports,
      faults: [
        { files: { 'src/math/a.ts': 'export const A = 1;' }, says: /:1 exports A without/ },
        { files: { 'src/math/a.ts': '/** A. */\n\nexport function a() {}' }, says: /exports a/ },
        { files: { 'src/math/a.ts': '/* no */\nexport class B {}' }, says: /exports B/ },
        { files: { 'src/math/a.ts': '/** A. */\nlet x;\n/* no */\nexport class C {}' }, says: /C/ },
      ],
    },
  ],
];

describe.each(ROWS)('%s', (_name, { check, faults }) => {
  it('finds nothing in this project', () => {
    expect(check(project)).toEqual([]);
  });

  it.each(faults)('finds the breach made for it (%#)', ({ files, says }) => {
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
    const files = [sourceFile('src/math/a.ts', text)];
    for (const [, { check }] of ROWS) expect(check(files)).toEqual([]);
  });

  it('still sees code behind all of these', () => {
    const text = `const a = \`x\${\`y\${1}\`}\`; const b = 4 / 2; const c = "\\""; /["/\`]/; console.log();`;
    const files = [sourceFile('src/math/a.ts', text)];
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

  it('is at most 9,000 words', () => {
    expect(table.split(/\s+/).length).toBeLessThanOrEqual(9_000);
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
