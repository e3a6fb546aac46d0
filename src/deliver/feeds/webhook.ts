/** Posts a signed message to an address of the user. */
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Agent } from 'undici';

interface Webhook {
  url: string;
  secret: string;
  /** Time limit of one attempt. */
  timeoutMs: number;
  /** Attempts after the first. */
  retries: number;
  /** Pause before the second attempt; doubles each time. */
  backoffMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
  signal: AbortSignal;
}

export interface Refusal {
  /** The problem; the only part of the address in it is the host, and it contains no secret. */
  problem: string;
  /** Whether the receiver may have received it, since an attempt had no answer, or only that of a gateway. */
  isUnsure: boolean;
}

/** The receiver behind a gateway may have received a message although it did not answer the gateway in time. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 504]);

/** The header with the signature of time and body; the other header, for the body alone, remains for one version. */
const SIGNED_HEADER = 'x-btg2gltf-signed';
const SIGNATURE_HEADER = 'x-btg2gltf-signature';

/**
 * Posts JSON with the header `X-Btg2gltf-Signed: t=<seconds since 1970>,sha256=<HMAC-SHA256 of the seconds, a full stop
 * and the body, lower-case hex>`: a receiver refuses old messages, so that a copy cannot be sent again. The time is
 * that of the attempt. `X-Btg2gltf-Signature: sha256=<HMAC-SHA256 of the body>` is sent, too.
 *
 * The post is repeated after a 5xx, a 429 and a lost or refused connection; redirects are not followed.
 *
 * @returns Undefined, or why the receiver has not accepted it.
 * @throws The reason of the signal.
 * @example
 * ```ts
 * await postSigned(body, { url: 'https://shop.example/hook', secret, timeoutMs: 10_000, retries: 4, backoffMs: 1000, now, signal });
 * // → { problem: 'shop.example: expected an answer of 200 to 299, received 404', isUnsure: false }
 * ```
 */
export async function postSigned(body: string, webhook: Webhook): Promise<Refusal | undefined> {
  const { url, secret, retries, backoffMs, now, signal } = webhook;
  const { Agent: AgentClass } = await import('undici');
  // Set explicitly, so that no environment variable can switch it off.
  const agent = new AgentClass({ connect: { rejectUnauthorized: true } });
  const hmac = (text: string) =>
    `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  let answer: number | string = '';
  let isUnsure = false;
  try {
    for (let attempt = 0; attempt <= retries; attempt++) {
      if (attempt > 0) await wait(backoffMs * 2 ** (attempt - 1), undefined, { signal });
      signal.throwIfAborted();
      const seconds = Math.floor(now() / 1000);
      const signatures = {
        [SIGNED_HEADER]: `t=${seconds},${hmac(`${seconds}.${body}`)}`,
        [SIGNATURE_HEADER]: hmac(body),
      };
      const sent = await send(agent, body, signatures, webhook);
      answer = sent.answer;
      isUnsure ||= typeof answer === 'number' ? GATEWAY_STATUSES.has(answer) : sent.isConnected;
      if (typeof answer === 'number' && answer >= 200 && answer < 300) return undefined;
      if (typeof answer === 'number' && answer < 500 && answer !== 429) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await agent.destroy().catch(() => undefined);
  }
  const problem = `${new URL(url).host}: expected an answer of 200 to 299, received ${answer}`;
  return { problem, isUnsure };
}

/** Makes one attempt. @returns The status, or why there is none, and whether there was a connection. */
async function send(
  agent: Agent,
  body: string,
  signatures: Readonly<Record<string, string>>,
  { url, timeoutMs, signal }: Webhook,
): Promise<{ answer: number | string; isConnected: boolean }> {
  const { origin, pathname, search } = new URL(url);
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  let stop = () => {};
  let isConnected = false;
  const status = new Promise<number>((resolve, reject) => {
    stop = () => reject(ended.reason as Error);
    ended.addEventListener('abort', stop);
    const headers = { 'content-type': 'application/json', ...signatures };
    agent.dispatch(
      { origin, path: `${pathname}${search}`, method: 'POST', headers, body },
      {
        onRequestStart(controller) {
          isConnected = true;
          ended.addEventListener('abort', () => controller.abort(ended.reason as Error));
        },
        onResponseStart: (_, code) => resolve(code),
        // The body of the answer is not used.
        onResponseData() {},
        onResponseEnd() {},
        onResponseError: (_, error) => reject(error),
      },
    );
  });
  try {
    return { answer: await status, isConnected };
  } catch (thrown) {
    signal.throwIfAborted();
    const answer = timeout.aborted
      ? `none within ${timeoutMs / 1000} s`
      : `none (${codeOf(thrown)})`;
    return { answer, isConnected };
  } finally {
    ended.removeEventListener('abort', stop);
  }
}

/** The code of an error, or of the first of several errors that occurred together. */
function codeOf(thrown: unknown): string {
  const { code, errors } = thrown as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') return code;
  return errors?.[0] === undefined ? 'connection lost' : codeOf(errors[0]);
}
