/** The child process of `pipeline/conversion.ts`, as a part of the bundle. */
import { startProgram } from './start.ts';

startProgram('conversion-process');
