/** Checks and builds at the same time, as neither uses two processors all the time; no test reads the types of the library. */
import { spawn } from 'node:child_process';

const COMMANDS = [
  'npm run --silent check',
  'npm run --silent build -- --noCheck --declaration false',
];

const codes = await Promise.all(
  COMMANDS.map((command) => {
    const child = spawn(command, { shell: true, stdio: 'inherit' });
    return new Promise((resolve) => child.on('exit', resolve));
  }),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
