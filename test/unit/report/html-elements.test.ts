import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html, outputLink, tableSection } from '../../../src/report/html-elements.ts';
import { HOSTILE } from '../../helpers/reports.ts';

test('values of a template are texts, its own words are HTML', () => {
  const inner = html`<i>${'a < b'}</i>`;
  expect(html`<p title="${'"x"'}">${inner}${[1, ' & ', undefined]}</p>`.html).toBe(
    '<p title="&quot;x&quot;"><i>a &lt; b</i>1 &amp; </p>',
  );
});

test('no text leaves its place, and none is invisible', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE)), (text) => {
      const { html: escaped } = html`${text}`;
      expect(escaped).not.toMatch(
        /[<>"'`]|[^\P{Cc}\n\t]|\p{Cs}|[\u202A-\u202E\u2066-\u2069\u200B]/u,
      );
      expect(escaped.replace(/&(amp|lt|gt|quot|#39|#96);/g, '')).not.toContain('&');
    }),
    { seed: 6, numRuns: 500 },
  );
});

test.each([
  ['articles/ACME/DESK/D1/x.glb', '../../articles/ACME/DESK/D1/x.glb'],
  ['articles/A%20B/ä#?.glb', '../../articles/A%2520B/%C3%A4%23%3F.glb'],
  ['../../etc/passwd', '../../etc/passwd'],
  ['/etc/passwd', '../../etc/passwd'],
  ['javascript:alert(1)', '../../javascript%3Aalert(1)'],
  ['//evil.example/x', '../../evil.example/x'],
])('the link to %s stays below the output folder', (path, link) => {
  expect(outputLink(path)).toBe(link);
  const below = new URL('file:///srv/out/runs/now/report.html');
  expect(new URL(link, below).href).toMatch(/^file:\/\/\/srv\/out\//);
});

test('a column without content is left out, in the header and in each row', () => {
  const rows = [
    { name: 'a', none: undefined, zero: 0, some: 0 },
    { name: '', none: undefined, zero: 0, some: 2 },
  ];
  const columns = [
    { title: 'Name', cell: ({ name }: (typeof rows)[number]) => name },
    { title: 'Dash', cell: () => html`<b>–</b>` },
    ...(['none', 'zero', 'some'] as const).map((name) => ({
      title: name,
      value: (row: (typeof rows)[number]) => row[name],
      cell: () => 'x',
    })),
  ];
  const { html: text } = tableSection('i', 'T', { columns, rows })!;
  expect([...text.matchAll(/<button type="button">(\w+)</g)].map(([, title]) => title)).toEqual([
    'Name',
    'some',
  ]);
  expect(text.match(/<td/g)).toHaveLength(4);
});
