/** `btg2gltf init`: writes a pipeline file with comments, after some questions on a terminal. */
import { basename, dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pipelineJsonSchema } from '../deliver/pipeline.ts';
import { wrapped } from '../run/report/text.ts';
import { exists, replaceFile } from '../support/files.ts';
import { didYouMean } from '../support/nearest.ts';
import { type Command, columns, type Io, textOf, usageError } from './command.ts';

const DEFAULT_FILE = 'pipeline.yaml';
const SCHEMA_FILE = new URL('../../pipelines/schema.json', import.meta.url);

/** The command. */
export const initCommand: Command = {
  positionals: [{ name: 'FILE', describe: `the file to write [default: ${DEFAULT_FILE}]` }],
  examples: ['btg2gltf init', 'btg2gltf init nightly.yaml'],
  async run(args, io) {
    const file = textOf(args, 'FILE') ?? DEFAULT_FILE;
    if (!/\.ya?ml$/i.test(file)) {
      throw usageError(`init: expected a file name that ends with .yaml, received "${file}"`);
    }
    if (await exists(file)) {
      const help = 'choose another name, or remove the file; init never replaces one';
      throw usageError(`${file} exists already`, help);
    }
    const answers = await askUser(io);
    await replaceFile(resolve(file), pipelineText(file, answers));
    io.print(`${file}: written\n\nNext:\n${nextSteps(file, answers)}`);
    return 0;
  },
};

interface Answers {
  /** Whether a service with an address is used, and not the emulator. */
  isLive: boolean;
  manufacturers: string[];
  lang: string;
  outputDir: string;
  deliveries: string[];
}

/** The section `deliver:`, by the words by which an answer selects its keys. */
const DELIVERIES: Readonly<Record<string, string>> = {
  pictures:
    'pictures: { cameras: [hero], width: 1024, height: 1024 } # of each article; needs Chrome or Chromium',
  models: 'profiles: [web, ar-android, ar-ios] # smaller ones for web pages, Android and Apple',
  variants: 'variants: true # one file with every finish of an article',
  gallery: 'gallery: true # a page with all articles, for any web server',
};
const NONE = 'none';

/** Without a terminal, the answers are the defaults, which depend on the environment variables. */
async function askUser({ env, ask, printError, columns: width }: Io): Promise<Answers> {
  const isSet = (env.BTG2GLTF_BASE_URL ?? '') !== '';
  const answer = async (
    question: string,
    standard: string,
    whyNot: (given: string) => string | undefined = () => undefined,
  ): Promise<string> => {
    if (ask === undefined) return standard;
    for (;;) {
      const given = (await ask(`${question} [${standard}]: `)).trim() || standard;
      const why = whyNot(given);
      if (why === undefined) return given;
      printError(`${wrapped(`  "${given}" is no answer: ${why}`, width, 4).join('\n')}\n`);
    }
  };
  const source = 'Articles of the emulator (sample furniture) or of your service?';
  const service = await answer(source, isSet ? 'service' : 'emulator', (given) =>
    isBeginning(given, ['emulator', 'service']) ? undefined : 'write emulator or service',
  );
  const words = Object.keys(DELIVERIES);
  const meanings = columns(
    Object.entries(DELIVERIES).map(([word, line]) => [word, line.split(' # ')[1]!]),
  );
  const wanted = [
    'What else should be made?',
    ...meanings,
    `One or more of these words, or ${NONE}`,
  ];
  const whyUnknown = (given: string) => {
    const known = [...words, NONE];
    const unknown = wordsOf(given).find((word) => !known.includes(word));
    if (unknown === undefined) return undefined;
    return `there is no "${unknown}"; write one or more of ${words.join(', ')}, or ${NONE}${didYouMean(unknown, known)}`;
  };
  const ids = await answer('Manufacturers, separated by commas; * for all', '*', (given) =>
    /[^\s,]/.test(given) ? undefined : 'write identifiers such as FJEL, BRNK, or *',
  );
  return {
    isLive: /^s/i.test(service),
    manufacturers: ids.match(/[^\s,]+/g) ?? [],
    lang: await answer('Language of texts', 'en', (given) =>
      /^[a-z]{2}$/i.test(given) ? undefined : 'write a code of two letters, such as en or de',
    ),
    outputDir: await answer('Output folder, relative to the file', 'output'),
    deliveries: wordsOf(await answer(wanted.join('\n'), NONE, whyUnknown)).filter(
      (word) => word !== NONE,
    ),
  };
}

/** Whether a text is one of the words, or begins one of them. */
const isBeginning = (text: string, words: readonly string[]): boolean =>
  words.some((word) => word.startsWith(text.toLowerCase()));

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[^\s,]+/g) ?? [];

/** Addresses are variables, so that the file contains neither an address nor a secret. */
const LIVE = '  authUrl: "${BTG2GLTF_AUTH_URL}"\n  baseUrl: "${BTG2GLTF_BASE_URL}"';
const EMULATED = '  emulator: true # the sample range, without an account';

