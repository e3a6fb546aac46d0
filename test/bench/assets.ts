/** The group of assets: what a server that makes files on demand takes for those it has, and for new ones. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { median } from './process.ts';
import type { GroupInput } from './results.ts';
import { inWorkspace, whileServing } from './workspace.ts';

const DESK = '/a/FJEL/LINEA/LN-M';
/** Each has other finishes than those before: what they consist of is known. */
const FINISHES = ['EI', 'NB', 'BU', 'WS', 'LG'];
/** Large articles, which several threads or processes convert. */
const SLOW = ['LN-B160/160', 'LN-D120/80', 'LN-D160/80', 'LN-D180/80'];
const CLIENTS = 200;
const SLOW_AT_ONCE = 16;
const WINDOW_MS = 10_000;

/** A request, and how long it took. */
interface Answer {
  status: number;
  ms: number;
  /** What the server says of its steps, milliseconds. */
  timing: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS + SLOW_AT_ONCE });

function get(url: string): Promise<Answer> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => {
        const timing = String(response.headers['server-timing'] ?? '');
        resolve({ status: response.statusCode!, ms: performance.now() - began, timing });
      });
    });
    sent.on('error', reject).end();
  });
}

async function expected(url: string): Promise<Answer> {
  const answer = await get(url);
  if (answer.status !== 200) throw new Error(`${url}: status ${answer.status}`);
  return answer;
}

/** A server of the sample range, with an empty cache. */
export function assets(input: GroupInput): Promise<void> {
  return inWorkspace(async ({ folder }) => {
    const file = join(folder, 'pipeline.yaml');
    const articles = [{ catalogue: {} }];
    const content = {
      name: 'assets',
      service: { emulator: true },
      articles,
      output: { dir: 'out' },
    };
    await writeFile(file, JSON.stringify(content));
    const words = ['assets', file, '--max-new', '100000', '--log-format', 'json'];
    await whileServing(words, /https?:\/\/[^\s/]+/, async (address) => {
      await hits(input, address);
      await newOnes(input, address);
      await besideSlow(input, address);
      await crowd(input, address);
    });
  });
}

async function hits({ results, isQuick }: GroupInput, address: string): Promise<void> {
  const url = `${address}${DESK}.glb`;
  await expected(url);
  const times: number[] = [];
  for (let i = 0; i < (isQuick ? 100 : 1000); i++) times.push((await expected(url)).ms);
  const detail = `${times.length} requests one after the other over one connection; 95 % within ${ms(quantile(times, 0.95))}`;
  results.add('assets', 'hit', { value: median(times), detail });
}

/** A finish after the other, without the answers of the service; the first makes what all consist of. */
async function newOnes({ results }: GroupInput, address: string): Promise<void> {
  const timesOf = async (ending: string) => {
    const times: number[] = [];
    for (const finish of FINISHES) {
      const { ms, timing } = await expected(`${address}${DESK}.${ending}DEKOR=${finish}`);
      times.push(ms - Number(/resolve;dur=([\d.]+)/.exec(timing)?.[1] ?? 0));
    }
    return times.slice(1);
  };
  const glbs = await timesOf('glb?');
  const detail = `${glbs.length} finishes of a desk, without the answers of the emulator; the slowest ${ms(Math.max(...glbs))}`;
  results.add('assets', 'new', { value: median(glbs), detail });
  const pictures = await timesOf('jpg?size=800&');
  const of = `${pictures.length} finishes of a desk, 800²; the slowest ${ms(Math.max(...pictures))}`;
  results.add('assets', 'picture', { value: median(pictures), detail: of });
}

/** What is known, while other clients have large files made. */
async function besideSlow({ results, isQuick }: GroupInput, address: string): Promise<void> {
  const url = `${address}${DESK}.glb`;
  const measure = async (isOver: () => boolean) => {
    const times: number[] = [];
    while (!isOver()) times.push((await expected(url)).ms);
    return times;
  };
  let left = isQuick ? 200 : 1000;
  const alone = await measure(() => left-- === 0);
  let isDone = false;
  let made = 0;
  const wanted = FINISHES.flatMap((finish) =>
    SLOW.map(
      (article) =>
        `${address}/a/FJEL/LINEA/${encodeURIComponent(article)}.glb?profile=web&DEKOR=${finish}`,
    ),
  );
  const slow = Promise.all(
    Array.from({ length: SLOW_AT_ONCE }, async () => {
      for (let one = wanted.shift(); one !== undefined; one = wanted.shift()) {
        await expected(one);
        made++;
      }
    }),
  ).finally(() => {
    isDone = true;
  });
  const beside = await measure(() => isDone);
  await slow;
  const [before, after] = [alone, beside].map((times) => quantile(times, 0.95)) as [number, number];
  const detail = `95 % within ${ms(before)} alone, ${ms(after)} while ${SLOW_AT_ONCE} clients had ${made} files of the profile web made`;
  results.add('assets', 'beside', { value: after / before, detail });
}

/** Many clients, of which some want what is new: nothing fails, and memory does not grow. */
async function crowd({ results, isQuick }: GroupInput, address: string): Promise<void> {
  const seconds = isQuick ? 15 : 60;
  const processId = Number(
    execFileSync('sh', ['-c', "pgrep -f 'cli/[m]ain.js assets' | head -1"], { encoding: 'utf8' }),
  );
  const ends = performance.now() + seconds * 1000;
  const statuses = new Map<number, number>();
  let next = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (performance.now() < ends) {
      const isNew = next++ % 200 === 0;
      const width = isNew
        ? `&BREITE=${800 + 50 * (Math.floor(next / 200) % 13)}&TIEFE=${600 + 100 * (Math.floor(next / 2600) % 4)}`
        : '';
      const { status } = await get(
        `${address}${DESK}.glb?DEKOR=${FINISHES[next % FINISHES.length]}${width}`,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  let [early, highest, late] = [0, 0, 0];
  const watched = (async () => {
    while (performance.now() < ends) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const bytes = residentBytes(processId);
      highest = Math.max(highest, bytes);
      const leftMs = ends - performance.now();
      if (leftMs > seconds * 1000 - WINDOW_MS) early = Math.max(early, bytes);
      // Parts of the same length: between two collections, the heap of V8 grows and shrinks by a third.
      if (leftMs < WINDOW_MS) late = Math.max(late, bytes);
    }
  })();
  await Promise.all([...clients, watched]);
  const answers = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const errors = answers - (statuses.get(200) ?? 0) - (statuses.get(503) ?? 0);
  const all = [...statuses].map(([status, count]) => `${count} of ${status}`).join(', ');
  const detail = `${CLIENTS} clients for ${seconds} s, ${Math.round(answers / seconds)} answers a second: ${all}; ${mib(early)} MiB in the first 10 s, ${mib(late)} in the last, ${mib(highest)} at most`;
  results.add('assets', 'errors', { value: errors, detail });
  results.add('assets', 'memory', { value: late / early, detail });
}

const mib = (bytes: number) => Math.round(bytes / 2 ** 20);

function residentBytes(processId: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

const ms = (milliseconds: number) => `${milliseconds.toFixed(1)} ms`;

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
