/** Properties take the same samples in each run: a test does not fail because of chance. */
import fc from 'fast-check';
import { samples } from './samples.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1, numRuns: samples(200) });
