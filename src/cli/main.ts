#!/usr/bin/env node
/** The command `btg2gltf`. */
import { startProgram } from './start.ts';

/** The version of `engines` in package.json. */
const NEEDED = [20, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  // A run on a queue calls other functions than one by itself.
  const use = process.argv.slice(2).filter((word, at) => at === 0 || /^--executor\b/.test(word));
  startProgram('program', use.join(' '));
} else {
  const sentence = `btg2gltf needs Node.js ${NEEDED.join('.')} or later, this is ${process.versions.node}`;
  process.stderr.write(`${sentence}\n`);
  // The exit code is that of a wrong option: nothing was tried.
  process.exitCode = 2;
}
