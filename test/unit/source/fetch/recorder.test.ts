import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../../src/emulator/emulator.ts';
import { openRecording } from '../../../../src/emulator/replay.ts';
import type { EmulatedRange } from '../../../../src/emulator/sample/range.ts';
import {
  Recorder,
  type RecordingContent,
  withoutSecrets,
} from '../../../../src/source/fetch/recorder.ts';
import type { ServiceClient } from '../../../../src/source/service/client.ts';
import { listFolder, readText } from '../../../../src/support/files.ts';
import { registerSecret } from '../../../../src/support/redact.ts';
import { GREY_JPEG } from '../../../helpers/answers.ts';
import {
  ARTICLE,
  BLOCK,
  clientOfEmulator,
  FOLDER_ID,
  KEY,
  MATERIAL,
  startRecording,
} from '../../../helpers/emulated-client.ts';
import { smallRange } from '../../../helpers/small-range.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

let dir: string;
beforeEach(async () => {
  dir = await temporaryFolder();
});
afterEach(() => rm(dir, { recursive: true }));

/** Records what is asked of an emulator. */
async function record(
  emulator: Emulator,
  ask: (client: ServiceClient) => Promise<unknown>,
): Promise<RecordingContent> {
  const recorder = new Recorder(dir);
  const client = clientOfEmulator(emulator, { onAnswer: recorder.answer, profile: 'public' });
  await ask(client);
  await client.close();
  await emulator.close();
  return recorder.finish('replay');
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('what is recorded is found again', () => {
  test('whichever characters its names have', async () => {
    const content = await record(await startRecording(), async (client) => {
      await client.getNodes('');
      await client.getNodes(FOLDER_ID);
      await client.getArticle(ARTICLE);
      await client.getPartsList(KEY);
      await client.getBlock(BLOCK);
      await client.getMaterial('ACME', MATERIAL);
    });
    expect(content).toMatchObject({
      answers: { getArticle: 1, getBlock: 1, getMaterial: 1, getNodes: 2, getPartsList: 1 },
      redacted: 0,
    });
    const range = await openRecording(dir);
    expect(range.name).toBe('replay');
    expect(range.nodes(FOLDER_ID)).toBeDefined();
    expect(range.article(ARTICLE)).toMatchObject({ basearticlenumber: ARTICLE.basearticlenumber });
    expect(range.partsList(KEY)).toHaveProperty('btg');
    expect(await range.block(BLOCK)).toBeDefined();
    expect(await range.material('ACME', MATERIAL)).toBeDefined();
  });

  test('pictures of the catalogue and of property values too', async () => {
    const range: EmulatedRange = {
      ...smallRange([]),
      resource: async (path) => bytesOf(`resource ${path.join('/')}`),
      preview: async () => GREY_JPEG,
    };
    await record(await startEmulator({ range }), async (client) => {
      await client.getResource('xcf/ressource/ACME/DESK/any/A B.jpg');
      await client.getManufacturerResource('ACME', 'any', 'logo.png');
      await client.getPreview('ocd/preview/ACME/DESK/OAK.jpg');
    });
    const replay = await openRecording(dir);
    const text = async (...path: string[]) =>
      new TextDecoder().decode(await replay.resource?.(path));
    expect(await text('ACME', 'DESK', 'any', 'A B.jpg')).toBe('resource ACME/DESK/any/A B.jpg');
    expect(await text('ACME', 'any', 'logo.png')).toBe('resource ACME/any/logo.png');
    expect(await replay.preview?.('ACME', 'DESK', 'OAK.jpg')).toEqual(GREY_JPEG);
  });
});

describe('a recording contains', () => {
  test('requests, without their tokens', async () => {
    await record(await startRecording(), (client) => client.getArticle(ARTICLE));
    const [name] = await listFolder(join(dir, 'ofml', 'articles'));
    const { request } = JSON.parse(await readText(join(dir, 'ofml', 'articles', name!)));
    expect(request).toEqual({ ...ARTICLE, profile: 'public' });
  });

  test('the latest conversion, unless a folder has none: replay would give it one', async () => {
    const range = smallRange([{ number: 'D1' }]);
    await record(await startEmulator({ range }), (client) => client.getNodes(''));
    expect(JSON.parse(await readText(join(dir, 'recording.json')))).toEqual({
      format: 1,
      name: 'replay',
      convertdate: '2024-05-14',
    });
    range.convertdate = '';
    await record(await startEmulator({ range }), (client) => client.getNodes(''));
    expect((await openRecording(dir)).nodes('')).toMatchObject([{ convertdate: '' }]);
  });

  test('the plannings behind permanent identifiers, without secrets', async () => {
    const recorder = new Recorder(dir);
    await recorder.planning('P/1', { id: 'A', url: 'https://h/x?token=abc', rootid: 'A' });
    const content = await recorder.finish('replay');
    expect(content).toMatchObject({ answers: { plannings: 1 }, redacted: 1 });
    expect(await readText(join(dir, 'ofml', 'plannings', 'P%2F1.json'))).toBe(
      '{"request":{"permanentid":"P/1"},"response":{"id":"A","url":"https://h/x?token=***","rootid":"A"}}\n',
    );
    expect(await Recorder.readPlanning(dir, 'P/1')).toMatchObject({ id: 'A' });
    expect(await Recorder.readPlanning(dir, 'P/2')).toBeUndefined();
  });

  test('nothing of what was answered with an error', async () => {
    const content = await record(await startEmulator({ range: smallRange([]) }), (client) =>
      Promise.allSettled([client.getArticle(ARTICLE), client.getMaterial('ACME', 'X')]),
    );
    expect(content).toEqual({ answers: {}, bytes: 0, redacted: 0 });
  });
});

const SECRET = 'tök/en+of="the\\test';

describe('a recorded text is without secrets', () => {
  test.each([
    ['as it is written', JSON.stringify({ a: SECRET })],
    ['with its slash escaped', JSON.stringify({ a: `x ${SECRET}` }).replaceAll('/', '\\/')],
    ['with every character escaped', `{"a":"${escaped(SECRET)}"}`],
    ['in a name', JSON.stringify({ [SECRET]: 1 })],
    ['in a query', JSON.stringify({ a: `https://h/x?token=${encodeURIComponent(SECRET)}&b=1` })],
  ])('%s', (_, text) => {
    registerSecret(SECRET);
    const clean = withoutSecrets(text);
    expect(JSON.stringify(JSON.parse(clean))).toMatch(/\*\*\*/);
    expect(clean).not.toContain('the');
  });

  test('all else keeps its spelling, byte for byte', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify({ n: 1, value }, null, indent).replace(
          '"n":',
          '"n" : 1.50, "m":',
        );
        expect(withoutSecrets(text)).toBe(text);
      }),
      { seed: 5 },
    );
  });

  test('a pattern never runs on into the next string', () => {
    const text = '{"url":"http://host","mail":"me:you@there","path":"/logout/"}';
    expect(withoutSecrets(text)).toBe(text);
  });
});

function escaped(text: string): string {
  return Array.from(text, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
