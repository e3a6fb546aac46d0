/**
 * A service on loopback that gives the answers of a test, wrong ones above all.
 *
 * The emulator answers as the specification says. This one breaks off, stalls, sends HTML, says
 * "not so fast", lets tokens expire: what a service does under load.
 */
import { generateKeyPairSync } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One way to answer. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** One request as it came in. */
export interface Seen {
  method: string;
  /** Path and query as on the wire. */
  url: string;
  body: string;
  headers: IncomingHttpHeaders;
}

export interface FaultServer {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly seen: Seen[];
  /** Tokens handed out, in order: `token-1-of-the-server`, … */
  readonly tokens: string[];
  /** Most requests that were open at the same time, logins and logouts left out. */
  mostAtOnce(): number;
  /** Answers as a healthy authentication server does. */
  readonly logIn: Answer;
  /** How many requests came whose URL holds a text. */
  count(part: string): number;
  /** What is answered from now on to requests whose URL holds a text. */
  always(part: string, answer: Answer): void;
  /** What the next such requests get, one after the other, before that. */
  next(part: string, ...answers: Answer[]): void;
  close(): Promise<void>;
}

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** Answers with JSON. */
export function json(body: unknown, status = 200): Answer {
  return raw(JSON.stringify(body), { 'content-type': 'application/json' }, status);
}

/** Answers with a body as it is. */
export function raw(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  status = 200,
): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}

/** The page of a login form. */
export const html = raw('<!DOCTYPE html><title>Login</title>', { 'content-type': 'text/html' });

/** Cuts the connection before an answer. */
export const reset: Answer = (response) => response.socket?.destroy();

/** Says nothing, for ever. */
export const silence: Answer = () => {};

/** Sends the beginning of a body, then nothing more, for ever. */
export const stall: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"btg":');
};

/** Sends the beginning of a body, then cuts the connection. */
export const cut: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"btg":', () => {
    response.socket?.destroy();
  });
};

/** Answers once as many requests are waiting as can be in flight, so that all of them are seen. */
export function together(count: number, answer: (at: number) => Answer): Answer {
  const waiting: (() => void)[] = [];
  let answered = 0;
  return (response, request) => {
    waiting.push(() => answer(answered++)(response, request));
    if (waiting.length === count) for (const go of waiting.splice(0)) go();
  };
}

/** Starts a server that is closed when the test ends, if not before. */
export async function startFaultServer(): Promise<FaultServer> {
  const seen: Seen[] = [];
  const tokens: string[] = [];
  const always = new Map<string, Answer>();
  const next = new Map<string, Answer[]>();
  let open = 0;
  let mostOpen = 0;

  const logIn: Answer = (response, request) => {
    if (request.url?.includes('GetPublicKey')) return json({ result: [KEY] })(response, request);
    tokens.push(`token-${tokens.length + 1}-of-the-server`);
    json({ result: [tokens.at(-1)] })(response, request);
  };
  const answerTo = (url: string): Answer => {
    for (const [part, answers] of next) {
      const answer = url.includes(part) ? answers.shift() : undefined;
      if (answer !== undefined) return answer;
    }
    for (const [part, answer] of always) if (url.includes(part)) return answer;
    if (url.startsWith('/auth/')) return logIn;
    if (url.includes('/logout/')) return json({});
    return json({ error: 'no such thing' }, 404);
  };

  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const isCounted = !url.startsWith('/auth/') && !url.includes('/logout/');
    if (isCounted) {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      response.on('close', () => {
        open -= 1;
      });
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url, body, headers: request.headers });
      answerTo(url)(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    authUrl: `${origin}/auth`,
    baseUrl: `${origin}/base/`,
    seen,
    tokens,
    logIn,
    mostAtOnce: () => mostOpen,
    count: (part) => seen.filter(({ url }) => url.includes(part)).length,
    always: (part, answer) => void always.set(part, answer),
    next: (part, ...answers) => void next.set(part, [...(next.get(part) ?? []), ...answers]),
    close,
  };
}
