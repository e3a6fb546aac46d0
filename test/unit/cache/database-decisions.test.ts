import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CacheDatabase, openCacheDatabase } from '../../../src/cache/database.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const NEW = { tier: 'built', why: ['it is not in the manifest of before'] } as const;
const KEPT = { tier: 'kept', why: [] } as const;
let folder: string;
let state: CacheDatabase;

beforeEach(async () => {
  folder = await temporaryFolder();
  state = await openCacheDatabase(folder);
});
afterEach(async () => {
  state.close();
  await rm(folder, { recursive: true, force: true });
});

test('the last decision is stored, with its run and its reasons', () => {
  state.decisions.putAll('out', 'first', [['a', { ...NEW, why: [...NEW.why] }]]);
  expect(state.decisions.get('out', 'a')).toEqual({ run: 'first', ...NEW });
  state.decisions.putAll('out', 'second', [['a', { ...KEPT, why: [] }]]);
  expect(state.decisions.get('out', 'a')).toEqual({ run: 'second', ...KEPT });
});

test('a repeated `kept` has the id of the first run', () => {
  for (const run of ['first', 'second']) {
    state.decisions.putAll('out', run, [['a', { ...KEPT, why: [] }]]);
  }
  expect(state.decisions.get('out', 'a')?.run).toBe('first');
});

test('decisions about removed configurations are deleted, in their output folder only', () => {
  for (const output of ['one', 'other']) {
    state.decisions.putAll(
      output,
      'run',
      ['a', 'b'].map((key) => [key, { ...KEPT, why: [] }]),
    );
  }
  state.decisions.keepOnly('one', new Set(['b']));
  expect(state.decisions.get('one', 'a')).toBeUndefined();
  expect(state.decisions.get('one', 'b')).toBeDefined();
  expect(state.decisions.get('other', 'a')).toBeDefined();
});
