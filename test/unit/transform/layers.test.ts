import { describe, expect, it } from 'vitest';
import { CONVERT_DEFAULTS } from '../../../src/transform/convert-options.ts';
import { layerFilter, parseLayer } from '../../../src/transform/layers.ts';

describe('parseLayer', () => {
  it.each([
    ['72_ACME_DESK_D3', 'D3', ''],
    ['72_acme_desk_d3_drawer_1', 'D3_DRAWER_1', 'drawer_1'],
    ['72_ACME_DESK_D3FRONT_DOOR', 'D3FRONT_DOOR', 'DOOR'],
    ['72_ACME_DESK_ARTICLE_INFO', 'ARTICLE_INFO', ''],
    ['72_ACME_DESK_ARTICLE_INFO_TOP', 'ARTICLE_INFO_TOP', 'TOP'],
    ['0', '', ''],
    ['', '', ''],
    ['73_ACME_DESK_D2', '', ''],
    ['72_ACME_DESK', '', ''],
  ])('takes %j apart into mode %j and tag %j', (layer, modeAndTag, tag) => {
    expect(parseLayer(layer)).toEqual({ modeAndTag, tag });
  });
});

describe('layerFilter', () => {
  const isDropped = layerFilter(CONVERT_DEFAULTS.dropLayers);

  it.each([
    'ACOUSTICS',
    'ATTACH',
    'ATTACH_LEFT',
    'ORIGIN',
    'D2',
    'D2TOP',
    'DIMENSIONS',
    'TEXT',
    'ARTICLE_INFO',
    'ARTICLE_INFO_TOP',
    'd2_symbol',
  ])('drops the invisible mode %s', (mode) => {
    expect(isDropped(`72_ACME_DESK_${mode}`)).toBe(true);
  });

  it.each([
    '72_ACME_DESK_D3',
    '72_ACME_DESK_D3FRONT_D2',
    '72_ACME_D2_D3',
    '72_ACME_DESK_NEW',
    'D2',
    'TEXT',
    '',
  ])('keeps %j', (layer) => {
    expect(isDropped(layer)).toBe(false);
  });

  it('drops what the option says, and nothing by an empty one', () => {
    expect(layerFilter(['D3?'])('72_ACME_DESK_D3A')).toBe(true);
    expect(layerFilter(['D3?'])('72_ACME_DESK_D3AB')).toBe(false);
    expect(layerFilter([])('72_ACME_DESK_D2')).toBe(false);
  });
});