function serviceLines({ isLive, lang }: Answers, schema: Setting): string[] {
  const [used, other] = isLive ? [LIVE, EMULATED] : [EMULATED, LIVE];
  return [
    used,
    isLive ? '  # Or without an account, instead of the two addresses:' : '  # Or your service:',
    other.replace(/^ {2}/gm, '  #'),
    `  lang: ${quoted(lang)} # ${describe(schema, 'service.lang')}`,
    ...settings(schema, 'service', ['currency', 'concurrency', 'timeoutMs']),
  ];
}

/** Settings of the conversion that users change first; schema.json describes all. */
const CONVERT_SETTINGS = [
  ...['origin', 'curveToleranceMetres', 'maxTextureSize', 'tangents'],
  ...['glass', 'normalMap', 'packedTextureFormat', 'allowMissingParts', 'strict'],
];

function pipelineText(file: string, answers: Answers): string {
  const folder = dirname(resolve(file));
  const schemaFile = relative(folder, fileURLToPath(SCHEMA_FILE)).replaceAll('\\', '/');
  const schema: Setting = pipelineJsonSchema();
  const { manufacturers, outputDir, deliveries } = answers;
  return [
    `# yaml-language-server: $schema=${schemaFile}`,
    '# What btg2gltf converts, from where, to where. Paths are relative to this file;',
    '# ${NAME} is replaced by the environment variable NAME. To change a setting that has',
    '# a "#" directly before it, remove the "#"; its value is the default.',
    `name: ${quoted(basename(file).replace(/\.ya?ml$/i, ''))}`,
    '',
    '# User name, password and application key are never in this file: set BTG2GLTF_USERNAME,',
    '# BTG2GLTF_PASSWORD and, if you have one, BTG2GLTF_APP_KEY.',
    'service:',
    ...serviceLines(answers, schema),
    '',
    '# What is converted: any number of entries; btg2gltf run --dry-run prints what they select.',
    'articles:',
    `  - catalogue: { manufacturers: [${manufacturers.map(quoted).join(', ')}] }`,
    '  #- list: articles.csv',
    '  #- article: { manufacturer: FJEL, program: LINEA, basearticlenumber: LN-M }',
    '  #- search: { manufacturer: FJEL, query: desk }',
    '',
    `output: { dir: ${quoted(outputDir)} }`,
    '',
    '# What is made of the GLBs by each run; btg2gltf deliver makes it alone.',
    deliveries.length > 0 ? 'deliver:' : '#deliver:',
    ...Object.entries(DELIVERIES).map(([word, line]) => {
      return `  ${deliveries.includes(word) ? '' : '#'}${line}`;
    }),
    '',
    '# How it is converted; the file in the first line describes all settings.',
    'convert:',
    ...settings(schema, 'convert', ['creaseAngleDegrees']).map((line) => line.replace('#', '')),
    ...settings(schema, 'convert', CONVERT_SETTINGS),
    '',
    '# When the service is asked again, what is cached, and how often a failing article is tried.',
    `#freshness: ${defaultOf(schema, 'freshness')} # convertdate, revalidate, always or never`,
    `#cache: { maxBytes: ${defaultOf(schema, 'cache.maxBytes')} } # ${describe(schema, 'cache.maxBytes')}`,
    `#failures: { quarantineAfterNights: ${defaultOf(schema, 'failures.quarantineAfterNights')} }`,
    '',
  ].join('\n');
}

/** Settings that are switched off, each with its default and its description. */
function settings(schema: Setting, section: string, keys: readonly string[]): string[] {
  const paths = keys.map((key) => [key, `${section}.${key}`] as const);
  return paths.map(
    ([key, path]) => `  #${key}: ${defaultOf(schema, path)} # ${describe(schema, path)}`,
  );
}

function defaultOf(schema: Setting, path: string): string {
  return JSON.stringify(settingAt(schema, path).default);
}

function describe(schema: Setting, path: string): string {
  const { description = '', enum: choices } = settingAt(schema, path);
  return choices === undefined ? description : `${description}: ${choices.join(', ')}`;
}

interface Setting {
  default?: unknown;
  description?: string;
  enum?: string[];
  properties?: Record<string, Setting>;
}

function settingAt(schema: Setting, path: string): Setting {
  return path.split('.').reduce((at, step) => at.properties![step]!, schema);
}

/** The text as JSON, which YAML always reads as a text. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function nextSteps(file: string, { isLive }: Answers): string {
  const set =
    '  set BTG2GLTF_AUTH_URL, BTG2GLTF_BASE_URL, BTG2GLTF_USERNAME and BTG2GLTF_PASSWORD\n';
  return `${isLive ? set : ''}  btg2gltf doctor ${file}             checks settings, login and folders
  btg2gltf run ${file} --dry-run      prints what it selects
  btg2gltf run ${file} --limit 10     converts ten configurations
  btg2gltf run ${file}                converts all
`;
}
