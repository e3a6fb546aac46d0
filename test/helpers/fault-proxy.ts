/** A proxy in front of an emulator on loopback: passes on every request but those that a test disturbs. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
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
  const direct = serverAt(target.port);
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
    if (disturbance === undefined && direct.server?.listening) {
      direct.server.emit('request', incoming, response);
      return;
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
  const { origin, close: stop } = await listening(server);
  const close = async () => {
    direct.forget();
    await stop();
  };
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

/**
 * The server of this process at a port, once it has received a request: to hand requests to it takes half the time of
 * another connection.
 */
function serverAt(port: string): { readonly server: Server | undefined; forget(): void } {
  let found: Server | undefined;
  const forget = () => unsubscribe(STARTED, look);
  const look = (message: unknown) => {
    const { server, socket } = message as { server: Server; socket: { localPort?: number } };
    if (String(socket.localPort) !== port) return;
    found = server;
    forget();
  };
  subscribe(STARTED, look);
  return {
    get server() {
      return found;
    },
    forget,
  };
}

const STARTED = 'http.server.request.start';

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
