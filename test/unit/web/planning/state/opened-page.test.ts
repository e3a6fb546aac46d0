/// <reference lib="dom" />
/** An opened page without what it draws: what it keeps of a configuration, and what it tells the page around it. */
import { afterEach, describe, expect, test } from 'vitest';
import { createSampleRange } from '../../../../../src/emulator/sample/sample-range.ts';
import { isKept, keepToken, keptToken } from '../../../../../src/web/planning/state/history.ts';
import { Session } from '../../../../../src/web/planning/state/opened-page.ts';
import { readParameters } from '../../../../../src/web/planning/state/parameters.ts';
import { textsOf } from '../../../../../src/web/planning/state/texts.ts';
import { raw, stall } from '../../../../helpers/fault-server.ts';
import { finishOf, plannedService } from '../../../../helpers/planned-service.ts';
import { DIRECT_CONVERTER, openTab } from '../../../../helpers/planning-tab.ts';
import { OF_BOXES } from '../../../../helpers/sample-range.ts';
import { until } from '../../../../helpers/until.ts';

const SHOP = 'https://shop.example';
const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
const FRAMED = { isFramed: true, ancestorOrigins: [SHOP] };
const ARTICLES = /\/articles\?/;

describe('an opened page', () => {
  /** Is added to the name of each article. */
  let suffix = '';
  const range = createSampleRange();
  const service = plannedService({
    range: {
      ...range,
      ...OF_BOXES,
      article(query) {
        // biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
        const article = range.article(query) as any;
        if (article !== undefined) article.ocd.shorttext += suffix;
        return article;
      },
    },
  });
  afterEach(() => {
    suffix = '';
  });

  type Tab = ReturnType<typeof openTab>;
  /** Opens the page in a tab, as its program does; one that is loaded again has the token that it had. */
  function open(tab: Tab, { token = '', ...more }: Record<string, string> = {}): Session {
    const kept = keptToken(tab.window) || token || service.emulator.issueToken();
    const query = { ...DESK, disablecatalogue: 'true', token: kept, ...more };
    const search = `?${new URLSearchParams(query)}`;
    const { parameters, problems } = readParameters(search, { isKept: isKept(tab.window) });
    expect(problems).toEqual([]);
    keepToken(tab.window, parameters.token);
    const { BTG2GLTF_BASE_URL: baseUrl = '' } = service.proxy.env;
    const [texts, converter] = [textsOf('en'), DIRECT_CONVERTER];
    const page = tab.window;
    return new Session({ page, parameters, service: { baseUrl }, texts, converter });
  }
  const finish = ({ planning }: Session) => finishOf(planning.state.planned!, 'NB');
  const numberOf = ({ state }: Session) => state.planning.planned?.key.finalarticlenumber ?? '';
  const isPlanned = (session: Session, beginning: string) =>
    until(() => numberOf(session).startsWith(beginning));
  const told = ({ received }: Tab) =>
    received.map(({ type, article }) => {
      const { ocd } = (article ?? {}) as { ocd?: { finalarticlenumber: string } };
      return `${type} ${ocd?.finalarticlenumber.slice(0, 9) ?? ''}`.trim();
    });

  test('keeps what was chosen when the token expires, also loaded again, and goes on with a new one', async () => {
    const tab = openTab(FRAMED);
    const first = open(tab);
    await isPlanned(first, 'LN-M-V.EI');
    expect(first.state).toMatchObject({ isTokenDead: false, wasTokenAccepted: true });
    service.emulator.expireTokens();
    first.planning.change(finish(first));
    await until(() => first.state.isTokenDead);
    expect(first.state).toMatchObject({ wasTokenAccepted: true });
    expect(numberOf(first)).toMatch(/^LN-M-V\.EI/);

    tab.reload('page');
    const second = open(tab);
    await until(() => second.state.isTokenDead && second.state.planning.failure !== undefined);
    expect(numberOf(second)).toMatch(/^LN-M-V\.EI/);
    const token = service.emulator.issueToken();
    tab.send({ type: 'SET_TOKEN', token }, SHOP);
    await isPlanned(second, 'LN-M-V.NB');
    expect(second.state.isTokenDead).toBe(false);
    expect(keptToken(tab.window)).toBe(token);
    expect(JSON.stringify(tab.received)).not.toContain(token);
    const changes = told(tab).filter((text) => !text.startsWith('ERROR'));
    expect(changes).toEqual(['LOADED LN-M-V.EI', 'LOADED LN-M-V.EI', 'PROPERTY_UPDATED LN-M-V.NB']);

    // The page around it is loaded again: its address asks for the article as it was.
    tab.reload('page around');
    const third = open(tab);
    await isPlanned(third, 'LN-M-V.EI');
    const { earlier } = third.state;
    third.go({ target: { json: earlier!, pending: [] } });
    await isPlanned(third, 'LN-M-V.NB');
    expect(third.state.earlier).toBe(undefined);
  });

  test('offers nothing of before where the browser gives it no storage, and goes on', async () => {
    const tab = openTab({ hasStorage: false });
    const first = open(tab);
    await isPlanned(first, 'LN-M-V.EI');
    first.planning.change(finish(first));
    await isPlanned(first, 'LN-M-V.NB');
    tab.reload('page around');
    const second = open(tab);
    await isPlanned(second, 'LN-M-V.EI');
    expect(second.state.earlier).toBe(undefined);
    // The history of its own is enough.
    second.planning.change(finish(second));
    await isPlanned(second, 'LN-M-V.NB');
    tab.reload('page');
    await isPlanned(open(tab), 'LN-M-V.NB');
  });

  test('knows a token that was never accepted from one that has expired', async () => {
    const session = open(openTab(), { token: 'nonsense' });
    await until(() => session.state.isTokenDead);
    expect(session.state.wasTokenAccepted).toBe(false);
  });

  test.each([
    ['that the browser names', [SHOP], 'https://other.example', SHOP],
    ['that it is given', undefined, SHOP, SHOP],
    // As Firefox has it in a frame whose page sends no referrer.
    ['that it is given, where the browser does not tell', ['null'], SHOP, SHOP],
    ['that nobody names, not even the browser', ['null'], '', undefined],
    ['that nobody names', undefined, '', undefined],
  ])('posts to the origin %s only', async (_, ancestorOrigins, parentorigin, origin) => {
    const tab = openTab({ isFramed: true, ...(ancestorOrigins && { ancestorOrigins }) });
    const session = open(tab, { parentorigin });
    await isPlanned(session, 'LN-M');
    const origins = tab.received.map((message) => message.origin);
    expect(origins).toEqual(origin === undefined ? [] : [origin]);
    expect(session.embedding.isEmbedded).toBe(origin !== undefined);
  });

  test('obeys and answers the page around it, and no other', async () => {
    const token = service.emulator.issueToken();
    // A text that is no JSON any more where it is masked as a part of it.
    suffix = ` x?token=${token}\\" y`;
    const tab = openTab(FRAMED);
    const session = open(tab, { token });
    await isPlanned(session, 'LN-M');
    expect(session.state.planning.planned!.article.ocd!.shorttext).toContain('***');
    const other = { type: 'SET_ARTICLE', article: { permanentid: 'X' } };
    tab.send(other, 'https://other.example');
    tab.send(other, SHOP, tab.window);
    const article = { ...DESK, basearticlenumber: 'LN-D160/80' };
    tab.send({ type: 'SET_ARTICLE', article }, SHOP);
    await isPlanned(session, 'LN-D160/80');
    tab.send({ type: 'REQUEST_CURRENT_ARTICLE' }, SHOP);
    expect(told(tab)).toEqual(['LOADED LN-M-V.EI', ...Array(2).fill('CURRENT_ARTICLE LN-D160/8')]);
    expect(JSON.stringify(tab.received)).not.toContain(token);
  });

  test('answers a message that it does not know, but neither events nor what was not meant for it', async () => {
    const tab = openTab(FRAMED);
    await isPlanned(open(tab), 'LN-M');
    tab.received.splice(0);
    for (const data of [{ type: 'SETARTICLE' }, { type: 'SET_TOKEN' }, { type: 'ERROR' }, { x: 1 }])
      tab.send(data, SHOP);
    tab.send({ type: 'SETARTICLE' }, 'https://other.example');
    const known = 'SET_ARTICLE, REQUEST_CURRENT_ARTICLE, SET_TOKEN';
    const messages = [
      `type: expected ${known}, received "SETARTICLE"`,
      'SET_TOKEN: expected token, received a message without it',
    ];
    const expected = messages.map((message) => ({
      ...{ type: 'ERROR', code: 'MESSAGE_INVALID', message, origin: SHOP },
    }));
    expect(tab.received).toEqual(expected);
  });

  test('tells the article first, not the catalogue, and keeps a change that another one interrupts', async () => {
    const tab = openTab(FRAMED);
    service.proxy.break(ARTICLES, stall);
    const session = open(tab, { disablecatalogue: '' });
    session.listed();
    expect(tab.received).toEqual([]);
    service.proxy.mend();
    session.planning.open(session.parameters.target!);
    await isPlanned(session, 'LN-M');
    const before = service.proxy.seen.length;
    service.proxy.break(ARTICLES, stall);
    session.planning.change(finish(session));
    await until(() => service.proxy.seen.slice(before).some((url) => ARTICLES.test(url)));
    service.proxy.mend();
    tab.send({ type: 'SET_ARTICLE', ...DESK, basearticlenumber: 'NONE' }, SHOP);
    await until(() => session.state.planning.failure !== undefined);
    // Loaded again, the page would show what is planned, not what could not be opened.
    expect(session.state.shown.target).toMatchObject({ pending: [{ newvalue: 'NB' }] });
    session.planning.cancel();
    await isPlanned(session, 'LN-M-V.NB');
    expect(told(tab)).toEqual(['LOADED LN-M-V.EI', 'ERROR', 'PROPERTY_UPDATED LN-M-V.NB']);
  });

  test('tells that nothing is open when the catalogue is there', async () => {
    const tab = openTab(FRAMED);
    const nothing = { manufacturer: '', program: '', basearticlenumber: '', disablecatalogue: '' };
    const session = open(tab, nothing);
    session.listed();
    expect(tab.received).toEqual([{ type: 'LOADED', article: null, origin: SHOP }]);
    expect(session.state.shown.isCatalogueOpen).toBe(true);
  });

  test('keeps what is planned and the folder in the mode that a person chooses, also loaded again', async () => {
    const tab = openTab();
    const first = open(tab, { disablecatalogue: '', parentnode: 'FJEL;:@1' });
    await isPlanned(first, 'LN-M-V.EI');
    first.planning.change(finish(first));
    await isPlanned(first, 'LN-M-V.NB');
    expect(first.state.shown).toMatchObject({ mode: 'hybrid', isCatalogueOpen: false });
    first.setMode('catalogue');
    expect(tab.window.location.search).toBe('?lang=en&opencatalogue=true');
    first.setMode('configurator');
    expect(tab.window.location.search).toBe('?lang=en&disablecatalogue=true');
    // The catalogue stays open: a person may choose the mode before the article.
    const chosen = { mode: 'configurator', hasCatalogue: true, isCatalogueOpen: true };
    expect(first.state.shown).toMatchObject(chosen);
    tab.reload('page');
    const second = open(tab);
    await isPlanned(second, 'LN-M-V.NB');
    expect(second.state.shown).toMatchObject({ ...chosen, place: { parentnode: 'FJEL;:@1' } });
    second.setLanguage('de');
    second.setMode('hybrid');
    expect(tab.window.location.search).toBe('?lang=de');

    // A page around it that is loaded again has the address that it gave.
    tab.reload('page around');
    const third = open(tab, { opencatalogue: 'true', disablecatalogue: '' });
    expect(third.state.earlier).toMatchObject({ basearticlenumber: 'LN-M' });
  });

  test('undoes a change that is refused, and says which', async () => {
    const tab = openTab(FRAMED);
    const session = open(tab);
    await isPlanned(session, 'LN-M');
    service.proxy.break(ARTICLES, raw('{"error":"no such value"}', {}, 422));
    session.planning.change(finish(session));
    await until(() => session.state.planning.failure !== undefined);
    expect(session.state.planning).toMatchObject({
      pending: [],
      failure: { code: 'PROPERTY_VALUE_REFUSED', message: 'no such value' },
    });
    expect(tab.received.at(-1)).toMatchObject({ type: 'ERROR', code: 'PROPERTY_VALUE_REFUSED' });
    expect(session.state.shown.target).toMatchObject({ pending: [] });
  });

  test('knows the fields whose text is not possible, until the last is corrected', async () => {
    const session = open(openTab());
    const [width, depth] = ['Width', 'Depth'].map((name) => ({ place: name, name }));
    session.setRefused(width!, true);
    session.setRefused(depth!, true);
    session.setRefused(width!, true);
    expect(session.state.refused).toEqual([depth, width]);
    session.setRefused(depth!, false);
    session.setRefused(width!, false);
    expect(session.state.refused).toEqual([]);
  });
});
