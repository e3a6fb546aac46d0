/**
 * Record and replay: a run from a recording is the run that was recorded, without the service.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { openRecording } from '../../src/emulator/replay.ts';
import type { EmulatedRange, Json } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { openCacheDatabase } from '../../src/source/cache/database.ts';
import { exists, listFolder, sha256Hex } from '../../src/support/files.ts';
import { GREY_JPEG } from '../helpers/answers.ts';
import { environmentOf } from '../helpers/child.ts';
import { command, LIVE, writePipeline } from '../helpers/command.ts';
import { MADE_TO_MEASURE } from '../helpers/configurator.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { filesBelow } from '../helpers/output-folder.ts';
import { articleOf } from '../helpers/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const REAL = resolve('../shared/data/cc0-furniture');
/** An article with few triangles. */
const LAMP = { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-GLOBUS' };

/** The digest of every file below a folder, by its path from there. */
async function digestsBelow(folder: string): Promise<Record<string, string>> {
  const digest = async (path: string) =>
    [relative(folder, path), sha256Hex(await readFile(path))] as const;
  return Object.fromEntries(await Promise.all((await filesBelow(folder)).map(digest)));
}

/** Every file below a folder with its bytes, by its path from there. */
async function contentsBelow(folder: string): Promise<Record<string, string>> {
  const bytes = async (path: string) =>
    [relative(folder, path), await readFile(path, 'latin1')] as const;
  return Object.fromEntries(await Promise.all((await filesBelow(folder)).map(bytes)));
}

/** All that a run publishes; `status` is what one run did, and no part of what is published. */
async function published(name: string) {
  const outputDir = join(folder, name);
  const [objects, articles] = await Promise.all(
    ['objects', 'articles'].map((part) => digestsBelow(join(outputDir, part))),
  );
  const manifest = (await readManifest(outputDir)).map((line) => ({ ...line, status: '' }));
  return { manifest, catalogue: await readCatalogue(outputDir), objects, articles };
}

let folder: string;
let emulator: Emulator | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await emulator?.close();
  emulator = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Starts an emulator; returns how to record it, and how to run at it. */
async function start(range: EmulatedRange, articles: unknown[] = [{ catalogue: {} }]) {
  emulator = await startEmulator({ range });
  const env = environmentOf(emulator);
  const file = await writePipeline(folder, {
    service: { ...LIVE, backoffMs: 1, giveUpAfterMs: 0 },
    articles,
  });
  return {
    record: (to: string, ...words: string[]) =>
      command(['record', file, '--to', join(folder, to), ...words], { env }),
    run: (...words: string[]) =>
      command(['run', file, '--output', join(folder, 'live'), ...words], { env }),
  };
}

/** Records and runs at an emulator, stops it, and runs from the recording alone. */
async function recordAndReplay(
  range: EmulatedRange,
  articles: unknown[],
  words: string[] = [],
  plannings: Record<string, unknown> = {},
) {
  const { record, run } = await start(range, articles);
  const { baseUrl, close } = emulator!;
  await remember(baseUrl, plannings);
  const recording = join(folder, 'recording');
  const recorded = await record('recording', ...words);
  const live = await run(...words);
  const origin = new URL(baseUrl).port;
  await close();

  const replayFile = await writePipeline(folder, { service: { recording }, articles });
  const reached = watchConnections();
  const replay = ['run', replayFile, '--output', join(folder, 'replayed'), ...words];
  const replayed = await command(replay);
  return { recording, recorded, live, replayed, connections: reached(), origin };
}

/** Puts plannings into the ledger of the cache, as the inbox does. */
async function remember(service: string, plannings: Record<string, unknown>): Promise<void> {
  const state = await openCacheDatabase(join(folder, 'cache'));
  for (const [id, planning] of Object.entries(plannings)) {
    state.permanentIds.put(service, id, planning);
  }
  state.close();
}

/** Gathers where every new connection of this process goes, until it is asked. */
function watchConnections(): () => string[] {
  const reached = new Set<string>();
  let sockets = 0;
  const add = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    sockets++;
    socket.once('connect', () => reached.add(`${socket.remoteAddress}:${socket.remotePort}`));
  };
  subscribe('net.client.socket', add);
  return () => {
    unsubscribe('net.client.socket', add);
    expect(sockets).toBeGreaterThan(0);
    return [...reached];
  };
}

