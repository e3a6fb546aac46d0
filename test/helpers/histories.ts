/**
 * Histories: a pipeline runs night after night over a service that changes and fails; some runs are ended, or find no
 * room. Then comes a good night.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { type ChangingRange, changingRange, SECOND_FINISH } from './changing-range.ts';
import { environmentOf } from './child.ts';
import { filesClosed } from './closed-files.ts';
import { command, writePipeline } from './command.ts';
import { LIVE_ONCE } from './daily-runs.ts';
import { logIn } from './emulated-session.ts';
import {
  type Conditions,
  FIRST_SETTINGS,
  happen,
  type Night,
  type Settings,
} from './history-events.ts';
import { withKill, withRunFault } from './run-faults.ts';
import { IS_LONG } from './samples.ts';
import { temporaryFolder } from './temporary.ts';

/** Before the first night, two o'clock UTC. */
const FIRST_NIGHT_MS = Date.UTC(2026, 2, 1, 2);
const [DAY_MS, MINUTE_MS] = [24 * 60 * 60_000, 60_000];
/** By how much a clock is wrong. */
const CLOCK_BACK_MS = 3 * DAY_MS;
/** Of a request to a service that is slow; otherwise no slow machine reaches the limit. */
const [SHORT_TIMEOUT_MS, LONG_TIMEOUT_MS] = [300, 600_000];

const dateOf = (day: number) => new Date(FIRST_NIGHT_MS + day * DAY_MS).toISOString().slice(0, 10);

/** How a night ended, and where it published. */
export interface Ending {
  /** Null where it was killed. */
  exit: number | null;
  stderr: string;
  outputDir: string;
}

/** What plays histories. */
export type Histories = Awaited<ReturnType<typeof openHistories>>;

/** Starts the service of histories. @param deliver - What is made of what they publish, beside profiles and cameras. */
export async function openHistories(deliver: Record<string, unknown>) {
  const range = changingRange();
  const emulator = await startEmulator({ range });
  // A token, since logins would take longer than all the rest.
  const token = await logIn(emulator, true);
  const env = { ...environmentOf(emulator), BTG2GLTF_TOKEN: token, BTG2GLTF_BROWSER: 'none' };
  return {
    /**
     * Plays a history in a folder of its own. Then everything that has changed without a date gets one, and a good night
     * follows, in each output folder; what `prune` names is removed.
     *
     * @returns How all nights ended, the good ones, and that of a run in an empty folder with an empty cache.
     */
    async play(history: readonly Night[]) {
      const { folder, play, end } = openNights(await temporaryFolder(), range, env, deliver);
      const nights: Ending[] = [];
      for (const night of history) nights.push(await play(night));
      return { folder, nights, ...(await end()) };
    },
    close: () => emulator.close(),
  };
}

function openNights(
  folder: string,
  range: ChangingRange,
  env: Record<string, string>,
  deliver: Record<string, unknown>,
) {
  const settings = { ...FIRST_SETTINGS };
  const outputs = new Set(['out']);
  let [day, commands] = [0, 0];
  range.reset(dateOf(day));

  const execute = async (
    text: string,
    { output = 'out', cache = 'cache' },
    { fault, isClockBack }: Conditions = {},
  ): Promise<Ending> => {
    const file = await writePipeline(folder, {
      ...contentOf(settings, range.mood === 'slow' ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS),
      ...{ output: { dir: output }, cache: { dir: cache } },
    });
    const [name = '', ...options] = text.split(' ');
    // No two begin at the same time.
    const timeMs = FIRST_NIGHT_MS + day * DAY_MS + commands++ * MINUTE_MS;
    const atMs = isClockBack ? timeMs - CLOCK_BACK_MS : timeMs;
    const run = { words: [name, file, ...options], env, atMs };
    const watch = (onAsked: () => void) => {
      range.onAsked = onAsked;
    };
    const ended =
      fault?.kind === 'SIGKILL' && IS_LONG
        ? await withKill(fault, run, watch)
        : await withRunFault(fault, folder, (signal, onAsked) => {
            watch(onAsked);
            return command(run.words, { env, signal, at: new Date(atMs).toISOString() });
          });
    return { ...ended, outputDir: join(folder, output) };
  };

  const contentOf = ({ crease, languages, ...others }: Settings, timeoutMs: number) => {
    const [lang, profiles, cameras] = [languages, others.profiles, others.cameras].map(namesIn);
    return {
      name: 'histories',
      service: { ...LIVE_ONCE, lang, currency: 'EUR', timeoutMs, giveUpAfterMs: 1 },
      articles: [{ catalogue: {} }, { article: SECOND_FINISH }],
      convert: { creaseAngleDegrees: Number(crease) },
      // Kills may come while the same article is in work alone.
      failures: { quarantineAfterKills: 1000 },
      gates: { articlesGone: { refuse: '25%' } },
      deliver: { ...deliver, profiles, ...(cameras!.length > 0 && { pictures: { cameras } }) },
    };
  };

  return {
    folder,
    async play(night: Night): Promise<Ending> {
      const conditions: Conditions = {};
      // What is converted in a day is seen by the night of the next.
      const convertedOn = dateOf(day);
      if (night[0] !== 'soon') day++;
      happen(night, { range, settings, conditions, convertedOn, tonight: dateOf(day) });
      if (conditions.isCacheLost) {
        await filesClosed(folder);
        await rm(join(folder, 'cache'), { recursive: true, force: true });
      }
      const text = night.at(-1)!;
      const [words, output] = text === 'second' ? ['run', 'second'] : [text, 'out'];
      outputs.add(output!);
      const ending = await execute(words!, { output: output! }, conditions);
      range.behave('well', dateOf(day));
      return ending;
    },
    async end() {
      range.convertedOn(dateOf(day));
      day++;
      const endings: Ending[] = [];
      for (const output of outputs) endings.push(await execute('run --accept', { output }));
      const fresh = await execute('run', { output: 'fresh', cache: 'fresh-cache' });
      for (const output of outputs) await execute('prune --yes', { output });
      return { endings, fresh };
    },
  };
}

function namesIn(text: string): string[] {
  return text.split(' ').filter((name) => name !== '');
}
