/**
 * Prune: what a manifest no longer refers to goes, and nothing else.
 */
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

let folder: string;
let pipeline: string;
const out = () => join(folder, 'out');
const files = async () =>
  (await readdir(out(), { recursive: true })).filter((name) => name.endsWith('.glb')).sort();

beforeAll(async () => {
  folder = await temporaryFolder();
  pipeline = await writePipeline(folder, {
    service: { emulator: true },
    articles: ['LM-DOM 16"', 'LM-DREIBEIN', 'LM-GLOBUS', 'LM-VASE'].map((basearticlenumber) => ({
      article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber },
    })),
  });
  expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
});

describe('prune', () => {
  test('finds nothing after a full run', async () => {
    const result = await command(['prune', pipeline]);
    expect(result).toMatchObject({ exit: 0 });
    expect(result.stdout).toBe('nothing to remove\n');
  });

  test('lists what a narrower selection no longer refers to, and removes just that with --yes', async () => {
    const before = await files();
    const lines = await readManifest(out());
    const kept = lines.slice(0, 2);
    await writeFile(
      join(out(), 'manifest.jsonl'),
      kept.map((line) => JSON.stringify(line)).join('\n'),
    );
    const catalogue = join(out(), 'catalogue.jsonl');
    const entries = (await readFile(catalogue, 'utf8')).split('\n');
    await writeFile(catalogue, `${entries.slice(0, kept.length).join('\n')}\n`);
    const printed = await command(['prune', pipeline]);
    expect(printed.stdout).toContain(`and ${lines.length - kept.length} links; --yes removes them`);
    expect(await files()).toEqual(before);
    expect(await command(['prune', pipeline, '--yes'])).toMatchObject({ exit: 0 });
    const expected = kept.flatMap(({ glb, sha256 }) => [
      glb!,
      `objects/${sha256!.slice(0, 2)}/${sha256}.glb`,
    ]);
    expect(await files()).toEqual([...new Set(expected)].sort());
    expect((await command(['verify', out()])).exit).toBe(0);
  });

  test('removes what a delivery has left that was cut off before its list, and is not asked for any more', async () => {
    const path = join(out(), 'planner/AULI/LUMO/LM-DOM/7aa85eb7cd104d1d/model.glb');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'glTF');
    expect((await command(['prune', pipeline])).stdout).toContain('and 1 link;');
    expect(await command(['prune', pipeline, '--yes'])).toMatchObject({ exit: 0 });
    expect(await readdir(out())).not.toContain('planner');
  });

  test('leaves a file that no delivery has made, although its folder has the name of one', async () => {
    const path = join(out(), 'web', 'index.html');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'mine');
    expect(await command(['prune', pipeline, '--yes'])).toMatchObject({ exit: 0 });
    expect(await readFile(path, 'utf8')).toBe('mine');
    await rm(dirname(path), { recursive: true });
  });

  test('removes nothing where a link leads out of the output folder', async () => {
    const victim = join(folder, 'victim');
    await mkdir(victim, { recursive: true });
    await writeFile(join(victim, 'letter.txt'), 'mine');
    const link = join(out(), 'articles', 'evil');
    await symlink(victim, link);
    const before = await files();
    const { exit, stderr } = await command(['prune', pipeline, '--yes']);
    expect(exit).toBe(3);
    expect(stderr).toContain(`${link}: expected a file or folder, received a symbolic link`);
    expect(await readdir(victim)).toEqual(['letter.txt']);
    expect(await files()).toEqual(before);
    await rm(link);
  });

  test('removes no empty folder where a whole folder of the output is a link', async () => {
    const victim = join(folder, 'empty');
    await mkdir(join(victim, 'keep', 'me'), { recursive: true });
    const articles = join(out(), 'articles');
    await rename(articles, `${articles}-kept`);
    await symlink(victim, articles);
    const { exit, stderr } = await command(['prune', pipeline, '--yes']);
    expect([exit, await readdir(join(victim, 'keep'))]).toEqual([3, ['me']]);
    expect(stderr).toContain(`${articles}: expected a file or folder, received a symbolic link`);
    await rm(articles);
    await rename(`${articles}-kept`, articles);
  });

  test('a run removes nothing through a link in the place of its temporary folder', async () => {
    const victim = join(folder, 'temporaries');
    await mkdir(victim);
    await writeFile(join(victim, '.999999-0-1.tmp'), 'mine');
    const temporary = join(out(), '.tmp');
    await rm(temporary, { recursive: true, force: true });
    await symlink(victim, temporary);
    const { exit, stderr } = await command(['run', pipeline]);
    expect([exit, await readdir(victim)]).toEqual([3, ['.999999-0-1.tmp']]);
    expect(stderr).toContain(`${temporary}: expected a file or folder, received a symbolic link`);
    await rm(temporary);
  });

  test('removes reports but for the last ones with --keep-runs only', async () => {
    await command(['run', pipeline]);
    const runs = () => readdir(join(out(), 'runs'));
    await mkdir(join(out(), 'runs', 'notes'));
    const before = await runs();
    const printed = await command(['prune', pipeline, '--keep-runs', '1']);
    // One run, the link to it and the folder that is no run stay.
    expect(printed.stdout).toMatch(
      new RegExp(`the reports of ${before.length - 3} runs?; --yes removes them`),
    );
    await command(['prune', pipeline, '--yes']);
    expect(await runs()).toEqual(before);
    await command(['prune', pipeline, '--keep-runs', '1', '--yes']);
    expect(await runs()).toEqual(before.slice(-3));
  });

  test('removes nothing where there is no manifest', async () => {
    const empty = await temporaryFolder();
    await writeFile(join(empty, 'keep.glb'), 'x');
    expect(await command(['prune', empty, '--yes'])).toMatchObject({ exit: 2 });
    expect(await readdir(empty)).toEqual(['keep.glb']);
  });
});