describe('a run from a recording', () => {
  test('of the sample range gives the same manifest and bytes, with no service', async () => {
    const [first] = (createSampleRange().nodes('') ?? []) as { manufacturer: string }[];
    const articles = [
      // A search and a catalogue have tests of their own.
      ...(IS_LONG
        ? [{ search: { manufacturer: first!.manufacturer, query: 'a' } }, { catalogue: {} }]
        : [{ article: LAMP }]),
      {
        configurations: {
          ...MADE_TO_MEASURE,
          values: { 'MASS.BREITE': 1800 },
          each: ['OBERFLÄCHE.DEKOR'],
          max: IS_LONG ? 5 : 2,
        },
      },
    ];
    const { recorded, live, replayed, connections, origin, recording } = await recordAndReplay(
      createSampleRange(),
      articles,
    );
    expect([recorded.exit, live.exit, replayed.exit]).toEqual([0, 0, 0]);
    expect(recorded.stdout).not.toContain('Selects');
    expect(connections.every((to) => to.startsWith('127.0.0.1:'))).toBe(true);
    expect(connections.some((to) => to.endsWith(`:${origin}`))).toBe(false);
    const before = await published('live');
    expect(before.manifest.length).toBeGreaterThan(IS_LONG ? 60 : 2);
    expect(await published('replayed')).toEqual(before);
    expect(await listFolder(recording)).toEqual(['odb', 'ofml', 'recording.json', 'xcf']);
  });

  test('selects the same from permanent identifiers, carts, lists and configurations', async () => {
    // What is drawn does not matter here: one small block, and a small picture.
    const { block } = smallRange([]);
    const range = { ...createSampleRange(), block, material: async () => GREY_JPEG };
    const planning = (basearticlenumber: string, ocdreinitstring = '') =>
      articleOf(range, {
        manufacturer: 'AULI',
        program: 'REGALO',
        basearticlenumber,
        ...(ocdreinitstring && { ocdreinitstring }),
      });
    const shelf = planning('RG-BÜCHER 5');
    const wide = planning('RG-BÜCHER 5', shelf.ocd.reinitstring.replace('800', '1000'));
    await writeFile(join(folder, 'ids.txt'), '# two\nP/2 ü\nP-1\n');
    await writeFile(join(folder, 'cart.json'), JSON.stringify(planning('RG-LEITER')));
    const header = 'manufacturer;program;basearticlenumber';
    await writeFile(join(folder, 'list.csv'), `\ufeff${header}\nAULI;REGALO;RG-LOW 180\n`);
    const articles = [
      { permanentids: 'ids.txt' },
      { permanentids: ['P-1'], as: 'articles' },
      { carts: 'cart.json' },
      { list: 'list.csv' },
      { configurations: { ...MADE_TO_MEASURE, values: { 'MASS.BREITE': 1800 } } },
    ];
    const plannings = { 'P-1': shelf, 'P/2 ü': wide, 'P-UNUSED': shelf };
    const { recorded, live, replayed, recording } = await recordAndReplay(
      range,
      articles,
      ['--cache', join(folder, 'cache')],
      plannings,
    );
    expect([recorded.exit, live.exit, replayed.exit]).toEqual([0, 0, 0]);
    expect(recorded.stdout).not.toContain('Selects');
    expect(recorded.stdout).toContain('plannings 2');
    const before = await published('live');
    expect(before.manifest.length).toBeGreaterThanOrEqual(5);
    expect(await published('replayed')).toEqual(before);
    const files = await listFolder(join(recording, 'ofml', 'plannings'));
    expect(files).toEqual(['P%2F2%20%C3%BC.json', 'P-1.json']);
    expect((await openRecording(recording)).planning?.('P/2 ü')).toEqual(wide);
  });

  test('selects what a search found, whatever the service searches by', async () => {
    const range = smallRange([{ number: 'D1', blocks: ['A::B::X'] }, { number: 'D2' }]);
    const byMeaning = { ...range, search: () => range.search('ACME', 'D1') };
    const articles = [{ search: { manufacturer: 'acme', query: 'something to write at' } }];
    const { recorded, replayed } = await recordAndReplay(byMeaning, articles);
    expect(recorded.stdout).not.toContain('Selects');
    expect(replayed.stdout).toMatch(/1 converted · 0 unchanged · 0 failed/);
    expect(await published('replayed')).toEqual(await published('live'));
  });

  test('fails where the recorded run failed, with the same words', async () => {
    const range = smallRange([
      { number: 'D1', blocks: ['ACME::DESK::GONE'] },
      { number: 'D2', blocks: ['ACME::DESK::TORN'] },
      { number: 'D3', blocks: ['ACME::DESK::X'], pics: ['GONE.JPG'] },
      { number: 'D4', article: { ocd: 'nothing of the kind' } },
    ]);
    range.missing.add('ACME::DESK::GONE');
    range.bodies.set('ACME::DESK::TORN', '{"N":"TORN","V":"none"}');
    const article = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'NONE' };
    const { replayed, live } = await recordAndReplay(range, [{ catalogue: {} }, { article }]);
    expect([live.exit, replayed.exit]).toEqual([1, 1]);
    const before = await published('live');
    expect(before.manifest.map(({ error }) => error?.code)).toEqual([
      'BLOCK_MISSING',
      'BLOCK_INVALID',
      undefined,
      'RESPONSE_INVALID',
      'ARTICLE_NOT_FOUND',
    ]);
    expect(before.manifest[1]!.error!.message).toContain('expected');
    expect(await published('replayed')).toEqual(before);
  });

  test('keeps the spelling of what was recorded, and its depth', async () => {
    const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::X'] }]);
    let deep: Json = { type: 'imp', prop: { btgname: 'ACME::DESK::X' } };
    for (let i = 0; i < 5000; i++) deep = { type: 'top', prop: { childs: [deep] } };
    const nested = {
      ...range,
      partsList: () => ({ btg: [deep], blocks: ['ACME::DESK::X'], mats: [] }),
    };
    const { replayed } = await recordAndReplay(nested, [{ catalogue: {} }]);
    expect(replayed.exit).toBe(0);
    expect(await published('replayed')).toEqual(await published('live'));
  });
});

