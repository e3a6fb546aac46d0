/** Libraries that an installation has only where they were asked for. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { installCommand, isInstalled, OPTIONAL_LIBRARIES } from '../../../src/support/optional.ts';

test('are peers of the package, optional, in the versions that the tests use', async () => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { peerDependencies, peerDependenciesMeta, devDependencies, dependencies } =
    JSON.parse(text);
  const named = Object.assign({}, ...Object.values(OPTIONAL_LIBRARIES));
  for (const [name, version] of Object.entries(named)) {
    expect([name, peerDependencies[name], devDependencies[name]]).toEqual([name, version, version]);
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(dependencies).not.toHaveProperty([name]);
  }
  // The browser of an npm package is a choice among others.
  const others = Object.keys(peerDependencies).filter((name) => !(name in named));
  expect(others).toEqual(['@sparticuz/chromium']);
});

test('are installed by a command that has them all', () => {
  expect(isInstalled('pictures')).toBe(true);
  expect(installCommand('the queue of --executor bullmq')).toMatch(
    /^npm install bullmq@[\d.]+ ioredis@[\d.]+ pg@[\d.]+$/,
  );
});
