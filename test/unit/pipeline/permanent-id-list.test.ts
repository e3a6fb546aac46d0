import { describe, expect, test } from 'vitest';
import {
  findPlannings,
  parsePermanentIds,
} from '../../../src/pipeline/select/permanent-id-list.ts';

describe('permanent identifiers', () => {
  test('stand one a line, each once; blank lines and notes are left out', () => {
    const text = '# orders of May\r\nP-1\n\n  P-2 \nP-1\r#P-3\nä b/;\n';
    expect(parsePermanentIds(text)).toEqual(['P-1', 'P-2', 'ä b/;']);
  });

  test('are found where this service is known to have made them, and nowhere else', async () => {
    const known = new Map<string, unknown>([['test P-1', { id: '7' }]]);
    const ledger = {
      get: (service: string, id: string) => known.get(`${service} ${id}`),
      put() {},
    };
    expect(await findPlannings(['P-1', 'P-2'], { service: 'test', ledger })).toMatchObject([
      { name: 'permanentid P-1', article: { json: { id: '7' } } },
      { name: 'permanentid P-2', article: { error: { code: 'PERMANENT_ID_NOT_RESOLVABLE' } } },
    ]);
    expect(await findPlannings(['P-1'], { service: 'production', ledger })).toMatchObject([
      { article: { error: { code: 'PERMANENT_ID_NOT_RESOLVABLE' } } },
    ]);
  });
});
