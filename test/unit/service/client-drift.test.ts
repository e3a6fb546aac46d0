import { expect, it } from 'vitest';
import { json, startFaultServer } from '../../helpers/fault-server.ts';
import { clientOf, KEY } from '../../helpers/faulty-client.ts';

/** An article that is what the specification says. */
const OCD = {
  id: '1',
  finalarticlenumber: 'D1-1600',
  price: 1,
  currency: 'EUR',
  shorttext: 'Desk',
  longtext: '',
  varianttext: '',
  reinitstring: 'D1::',
  convertdate: '2024-05-14',
  articlewithprice: true,
  propclasses: [],
  obligatory2c: false,
};
const ARTICLE = {
  id: '1',
  rootid: '1',
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D1',
  typename: 'desk',
  reinit: '',
  children: [],
  propclasses: [],
};

it('reports drift with its operation, and answers all the same', async () => {
  const server = await startFaultServer();
  server.always('/articles?', json({ ...ARTICLE, ocd: { ...OCD, price: '12,50' } }));
  server.always('/btg?', json({ btg: [], blocks: [], mats: [{ mname: 1 }] }));
  const drifts: unknown[] = [];
  const client = clientOf(server, { onDrift: (drift) => drifts.push(drift) });
  expect((await client.getArticle(KEY)).article.ocd?.price).toBe(12.5);
  await client.getPartsList(KEY);
  await client.close();
  await server.close();
  expect(drifts).toEqual([
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
