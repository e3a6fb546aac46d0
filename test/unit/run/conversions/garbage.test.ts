import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { release } from '../../../../src/run/conversions/garbage.ts';
import { readBytes } from '../../../../src/support/files.ts';
import { samples } from '../../../helpers/samples.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';

const MIB = 1024 * 1024;
const SOURCE = fileURLToPath(
  new URL('../../../../src/run/conversions/garbage.ts', import.meta.url),
);

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  program = join(folder, 'garbage.mjs');
  const bundle = await rolldown({ input: SOURCE, platform: 'node' });
  await bundle.write({ file: program });
});
afterAll(() => rm(folder, { recursive: true }));

test('what is released gives back its memory: a large file as it was read', async () => {
  const file = join(folder, 'body');
  await writeFile(file, new Uint8Array(2 * MIB));
  for (const bytes of [await readBytes(file), await readFile(file), new Uint8Array(MIB)]) {
    await release(bytes);
    expect(bytes.length).toBe(0);
    // A second time changes nothing.
    await release(bytes);
  }
});

test('what is small, or a part of other bytes, is not released', async () => {
  const small = new Uint8Array(MIB - 1);
  const part = new Uint8Array(2 * MIB).subarray(MIB);
  await Promise.all([small, part].map(release));
  expect([small.length, part.length]).toEqual([MIB - 1, MIB]);
});

test('threads of one process collect at the same time', async () => {
  // Each time a module of its own, because the collector is looked up once, and both at the same moment.
  const code = `
    const { workerData: { url, ready } } = require('node:worker_threads');
    (async () => {
      for (let time = 1; time <= ${samples(10)}; time++) {
        const { collectGarbage } = await import(url + '?' + time);
        Atomics.add(ready, 0, 1);
        Atomics.notify(ready, 0);
        for (let both; (both = Atomics.load(ready, 0)) < 2 * time; ) Atomics.wait(ready, 0, both);
        collectGarbage(-1);
      }
    })();`;
  const ready = new Int32Array(new SharedArrayBuffer(4));
  const ends = [0, 1].map(() => {
    const workerData = { url: pathToFileURL(program).href, ready };
    const worker = new Worker(code, { eval: true, workerData });
    return new Promise((resolve, reject) => worker.on('error', reject).on('exit', resolve));
  });
  expect(await Promise.all(ends)).toEqual([0, 0]);
});

/** Executes a module that compiles, and writes the code into a file or prints whether that in it is not valid. */
function compiling(file: string, before: string, ...flags: string[]): string {
  const code = JSON.stringify(join(folder, file));
  const script = `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    import { Script } from 'node:vm';
    import { growHeap } from ${JSON.stringify(pathToFileURL(program).href)};
    const cachedData = existsSync(${code}) ? readFileSync(${code}) : undefined;
    process.once('exit', () => cachedData ?? writeFileSync(${code}, script.createCachedData()));
    ${before}
    const script = new Script('(function () { return 1; })', { cachedData });
    console.log(script.cachedDataRejected);`;
  const words = [...flags, '--input-type=module', '--eval', script];
  return execFileSync(process.execPath, words, { encoding: 'utf8' }).trim();
}

test('code that is compiled by a process whose heap grew otherwise is valid for the next one', () => {
  compiling('former.bin', 'growHeap(60);');
  expect(compiling('former.bin', '')).toBe('false');
});

test('the first call says how much a heap grows', () => {
  compiling('first.bin', '', '--heap-growing-percent=300');
  expect(compiling('first.bin', 'growHeap(300); growHeap(60);')).toBe('false');
  expect(compiling('first.bin', 'growHeap(60);')).toBe('true');
});
