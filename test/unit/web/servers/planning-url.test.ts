/**
 * Links to the planning frontend: the table and the modes of Spec 4.5.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PlanningLink,
  planningEntry,
  planningUrl,
} from '../../../../src/web/servers/planning-url.ts';
import { anyText } from '../../../helpers/any-text.ts';

const DESK = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D 160/80' };
const BASE = { frontendUrl: 'https://plan.example/base/', token: 'a+b/c=' };

const parameters = (url: string) => Object.fromEntries(new URL(url).searchParams);

describe('planningUrl', () => {
  it('opens the configurator alone with disablecatalogue, with an article', () => {
    expect(planningUrl({ ...BASE, mode: 'configurator', open: DESK })).toBe(
      'https://plan.example/base/planning?token=a%2Bb%2Fc%3D&manufacturer=ACME&program=DESK&basearticlenumber=D%20160%2F80&disablecatalogue=true',
    );
  });

  it('opens the catalogue with opencatalogue, at a folder where one is given', () => {
    const parentnode = 'ACME;:DESK@1';
    const url = planningUrl({ ...BASE, mode: 'catalogue', parentnode });
    expect(parameters(url)).toEqual({ token: BASE.token, opencatalogue: 'true', parentnode });
  });

  it('carries every other parameter of the table', () => {
    const open = { ...DESK, ocdreinit: '@D=\'1+1\':B="ü"::' };
    const urlwarenkorb = 'https://shop.example/cart?basket=7&x=y';
    const parentorigin = 'https://shop.example';
    const others = { lang: 'de', langalt: 'en', urlwarenkorb, parentorigin };
    const url = planningUrl({ ...BASE, mode: 'hybrid', open, showprice: false, ...others });
    expect(parameters(url)).toEqual({
      token: BASE.token,
      ...open,
      showprice: 'false',
      ...others,
    });
  });

  it('takes no more from a whole article key than the page knows', () => {
    const key = { ...DESK, finalarticlenumber: 'X', metareinitstring: 'Y', reinitstring: 'Z' };
    const url = planningUrl({ ...BASE, mode: 'configurator', open: key });
    expect(Object.keys(parameters(url))).toEqual([
      'token',
      'manufacturer',
      'program',
      'basearticlenumber',
      'disablecatalogue',
    ]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no token', { token: '' }, /token: expected/],
    ['an unknown mode', { mode: 'editor' }, /mode: expected catalogue, configurator, hybrid/],
    ['a configurator of nothing', { mode: 'configurator' }, /a configurator shows one/],
    [
      'a configurator with a folder',
      { mode: 'configurator', open: DESK, parentnode: 'A' },
      /parentnode/,
    ],
    ['half an article', { open: { manufacturer: 'ACME' } }, /program, basearticlenumber missing/],
    [
      'an article and a permanent identifier',
      { open: { ...DESK, permanentid: 'P' } },
      /received both/,
    ],
    ['an empty permanent identifier', { open: { permanentid: '' } }, /permanentid: expected/],
    ['a cart address that is none', { urlwarenkorb: 'javascript:alert(1)' }, /urlwarenkorb/],
    ['an origin with a path', { parentorigin: 'https://shop.example/a' }, /parentorigin: expected/],
    [
      'half a character',
      { lang: '\ud800' },
      /lang: expected well-formed text, received half a character/,
    ],
    ['the page instead of its base', { frontendUrl: 'https://h/planning' }, /without \/planning/],
    ['a base with a query', { frontendUrl: 'https://h/?a=b' }, /frontendUrl/],
    ['no address as base', { frontendUrl: 'plan.example' }, /frontendUrl/],
  ])('refuses %s', (_, changes, says) => {
    const link = { ...BASE, mode: 'hybrid', ...changes } as unknown as PlanningLink;
    expect(() => planningUrl(link)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(says) }),
    );
  });

  it('transfers every value byte for byte, with any characters, but the case of two', () => {
    const text = anyText({ minLength: 1, maxLength: 30 });
    const article = fc.record(
      { manufacturer: text, program: text, basearticlenumber: text, ocdreinit: text },
      { requiredKeys: ['manufacturer', 'program', 'basearticlenumber'] },
    );
    const open = fc.oneof(article, fc.record({ permanentid: text }));
    const mode = fc.constantFrom('catalogue', 'configurator', 'hybrid');
    const more = fc.record(
      { showprice: fc.boolean(), lang: text, langalt: text },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(text, open, mode, more, (token, subject, chosen, others) => {
        const link = { ...BASE, token, mode: chosen, open: subject, ...others } as PlanningLink;
        const { opencatalogue, disablecatalogue, ...read } = parameters(planningUrl(link));
        const { showprice, ...texts } = others;
        const named = Object.entries(subject).map(([name, value]) => {
          return [name, /^(?:manufacturer|program)$/.test(name) ? value.toUpperCase() : value];
        });
        expect(read).toEqual({
          token,
          ...Object.fromEntries(named),
          ...texts,
          ...(showprice === undefined ? {} : { showprice: String(showprice) }),
        });
        expect(opencatalogue === 'true').toBe(chosen === 'catalogue');
        expect(disablecatalogue === 'true').toBe(chosen === 'configurator');
      }),
      { numRuns: 200 },
    );
  });
});

describe('planningEntry', () => {
  it.each([
    ['https://plan.example', 'https://plan.example/planning'],
    ['http://h:8080/a/b//', 'http://h:8080/a/b/planning'],
  ])('of %s is %s', (base, entry) => {
    expect(planningEntry(base)).toBe(entry);
  });
});
