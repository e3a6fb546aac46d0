import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../src/pipeline/yaml-file.ts';

describe('readYaml', () => {
  it.each([
    ['17', 17],
    ['-1.5', -1.5],
    ['true', true],
    ['007', '007'],
    ['1e3', '1e3'],
    ['0x10', '0x10'],
  ])('fills in %j as %j where the variable stands unquoted', (text, value) => {
    expect(readYaml('a: ${V}', 'x.yaml', { V: text }).value).toEqual({ a: value });
  });

  it('fills in a text where the variable stands in quotes', () => {
    expect(readYaml('a: "${V}"', 'x.yaml', { V: '17' }).value).toEqual({ a: '17' });
  });
});
