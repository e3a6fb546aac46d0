/** The model of what is planned: of which configuration it is, and what comes of answers that do not come. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ArticleKey } from '../../../../../src/model/article.ts';
import {
  ModelLoader,
  type ModelState,
  modelOf,
  NO_MODEL,
} from '../../../../../src/web/planning/state/model-loader.ts';
import { loadTarget } from '../../../../../src/web/planning/state/planned-article.ts';
import { raw, stall } from '../../../../helpers/fault-server.ts';
import { deskTarget, plannedService } from '../../../../helpers/planned-service.ts';
import { DIRECT_CONVERTER } from '../../../../helpers/planning-tab.ts';
import { until } from '../../../../helpers/until.ts';

const PARTS_LISTS = /\/odb\/btg\?/;
const BLOCKS = /\/odb\/block\//;
const MATERIALS = /\/odb\/(?:mat|pic|image)/;
const NOT_FOUND = raw('', {}, 404);

describe('the model of what is planned', () => {
  const service = plannedService();
  let desk: ArticleKey;
  let other: ArticleKey;
  beforeAll(async () => {
    [desk, other] = await Promise.all([keyOf('LN-M'), keyOf('LN-D160/80')]);
  });
  async function keyOf(basearticlenumber: string): Promise<ArticleKey> {
    const { signal } = new AbortController();
    return (await loadTarget(service.open(), deskTarget(basearticlenumber), signal)).key;
  }
  function open() {
    const states: ModelState[] = [];
    const loader = new ModelLoader(service.open(), DIRECT_CONVERTER, (state) => states.push(state));
    return { loader, states, state: () => states.at(-1) ?? NO_MODEL };
  }
  type Opened = ReturnType<typeof open>;
  const isMade = async ({ state }: Opened, key: ArticleKey) => {
    await until(() => state().progress === undefined);
    expect(state().failure).toBe(undefined);
    expect(modelOf(state(), key)).toBeDefined();
  };
  const asked = (pattern: RegExp) => service.proxy.seen.filter((url) => pattern.test(url)).length;

  test('is that of one configuration, whatever was begun since; none is made twice', async () => {
    const opened = open();
    const { loader, state } = opened;
    loader.make(desk);
    await isMade(opened, desk);
    expect(modelOf(state(), desk)!.sizeMetres[0]).toBeCloseTo(1.6, 3);
    const before = asked(PARTS_LISTS);
    service.proxy.break(PARTS_LISTS, stall);
    loader.make(other);
    await until(() => asked(PARTS_LISTS) === before + 1);
    expect(state()).toMatchObject({ progress: { step: 'partsList' }, model: { key: desk } });
    expect(modelOf(state(), other)).toBe(undefined);
    loader.cancel();
    expect(state()).toMatchObject({ progress: undefined, isCancelled: true, model: { key: desk } });
    // Back to what is shown.
    loader.make(desk);
    const shown = { progress: undefined, isCancelled: false, model: { key: desk } };
    expect(state()).toMatchObject(shown);
    expect(asked(PARTS_LISTS)).toBe(before + 1);
    service.proxy.mend();
    loader.make(other);
    await isMade(opened, other);
    loader.clear();
    expect(state()).toEqual(NO_MODEL);
  });

  test('is made again where a person had cancelled it', async () => {
    const opened = open();
    const { loader, states, state } = opened;
    service.proxy.break(BLOCKS, stall);
    loader.make(desk);
    await until(() => state().progress?.step === 'parts');
    loader.cancel();
    expect(state()).toMatchObject({ model: undefined, isCancelled: true });
    service.proxy.mend();
    loader.retry();
    await isMade(opened, desk);
    const counted = states.findLast(({ progress }) => progress?.step === 'parts')!.progress;
    expect(counted).toMatchObject({ done: (counted as { total: number }).total });
  });

  test('is not made of a part when the connection breaks: the rest can be loaded', async () => {
    const opened = open();
    const { loader, state } = opened;
    let first: string | undefined;
    const isAllElseThere = () => {
      const { progress } = state();
      return progress?.step === 'parts' && progress.done === progress.total - 1;
    };
    service.proxy.disturb((url) => {
      if (!BLOCKS.test(url)) return undefined;
      first ??= url;
      if (url !== first) return undefined;
      return { answer: (response) => void until(isAllElseThere).then(() => response.destroy()) };
    });
    loader.make(desk);
    await until(() => state().failure !== undefined);
    expect(state()).toMatchObject({ model: undefined, failure: { code: 'HTTP_CONNECTION' } });
    const before = service.proxy.seen.length;
    service.proxy.mend();
    loader.retry();
    await isMade(opened, desk);
    expect(modelOf(state(), desk)!.warnings).toEqual([]);
    expect(service.proxy.seen.slice(before).filter((url) => !PARTS_LISTS.test(url))).toEqual([
      first,
    ]);
  });

  test('lacks a part and textures that the service does not have, and says where and which', async () => {
    const opened = open();
    for (const missing of [MATERIALS, /GLEITER_40/]) service.proxy.break(missing, NOT_FOUND);
    opened.loader.make(desk);
    await isMade(opened, desk);
    const { holesMetres, warnings, glb } = modelOf(opened.state(), desk)!;
    expect(holesMetres.length).toBeGreaterThan(0);
    const codes = new Set(warnings.map(({ code }) => code));
    expect([...codes].sort()).toEqual(['BLOCK_MISSING', 'IMAGE_MISSING']);
    expect(new TextDecoder('latin1').decode(glb)).not.toContain('image/jpeg');
  });

  test('is none where the article has no parts list', async () => {
    service.proxy.break(PARTS_LISTS, NOT_FOUND);
    const { loader, state } = open();
    loader.make(desk);
    await until(() => state().failure !== undefined);
    expect(state()).toMatchObject({ model: undefined, failure: { code: 'ARTICLE_NOT_FOUND' } });
  });
});
