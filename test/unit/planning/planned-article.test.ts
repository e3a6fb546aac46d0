/** A stored planning that is opened again: with the texts and prices of now, or as it was stored. */
import { afterEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { planningChildren } from '../../../src/fetch/resolve-article.ts';
import { openPlanningSite } from '../../../src/gateway/planning-site.ts';
import {
  changeProperty,
  loadTarget,
  type PlannedArticle,
  storePlanning,
} from '../../../src/planning/planned-article.ts';
import { openService } from '../../../src/planning/service.ts';
import type { EmulatedRange } from '../../../src/sample/range.ts';
import { createSampleRange } from '../../../src/sample/sample-range.ts';

const SIGNAL = new AbortController().signal;

describe('a planning that is restored', () => {
  const emulators: Emulator[] = [];
  afterEach(async () => {
    for (const emulator of emulators.splice(0)) await emulator.close();
  });

  async function start(change: (range: EmulatedRange) => Partial<EmulatedRange> = () => ({})) {
    const range = createSampleRange();
    // Only with a page are plannings resolved.
    const planningSite = openPlanningSite();
    const emulator = await startEmulator({ range: { ...range, ...change(range) }, planningSite });
    emulators.push(emulator);
    return (lang: string) =>
      openService({
        ...{ baseUrl: emulator.baseUrl, token: emulator.issueToken() },
        languages: { lang, langalt: '' },
      });
  }
  const load = (service: ReturnType<typeof openService>, basearticlenumber: string) =>
    loadTarget(
      service,
      { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber, ocdreinit: '' },
      SIGNAL,
    );
  const change = (service: ReturnType<typeof openService>, planned: PlannedArticle, at = planned) =>
    changeProperty(
      service,
      planned,
      {
        ...{ id: at.article.id, proptype: 'ocd', propclass: 'OBERFLÄCHE' },
        ...{ prop: 'DEKOR', newvalue: 'NB' },
      },
      SIGNAL,
    );

  test('speaks the language of the page, and has the price of the day', async () => {
    let surcharge = 0;
    const serviceIn = await start((range) => ({
      article(query) {
        // biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
        const article = range.article(query) as any;
        article.ocd.price += surcharge;
        return article;
      },
    }));
    const english = serviceIn('en');
    const stored = await change(english, await load(english, 'LN-M'));
    const permanentid = await storePlanning(english, stored, SIGNAL);
    surcharge = 100;
    const restored = await loadTarget(serviceIn('de'), { permanentid }, SIGNAL);
    expect(restored.key).toEqual(stored.key);
    expect(stored.article.ocd!.shorttext).toBe('Desk made to measure');
    expect(restored.article.ocd!.shorttext).toBe('Schreibtisch nach Maß');
    expect(restored.article.ocd!.price).toBe(stored.article.ocd!.price! + surcharge);
    expect(restored.isAsStored).toBe(undefined);
  });

  test('has all its children in their configuration, in the language of the page', async () => {
    const serviceIn = await start();
    const english = serviceIn('en');
    const workplace = await load(english, 'LN-PLATZ 1');
    const [, cabinet] = workplace.article.children;
    const stored = await change(english, workplace, { ...workplace, article: cabinet! });
    expect(stored.article.children[1]!.ocd!.finalarticlenumber).toMatch(/-NB/);
    const permanentid = await storePlanning(english, stored, SIGNAL);
    const restored = await loadTarget(serviceIn('de'), { permanentid }, SIGNAL);
    expect(planningChildren(restored.article)).toEqual(planningChildren(stored.article));
    expect(restored.article.children.map(({ ocd }) => ocd!.shorttext)).not.toEqual(
      stored.article.children.map(({ ocd }) => ocd!.shorttext),
    );
    expect(restored.isAsStored).toBe(undefined);
  });

  test('stays as it was stored where the service does not answer it again, and says so', async () => {
    let isGone = false;
    const serviceIn = await start((range) => ({
      article: (query) => (isGone ? undefined : range.article(query)),
    }));
    const english = serviceIn('en');
    const stored = await change(english, await load(english, 'LN-M'));
    const permanentid = await storePlanning(english, stored, SIGNAL);
    isGone = true;
    const restored = await loadTarget(serviceIn('de'), { permanentid }, SIGNAL);
    expect(restored).toEqual({ ...stored, isAsStored: true });
  });
});
