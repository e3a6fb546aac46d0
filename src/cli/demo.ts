/** `btg2gltf demo`: the pipeline of the sample range, which needs no file, no account and no network. */

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPipeline } from '../deliver/pipeline.ts';
import { type Command, textOf } from './command.ts';
import { applyOptions, optionsOf } from './pipeline-options.ts';
import { execute } from './run-commands.ts';

const DEFAULT_FOLDER = 'btg2gltf-demo';

/** Part of the package, two folders above this file's folder, compiled or not. */
const PIPELINE = new URL('../../pipelines/demo.yaml', import.meta.url);

/** The command. */
export const demoCommand: Command = {
  options: {
    output: { type: 'string', describe: `folder of the result [default: ./${DEFAULT_FOLDER}]` },
    ...optionsOf('demo'),
  },
  examples: ['btg2gltf demo', "btg2gltf demo --only 'FJEL/LINEA/*' --output desks"],
  async run(args, io) {
    const folder = textOf(args, 'output') ?? DEFAULT_FOLDER;
    const pipeline = await loadPipeline(fileURLToPath(PIPELINE), io.env);
    // The cache is in the folder, too, so that nothing remains beside the folder.
    const given = { ...args, output: folder, cache: join(folder, '.cache') };
    const options = { ...applyOptions(pipeline, given, io), browserOptional: true };
    const exit = await execute('run', options, {}, io);
    if (exit === 0) io.print(nextSteps(folder));
    return exit;
  },
};

function nextSteps(folder: string): string {
  const again = folder === DEFAULT_FOLDER ? 'btg2gltf demo' : `btg2gltf demo --output '${folder}'`;
  const report = resolve(folder, 'runs', 'latest', 'report.html');
  const steps = [
    [`btg2gltf view '${folder}'`, 'shows the furniture in your browser, as pictures and in 3D'],
    [again, 'again: every configuration is unchanged'],
    ['btg2gltf init', 'writes a pipeline file of your own'],
    ['btg2gltf doctor', 'checks this machine, your settings and your login'],
    ['btg2gltf serve', 'prints a link to a page where you configure this furniture'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  return `
Next:
${steps.map(([command, does]) => `  ${command.padEnd(width)}  ${does}\n`).join('')}  open in a browser:
${resolve(folder, 'gallery', 'index.html')}
${report}
`;
}
