import { describe, expect, it } from 'vitest';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { createLayerReader } from '../../../../src/convert/transform/flatten.ts';
import { expectLinear } from '../../../helpers/growth.ts';

const ARTICLE = 'FRM::FRMR_2Q::';

const read = (layer: string, block = '', names = [ARTICLE], drop = CONVERT_DEFAULTS.dropLayers) =>
  createLayerReader(names, drop)(layer, block);

describe('a layer', () => {
  it.each([
    ['72_FRM_FRMR_2Q_D2', true, ''],
    ['72_FRM_FRMR_2Q_D3_DRAWER_1', false, 'DRAWER_1'],
    ['72_frm_frmr_2q_attach_Left', true, 'Left'],
    ['72_FRM_FRMR_2Q_ARTICLE_INFO_TOP', true, 'TOP'],
    ['72_FRM_FRMR_2Q_NEW_D2', false, 'D2'],
    ['72_FRM_FRMR_2Q_D3FRONT_D2', false, 'D2'],
    ['72_FRM_FRMR_2Q', false, ''],
    ['73_FRM_FRMR_2Q_D2', false, ''],
    ['D2', false, ''],
    ['TEXT', false, ''],
    ['0', false, ''],
    ['', false, ''],
  ])('%j begins with manufacturer and series of the article', (layer, isDropped, tag) => {
    expect(read(layer)).toEqual({ tag, isDropped });
  });

  it.each([
    ...['ACOUSTICS', 'ATTACH', 'ATTACH_LEFT', 'ORIGIN', 'D2', 'D2TOP', 'DIMENSIONS', 'TEXT'],
    ...['ARTICLE_INFO', 'ARTICLE_INFO_TOP', 'd2_symbol'],
  ])('of the mode %s is invisible', (mode) => {
    expect(read(`72_FRM_FRMR_2Q_${mode}`).isDropped).toBe(true);
  });

  it('or with those of a block of the article, or of the block of its node', () => {
    const layer = '72_A_B_ORIGIN_LINE_D3_DOOR';
    const kept = { tag: 'DOOR', isDropped: false };
    expect(read(layer, '', [ARTICLE, '::a_b::Origin_Line::LEG'])).toEqual(kept);
    expect(read(layer, 'A_B::ORIGIN_LINE::LEG')).toEqual(kept);
    expect(read(layer)).toEqual({ tag: 'LINE_D3_DOOR', isDropped: true });
  });

  it('begins with the longest of them', () => {
    const names = ['FRM::D2::', 'FRM::D2_TEXT::LEG'];
    expect(read('72_FRM_D2_TEXT_D3_DOOR', '', names)).toEqual({ tag: 'DOOR', isDropped: false });
    expect(read('72_FRM_D2_TEXT', '', names)).toEqual({ tag: '', isDropped: true });
  });

  it.each([
    ['72_A_B_C_D2_PLAN', true, 'PLAN'],
    ['72_A_B_C_D3FRONT_DOOR', false, 'DOOR'],
    ['72_TEXT_D2_D3_DOOR', false, 'DOOR'],
    ['72_A_B_C_D_ARTICLE_INFO_X', true, 'X'],
    ['72_A_B_NEW_DOOR', false, 'DOOR'],
  ])('%s of another series has the first mode that is known', (layer, isDropped, tag) => {
    expect(read(layer)).toEqual({ tag, isDropped });
  });

  it('of a mode that only the option names is known, too', () => {
    expect(read('72_A_B_C_NEW_X', '', [], ['NEW*'])).toEqual({ tag: 'X', isDropped: true });
    expect(read('72_A_B_C_D2_X', '', [], [])).toEqual({ tag: 'X', isDropped: false });
  });

  it('is read quickly, however many parts it has', () => {
    expect(read(`72${'_X'.repeat(200_000)}`).isDropped).toBe(false);
  });

  it('takes linear time for many layers of many series', async () => {
    const numbers = (size: number) => Array.from({ length: size }, (_, n) => n);
    await expectLinear(3000, numbers, (all) => {
      const names = all.map((n) => `M${n}::S::LEG`);
      const readLayer = createLayerReader(names, CONVERT_DEFAULTS.dropLayers);
      expect(all.every((n) => readLayer(`72_M${n}_S_D2`, '').isDropped)).toBe(true);
    });
  });
});
