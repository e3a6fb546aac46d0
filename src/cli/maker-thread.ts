/** A thread of `deliver/maker-threads.ts`, as a part of the bundle. */
import { startProgram } from './start.ts';

startProgram('maker-thread');
