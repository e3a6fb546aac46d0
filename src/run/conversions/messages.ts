/** What goes between the process of a run and its child processes. */

import type { ConvertOptions } from '../../convert/transform/convert-options.ts';
import type { ConversionInput } from '../../model/snapshot.ts';
import type { FileStoreOptions } from '../../source/cache/content-store.ts';
import type { ErrorCode } from '../../support/errors.ts';
import type { Converter } from './steps.ts';

/** What goes to a child process and back. */
export interface ConversionMessages {
  /** The first message. */
  opening: {
    bodies: FileStoreOptions;
    objects: FileStoreOptions;
    options: ConvertOptions;
    cacheBytes: number;
    /** Path of the database of small bodies, and of what was computed. */
    database: string;
  } & { startedAt: number; force: boolean };
  /** A step of the converter, its input, and the name of the file that it makes. */
  request: { step: Step; input: ConversionInput; file: string };
  answer: { result: StepResult<Step> } | { error: SentError };
}

/** The name of a step of a conversion. */
export type Step = keyof Converter;
/** What it returns. */
export type StepResult<S extends Step> = Awaited<ReturnType<Converter[S]>>;

/** `help` if it is not that of the code; `stack` of an error without a code: it locates a mistake of this program. */
export type SentError = { code: ErrorCode; message: string } & Record<
  'help' | 'stack',
  string | undefined
>;
