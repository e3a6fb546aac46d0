/** Messages between coordinator and workers of a pipeline: events of a queue that has no jobs. */
import type { EventEmitter } from 'node:events';
import { z } from 'zod';
import { type QueueConnections, queueName, settledWithin } from './server.ts';

const text = z.string();
/** A heartbeat, published each second and at every change. */
const beat = z.object({
  kind: z.literal('beat'),
  role: z.enum(['coordinator', 'worker']),
  name: text,
  /** Version of the converter. */
  version: text,
  /** Digest of version and options. */
  digest: text,
  options: z.record(text, text),
  /** When a worker joined, by the clock of the queue's server, milliseconds since 1970: earlier workers go first. */
  since: z.number(),
  /** A joining worker has not started to work: the others receive its beats first. */
  state: z.enum(['joining', 'working', 'idle', 'stopped', 'refused']),
  /** How many jobs of each kind the process does at once; earlier versions have a number, which counts for none. */
  slots: z.union([
    z.record(text, z.number()),
    z.number().transform((): Record<string, number> => ({})),
  ]),
  /** The kinds of jobs that a coordinator may have. */
  needs: z.array(text).default([]),
  /** Jobs that have ended, with any result. */
  ended: z.number(),
});
/** A published message. A message to one worker has its name in `to`. */
const controlMessage = z.discriminatedUnion('kind', [
  beat,
  z.object({ kind: z.literal('pause'), from: text, milliseconds: z.number() }),
  z.object({ kind: z.literal('refuse'), to: text, message: text }),
  z.object({ kind: z.literal('cancel'), run: text, jobs: text }),
  // The answer to a coordinator that joins while another works.
  z.object({ kind: z.literal('occupied'), to: text, run: text }),
]);

/** A heartbeat. */
export type Beat = Readonly<z.output<typeof beat>>;
/** A published message. */
export type ControlMessage = z.infer<typeof controlMessage>;

/** Reads a message; undefined if it is not a message of btg2gltf, since other programs may use the server. */
function readMessage(json: unknown): ControlMessage | undefined {
  try {
    return controlMessage.safeParse(JSON.parse(String(json))).data;
  } catch {
    return undefined;
  }
}

/** The open channel. */
export interface Control {
  /** Resolves when this process has received a message of its own: from now on it misses no message. */
  readonly connected: Promise<void>;
  /** Publishes a message; a message that cannot be published is lost, beats excepted. */
  publish(message: ControlMessage): void;
  /** Publishes a beat now, because something has changed. */
  beat(): void;
  /** Whether this process does not receive its own messages, so that other processes may consider it lost. */
  isCutOff(): boolean;
  /** Publishes a last beat; the connections stay open. */
  close(): Promise<void>;
}

const BEAT_MS = 1_000;
/** Interval of the beats until a process has received its own message once. */
const FIRST_BEATS_MS = 100;
/** Silence after which a member counts as lost. */
const SILENT_MS = 3 * BEAT_MS;
/** A process counts as cut off before the others consider it lost. */
const CUT_OFF_MS = 2.5 * BEAT_MS;
const CONFIRM_MS = 0.5 * BEAT_MS;
/** Longest outage of the server of the queue. */
const OUTAGE_MS = 5 * 60_000;
const LAST_BEAT_MS = 2_000;

/** How long a worker waits before its first job: meanwhile others publish beats and receive those of the worker. */
export const JOIN_MS = 1.5 * BEAT_MS;

/** Messages of the log for a process that is cut off, or is no longer cut off. */
export const CUT_OFF_MESSAGES = {
  true: 'the queue does not answer: waiting',
  false: 'the queue answers again',
} as const;

interface ControlHandlers {
  /** Returns the current state. */
  beat(): Beat;
  /** A message has arrived; messages of this process are included. */
  onMessage(message: ControlMessage): void;
  /** This process no longer receives its own messages, or receives them again. */
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
    // Messages that arrived while this thread was busy are received first.
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
  // While the server is unreachable, a command waits: beats must not pile up.
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

/** Processes that have sent beats, by name. */
export interface Members {
  note(beat: Beat): void;
  find(name: string): Member | undefined;
  /** All members, by name. */
  all(): Member[];
  /** Workers that may send requests, now or soon. */
  live(): Member[];
  close(): void;
}

const ENDED: ReadonlySet<Beat['state']> = new Set(['stopped', 'refused'] as const);

/**
 * Records the members. A member is lost after three seconds of silence, unless this process receives nothing at all.
 *
 * @param onChange - Called when a member joins, leaves or changes its state.
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
      // After an interruption, the other members need time to send a beat again.
      if (wasCutOff && !isCutOff()) {
        wasCutOff = false;
        for (const { timer } of members.values()) timer.refresh();
      }
      const known = members.get(beat.name);
      // A member that has ended does not return: its last beat has overtaken this one.
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
