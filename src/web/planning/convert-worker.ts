/** The program of the converter's worker: makes GLBs of snapshots, with one cache of meshes, and USDZ files of GLBs. */

import { createGlbConverter } from '../../convert/glb-converter.ts';
import type { ConversionInput } from '../../convert/model/input.ts';
import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import type { Digest, Fetched } from '../../model/snapshot.ts';
import { asConverterError } from '../../support/errors.ts';
import { browserImageCodec } from './state/image-codec.ts';
import type { ConvertedModel, MissingBody, PlanningSnapshot } from './state/interfaces.ts';

export interface WorkerMessages {
  /** `endedUpTo`: conversions up to this number are cancelled. */
  request:
    | { options: Partial<ConvertOptions> }
    | { number: number; snapshot: PlanningSnapshot }
    | { number: number; glb: Uint8Array }
    | { endedUpTo: number };
  answer: { number: number } & (
    | { result: ConvertedModel | Uint8Array<ArrayBuffer> }
    | { error: { code: string; message: string; help: string } }
  );
}

/** A part that lacks a block is left out and marked by the view, so that a person can continue planning. */
const PLANNING_OPTIONS = { allowMissingParts: true };

/** Size of the cache of meshes that configurations of an article share; a phone has no memory for more. */
const CACHE_BYTES = 64 * 1024 * 1024;

const makeGlb = createGlbConverter(browserImageCodec(), CACHE_BYTES);
const steps = new MessageChannel();
let options: Partial<ConvertOptions> = PLANNING_OPTIONS;
let endedUpTo = 0;
/** Resolves when all work so far is done: jobs run one after the other. */
let done: Promise<void> = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<WorkerMessages['request']>) => {
  if ('options' in data) options = { ...PLANNING_OPTIONS, ...data.options };
  else if ('endedUpTo' in data) endedUpTo = data.endedUpTo;
  else {
    // A later conversion cancels all earlier ones.
    if ('snapshot' in data) endedUpTo = data.number - 1;
    done = done.then(() => answer(data));
  }
});

async function answer(
  request: Extract<WorkerMessages['request'], { number: number }>,
): Promise<void> {
  const { number } = request;
  try {
    const result =
      'glb' in request ? await usdzOf(request.glb) : await convert(number, request.snapshot);
    const { buffer } = 'glb' in result ? result.glb : result;
    send({ number, result }, [buffer]);
  } catch (thrown) {
    const { code, message, help } = asConverterError(thrown);
    send({ number, error: { code, message, help } }, []);
  }
}

function send(message: WorkerMessages['answer'], transfer: Transferable[]): void {
  postMessage(message, { transfer });
}

async function usdzOf(glb: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const usdz = await import('./usdz.js');
  return usdz.usdzOf(glb);
}

async function convert(number: number, given: PlanningSnapshot): Promise<ConvertedModel> {
  const betweenSteps = async () => {
    await untilMessagesAreRead();
    if (number <= endedUpTo) throw new DOMException('a later conversion began', 'AbortError');
  };
  await betweenSteps();
  const { snapshot, bodies } = await withDigests(given);
  const read = async (digest: Digest) => bodies.get(digest)!;
  const { scene, glb } = await makeGlb({ snapshot, read, options, betweenSteps });
  const { min, max } = scene.boundsMetres;
  return {
    glb: glb as Uint8Array<ArrayBuffer>,
    sizeMetres: [max[0] - min[0], max[1] - min[1], max[2] - min[2]],
    triangles: scene.triangles,
    holesMetres: scene.holesMetres,
    warnings: scene.warnings.map(({ code, message }) => ({ code, message })),
  };
}

/** Lets messages that have arrived be handled before the next step; a timer would wait for milliseconds. */
function untilMessagesAreRead(): Promise<void> {
  return new Promise((resolve) => {
    steps.port1.onmessage = () => resolve();
    steps.port2.postMessage(undefined);
  });
}

async function withDigests(given: PlanningSnapshot) {
  const bodies = new Map<Digest, Uint8Array>();
  const add = async (bytes: Uint8Array): Promise<Digest> => {
    const digest = await digestOf(bytes);
    bodies.set(digest, bytes);
    return digest;
  };
  const fetched = async (all: ReadonlyMap<string, Uint8Array | MissingBody>) => {
    const found = new Map<string, Fetched>();
    for (const [name, body] of all)
      found.set(name, 'missing' in body ? body : { digest: await add(body), bytes: body.length });
    return found;
  };
  const snapshot: ConversionInput = {
    key: given.key,
    partsList: await add(given.partsList),
    blocks: await fetched(given.blocks),
    images: await fetched(given.images),
  };
  return { snapshot, bodies };
}

let unknown = 0;

/** A browser has this function on HTTPS and loopback only. Without it, the cache finds no earlier work. */
async function digestOf(bytes: Uint8Array): Promise<Digest> {
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (!subtle) return `unknown ${unknown++}`;
  const digest = await subtle.digest('SHA-256', new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
