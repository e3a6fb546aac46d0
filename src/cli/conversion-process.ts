/** The child process of `run/conversions/dispatch.ts`, as a part of the bundle. */
import { startProgram } from './start.ts';

startProgram('conversion-process');
