/** A proxy in front of an emulator on loopback: forwards every request but those that a test disturbs. */
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { environmentOf } from './child.ts';
import type { Answer } from './fault-server.ts';
import { listening } from './listening.ts';

/** What becomes of one right answer on its way. */
export type Damage = (body: Buffer) => Buffer;

/** What is done to one request: answered otherwise, or its right answer damaged. */
export type Disturbance = { answer: Answer } | { damage: Damage };

/** A proxy, running. */
export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

/** Starts a proxy before an emulator. */
export async function startFaultProxy(emulator: Emulator) {
  const target = new URL(emulator.baseUrl);
  const faults: [RegExp, Answer][] = [];
  let choose: (url: string) => Disturbance | undefined = () => undefined;
  const seen: string[] = [];
  let open = 0;
  let mostOpen = 0;
  let latencyMs = 0;
  const server = createServer(async (incoming, response) => {
    const url = incoming.url ?? '';
    seen.push(url);
    if (!/\/auth\/|\/logout\//.test(url)) {
      mostOpen = Math.max(mostOpen, ++open);
      response.on('close', () => {
        open--;
      });
    }
    if (latencyMs > 0) await delay(latencyMs);
    const fault = faults.find(([pattern]) => pattern.test(url))?.[1];
    const disturbance = fault === undefined ? choose(url) : { answer: fault };
    if (disturbance !== undefined && 'answer' in disturbance) {
      return disturbance.answer(response, incoming);
    }
    const { method } = incoming;
    // A damage works on the body as it is, not on a compressed one.
    const plain = disturbance === undefined ? {} : { 'accept-encoding': 'identity' };
    const headers = { ...incoming.headers, ...plain };
    const outgoing = forward(
      { host: target.hostname, port: target.port, path: url, method, headers },
      (answer) => void passOn(answer, response, disturbance?.damage),
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  const { origin, close } = await listening(server);
  const authUrl = origin + new URL(emulator.authUrl).pathname;
  return {
    /** The environment of a command that talks to it. */
    env: environmentOf({ ...emulator, authUrl, baseUrl: origin + target.pathname }),
    /** Every URL asked for, in order. */
    seen,
    /** Most requests that were open at the same time, logins and logouts left out. */
    mostAtOnce: () => mostOpen,
    /** What is answered to requests whose URL matches. */
    break: (url: RegExp, answer: Answer) => void faults.push([url, answer]),
    /** Asked about every request that no URL above matches; undefined lets it through. */
    disturb(by: typeof choose) {
      choose = by;
    },
    /** Answers so much later, milliseconds, as a network does. */
    slowBy(ms: number) {
      latencyMs = ms;
    },
    /** Answers everything rightly again. */
    mend() {
      faults.splice(0);
      choose = () => undefined;
    },
    close,
  };
}

async function passOn(
  answer: IncomingMessage,
  response: ServerResponse,
  damage: Damage | undefined,
): Promise<void> {
  const status = answer.statusCode ?? 500;
  if (damage === undefined) {
    answer.pipe(response.writeHead(status, answer.headers));
    return;
  }
  const body = damage(await buffer(answer));
  const { 'transfer-encoding': _, ...headers } = answer.headers;
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}
