import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GATE_ROWS } from '../../../src/pipeline/gate-table.ts';
import { parsePipeline } from '../../../src/pipeline/pipeline-file.ts';
import { CONVERT_DEFAULTS } from '../../../src/transform/convert-options.ts';

const GATE_DEFAULTS = Object.fromEntries(GATE_ROWS.map(([gate, row]) => [gate, row.defaults]));
const FILE = resolve('pipelines/x.yaml');
const MINIMAL = `name: x
service: { emulator: true }
articles:
  - list: a.csv
output: { dir: ../output/x }
`;

const parse = (text: string, env = {}) => parsePipeline(text, FILE, env);
const refusal = (text: string, env = {}): string => {
  try {
    parse(text, env);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message.replaceAll(FILE, 'x.yaml')}`;
  }
  return 'accepted';
};

describe('a pipeline file', () => {
  test('gets every default, and paths relative to itself', () => {
    const pipeline = parse(MINIMAL);
    expect(pipeline.convert).toEqual(CONVERT_DEFAULTS);
    expect(pipeline.outputDir).toBe(resolve('output/x'));
    expect(pipeline.cacheDir).toBe(resolve('output/.cache'));
    expect(pipeline.articles).toEqual([{ kind: 'list', file: resolve('pipelines/a.csv') }]);
  });

  test('names line and nearest key of an unknown one, at every depth', () => {
    expect(refusal(MINIMAL.replace('list:', 'lsit:'))).toBe(
      'PIPELINE_INVALID x.yaml:4: expected a known key, received "lsit"; did you mean "list"?',
    );
    expect(refusal(`${MINIMAL}convert:\n  creaseAngle: 3\n`)).toBe(
      'PIPELINE_INVALID x.yaml:7: expected a known key, received "creaseAngle"; did you mean "creaseAngleDegrees"?',
    );
    expect(refusal(`${MINIMAL}convert:\n  overrides:\n    "*CHROME*": { metalic: 1 }\n`)).toBe(
      'PIPELINE_INVALID x.yaml:8: expected a known key, received "metalic"; did you mean "metallic"?',
    );
    expect(refusal(`${MINIMAL}zzzzzzzzz: 1\n`)).toMatch(
      /x\.yaml:6: expected a known key, received .*; keys: /,
    );
  });

  test('keeps the order of overrides, and refuses a pattern whose place would be lost', () => {
    const overrides = (text: string) => `${MINIMAL}convert: { overrides: ${text} }\n`;
    const both = '"9010": { metallic: 1 }, "*": { metallic: 0 }';
    const { convert } = parse(overrides(`{ ${both}, "A": { metallic: 0 } }`));
    expect(Object.keys(convert.overrides)).toEqual(['9010', '*', 'A']);
    expect(refusal(overrides(`{ "*": { metallic: 0 }, 9010: { metallic: 1 } }`))).toBe(
      'PIPELINE_INVALID x.yaml:6: convert.overrides.9010: expected patterns of digits alone first and in ascending order, received "9010"; "*9010" may be anywhere',
    );
  });

  test('takes one language or several that can be part of file names, each once', () => {
    const lang = (value: string) =>
      MINIMAL.replace('emulator: true', `emulator: true, lang: ${value}`);
    expect(parse(lang('de')).service.lang).toBe('de');
    expect(parse(lang('[de, en-GB]')).service.lang).toEqual(['de', 'en-GB']);
    for (const [wrong, expected] of [
      ['[de, DE]', 'each language once'],
      ['[../de]', 'a language such as en'],
      ['[]', 'at least one entry'],
      ['{ de: 1 }', 'a language, or a list of languages'],
    ] as const)
      expect(refusal(lang(wrong))).toMatch(new RegExp(`^PIPELINE_INVALID x.yaml:2: .*${expected}`));
  });

  test('takes thresholds of gates as shares, and says what is none', () => {
    const gates = (text: string) => `${MINIMAL}gates:\n  ${text}\n`;
    expect(parse(MINIMAL).gates).toEqual(GATE_DEFAULTS);
    expect(parse(gates('bounds: { change: 30%, refuse: 0.5 }')).gates).toEqual({
      ...GATE_DEFAULTS,
      bounds: { change: 0.3, refuse: 0.5, atLeast: 1 },
    });
    expect(refusal(gates('articlesGone: { refuse: 30 }'))).toBe(
      'PIPELINE_INVALID x.yaml:7: gates.articlesGone.refuse: expected a share: 5% or 0.05, received 30',
    );
    expect(refusal(gates('triangels: {}'))).toBe(
      'PIPELINE_INVALID x.yaml:7: expected a known key, received "triangels"; did you mean "triangles"?',
    );
    expect(refusal(gates('textures: { warn: often }'))).toMatch(/expected a share: 5% or 0\.05/);
  });

  test('says how often what fails is tried', () => {
    const defaults = { quarantineAfterNights: 3, retryEveryNights: 7, quarantineAfterKills: 2 };
    expect(parse(MINIMAL).failures).toEqual(defaults);
    expect(refusal(`${MINIMAL}failures: { retryEveryNights: 0 }\n`)).toBe(
      'PIPELINE_INVALID x.yaml:6: failures.retryEveryNights: expected at least 1, received 0',
    );
    // A power failure is no sign of what was in work.
    expect(refusal(`${MINIMAL}failures: { quarantineAfterKills: 1 }\n`)).toMatch(
      /quarantineAfterKills: expected at least 2, received 1/,
    );
  });

  test('checks the values of overrides, as the material decoder reads them', () => {
    const overrides = (values: string) =>
      `${MINIMAL}convert:\n  overrides:\n    "*OAK*":\n${values.replace(/^/gm, '      ')}\n`;
    expect(refusal(overrides('roughness: glatt\nmetallic: 1\ndif: rot')).split('\n')).toEqual([
      'PIPELINE_INVALID x.yaml:9: convert.overrides.*OAK*.roughness: expected a number, received "glatt"',
      'x.yaml:11: convert.overrides.*OAK*.dif: expected a colour: 0xRRGGBB or three numbers 0..1, received "rot"',
    ]);
    expect(refusal(overrides('pic: OAK'))).toMatch(
      /x\.yaml:9: .*expected a known key, received "pic"/,
    );
    expect(refusal(overrides('map: 7'))).toMatch(/x\.yaml:9: .*map: expected a text, received 7$/);
    expect(refusal(overrides('rot: [1]'))).toMatch(/x\.yaml:9: .*rot: expected a number or a text/);
  });

  test('takes what an override may say, and a decimal comma as the number that it is', () => {
    const values =
      '{ metallic: "0,5", roughness: 0.2, dif: 0x808080, spe: "1 0.5 0", amb: "#FF0000" }';
    const { convert } = parse(`${MINIMAL}convert: { overrides: { "*": ${values} } }\n`);
    expect(convert.overrides).toEqual({
      '*': {
        metallic: 0.5,
        roughness: 0.2,
        dif: 0x808080,
        spe: '1 0.5 0',
        amb: '#FF0000',
      },
    });
  });

  test('reports all problems at once, in the order of the file', () => {
    const text = MINIMAL.replace('name: x', 'nmae: x').replace('dir: ../output/x', 'dri: x');
    // The missing keys "name" and "dir" are not reported beside their misspelt forms.
    expect(refusal(text).split('\n')).toEqual([
      expect.stringMatching(
        /x\.yaml:1: expected a known key, received "nmae"; did you mean "name"/,
      ),
      expect.stringMatching(/expected a known key, received "dri"; did you mean "dir"/),
    ]);
    expect(refusal(MINIMAL.replace('name: x', 'zzzzzzzzzz: x')).split('\n')).toHaveLength(2);
  });

  test.each([
    [
      'catalogue: { manufacturers: 7 }',
      'catalogue.manufacturers: expected a list, such as [FJEL], received 7',
    ],
    [
      'catalogue: { manufacturers: [7] }',
      'catalogue.manufacturers, entry 1: expected a text, received 7',
    ],
    ['catalogue: x', 'catalogue: expected keys and values, received "x"'],
  ])('counts entries from 1 and names types in plain words: %s', (entry, sentence) => {
    expect(refusal(MINIMAL.replace('list: a.csv', entry))).toContain(
      `articles, entry 1: ${sentence}`,
    );
  });

  test('says what was expected and what came', () => {
    expect(refusal(`${MINIMAL}convert: { winding: left }\n`)).toBe(
      'PIPELINE_INVALID x.yaml:6: convert.winding: expected one of "auto"|"keep"|"flip", received "left"',
    );
  });

  test('names exactly one service and one way in each entry', () => {
    const both = MINIMAL.replace('emulator: true', 'emulator: true, recording: r');
    expect(refusal(both)).toMatch(/x\.yaml:2: service: expected one of/);
    expect(refusal(MINIMAL.replace('emulator: true', ''))).toMatch(/expected one of/);
    expect(refusal(MINIMAL.replace('emulator: true', 'baseUrl: "http://h"'))).toMatch(
      /authUrl: expected a value, received nothing/,
    );
    expect(refusal(MINIMAL.replace('list: a.csv', '{}'))).toMatch(/received none/);
  });

  test('chooses carts, permanent identifiers and configurations', () => {
    const entry = (text: string) => MINIMAL.replace('list: a.csv', text);
    expect(parse(entry('{ carts: carts/*.json, as: articles }')).articles).toEqual([
      { kind: 'carts', glob: resolve('pipelines/carts/*.json'), as: 'articles' },
    ]);
    expect(parse(entry('permanentids: ["P-1"]')).articles).toEqual([
      { kind: 'permanentids', from: { ids: ['P-1'] }, as: 'planning' },
    ]);
    expect(parse(entry('permanentids: ids.txt')).articles).toMatchObject([
      { from: { file: resolve('pipelines/ids.txt') } },
    ]);
    const article = 'manufacturer: acme, program: desk, basearticlenumber: D1';
    const values = 'values: { A.WIDTH: 1200, A.LID: true, A.TEXT: "007" }';
    expect(parse(entry(`configurations: { ${article}, ${values} }`)).articles).toEqual([
      {
        kind: 'configurations',
        manufacturer: 'ACME',
        program: 'DESK',
        basearticlenumber: 'D1',
        values: { 'A.WIDTH': '1200', 'A.LID': 'true', 'A.TEXT': '007' },
        each: [],
        max: 1,
      },
    ]);
    const id = (value: string) =>
      entry(`configurations: { ${article}, values: { A.ID: ${value} } }`);
    const tooLong = ['9007199254740993', '12345678901234567890', '0.12345678901234567890'];
    for (const written of [...tooLong, '-0.1000000000000000055', '1e22', '0.0000001']) {
      expect(refusal(id(written))).toBe(
        `PIPELINE_INVALID x.yaml:4: articles, entry 1: configurations.values.A.ID: expected a number of at most 15 digits, or the value in quotes, received ${written}`,
      );
    }
    for (const written of ['123456789012345', '-0.5', '0.00123456789012345'])
      expect(parse(id(written)).articles).toMatchObject([{ values: { 'A.ID': written } }]);
    expect(parse(id('"9007199254740993"')).articles).toMatchObject([
      { values: { 'A.ID': '9007199254740993' } },
    ]);
    expect(refusal(entry(`configurations: { ${article}, each: [A.WIDTH] }`))).toBe(
      'PIPELINE_INVALID x.yaml:4: articles, entry 1: configurations: max: expected an upper bound for each, received nothing',
    );
    expect(refusal(entry('{ list: a.csv, as: planning }'))).toBe(
      'PIPELINE_INVALID x.yaml:4: articles, entry 1: as: expected beside carts or permanentids only',
    );
    expect(refusal(entry('permanentids: [17]'))).toMatch(
      /x\.yaml:4: articles, entry 1: permanentids: expected a list of identifiers, or the path/,
    );
  });

  test('says that secrets come from the environment', () => {
    const cases = [
      ['username', 'BTG2GLTF_USERNAME'],
      ['password', 'BTG2GLTF_PASSWORD'],
      ['applicationKey', 'BTG2GLTF_APP_KEY'],
      ['token', 'BTG2GLTF_TOKEN'],
    ] as const;
    for (const [key, variable] of cases) {
      const text = `name: x\nservice: { emulator: true, ${key}: geheim }\narticles: [{ list: a.csv }]\noutput: { dir: out }`;
      expect(() => parsePipeline(text, 'x.yaml', {})).toThrow(
        `x.yaml:2: expected a known key, received "${key}"; secrets come from the environment: set ${variable}`,
      );
    }
  });

  test('fills in variables, and names one that is not set with its line', () => {
    const live = MINIMAL.replace(
      '{ emulator: true }',
      '\n  authUrl: ${AUTH}/rest\n  baseUrl: ${BTG2GLTF_BASE_URl}\n  concurrency: ${N}',
    );
    const env = { AUTH: 'http://a', BTG2GLTF_BASE_URl: 'http://b', N: '3' };
    expect(parse(live, env).service).toMatchObject({ authUrl: 'http://a/rest', concurrency: 3 });
    expect(refusal(live, { AUTH: 'http://a' })).toBe(
      'PIPELINE_VARIABLE_UNSET x.yaml:4: variable BTG2GLTF_BASE_URl: expected a value, received nothing; did you mean "BTG2GLTF_BASE_URL"?',
    );
  });

  test('reports what was expected in plain words', () => {
    const one = (from: string, to: string) =>
      refusal(MINIMAL.replace(from, to)).replace('PIPELINE_INVALID x.yaml:', '');
    const live = (baseUrl: string) =>
      `{ authUrl: "https://a", baseUrl: "${baseUrl}", timeoutMs: 5000 }`;
    expect(one('name: x', 'name: x\nname: y')).toBe(
      '2: "name": expected one value, received a second one',
    );
    expect(one('{ emulator: true }', '{ emulator: true, "emulator" : true }')).toBe(
      '2: "emulator": expected one value, received a second one',
    );
    expect(refusal('# nothing yet\n')).toBe(
      'PIPELINE_INVALID x.yaml:1: the file: expected name, service, articles and output, received nothing',
    );
    expect(one('emulator: true', 'emulator: true, timeoutMs: 5000.5')).toBe(
      '2: service.timeoutMs: expected a whole number, received 5000.5',
    );
    expect(one('emulator: true', 'emulator: true, concurrency: 0')).toBe(
      '2: service.concurrency: expected at least 1, received 0',
    );
    expect(one('emulator: true', 'emulator: true, concurrency: 999')).toBe(
      '2: service.concurrency: expected at most 256, received 999',
    );
    expect(one('{ emulator: true }', live('ftp://x'))).toBe(
      '2: service.baseUrl: expected an address that starts with http:// or https://, received "ftp://x"',
    );
    for (const address of ['https://user:geheim@h/x', 'https://h/x?token=geheim']) {
      expect(one('{ emulator: true }', live(address))).toBe(
        '2: service.baseUrl: expected an address without user, password, query and fragment',
      );
    }
    expect(one('\n  - list: a.csv', ' []')).toBe(
      '3: articles: expected at least one entry, received []',
    );
    expect(one('name: x', 'name: ""')).toBe(
      '1: name: expected a text that is not empty, received ""',
    );
  });

  test('is refused where it is no YAML', () => {
    expect(refusal('name: [x')).toMatch(/^PIPELINE_INVALID x\.yaml:1: the YAML cannot be read: /);
    expect(refusal('- a\n')).toMatch(
      /^PIPELINE_INVALID x\.yaml:1: the file: expected keys and values/,
    );
  });
});

describe('a variable', () => {
  const received = (text: string, winding = '${V}') =>
    refusal(`${MINIMAL}convert:\n  winding: ${winding}`, { V: text }).replace(/.*received /, '');

  test.each(['17', '-1.5', 'true'])(
    'fills in %j as such where the variable is unquoted',
    (text) => {
      expect(received(text)).toBe(text);
    },
  );

  test.each(['007', '1e3', '0x10'])('fills in %j as a text', (text) => {
    expect(received(text)).toBe(`"${text}"`);
  });

  test('fills in a text where the variable is quoted', () => {
    expect(received('17', '"${V}"')).toBe('"17"');
  });
});
