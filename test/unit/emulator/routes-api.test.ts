import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { createSampleRange } from '../../../src/emulator/sample/sample-range.ts';
import {
  articleIn,
  customer,
  MADE_TO_MEASURE,
  propertyOf,
  WORKPLACE,
} from '../../helpers/configurator.ts';
import { call, logIn, post, queryOf } from '../../helpers/emulated-session.ts';
import { jsonOf } from '../../helpers/json-of.ts';
import type { Wire } from '../../helpers/sample-range.ts';

const change = (propclass: string, prop: string, newvalue: unknown) => ({
  propclass,
  prop,
  newvalue,
});
const WIDTH = (value: unknown) => change('MASS', 'BREITE', value);
const LIFTING = change('AUSSTATTUNG', 'UNTERGESTELL', 'HUB');

let emulator: Emulator;
let token: string;
let buyer: ReturnType<typeof customer>;
let desk: Wire;
beforeAll(async () => {
  emulator = await startEmulator({ range: createSampleRange() });
  token = await logIn(emulator);
  buyer = customer(emulator, token);
  desk = await buyer.load(MADE_TO_MEASURE);
});
afterAll(() => emulator.close());

function partsListOf({ manufacturer, program, basearticlenumber, reinit, ocd }: Wire) {
  const { finalarticlenumber, reinitstring } = ocd;
  const ids = { manufacturer, program, basearticlenumber, finalarticlenumber };
  const key = { ...ids, reinitstring, metareinitstring: reinit };
  return jsonOf(call(emulator, 'odb/btg', { token, ...key }));
}

test('a desk is loaded, made wider, given another finish, stored and restored', async () => {
  const loaded = await buyer.load(MADE_TO_MEASURE);
  expect(propertyOf(loaded, 'MASS', 'BREITE')).toMatchObject({
    proptype: 'N',
    currentvalue: '1600',
    ranges: [
      { valuefrom: 800, opfrom: 'GE', valueto: 1400, opto: 'LE', raster: 50 },
      { valuefrom: 1400, opfrom: 'GT', valueto: 2000, opto: 'LE', raster: 100 },
    ],
  });

  const wider = await buyer.change(loaded, WIDTH('1800'));
  expect(wider.ocd.price).toBe(loaded.ocd.price + 200 * 0.12);
  const walnut = await buyer.change(wider, change('OBERFLÄCHE', 'DEKOR', 'NB'));
  expect(walnut.ocd.varianttext).toContain('Breite in mm: 1800');
  expect(walnut.ocd.varianttext).toContain('Dekor: Nussbaum furniert');
  for (const field of ['price', 'finalarticlenumber', 'reinitstring', 'varianttext']) {
    const values = [loaded, wider, walnut].map(({ ocd }) => ocd[field]);
    expect(new Set(values).size, field).toBe(3);
  }
  expect(walnut.ocd.reinitstring).toMatch(/::$/);
  expect([walnut.id, walnut.rootid]).toEqual([loaded.id, loaded.id]);

  expect(await buyer.refused(walnut, WIDTH('1850'))).toBe(
    'property MASS.BREITE: expected GE 800 LE 1400 raster 50, or GT 1400 LE 2000 raster 100 ' +
      'with 4 digits, 0 of them decimal; received "1850"',
  );

  const permanentid = await buyer.permanentId(walnut);
  const page = await buyer.plan({ permanentid, disablecatalogue: 'true' });
  expect(articleIn(await page.text())).toEqual(walnut);
});

test('what was configured is what GET articles answers for the new reinit string, but for its id', async () => {
  const { id: _, rootid: __, ...changed } = await buyer.change(desk, WIDTH('950'));
  const { reinitstring, finalarticlenumber } = changed.ocd;
  for (const parameters of [{ ocdreinitstring: reinitstring }, { varcode: finalarticlenumber }]) {
    const { id, rootid, ...loaded } = await buyer.load(MADE_TO_MEASURE, parameters);
    expect(rootid).toBe(id);
    expect({ ...loaded.ocd, id: '', usermessages: [] }).toEqual({
      ...changed.ocd,
      id: '',
      usermessages: [],
    });
  }
  expect((await partsListOf(changed)).btg).not.toEqual([]);
});

