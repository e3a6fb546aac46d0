/** The messages of the coordinator: it learns which workers it has, and whether there is another coordinator. */
import { randomBytes } from 'node:crypto';
import { ConverterError } from '../../support/errors.ts';
import { type ChunkQueueOptions, CONVERT, type QueueWorkerInfo } from './chunk-queue.ts';
import {
  type Beat,
  type Control,
  type ControlMessage,
  CUT_OFF_MESSAGES,
  type Members,
  openControl,
  openMembers,
} from './control.ts';
import type { QueueConnections } from './server.ts';

interface CoordinatorEvents {
  /** A worker has joined or left, or has ended a job. */
  onChange(): void;
  /** The run must stop: another run is in progress, or the server is unreachable for too long. */
  onStop(error: ConverterError): void;
  onError(error: Error): void;
}

const ANSWER_MS = 500;

const SHOWN_STATES = {
  joining: 'idle',
  idle: 'idle',
  working: 'working',
  stopped: 'stopped',
  refused: 'refused',
} satisfies Record<Beat['state'], QueueWorkerInfo['state']>;

/** Exchanges messages with the other processes of a pipeline until it is closed. */
export class CoordinatorControl {
  /** Resolves when another coordinator has had the time to answer. */
  readonly whenAlone: Promise<void>;
  readonly #options: ChunkQueueOptions;
  readonly #events: CoordinatorEvents;
  readonly #name: string;
  readonly #control: Control;
  readonly #members: Members;
  /** Names of the workers that were refused: their own message about it may be lost with the server. */
  readonly #refused = new Set<string>();
  #state: Beat['state'] = 'joining';
  #endedJobs = 0;
  /** False until another coordinator has had time to answer: workers may belong to it, with its options. */
  #mayRefuse = false;
  #answer: NodeJS.Timeout | undefined;

  constructor(
    connections: QueueConnections,
    options: ChunkQueueOptions,
    events: CoordinatorEvents,
  ) {
    const { pipeline, log, now, answerMs = ANSWER_MS } = options;
    this.#options = options;
    this.#events = events;
    // Of two coordinators, the older has the smaller name.
    const startedAt = now().toString().padStart(15, '0');
    this.#name = `coordinator-${startedAt}-${randomBytes(3).toString('hex')}`;
    const { serverName: queue } = connections;
    this.#control = openControl(connections, pipeline, {
      beat: () => this.#beat(),
      onMessage: (message) => this.#receive(message),
      onCutOff: (isCutOff) => log.warn(CUT_OFF_MESSAGES[`${isCutOff}`], { queue }),
      onOutage: () => {
        const text = `queue ${queue}: expected it back within 5 minutes`;
        events.onStop(new ConverterError('QUEUE_UNREACHABLE', text));
      },
      onError: events.onError,
    });
    this.#members = openMembers(this.#control.isCutOff, events.onChange);
    this.whenAlone = this.#control.connected.then(
      () =>
        new Promise<void>((resolve) => {
          this.#answer = setTimeout(() => {
            this.#mayRefuse = this.#state === 'joining';
            resolve();
          }, answerMs);
        }),
    );
  }

  get state(): Beat['state'] {
    return this.#state;
  }

  /** Marks the start of the work. */
  begin(): void {
    this.#state = 'working';
    this.#control.beat();
  }

  /** Counts another ended job for the next beat. */
  countEnded(): void {
    this.#endedJobs++;
  }

  /** Makes workers drop the jobs of a kind. */
  cancelJobs(jobs: string): void {
    this.#control.publish({ kind: 'cancel', run: this.#options.run, jobs });
  }

  stop(): void {
    this.#state = 'stopped';
  }

  /** Number of jobs of a kind that the workers of this run do at once. */
  slots(kind: string): number {
    const { digest } = this.#options;
    const workers = this.#members.live().filter(({ beat }) => beat.digest === digest);
    return workers.reduce((sum, { beat }) => sum + (beat.slots[kind] ?? 0), 0);
  }

  /** Every worker that has joined in this run, by name. */
  workers(): QueueWorkerInfo[] {
    return this.#members
      .all()
      .filter(({ beat }) => beat.role === 'worker')
      .map(({ beat, isLost }) => ({
        name: beat.name,
        state: this.#shownState(beat, isLost),
        kinds: Object.keys(beat.slots),
      }));
  }

  async close(): Promise<void> {
    clearTimeout(this.#answer);
    this.#members.close();
    await this.#control.close();
  }

  #beat(): Beat {
    const { version, digest, options, kinds = [CONVERT] } = this.#options;
    return {
      ...{ kind: 'beat', role: 'coordinator', name: this.#name, version, digest, options },
      ...{ state: this.#state, ended: this.#endedJobs, since: 0, slots: {}, needs: [...kinds] },
    };
  }

  #receive(message: ControlMessage): void {
    const { pipeline, run } = this.#options;
    if (message.kind === 'occupied' && message.to === this.#name) {
      this.#state = 'refused';
      const text = `run of pipeline ${pipeline}: expected no other on this queue, received run ${message.run}, which is in progress`;
      const help = 'wait until the other run ends';
      this.#events.onStop(new ConverterError('OUTPUT_LOCKED', text, { help }));
    }
    if (message.kind !== 'beat' || message.name === this.#name) return;
    if (message.role === 'worker') this.#receiveFromWorker(message);
    else if (message.state === 'joining' && this.#isAheadOf(message.name)) {
      this.#control.publish({ kind: 'occupied', to: message.name, run });
    }
  }

  #receiveFromWorker(beat: Beat): void {
    const known = this.#members.find(beat.name);
    this.#members.note(beat);
    if (known?.beat.ended !== beat.ended) this.#events.onChange();
    const { digest } = this.#options;
    if (beat.digest === digest || beat.state === 'refused' || beat.state === 'stopped') return;
    if (!this.#mayRefuse) return;
    this.#refused.add(beat.name);
    const message = `worker ${beat.name}: ${difference(this.#options, beat)}`;
    // A message that is lost is sent again at the next beat.
    this.#control.publish({ kind: 'refuse', to: beat.name, message });
  }

  #isAheadOf(other: string): boolean {
    return this.#state === 'working' || (this.#state === 'joining' && this.#name < other);
  }

  #shownState({ name, state }: Beat, isLost: boolean): QueueWorkerInfo['state'] {
    if (this.#refused.has(name)) return 'refused';
    return isLost ? 'lost' : SHOWN_STATES[state];
  }
}

/** Describes how the version or the options of a worker differ from those of the coordinator. */
function difference(own: Pick<Beat, 'version' | 'options'>, other: Beat): string {
  if (own.version !== other.version)
    return `expected version ${own.version} of the coordinator, received ${other.version}`;
  const names = Object.keys(own.options).filter(
    (name) => own.options[name] !== other.options[name],
  );
  const which = names.length > 0 ? `: ${names.join(', ')}` : '';
  return `expected the options of the coordinator, received others${which}`;
}
