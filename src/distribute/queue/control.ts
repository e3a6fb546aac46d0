/** What coordinator and workers of a pipeline say to one another: events of a queue that has no jobs. */
import type { EventEmitter } from 'node:events';
import { z } from 'zod';
import { type QueueConnections, queueName, settledWithin } from './server.ts';

/** The digest of each part of the options, by its name, such as `convert`: the parts that differ can be named. */
export type OptionDigests = Readonly<Record<string, string>>;

/** A sign of life, published each second and at every change. */
export interface Beat {
  kind: 'beat';
  role: 'coordinator' | 'worker';
  name: string;
  /** Version of the converter. */
  version: string;
  /** Of version and options. */
  digest: string;
  options: OptionDigests;
  /** When a worker came, by the clock of the queue's server, milliseconds since 1970: those that are there go first. */
  since: number;
  /** One that is joining has not started to work: the others receive its beats first. */
  state: 'joining' | 'working' | 'idle' | 'stopped' | 'refused';
  /** Jobs that it does at once. */
  slots: number;
  /** Jobs that have ended, with any result. */
  ended: number;
}

/** What is published. A message to one worker has its name in `to`. */
export type ControlMessage =
  | Beat
  | { kind: 'pause'; from: string; milliseconds: number }
  | { kind: 'refuse'; to: string; message: string }
  | { kind: 'cancel'; run: string }
  /** The answer to a coordinator that joins while another works. */
  | { kind: 'occupied'; to: string; run: string };

const text = z.string();
const controlMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('beat'),
    role: z.enum(['coordinator', 'worker']),
    ...{ name: text, version: text, digest: text, options: z.record(text, text) },
    since: z.number(),
    state: z.enum(['joining', 'working', 'idle', 'stopped', 'refused']),
    ...{ slots: z.number(), ended: z.number() },
  }),
  z.object({ kind: z.literal('pause'), from: text, milliseconds: z.number() }),
  z.object({ kind: z.literal('refuse'), to: text, message: text }),
  z.object({ kind: z.literal('cancel'), run: text }),
  z.object({ kind: z.literal('occupied'), to: text, run: text }),
]) satisfies z.ZodType<ControlMessage>;

/** Reads what was published; undefined where that is no message of ours, since other programs may use the server. */
function readMessage(json: unknown): ControlMessage | undefined {
  try {
    return controlMessage.safeParse(JSON.parse(String(json))).data;
  } catch {
    return undefined;
  }
}

/** The open channel. */
export interface Control {
  /** Resolves when this process has received a message of its own: it misses none from now on. */
  readonly connected: Promise<void>;
  /** Publishes a message; one that cannot be published is lost, beats excepted. */
  publish(message: ControlMessage): void;
  /** Publishes a beat now, because something has changed. */
  beat(): void;
  /** Whether this process receives no message of its own, so that the others may take it for lost. */
  isCutOff(): boolean;
  /** Publishes a last beat; the connections stay open. */
  close(): Promise<void>;
}

const BEAT_MS = 1_000;
/** Until a process has received its own message once. */
const FIRST_BEATS_MS = 100;
/** Of a member: it counts as lost. */
const SILENT_MS = 3 * BEAT_MS;
/** A process is cut off before the others take it for lost. */
const CUT_OFF_MS = 2.5 * BEAT_MS;
const CONFIRM_MS = 0.5 * BEAT_MS;
/** Longest time without the server of the queue. */
const OUTAGE_MS = 5 * 60_000;
const LAST_BEAT_MS = 2_000;

/** How long a worker waits before its first job: others publish beats, and receive its own, meanwhile. */
export const JOIN_MS = 1.5 * BEAT_MS;

/** What the log says when a process is cut off, or no longer so. */
export const CUT_OFF_MESSAGES = {
  true: 'the queue does not answer: waiting',
  false: 'the queue answers again',
} as const;

/** What a process that opens the channel sends and receives. */
export interface ControlHandlers {
  /** The present state. */
  beat(): Beat;
  /** Also what this process has published. */
  onMessage(message: ControlMessage): void;
  /** This process receives its own messages no more, or again. */
  onCutOff(isCutOff: boolean): void;
  /** The server of the queue has not answered for five minutes. */
  onOutage(): void;
  onError(error: Error): void;
}

