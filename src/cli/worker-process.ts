/** A process of `btg2gltf worker --workers`, which has the same arguments. */
import { startProgram } from './start.ts';

startProgram('program', 'worker');
