import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../../src/emulator/emulator.ts';
import { createSampleRange } from '../../../../src/emulator/sample/sample-range.ts';
import { customer, MADE_TO_MEASURE, propertyOf } from '../../../helpers/configurator.ts';
import { call, logIn } from '../../../helpers/emulated-session.ts';
import type { Wire } from '../../../helpers/sample-range.ts';
import { smallRange } from '../../../helpers/small-range.ts';

const WIDER = { propclass: 'MASS', prop: 'BREITE', newvalue: '1800' };

let emulator: Emulator;
let token: string;
let buyer: ReturnType<typeof customer>;
beforeAll(async () => {
  emulator = await startEmulator({ range: createSampleRange() });
  token = await logIn(emulator);
  buyer = customer(emulator, token);
});
afterAll(() => emulator.close());

const json = async (operation: string, parameters: Record<string, string> = {}): Promise<Wire> =>
  (await call(emulator, operation, { token, ...parameters })).json();

describe('lang and langalt', () => {
  test.each([
    ['', '', 'Schreibtisch nach Maß'],
    ['de-AT', 'en', 'Schreibtisch nach Maß'],
    ['en', 'de', 'Desk made to measure'],
    ['EN_gb', '', 'Desk made to measure'],
    ['fr', 'en', 'Desk made to measure'],
    ['fr', 'it', 'Schreibtisch nach Maß'],
    ['english', '', 'Schreibtisch nach Maß'],
  ])('lang %j, langalt %j', async (lang, langalt, shorttext) => {
    const article = await buyer.load(MADE_TO_MEASURE, { lang, langalt });
    expect(article.ocd.shorttext).toBe(shorttext);
  });

  test('hold for the catalogue, its path and its search', async () => {
    const parentnode = 'FJEL;:@1';
    const series = (await json('xcf/getnodes', { parentnode, lang: 'en' })) as Wire[];
    const linea = { text: 'LINEA desks', manufacturername: 'Fjelmark Büromöbel' };
    expect(series[0]).toMatchObject(linea);
    expect(series.at(-1)).toMatchObject({ nodetype: 'I', text: 'About Fjelmark office furniture' });
    const { nodeid } = series[0];
    const path = await json('xcf/getnodesbreadcrumbs', { parentnode: nodeid, lang: 'en' });
    expect(path[1].text).toBe('LINEA desks');
    const found = await json('xcf/search/FJEL', { q: 'nach Maß', lang: 'en' });
    expect(found).toMatchObject([{ text: 'Desk made to measure' }]);
  });
});

describe('currency', () => {
  test('gives price and components, and stays through a change', async () => {
    const euro = await buyer.load(MADE_TO_MEASURE);
    const francs = await buyer.load(MADE_TO_MEASURE, { currency: 'CHF' });
    expect([euro.ocd.currency, francs.ocd.currency]).toEqual(['EUR', 'CHF']);
    expect(francs.ocd.price).toBeCloseTo(euro.ocd.price * 1.05, 1);
    const sum = francs.ocd.pricecomponents.reduce((total: number, c: Wire) => total + c.price, 0);
    expect(sum).toBeCloseTo(francs.ocd.price, 6);
    const wider = await buyer.change(francs, WIDER);
    expect(wider.ocd).toMatchObject({ currency: 'CHF' });
    expect(wider.ocd.price).toBeCloseTo(francs.ocd.price + 24 * 1.05, 6);
    expect(wider.ocd.pricecomponents[0].currency).toBe('CHF');
  });

  test('without prices is refused', async () => {
    const swedish = { token, ...MADE_TO_MEASURE, currency: 'SEK' };
    const response = await call(emulator, 'ofml/articles', swedish);
    expect([response.status, await response.json()]).toEqual([
      422,
      { error: 'currency: expected one of EUR, CHF, GBP, USD, received SEK' },
    ]);
  });
});

