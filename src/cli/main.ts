#!/usr/bin/env node
/** The command `btg2gltf`. */
import { startProgram } from './start.ts';

startProgram('program', process.argv[2]);
