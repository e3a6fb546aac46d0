import { expect, it } from 'vitest';
import type { ServiceDrift } from '../../../../src/source/service/service-config.ts';
import { json, startFaultServer } from '../../../helpers/fault-server.ts';
import { clientOf, KEY } from '../../../helpers/faulty-client.ts';

it('reports drift with its operation, and answers all the same', async () => {
  const server = await startFaultServer();
  server.always('/articles?', json({ ocd: { finalarticlenumber: 'D1', price: '12,50' } }));
  server.always('/btg?', json({ btg: [], blocks: [], mats: [{ mname: 1 }] }));
  const drifts: ServiceDrift[] = [];
  const client = clientOf(server, { onDrift: (drift) => drifts.push(drift) });
  expect((await client.getArticle(KEY)).article.ocd?.price).toBe(12.5);
  await client.getPartsList(KEY);
  expect(drifts.filter(({ field }) => /\.price|mname/.test(field))).toEqual([
    {
      operation: 'getArticle',
      field: 'article.ocd.price',
      expected: 'a finite number',
      found: 'string "12,50"',
    },
    {
      operation: 'getPartsList',
      field: 'partsList.mats[].mname',
      expected: 'a text',
      found: 'number "1"',
    },
  ]);
});