describe('profile', () => {
  const shown = async (profile: string): Promise<string[]> =>
    ((await json('xcf/getnodes', { profile })) as Wire[]).map((node) => node.manufacturer);

  test('hides manufacturers from the catalogue', async () => {
    expect(await shown('public')).toEqual(['FJEL', 'BRNK', 'AULI']);
    expect(await shown('contract')).toEqual(['FJEL', 'BRNK']);
    expect(await shown('HOME')).toEqual(['AULI']);
    const hidden = { token, parentnode: 'AULI;:@3', profile: 'contract' };
    expect((await call(emulator, 'xcf/getnodes', hidden)).status).toBe(404);
    expect((await call(emulator, 'xcf/getnodesbreadcrumbs', hidden)).status).toBe(404);
  });

  test('hides their articles and parts lists', async () => {
    const lamp = { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-TISCH 45' };
    const { finalarticlenumber } = (await buyer.load(lamp)).ocd;
    const statuses = ['public', 'contract'].map(async (profile) => [
      (await call(emulator, 'ofml/articles', { token, profile, ...lamp })).status,
      (await call(emulator, 'odb/btg', { token, profile, ...lamp, finalarticlenumber })).status,
    ]);
    expect(await Promise.all(statuses)).toEqual([
      [200, 200],
      [404, 404],
    ]);
  });
});

describe('getallproperties', () => {
  test('answers what is not visible, and stays through a change', async () => {
    const all = await buyer.load(MADE_TO_MEASURE, { getallproperties: 'true' });
    expect(propertyOf(all, 'AUSSTATTUNG', 'TASTER')).toMatchObject({ visible: false });
    const wider = await buyer.change(all, WIDER);
    expect(propertyOf(wider, 'AUSSTATTUNG', 'TASTER')).toMatchObject({ visible: false });
    const some = await buyer.load(MADE_TO_MEASURE);
    expect(propertyOf(some, 'AUSSTATTUNG', 'TASTER')).toBeUndefined();
    expect(propertyOf(await buyer.change(some, WIDER), 'AUSSTATTUNG', 'TASTER')).toBeUndefined();
  });
});

describe('varcode', () => {
  test('is the final number of any configuration; a reinit string counts more', async () => {
    const wider = await buyer.change(await buyer.load(MADE_TO_MEASURE), WIDER);
    const high = await buyer.change(wider, { ...WIDER, prop: 'HÖHE', newvalue: '70.5' });
    const varcode = high.ocd.finalarticlenumber;
    const found = await buyer.load(MADE_TO_MEASURE, { varcode });
    expect(found.ocd.reinitstring).toBe(high.ocd.reinitstring);
    const both = { varcode, ocdreinitstring: wider.ocd.reinitstring };
    expect((await buyer.load(MADE_TO_MEASURE, both)).ocd.reinitstring).toBe(wider.ocd.reinitstring);
    await expect(buyer.load(MADE_TO_MEASURE, { varcode: `${varcode}X` })).rejects.toThrow(
      'article not found',
    );
  });
});

test('a recording or a made-up range without a configurator reports it', async () => {
  const small = smallRange([{ number: 'A' }]);
  const other = await startEmulator({ range: small });
  const elsewhere = customer(other, await logIn(other));
  const article = await elsewhere.load({ ...MADE_TO_MEASURE, basearticlenumber: 'A' });
  expect(await elsewhere.refused(article, WIDER)).toBe('a recording cannot be configured');
  // Storing needs no configurator: an identifier stands for what was sent.
  expect((await elsewhere.store(article)).status).toBe(200);
  await other.close();
});

test('a catalogue may be circular: the emulator lists what its range says', async () => {
  const small = smallRange([]);
  const [top] = small.nodes('')!;
  const circular = { ...small, nodes: () => [top!] };
  const other = await startEmulator({ range: circular });
  const own = { token: await logIn(other), parentnode: String(top!.nodeid) };
  expect(await (await call(other, 'xcf/getnodes', own)).json()).toEqual([top]);
  await other.close();
});
