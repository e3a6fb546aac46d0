/** The thread of `execute/bullmq-worker.ts`, as a part of the bundle. */
import { startProgram } from './start.ts';

startProgram('queue-thread');
