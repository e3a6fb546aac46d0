/** A stored planning that is opened again: with the texts and prices of now, or as it was stored. */
import { afterEach, describe, expect, test } from 'vitest';
import { createSampleRange } from '../../../../../src/emulator/sample/sample-range.ts';
import { planningChildren } from '../../../../../src/source/fetch/resolve-article.ts';
import {
  changeProperty,
  loadTarget,
  storePlanning,
} from '../../../../../src/web/planning/state/planned-article.ts';
import { openPlanningSite } from '../../../../../src/web/servers/planning-site.ts';
import { deskTarget, finishOf, plannedService } from '../../../../helpers/planned-service.ts';

const SIGNAL = new AbortController().signal;

describe('a planning that is restored', () => {
  let surcharge = 0;
  let isGone = false;
  const range = createSampleRange();
  const service = plannedService({
    // Only with a page are plannings resolved.
    planningSite: openPlanningSite(),
    range: {
      ...range,
      article(query) {
        if (isGone) return undefined;
        // biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
        const article = range.article(query) as any;
        article.ocd.price += surcharge;
        return article;
      },
    },
  });
  afterEach(() => {
    [surcharge, isGone] = [0, false];
  });

  /** An article with another finish, of itself or of a child, in English; it is restored in German. */
  async function storedWithFinish(number: string, child?: number) {
    const english = service.open();
    const loaded = await loadTarget(english, deskTarget(number), SIGNAL);
    const article = child === undefined ? loaded.article : loaded.article.children[child]!;
    const stored = await changeProperty(english, loaded, finishOf({ article }, 'NB'), SIGNAL);
    const permanentid = await storePlanning(english, stored, SIGNAL);
    const restore = () => loadTarget(service.open({ lang: 'de' }), { permanentid }, SIGNAL);
    return { stored, restore };
  }

  test('speaks the language of the page, and has the price of the day', async () => {
    const { stored, restore } = await storedWithFinish('LN-M');
    surcharge = 100;
    const restored = await restore();
    expect(restored.key).toEqual(stored.key);
    expect(stored.article.ocd!.shorttext).toBe('Desk made to measure');
    expect(restored.article.ocd!.shorttext).toBe('Schreibtisch nach Maß');
    expect(restored.article.ocd!.price).toBe(stored.article.ocd!.price! + surcharge);
    expect(restored.isAsStored).toBe(undefined);
  });

  test('has all its children in their configuration, in the language of the page', async () => {
    const { stored, restore } = await storedWithFinish('LN-PLATZ 1', 1);
    expect(stored.article.children[1]!.ocd!.finalarticlenumber).toMatch(/-NB/);
    const restored = await restore();
    expect(planningChildren(restored.article)).toEqual(planningChildren(stored.article));
    expect(restored.article.children.map(({ ocd }) => ocd!.shorttext)).not.toEqual(
      stored.article.children.map(({ ocd }) => ocd!.shorttext),
    );
    expect(restored.isAsStored).toBe(undefined);
  });

  test('stays as it was stored where the service does not answer it again, and says so', async () => {
    const { stored, restore } = await storedWithFinish('LN-M');
    isGone = true;
    expect(await restore()).toEqual({ ...stored, isAsStored: true });
  });
});
