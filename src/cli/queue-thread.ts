/** The thread of `distribute/queue/worker.ts`, as a part of the bundle. */
import { startProgram } from './start.ts';

startProgram('queue-thread');