describe('dependent properties', () => {
  test('one becomes visible, and must have a value before the article is valid', async () => {
    expect(propertyOf(desk, 'AUSSTATTUNG', 'TASTER')).toBeUndefined();
    expect(desk.ocd.obligatory2c).toBe(false);
    const lifting = await buyer.change(desk, LIFTING);
    expect(propertyOf(lifting, 'AUSSTATTUNG', 'TASTER')).toMatchObject({
      visible: true,
      obligatory: false,
      obligatory2c: true,
      currentvalue: '',
    });
    expect(lifting.ocd.obligatory2c).toBe(true);
    const SWITCH = (value: string) => change('AUSSTATTUNG', 'TASTER', value);
    const valid = await buyer.change(lifting, SWITCH('SPEICHER'));
    expect(valid.ocd.obligatory2c).toBe(false);
    expect(propertyOf(valid, 'AUSSTATTUNG', 'TASTER').obligatory2c).toBe(true);
    expect(valid.ocd.price).toBe(lifting.ocd.price + 45);
    expect((await buyer.change(valid, SWITCH(''))).ocd.obligatory2c).toBe(true);
  });

  test('one becomes disabled, with the only value that is left', async () => {
    const higher = await buyer.change(desk, change('MASS', 'HÖHE', '80.5'));
    const lifting = await buyer.change(higher, LIFTING);
    expect(propertyOf(lifting, 'MASS', 'HÖHE')).toMatchObject({
      enabled: false,
      currentvalue: '74',
    });
    expect(lifting.ocd.usermessages).toEqual(['Höhe in cm wurde angepasst.']);
    expect(await buyer.refused(lifting, change('MASS', 'HÖHE', '74'))).toBe(
      'property MASS.HÖHE: is not enabled',
    );
    const back = await buyer.change(lifting, change('AUSSTATTUNG', 'UNTERGESTELL', 'KUFE'));
    expect(propertyOf(back, 'MASS', 'HÖHE').enabled).toBe(true);
  });

  test('the values of one change, and it takes the nearest of them', async () => {
    const wide = await buyer.change(desk, WIDTH('2000'));
    const lifting = await buyer.change(wide, LIFTING);
    expect(propertyOf(lifting, 'MASS', 'BREITE')).toMatchObject({
      currentvalue: '1800',
      ranges: [{ valuefrom: 1200, valueto: 1800, raster: 100 }],
    });
    const edges = (article: Wire): string[] =>
      propertyOf(article, 'OBERFLÄCHE', 'KANTE').propertyvalues.map((v: Wire) => v.valuefrom);
    const oak = await buyer.change(desk, change('OBERFLÄCHE', 'KANTE', 'MASSIV'));
    const white = await buyer.change(oak, change('OBERFLÄCHE', 'DEKOR', 'WS'));
    expect([edges(oak), edges(white)]).toEqual([
      ['DEKOR', 'SCHWARZ', 'MASSIV'],
      ['DEKOR', 'SCHWARZ'],
    ]);
    expect(propertyOf(white, 'OBERFLÄCHE', 'KANTE').currentvalue).toBe('DEKOR');
  });

  test('one is hidden again and costs nothing then, though its value is kept', async () => {
    const TRAY = (value: string) => change('AUSSTATTUNG', 'KABEL', value);
    const withTray = await buyer.change(desk, TRAY('WANNE'));
    const long = await buyer.change(withTray, change('AUSSTATTUNG', 'KABELLÄNGE', '13'));
    expect(long.ocd.price - withTray.ocd.price).toBeCloseTo(19, 6);
    const without = await buyer.change(long, TRAY('OHNE'));
    expect(propertyOf(without, 'AUSSTATTUNG', 'KABELLÄNGE')).toBeUndefined();
    expect(without.ocd.price).toBe(desk.ocd.price);
    const again = await buyer.change(without, TRAY('WANNE'));
    expect(propertyOf(again, 'AUSSTATTUNG', 'KABELLÄNGE').currentvalue).toBe('13');
  });
});

