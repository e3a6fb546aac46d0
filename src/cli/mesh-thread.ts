/** The second thread of `pipeline/converter.ts`, as a part of the bundle. */
import { startProgram } from './start.ts';

startProgram('mesh-thread');
