/** How long a request waits for a file that is being made: the work goes on all the same. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asset } from '../../deliver/assets.ts';
import { Refusal } from '../servers/http.ts';
import { RETRY_AFTER_SECONDS } from './problems.ts';

const WAITED = 'expected the file to be made in time; it is still being made: ask again';

/** How long a request that does not wait waits all the same, milliseconds: so long takes what is known. */
export const LEAST_WAIT_MS = 50;

/** The wait of `Prefer: respond-async, wait=5`, milliseconds; undefined without it. */
export function preferredWaitMs({ headers }: FastifyRequest, mostMs: number): number | undefined {
  const prefer = String(headers.prefer ?? '');
  if (!/(?:^|[,;\s])respond-async(?:$|[,;\s])/i.test(prefer)) return undefined;
  const [, seconds = '0'] = /(?:^|[,;\s])wait=(\d{1,5})/i.exec(prefer) ?? [];
  return Math.min(mostMs, Math.max(LEAST_WAIT_MS, Number(seconds) * 1000));
}

/** Whether a request has waited as long as it may. */
export const isStillMade = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal && thrown.message === WAITED;

/** Waits as long as the connection lasts, and no longer than the limit: then the answer is 503. */
export async function waitFor(
  making: (signal: AbortSignal) => Promise<Asset>,
  reply: FastifyReply,
  maxWaitMs: number,
): Promise<Asset> {
  const gone = new AbortController();
  const leave = () => gone.abort(new Refusal(499, 'the connection has ended'));
  reply.raw.once('close', leave);
  const timer = setTimeout(() => {
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
    gone.abort(new Refusal(503, WAITED, { headers }));
  }, maxWaitMs);
  try {
    return await making(gone.signal);
  } finally {
    clearTimeout(timer);
    reply.raw.off('close', leave);
  }
}

/** Waits for a short time only; then the answer is 202 with the address of the state. */
export async function beginOnly(
  making: Promise<Asset>,
  waitMs: number,
  { raw }: FastifyRequest,
): Promise<Asset> {
  making.catch(() => {});
  const asset = await Promise.race([making, sleep(waitMs, undefined)]);
  if (asset !== undefined) return asset;
  const location = `/jobs?of=${encodeURIComponent(raw.url ?? '')}`;
  throw new Refusal(202, 'the file is being made; its state is at the address in location', {
    headers: { location, 'preference-applied': 'respond-async', 'retry-after': '1' },
  });
}