describe('a value is refused by name', () => {
  test.each([
    ['not in any range', 'MASS', 'BREITE', '700', 'expected GE 800'],
    ['not on the raster of its range', 'MASS', 'BREITE', '1450', 'raster 100'],
    ['with more decimals than it has', 'MASS', 'BREITE', '1600.5', '0 of them decimal'],
    ['with more digits than it has', 'MASS', 'BREITE', '12000', 'with 4 digits'],
    ['at a bound that is not in the range (GT)', 'MASS', 'HÖHE', '64', 'GT 64 LT 86 raster 0.5'],
    ['at a bound that is not in the range (LT)', 'MASS', 'HÖHE', '86', 'GT 64 LT 86 raster 0.5'],
    ['between two steps', 'MASS', 'HÖHE', '70.2', 'raster 0.5'],
    ['with a comma', 'MASS', 'HÖHE', '70,5', 'received "70,5"'],
    ['as a power', 'MASS', 'BREITE', '16e2', 'received "16e2"'],
    ['empty', 'MASS', 'BREITE', '', 'received ""'],
    ['no choice', 'OBERFLÄCHE', 'DEKOR', 'XX', 'expected one of EI, NB, BU, WS, LG'],
    ['empty where a choice is due', 'OBERFLÄCHE', 'DEKOR', '', 'received ""'],
  ])('%s', async (_, propclass, prop, newvalue, sentence) => {
    const error = await buyer.refused(desk, change(propclass, prop, newvalue));
    expect(error).toContain(`property ${propclass}.${prop}: `);
    expect(error).toContain(sentence);
  });

  test.each([
    ['an unknown class', change('MASSE', 'BREITE', '900'), 'propclass MASSE'],
    ['an unknown property', change('MASS', 'LÄNGE', '900'), 'expected one of BREITE, TIEFE, HÖHE'],
    ['a property of another class', change('BEZUG', 'DEKOR', 'NB'), 'propclass BEZUG'],
    [
      'a commercial property as one of the planning',
      { proptype: 'meta', ...WIDTH('900') },
      'no such class of meta properties',
    ],
    ['a property that is not shown', change('AUSSTATTUNG', 'TASTER', 'SPEICHER'), 'is not visible'],
  ])('%s', async (_, wanted, sentence) => {
    expect(await buyer.refused(desk, wanted)).toContain(sentence);
  });

  test('a number is taken as a number and as text, in one spelling', async () => {
    for (const newvalue of ['70.5', '070.50', 70.5]) {
      const higher = await buyer.change(desk, change('MASS', 'HÖHE', newvalue));
      expect(propertyOf(higher, 'MASS', 'HÖHE')).toMatchObject({
        currentvalue: '70.5',
        proptype: 'L',
        digits: 3,
        decdigits: 1,
      });
      expect(higher.ocd.reinitstring).toContain("HÖHE='70.5'");
    }
  });
});

