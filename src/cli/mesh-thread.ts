/** The second thread of `run/conversions/steps.ts`, as a part of the bundle. */
import { startProgram } from './start.ts';

startProgram('mesh-thread');
