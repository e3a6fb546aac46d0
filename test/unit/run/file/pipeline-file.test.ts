import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { parsePipeline } from '../../../../src/deliver/pipeline.ts';
import { GATE_ROWS } from '../../../../src/run/file/gate-table.ts';

const GATE_DEFAULTS = Object.fromEntries(GATE_ROWS.map(([gate, row]) => [gate, row.defaults]));
const FILE = resolve('pipelines/x.yaml');
const MINIMAL = `name: x
service: { emulator: true }
articles:
  - list: a.csv
output: { dir: ../output/x }
`;

const parse = (text: string, env = {}) => parsePipeline(text, FILE, env);
/** Code and message, without the keys that the message may list. */
const refusal = (text: string, env = {}): string => {
  try {
    parse(text, env);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message.replaceAll(FILE, 'x.yaml').replaceAll(/; keys: .*/g, '; keys: …')}`;
  }
  return 'accepted';
};

const added = (lines: string) => `${MINIMAL}${lines}\n`;
const overrides = (rows: string) => added(`convert: { overrides: { ${rows} } }`);
const service = (section: string) => MINIMAL.replace('emulator: true', section);
const entry = (text: string) => MINIMAL.replace('list: a.csv', text);
const ARTICLE = 'manufacturer: acme, program: desk, basearticlenumber: D1';
const configurations = (more: string) => entry(`configurations: { ${ARTICLE}, ${more} }`);

describe('a pipeline file', () => {
  test('gets every default, and paths relative to itself', () => {
    const pipeline = parse(MINIMAL);
    expect(pipeline.convert).toEqual(CONVERT_DEFAULTS);
    expect(pipeline.gates).toEqual(GATE_DEFAULTS);
    const failures = { quarantineAfterNights: 3, retryEveryNights: 7, quarantineAfterKills: 2 };
    expect(pipeline.failures).toEqual(failures);
    expect(pipeline.outputDir).toBe(resolve('output/x'));
    expect(pipeline.cacheDir).toBe(resolve('output/.cache'));
    expect(pipeline.articles).toEqual([{ kind: 'list', file: resolve('pipelines/a.csv') }]);
  });

  test('keeps the order of overrides', () => {
    const both = '"9010": { metallic: 1 }, "*": { metallic: 0 }';
    const { convert } = parse(overrides(`${both}, "A": { metallic: 0 }`));
    expect(Object.keys(convert.overrides)).toEqual(['9010', '*', 'A']);
  });

  test('takes what an override may say, and a decimal comma as the number that it is', () => {
    const written = 'roughness: 0.2, dif: 0x808080, spe: "1 0.5 0", amb: "#FF0000"';
    const { convert } = parse(overrides(`"*": { metallic: "0,5", ${written} }`));
    const values = { roughness: 0.2, dif: 0x808080, spe: '1 0.5 0', amb: '#FF0000' };
    expect(convert.overrides).toEqual({ '*': { metallic: 0.5, ...values } });
  });

  test('takes one language or several that can be part of file names', () => {
    expect(parse(service('emulator: true, lang: de')).service.lang).toBe('de');
    const several = parse(service('emulator: true, lang: [de, en-GB]'));
    expect(several.service.lang).toEqual(['de', 'en-GB']);
  });

  test('takes thresholds of gates as shares', () => {
    expect(parse(added('gates: { bounds: { change: 30%, refuse: 0.5 } }')).gates).toEqual({
      ...GATE_DEFAULTS,
      bounds: { change: 0.3, refuse: 0.5, atLeast: 1 },
    });
  });

  test('chooses carts, permanent identifiers and configurations', () => {
    expect(parse(entry('{ carts: carts/*.json, as: articles }')).articles).toEqual([
      { kind: 'carts', glob: resolve('pipelines/carts/*.json'), as: 'articles' },
    ]);
    expect(parse(entry('permanentids: ["P-1"]')).articles).toEqual([
      { kind: 'permanentids', from: { ids: ['P-1'] }, as: 'planning' },
    ]);
    expect(parse(entry('permanentids: ids.txt')).articles).toMatchObject([
      { from: { file: resolve('pipelines/ids.txt') } },
    ]);
    const values = 'values: { A.WIDTH: 1200, A.LID: true, A.TEXT: "007" }';
    expect(parse(configurations(values)).articles).toEqual([
      {
        ...{ kind: 'configurations', manufacturer: 'ACME', program: 'DESK' },
        ...{ basearticlenumber: 'D1', each: [], max: 1 },
        values: { 'A.WIDTH': '1200', 'A.LID': 'true', 'A.TEXT': '007' },
      },
    ]);
  });

  const id = (value: string) => configurations(`values: { A.ID: ${value} }`);

  test.each([
    ...['9007199254740993', '12345678901234567890', '0.12345678901234567890'],
    ...['-0.1000000000000000055', '1e22', '0.0000001'],
  ])('refuses the value %s, which a number would change', (written) => {
    expect(refusal(id(written))).toBe(
      `PIPELINE_INVALID x.yaml:4: articles, entry 1: configurations.values.A.ID: expected a number of at most 15 digits, or the value in quotes, received ${written}`,
    );
  });

  test.each([...['123456789012345', '-0.5', '0.00123456789012345', '"9007199254740993"']])(
    'keeps each digit of the value %s',
    (written) => {
      const values = { 'A.ID': written.replaceAll('"', '') };
      expect(parse(id(written)).articles).toMatchObject([{ values }]);
    },
  );

  const live = (baseUrl: string) =>
    service(`authUrl: "https://a", baseUrl: "${baseUrl}", timeoutMs: 5000`);

  /** By text: all that is wrong, in the order of the file, each with its line. */
  const REFUSED = Object.entries({
    // The nearest key, at every depth.
    [entry('lsit: a.csv')]: '4: there is no key "lsit"; did you mean "list"?',
    [added('convert:\n  creaseAngle: 3')]:
      '7: there is no key "creaseAngle"; did you mean "creaseAngleDegrees"?',
    [overrides('"*CHROME*": { metalic: 1 }')]:
      '6: there is no key "metalic"; did you mean "metallic"?',
    [overrides('"*OAK*": { pic: OAK }')]: '6: there is no key "pic"; keys: …',
    [added('gates:\n  triangels: {}')]: '7: there is no key "triangels"; did you mean "triangles"?',
    [added('deliver: { profiles: [googel] }')]:
      '6: deliver.profiles, entry 1: expected one of web, shared, ar-android, khronos-commerce, planner, google, shopify, amazon, ar-ios, received "googel"; did you mean "google"?',
    [added('zzzzzzzzz: 1')]: '6: there is no key "zzzzzzzzz"; keys: …',
    // A key that is missing is not reported beside its misspelt form.
    [MINIMAL.replace('name: x', 'nmae: x').replace('dir: ../output/x', 'dri: x')]:
      '1: there is no key "nmae"; did you mean "name"?\n5: there is no key "dri"; did you mean "dir"?',
    [MINIMAL.replace('name: x', 'zzzzzzzzzz: x')]:
      '1: name: it is missing\n1: there is no key "zzzzzzzzzz"; keys: …',
    [added('convert: { winding: left }')]:
      '6: convert.winding: expected one of auto, keep, flip, received "left"',
    // Overrides have values that the material decoder reads, and an order that the file keeps.
    [overrides('"*": { metallic: 0 }, 9010: { metallic: 1 }')]:
      '6: convert.overrides.9010: expected patterns of digits alone first and in ascending order, received "9010"; "*9010" may be anywhere',
    [overrides('"*OAK*": { map: 7 }')]:
      '6: convert.overrides.*OAK*.map: expected a text, received 7',
    [overrides('"*OAK*": { rot: [1] }')]:
      '6: convert.overrides.*OAK*.rot: expected a number or a text, received [1]',
    [overrides('"*OAK*": {\n  roughness: glatt,\n  metallic: 1,\n  dif: rot }')]:
      '7: convert.overrides.*OAK*.roughness: expected a number, received "glatt"\n9: convert.overrides.*OAK*.dif: expected a colour: 0xRRGGBB or three numbers 0..1, received "rot"',
    [added('gates: { articlesGone: { refuse: 30 } }')]:
      '6: gates.articlesGone.refuse: expected a share: 5% or 0.05, received 30',
    [added('failures: { retryEveryNights: 0 }')]:
      '6: failures.retryEveryNights: expected at least 1, received 0',
    // A power failure is no sign of what was in work.
    [added('failures: { quarantineAfterKills: 1 }')]:
      '6: failures.quarantineAfterKills: expected at least 2, received 1',
    // Exactly one service.
    [service('emulator: true, recording: r')]:
      '2: service: expected one of emulator: true, recording, or authUrl and baseUrl',
    [service('')]: '2: service: expected one of emulator: true, recording, or authUrl and baseUrl',
    [service('baseUrl: "http://h"')]: '2: service: authUrl: expected a value, received nothing',
    [live('ftp://x')]:
      '2: service.baseUrl: expected an address that starts with http:// or https://, received "ftp://x"',
    [live('https://user:geheim@h/x')]:
      '2: service.baseUrl: expected an address without user, password, query and fragment',
    [live('https://h/x?token=geheim')]:
      '2: service.baseUrl: expected an address without user, password, query and fragment',
    [service('emulator: true, lang: [de, DE]')]:
      '2: service.lang: expected each language once, received ["de","DE"]',
    [service('emulator: true, lang: [../de]')]:
      '2: service.lang, entry 1: expected a language such as en, received "../de"',
    [service('emulator: true, lang: []')]:
      '2: service.lang: expected at least one entry, received []',
    [service('emulator: true, lang: { de: 1 }')]:
      '2: service.lang: expected a language, or a list of languages, received {"de":1}',
    [service('emulator: true, timeoutMs: 5000.5')]:
      '2: service.timeoutMs: expected a whole number, received 5000.5',
    [service('emulator: true, concurrency: 0')]:
      '2: service.concurrency: expected at least 1, received 0',
    [service('emulator: true, concurrency: 999')]:
      '2: service.concurrency: expected at most 256, received 999',
    // Exactly one way in each entry; entries are counted from 1.
    [entry('{}')]:
      '4: articles, entry 1: expected one of list, catalogue, search, carts, permanentids, configurations, article in an entry, received none',
    [entry('catalogue: { manufacturers: 7 }')]:
      '4: articles, entry 1: catalogue.manufacturers: expected a list, such as [FJEL], received 7',
    [entry('catalogue: { manufacturers: [7] }')]:
      '4: articles, entry 1: catalogue.manufacturers, entry 1: expected a text, received 7 without quotes; write "7"',
    [entry('catalogue: x')]:
      '4: articles, entry 1: catalogue: expected keys and values, such as { manufacturers: [FJEL] }, received "x"',
    [configurations('each: [A.WIDTH]')]:
      '4: articles, entry 1: configurations: max: expected an upper bound for each, received nothing',
    [entry('{ list: a.csv, as: planning }')]:
      '4: articles, entry 1: as: expected beside carts or permanentids only',
    [entry('permanentids: [17]')]:
      '4: articles, entry 1: permanentids: expected a list of identifiers, or the path of a file, received [17]',
    [MINIMAL.replace('\n  - list: a.csv', ' []')]:
      '3: articles: expected at least one entry, received []',
    // What YAML allows, or does not.
    [MINIMAL.replace('name: x', 'name: ""')]:
      '1: name: expected a text that is not empty, received ""',
    [MINIMAL.replace('name: x', 'name: x\nname: y')]:
      '2: "name": expected one value, received a second one',
    [service('emulator: true, "emulator" : true')]:
      '2: "emulator": expected one value, received a second one',
    '# nothing yet\n': '1: the file: expected name, service, articles and output, received nothing',
    '- a\n': '1: the file: expected name, service, articles and output, received ["a"]',
    'name: [x':
      '1: a { or [ of a line above is not closed, or this line begins in the wrong column',
    'name: x\nservice:\n\temulator: true\n': '3: the line begins with a tab: YAML wants blanks',
  });

  test.each(REFUSED.map(([text, all]) => [all, text]))('is refused: %s', (all, text) => {
    const sentences = all.split('\n').map((sentence) => `x.yaml:${sentence}`);
    expect(refusal(text)).toBe(`PIPELINE_INVALID ${sentences.join('\n')}`);
  });

  test.each([
    ['username', 'BTG2GLTF_USERNAME'],
    ['password', 'BTG2GLTF_PASSWORD'],
    ['applicationKey', 'BTG2GLTF_APP_KEY'],
    ['token', 'BTG2GLTF_TOKEN'],
  ])('says that secrets come from the environment: %s', (key, variable) => {
    expect(refusal(service(`emulator: true, ${key}: geheim`))).toBe(
      `PIPELINE_INVALID x.yaml:2: there is no key "${key}"; secrets come from the environment: set ${variable}`,
    );
  });

  test('fills in variables, and names one that is not set with its line', () => {
    const live = MINIMAL.replace(
      '{ emulator: true }',
      '\n  authUrl: ${AUTH}/rest\n  baseUrl: ${BTG2GLTF_BASE_URl}\n  concurrency: ${N}',
    );
    const env = { AUTH: 'http://a', BTG2GLTF_BASE_URl: 'http://b', N: '3' };
    expect(parse(live, env).service).toMatchObject({ authUrl: 'http://a/rest', concurrency: 3 });
    expect(refusal(live, { AUTH: 'http://a' })).toBe(
      'PIPELINE_VARIABLE_UNSET x.yaml:4: the environment variable BTG2GLTF_BASE_URl is not set; did you mean "BTG2GLTF_BASE_URL"?\nx.yaml:5: the environment variable N is not set',
    );
  });

  test('names each variable that is not set once, and the way without an account', () => {
    const live = service('authUrl: "${A}", baseUrl: "${A}/${B}"');
    const named = ['A', 'B'].map((name) => `x.yaml:2: the environment variable ${name} is not set`);
    expect(refusal(live)).toBe(`PIPELINE_VARIABLE_UNSET ${named.join('\n')}`);
    const way = expect.stringContaining('without an account, use service: { emulator: true }');
    expect(() => parse(live)).toThrow(expect.objectContaining({ help: way }));
    const other = expect.objectContaining({ help: expect.not.stringContaining('account') });
    expect(() => parse(added('cache: { dir: "${A}" }'))).toThrow(other);
  });
});

test.each([
  ...['17', '-1.5', 'true'].map((text) => [text, '${V}', text]),
  // A number would change them.
  ...['007', '1e3', '0x10'].map((text) => [text, '${V}', `"${text}"`]),
  ['17', '"${V}"', '"17"'],
])('a variable of %s fills in %s as %s', (V, winding, value) => {
  const text = added(`convert:\n  winding: ${winding}`);
  expect(refusal(text, { V }).replace(/.*received /, '')).toBe(value);
});
