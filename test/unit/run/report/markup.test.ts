import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html } from '../../../../src/run/report/markup.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { HOSTILE } from '../../../helpers/reports.ts';
import { samples } from '../../../helpers/samples.ts';

test('values of a template are texts, its own words are HTML', () => {
  const inner = html`<i>${'a < b'}</i>`;
  expect(html`<p title="${'"x"'}">${inner}${[1, ' & ', undefined]}</p>`.html).toBe(
    '<p title="&#34;x&#34;"><i>a &#60; b</i>1 &#38; </p>',
  );
});

test('no text leaves its place, and none is invisible', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.constantFrom(...HOSTILE)), (text) => {
      const { html: escaped } = html`${text}`;
      expect(escaped).not.toMatch(
        /[<>"'`]|[^\P{Cc}\n\t]|\p{Cs}|[\u202A-\u202E\u2066-\u2069\u200B]/u,
      );
      expect(escaped.replace(/&#\d+;/g, '')).not.toContain('&');
    }),
    { seed: 6, numRuns: samples(500) },
  );
});