describe('the body of POST articles', () => {
  const body = (changes: Wire): Wire => ({ ...buyer.bodyOf(desk, WIDTH('900')), ...changes });
  const send = async (changes: Wire, parameters = {}): Promise<[number, string]> => {
    const response = await buyer.send(desk, body(changes), parameters);
    return [response.status, ((await response.json()) as Wire).error];
  };

  test.each(['id', 'rootid', 'proptype', 'propclass', 'prop', 'newvalue', 'jsondata'])(
    'needs %s',
    async (field) => {
      expect(await send({ [field]: undefined })).toEqual([400, `${field}: required`]);
    },
  );

  test.each([
    [{ value: 'x' }, 'value: no such field'],
    [{ proptype: 'OCD' }, 'proptype: expected "ocd" or "meta"'],
    [{ prop: 1 }, 'prop: expected a text that is not empty'],
    [{ newvalue: null }, 'newvalue: expected a text or a number'],
    [{ jsondata: [] }, 'jsondata: expected a JSON object'],
    [{ jsondata: '{' }, 'jsondata: expected JSON'],
  ])('is refused with %j', async (changes, message) => {
    expect(await send(changes)).toEqual([400, message]);
  });

  test('that is no JSON is refused', async () => {
    const error = 'body: expected JSON';
    expect(await jsonOf(buyer.send(desk, 'id=1'), 400)).toEqual({ error });
  });

  test.each([
    ['another id', { id: 'X' }, 'or one of its children, received X'],
    ['another root', { rootid: 'X' }, 'rootid: expected'],
    ['an article without a reinit string', { ocd: {} }, 'jsondata.ocd.reinitstring'],
    ['an article without children', { children: undefined }, 'jsondata.children'],
    [
      'more children of a child than a call has parameters',
      { children: [{ children: Array(200_000).fill({}) }] },
      'expected children with rootid',
    ],
    ['another article', { basearticlenumber: 'LN-D160/80' }, 'ocd.reinitstring'],
    ['an unknown article', { program: 'NONE' }, 'no such article'],
    ['an unknown reinit string', { ocd: { reinitstring: 'X::' } }, 'ocd.reinitstring'],
    ['an unknown meta reinit string', { reinit: 'X::' }, 'reinit: is none of this planning'],
  ])('is refused with %s', async (_, changes: Wire, message) => {
    const isId = 'id' in changes || 'rootid' in changes;
    const [status, error] = await send(isId ? changes : { jsondata: { ...desk, ...changes } });
    expect(status).toBe(422);
    expect(error).toContain(message);
  });

  test('must be about the article and the configuration that the query names', async () => {
    const [status, error] = await send({}, { basearticlenumber: 'LN-D160/80' });
    expect([status, error]).toEqual([422, 'jsondata: is another article than the query names']);
    const stale = await send({}, { ocdreinitstring: 'X::' });
    expect(stale[1]).toContain('ocdreinitstring: differs');
    expect((await send({}, { basearticlenumber: 'NONE' }))[0]).toBe(404);
  });

  test('is taken with any content type, and with the article as text', async () => {
    const query = { token, ...MADE_TO_MEASURE };
    const asText = body({ jsondata: JSON.stringify(desk) });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const response = await post(emulator, 'ofml/articles', query, asText, type);
      expect(propertyOf(await response.json(), 'MASS', 'BREITE').currentvalue).toBe('900');
    }
  });

  test('may have numbers as ids, whose type the specification does not show', async () => {
    const ids = { id: 7, rootid: '7' };
    const { id } = await jsonOf(buyer.send(desk, body({ ...ids, jsondata: { ...desk, ...ids } })));
    expect(id).toBe('7');
    expect(await send({ id: null })).toEqual([400, 'id: expected an id']);
  });

  test('keeps ids apart that differ beyond 2^53', async () => {
    const [own, other] = ['9007199254740993', '9007199254740992'];
    const send = async (id: string) => {
      const article = { ...desk, id: '@', rootid: '@' };
      const text = JSON.stringify(body({ id: '#', rootid: '@', jsondata: article }));
      return buyer.send(desk, text.replaceAll('"@"', own).replaceAll('"#"', id));
    };
    expect((await jsonOf(send(own))).id).toBe(own);
    const error = `id: expected ${own} or one of its children, received ${other}`;
    expect(await jsonOf(send(other), 422)).toEqual({ error });
    const stored = JSON.stringify({ json: { ...desk, id: '@', rootid: '@' } });
    const answer = post(emulator, 'ofml/reinit', { token }, stored.replaceAll('"@"', own));
    const { permanentid } = await jsonOf(answer);
    const page = await (await buyer.plan({ permanentid, disablecatalogue: 'true' })).text();
    expect(articleIn(page)).toMatchObject({ id: own, rootid: own });
  });

  test('that is not in UTF-8 is refused', async () => {
    const query = queryOf({ token, ...MADE_TO_MEASURE });
    const latin1 = Buffer.from(JSON.stringify(body({ newvalue: 'Ä' })), 'latin1');
    const url = `${emulator.baseUrl}/api/ofml.dll/ofml/articles?${query}`;
    const answer = fetch(url, { method: 'POST', body: latin1 });
    expect(await jsonOf(answer, 400)).toEqual({ error: 'body: expected text in UTF-8' });
  });

  test('changes nothing else, whatever names are in it', async () => {
    const text = JSON.stringify(body({})).replace('{', '{"__proto__":{"id":"X"},');
    const error = '__proto__: no such field';
    expect(await jsonOf(buyer.send(desk, text), 400)).toEqual({ error });
    expect(({} as Wire).id).toBeUndefined();
  });
});

