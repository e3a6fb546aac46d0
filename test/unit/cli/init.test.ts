import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parsePipeline } from '../../../src/deliver/pipeline.ts';
import { command } from '../../helpers/command.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'nightly.yaml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SERVICE = {
  BTG2GLTF_AUTH_URL: 'https://auth.example/rest',
  BTG2GLTF_BASE_URL: 'https://api.example/v2.5',
};
const text = () => readFile(file, 'utf8');
const parsed = async (env = SERVICE) => parsePipeline(await text(), file, env);

/** Answers the questions in their order, and notes them. */
function answering(...answers: string[]) {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return answers.shift() ?? '';
  };
  return { questions, ask };
}

describe('init writes a pipeline file', () => {
  test('for the sample range where no service is set, which runs as it is', async () => {
    expect(await command(['init', file])).toMatchObject({ exit: 0, stderr: '' });
    expect((await parsed({} as typeof SERVICE)).service).toMatchObject({ emulator: true });
    const run = await command(['run', file, '--limit', '1', '--only', 'FJEL/LINEA/LN-M']);
    expect(run).toMatchObject({ exit: 0 });
    expect(run.stdout).toContain(join(folder, 'output'));
  });

  test('for the service of the environment variables where they are set, without its address', async () => {
    expect(await command(['init', file], { env: SERVICE })).toMatchObject({ exit: 0 });
    expect((await parsed()).service).toMatchObject({
      authUrl: SERVICE.BTG2GLTF_AUTH_URL,
      baseUrl: SERVICE.BTG2GLTF_BASE_URL,
    });
    expect(await text()).not.toContain('example');
  });

  test('with the schema for editors, which exists', async () => {
    await command(['init', file]);
    const [, schema] = /^# yaml-language-server: \$schema=(.+)\n/.exec(await text())!;
    const url = new URL('../../../pipelines/schema.json', import.meta.url);
    expect(resolve(dirname(file), schema!)).toBe(fileURLToPath(url));
  });

  test('with settings that are correct, and the defaults, once they are switched on', async () => {
    for (const env of [{}, SERVICE]) {
      await rm(file, { force: true });
      await command(['init', file], { env });
      const before = await parsed();
      const all = (await text()).replace(/^( *)#(?=\S)/gm, '$1');
      const kept = all.replace(/^ {2}emulator: .*\n/m, '');
      expect(kept).not.toBe(await text());
      const { service, articles, serviceVariables, deliver, ...rest } = parsePipeline(
        kept,
        file,
        SERVICE,
      );
      expect(deliver).toMatchObject({ pictures: {}, profiles: {}, variants: true, gallery: true });
      const { service: _, articles: __, serviceVariables: ___, ...defaults } = before;
      expect(rest).toEqual(defaults);
      expect(serviceVariables).toMatchObject({ BTG2GLTF_BASE_URL: SERVICE.BTG2GLTF_BASE_URL });
      expect(service.baseUrl).toBe(SERVICE.BTG2GLTF_BASE_URL);
      expect(articles.map(({ kind }) => kind)).toEqual(['catalogue', 'list', 'article', 'search']);
    }
  });

  test('with the answers of the user on a terminal', async () => {
    const { questions, ask } = answering(
      'both',
      's',
      'FJEL, BRENK',
      'german',
      'de',
      'out "1"',
      'files, galery',
      'models, gallery',
    );
    const { exit, stderr } = await command(['init', file], { ask });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: `\
  "both" is no answer: write emulator or service
  "german" is no answer: write a code of two letters, such as en or de
  "files, galery" is no answer: there is no "files"; write one or more of pictures, models, variants, gallery, or none
`,
    });
    expect(questions).toHaveLength(8);
    // What cannot be an answer is asked again.
    expect([questions[1], questions[4], questions[7]]).toEqual(
      [0, 3, 6].map((index) => questions[index]),
    );
    const { service, articles, outputDir, deliver } = await parsed();
    expect(deliver).toMatchObject({ gallery: true });
    expect(deliver!.profiles).toEqual(['web', 'ar-android', 'ar-ios']);
    expect(deliver!.pictures).toBe(undefined);
    expect([service.baseUrl, service.lang]).toEqual([SERVICE.BTG2GLTF_BASE_URL, 'de']);
    expect(articles).toMatchObject([{ kind: 'catalogue', manufacturers: ['FJEL', 'BRENK'] }]);
    expect(outputDir).toBe(join(folder, 'out "1"'));
  });

  test('and never replaces one', async () => {
    await writeFile(file, 'mine');
    const sentence = `${file} exists already`;
    const { exit, stderr } = await command(['init', file]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(await text()).toBe('mine');
    expect(await command(['init', join(folder, 'nightly.json')])).toMatchObject({ exit: 2 });
  });
});