/** Opens the channel of a pipeline, and publishes beats until it is closed. */
export function openControl(
  connections: QueueConnections,
  pipeline: string,
  handlers: ControlHandlers,
): Control {
  const events = connections.openEvents(queueName(pipeline));
  const producer = connections.openEventsProducer(queueName(pipeline));
  let connect = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  let isCutOff = false;
  const cutOff = setTimeout(() => {
    // What came while this thread was busy is received before.
    confirmation = setTimeout(() => {
      isCutOff = true;
      handlers.onCutOff(true);
    }, CONFIRM_MS);
  }, CUT_OFF_MS - CONFIRM_MS);
  let confirmation: NodeJS.Timeout | undefined;
  const outage = setTimeout(handlers.onOutage, OUTAGE_MS);

  const publish = async (message: ControlMessage): Promise<void> => {
    try {
      await producer.publishEvent({ eventName: 'message', json: JSON.stringify(message) });
    } catch (error) {
      handlers.onError(error as Error);
    }
  };
  // While the server is away, a command waits: beats must not pile up.
  let isBeating = false;
  let mustBeatAgain = false;
  const beat = async (): Promise<void> => {
    mustBeatAgain = true;
    if (isBeating) return;
    isBeating = true;
    while (mustBeatAgain) {
      mustBeatAgain = false;
      await publish(handlers.beat());
    }
    isBeating = false;
  };
  (events as EventEmitter).on('message', (event: { json?: unknown } | null) => {
    const message = readMessage(event?.json);
    if (message === undefined) {
      handlers.onError(new Error('a message on the queue is none of btg2gltf'));
      return;
    }
    if (message.kind === 'beat' && message.name === handlers.beat().name) {
      clearTimeout(confirmation);
      cutOff.refresh();
      if (isCutOff) {
        isCutOff = false;
        handlers.onCutOff(false);
      }
      outage.refresh();
      connect();
    }
    handlers.onMessage(message);
  });
  let timer = setInterval(beat, FIRST_BEATS_MS);
  void connected.then(() => {
    clearInterval(timer);
    timer = setInterval(beat, BEAT_MS);
  });
  void beat();
  return {
    connected,
    publish: (message) => void publish(message),
    beat: () => void beat(),
    isCutOff: () => isCutOff,
    close: async () => {
      clearInterval(timer);
      clearTimeout(cutOff);
      clearTimeout(outage);
      clearTimeout(confirmation);
      await settledWithin(LAST_BEAT_MS, [publish(handlers.beat())]);
    },
  };
}

/** A process that has sent beats. */
export interface Member {
  beat: Beat;
  isLost: boolean;
}

/** Those that have sent beats, by name. */
export interface Members {
  note(beat: Beat): void;
  find(name: string): Member | undefined;
  /** In the order of their names. */
  all(): Member[];
  /** Workers that may send requests, now or soon. */
  live(): Member[];
  close(): void;
}

const ENDED: ReadonlySet<Beat['state']> = new Set(['stopped', 'refused'] as const);

/**
 * Keeps who is there. A member is lost when it was silent for three seconds, unless this process receives nothing at all.
 *
 * @param onChange - Called when one comes, goes or changes its state.
 */
export function openMembers(isCutOff: () => boolean, onChange: () => void): Members {
  const members = new Map<string, Member & { timer: NodeJS.Timeout }>();
  const all = () => [...members.values()].sort((a, b) => (a.beat.name < b.beat.name ? -1 : 1));
  let wasCutOff = false;
  const lose = (name: string) => {
    const member = members.get(name)!;
    if (ENDED.has(member.beat.state)) return;
    if (isCutOff()) {
      wasCutOff = true;
      member.timer.refresh();
      return;
    }
    member.isLost = true;
    onChange();
  };
  return {
    note(beat) {
      // The others, too, need a moment to be there again.
      if (wasCutOff && !isCutOff()) {
        wasCutOff = false;
        for (const { timer } of members.values()) timer.refresh();
      }
      const known = members.get(beat.name);
      // One that has ended is not there again: this beat was overtaken by its last one.
      if (known !== undefined && ENDED.has(known.beat.state) && !ENDED.has(beat.state)) return;
      const timer = known?.timer ?? setTimeout(() => lose(beat.name), SILENT_MS);
      timer.refresh();
      members.set(beat.name, { beat, isLost: false, timer });
      if (known?.isLost !== false || known.beat.state !== beat.state) onChange();
    },
    find: (name) => members.get(name),
    all,
    live: () =>
      all().filter(
        ({ beat, isLost }) => beat.role === 'worker' && !isLost && !ENDED.has(beat.state),
      ),
    close: () => {
      for (const { timer } of members.values()) clearTimeout(timer);
    },
  };
}