describe('a meta planning', () => {
  test('is changed as a whole: its children follow its properties', async () => {
    const planning = await buyer.load(WORKPLACE);
    const names = (article: Wire): string[] => article.children.map((c: Wire) => c.program);
    expect(propertyOf(planning, 'PLANUNG', 'LEUCHTE').currentvalue).toBe('MIT');
    const withoutLamp = { proptype: 'meta', ...change('PLANUNG', 'LEUCHTE', 'OHNE') };
    const dark = await buyer.change(planning, withoutLamp);
    expect(names(planning)).toEqual(['LINEA', 'DEPOT', 'FORUM', 'LUMO']);
    expect(names(dark)).toEqual(['LINEA', 'DEPOT', 'FORUM']);
    expect(dark.reinit).not.toBe(planning.reinit);
    expect(dark.ocd.price).toBe(planning.ocd.price - 145);
    for (const child of dark.children) expect(child.rootid).toBe(planning.id);

    const walnut = await buyer.change(dark, change('OBERFLÄCHE', 'DEKOR', 'NB'));
    expect(names(walnut)).toEqual(names(dark));
    expect(walnut.children[0].ocd.reinitstring).toContain("DEKOR='NB'");

    const { btg } = await partsListOf(walnut);
    expect(btg[0].prop.childs).toHaveLength(3);
  });

  test('has a property of a child changed by its id, under its root', async () => {
    const planning = await buyer.load(WORKPLACE);
    const BRASS = change('OBERFLÄCHE', 'METALL', 'Messing');
    const send = (
      root: Wire,
      child: Wire,
      { basearticlenumber, program, manufacturer, ocd }: Wire,
    ) =>
      buyer.send(
        root,
        { ...buyer.bodyOf(root, BRASS), id: child.id },
        { basearticlenumber, program, manufacturer, ocdreinitstring: ocd.reinitstring },
      );
    const lamp = planning.children[3];
    // The query may name the root or the child.
    const answered = await jsonOf(send(planning, lamp, planning));
    expect(answered.id).toBe(planning.id);
    expect(await jsonOf(send(planning, lamp, lamp))).toEqual(answered);

    expect(answered.reinit).not.toBe(planning.reinit);
    expect(answered.children[3]).toMatchObject({ id: lamp.id, rootid: planning.id });
    expect(answered.children[3].ocd.finalarticlenumber).toBe('LM-TISCH 45;METALL=MS');
    expect(answered.children.slice(0, 3)).toEqual(planning.children.slice(0, 3));

    // The change stays when the root is changed, and is in the parts list.
    const walnut = await buyer.change(answered, change('OBERFLÄCHE', 'DEKOR', 'NB'));
    expect(walnut.children[3].ocd.finalarticlenumber).toBe('LM-TISCH 45;METALL=MS');
    expect(walnut.children[0].ocd.finalarticlenumber).toContain('-NB.');
    const { mats } = await partsListOf(walnut);
    expect(mats.map(({ mname }: Wire) => mname)).toContain('AULI::WOHNEN::MESSING');

    const error = `id: expected ${planning.id} or one of its children, received X`;
    expect(await jsonOf(send(planning, { id: 'X' }, planning), 422)).toEqual({ error });
    expect((await send(planning, lamp, planning.children[0])).status).toBe(422);
  });

  test('is stored with what POST reinit lists, and nothing more', async () => {
    const { id, rootid, children, ocd, ...more } = await buyer.load(WORKPLACE);
    const listed = { id, rootid, ...WORKPLACE, children, ocd: { reinitstring: ocd.reinitstring } };
    const permanentid = await buyer.permanentId(listed);
    expect(articleIn(await (await buyer.plan({ permanentid })).text())).toEqual(listed);
    expect((await buyer.store({ ...listed, reinit: more.reinit })).status).toBe(200);
    for (const field of Object.keys(listed)) {
      const { [field as 'id']: _, ...rest } = listed;
      expect((await buyer.store(rest)).status, field).toBe(422);
    }
  });

  test('never has a child changed on its own', async () => {
    const planning = await buyer.load(WORKPLACE);
    const [child] = planning.children;
    expect(await buyer.refused(child, change('OBERFLÄCHE', 'DEKOR', 'NB'))).toBe(
      `jsondata: ${child.id} is a child; expected its root ${planning.id}`,
    );
    expect((await buyer.store(child)).status).toBe(422);
    const stranger = { ...planning, children: [{ ...child, rootid: 'X' }] };
    expect((await buyer.store(stranger)).status).toBe(422);
  });
});

const getFrom = async (operation: string, parameters = {}): Promise<Wire> =>
  (await call(emulator, `xcf/${operation}`, { token, lang: 'en', ...parameters })).json();

test('the id of any node may be a parent, that of a search result too', async () => {
  const [found] = await getFrom('search/FJEL', { q: 'LN-D120/80' });
  expect(found.nodeid).toBe('FJEL;SEARCHRESULT0');
  const series = 'FJEL;:@1;:LINEA@1';
  const [listed] = await getFrom('getnodes', { parentnode: series });
  for (const parentnode of [found.nodeid, listed.nodeid]) {
    expect(await getFrom('getnodes', { parentnode })).toEqual([]);
    expect(await getFrom('getnodesbreadcrumbs', { parentnode })).toEqual([
      { nodeid: 'FJEL;:@1', text: 'Fjelmark office furniture' },
      { nodeid: series, text: 'LINEA desks' },
      { nodeid: listed.nodeid, text: 'Desk 1200 × 800' },
    ]);
  }
  expect(await getFrom('getnodes', { parentnode: 'FJEL;SEARCHRESULT9' })).toHaveProperty('error');
});