describe('a recording', () => {
  const secretive = (token: () => string) => {
    const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::X'] }]);
    return {
      ...range,
      article: (query: Readonly<Record<string, string>>) => {
        const answer = range.article(query)!;
        const dump = `https://h/api?token=${token()}&lang=en said "${token()}"`;
        return {
          ...answer,
          dump,
          typename: 'ACME://x',
          metamessages: { mail: 'a@b', key: token() },
        };
      },
    };
  };

  test('holds no token and no credentials, and nothing else is touched', async () => {
    const { record } = await start(secretive(() => emulator!.password));
    const { password, username, appKey } = emulator!;
    expect((await record('recording')).stdout).toContain('removed from 1 response');
    const files = await contentsBelow(join(folder, 'recording'));
    const text = Buffer.from(Object.values(files).join('\n'), 'latin1').toString();
    for (const secret of [password, username, appKey]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(encodeURIComponent(secret));
    }
    expect(text).not.toMatch(/token["=](?!\*\*\*)/);
    expect(text).toContain('"typename":"ACME://x","');
    expect(text).toContain('{"mail":"a@b","key":"***"}');
  });

  test('of the same answers has the same bytes, in whatever order they come', async () => {
    const { record } = await start(countedRange({ articles: 3, blocks: 3, images: 2 }));
    const recorded = async (to: string, ...words: string[]) => {
      expect(await record(to, ...words)).toMatchObject({ exit: 0 });
      return digestsBelow(join(folder, to));
    };
    const one = await recorded('one', '--concurrency', '1');
    expect(await recorded('two', '--concurrency', '32')).toEqual(one);
    expect(await recorded('one')).toEqual(one);
  });

  test('is as it was where a new one fails, and nothing is left beside it', async () => {
    const { record } = await start(smallRange([{ number: 'D1', blocks: ['ACME::DESK::X'] }]));
    await record('recording');
    const before = await contentsBelow(join(folder, 'recording'));
    await emulator!.close();
    expect((await record('recording')).exit).toBe(3);
    expect(await contentsBelow(join(folder, 'recording'))).toEqual(before);
    expect((await listFolder(folder)).filter((name) => name.includes('recording'))).toEqual([
      'recording',
    ]);
  });

  test('replaces nothing that is not a recording', async () => {
    const file = await writePipeline(folder, { service: { emulator: true } });
    await writeFile(join(folder, 'note.txt'), 'mine');
    const { exit, stderr } = await command(['record', file, '--to', folder]);
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /no folder, an empty one or a recording.*; choose another folder for --to/,
    );
    expect(await readFile(join(folder, 'note.txt'), 'utf8')).toBe('mine');
  });
});

test.runIf(IS_LONG && (await exists(REAL)))(
  'a recording of the recording of real furniture gives the same manifest and bytes',
  async () => {
    const { live, replayed } = await recordAndReplay(await openRecording(REAL), [
      { catalogue: {} },
      { search: { manufacturer: 'SH3D', query: 'schreib' } },
    ]);
    expect([live.exit, replayed.exit]).toEqual([0, 0]);
    const before = await published('live');
    expect(before.manifest.length).toBeGreaterThanOrEqual(8);
    expect(await published('replayed')).toEqual(before);
  },
);
