/** Properties take the same samples in each run: a test does not fail because of chance. */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });
