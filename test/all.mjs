/**
 * `npm test`: builds the program and runs the tests, and checks the source meanwhile, as neither uses two processors all
 * the time. Only the long form reads types.
 */
import { spawn } from 'node:child_process';

const BUILD = 'node src/bundle.mjs && tsc -p . --noCheck --declaration false';
const TESTS = ['test/run.mjs', ...process.argv.slice(2)];

const check = codeOf(spawn('npm run --silent check', { shell: true, stdio: 'inherit' }));
const built = await codeOf(spawn(BUILD, { shell: true, stdio: 'inherit' }));
const tested = built || (await codeOf(spawn(process.execPath, TESTS, { stdio: 'inherit' })));
const checked = await check;
if (checked !== 0) console.error('FAILED npm run check: see its messages above');
process.exitCode = tested || checked;

/** The exit code of a process; 1 where a signal ended it. */
function codeOf(child) {
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
