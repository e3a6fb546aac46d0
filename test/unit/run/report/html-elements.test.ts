import { expect, test } from 'vitest';
import { outputLink, tableSection } from '../../../../src/run/report/html-elements.ts';
import { html } from '../../../../src/run/report/markup.ts';
import { expectLinear } from '../../../helpers/growth.ts';

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

test('blanks in a column take linear time', async () => {
  const blanks = (size: number) => [{ name: `${' '.repeat(size)}x` }];
  await expectLinear(50_000, blanks, (rows) => {
    const columns = [
      { title: 'A', cell: () => 'a' },
      { title: 'B', cell: ({ name }: { name: string }) => name },
    ];
    expect(tableSection('i', 'T', { columns, rows })).toBeDefined();
  });
});
