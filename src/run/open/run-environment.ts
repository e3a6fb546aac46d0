/** What the process provides for a run: clock, random numbers, signal, variables, log and progress. */
import type { ServiceConfig } from '../../source/service/service-config.ts';
import type { Logger } from '../../support/log.ts';
import type { Environment } from '../file/environment.ts';

/** A running emulator, as far as a client needs it. */
export interface EmulatorHandle {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  readonly appKey: string;
  close(): Promise<void>;
}

/** What a client needs from the process, and callbacks of the client. */
export interface ServiceEnvironment
  extends Pick<
    ServiceConfig,
    | 'now'
    | 'random'
    | 'waitsForFirstAnswer'
    | 'onRequest'
    | 'onAnswer'
    | 'onDrift'
    | 'onPause'
    | 'onOutage'
    | 'tokens'
  > {
  env: Environment;
  signal: AbortSignal;
  /** Starts an emulator of the sample range, or of the recording in a folder; it lies above this folder. */
  startEmulator(range: { recording?: string }): Promise<EmulatorHandle>;
}

/** How far a run is, in configurations. */
export interface Progress {
  /** What is made of the published GLBs, such as `pictures`; undefined while these are made. */
  making?: string;
  total: number;
  done: number;
  failed: number;
}

/** What the process provides for a run. */
export interface RunEnvironment
  extends Omit<ServiceEnvironment, 'waitsForFirstAnswer' | 'onRequest' | 'onDrift' | 'onOutage'> {
  log: Logger;
  /** Milliseconds since 1970; gives the run its id. @defaultValue `now()` */
  startedAt?: number;
  progress?: (progress: Progress) => void;
  /** Called during selection with the number of articles found so far. */
  selecting?: (found: number) => void;
  /** Called with the planning of each permanent identifier that is selected. */
  onPlanning?: (id: string, topLevelArticle: unknown) => Promise<void>;
}
