import { expect, it } from 'vitest';
import {
  changesBetween,
  changesMessage,
  type PublishedLine,
} from '../../../src/deliver/changes.ts';
import { configurationKey } from '../../../src/model/configuration-id.ts';

const line = (number: string, files: Record<string, string>): PublishedLine => ({
  ...{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: number },
  ...{ finalarticlenumber: '', reinitstring: '', metareinitstring: '' },
  files: Object.entries(files).map(([path, sha256]) => ({ delivery: 'articles', path, sha256 })),
});
const publication = (...lines: PublishedLine[]) =>
  new Map(lines.map((each) => [configurationKey(each), each]));
const urlOf = (path: string) => `https://cdn.example/${path}`;
const brief = (...parameters: Parameters<typeof changesBetween>) =>
  Array.from(changesBetween(...parameters), ({ change, basearticlenumber, files }) => [
    `${change} ${basearticlenumber}`,
    ...files.map((file) => `${file.change} ${file.path} ${file.sha256}`),
  ]);

it('lists new, changed and removed configurations with the files that differ', () => {
  const before = publication(
    line('D1', { 'd1.glb': 'a' }),
    line('D2', { 'd2.glb': 'b', 'd2.jpg': 'c' }),
    line('D3', { 'd3.glb': 'd' }),
  );
  const now = publication(
    line('D4', { 'd4.glb': 'e' }),
    line('D3', { 'd3.glb': 'd' }),
    line('D2', { 'd2.glb': 'B', 'd2.webp': 'f' }),
  );
  expect(brief(before, now)).toEqual([
    ['removed D1', 'removed d1.glb a'],
    ['changed D2', 'changed d2.glb B', 'new d2.webp f', 'removed d2.jpg c'],
    ['new D4', 'new d4.glb e'],
  ]);
  const [first] = changesBetween(before, now, urlOf);
  expect(first!.files[0]!.url).toBe('https://cdn.example/d1.glb');
});

it('lists nothing between equal publications, and everything after none', () => {
  const all = publication(line('D2', { 'd2.glb': 'b' }), line('D1', { 'd1.glb': 'a' }));
  expect(brief(all, all)).toEqual([]);
  expect(brief(new Map(), all).map(([change]) => change)).toEqual(['new D1', 'new D2']);
});

it('a message has the number of all changes, and the first ones only where all would be too many', () => {
  const all = (count: number) => {
    const lines = Array.from({ length: count }, (_, i) =>
      line(`Stühl ${i}`, { [`${i}.glb`]: 'a' }),
    );
    return [...changesBetween(new Map(), publication(...lines))];
  };
  const few = JSON.parse(changesMessage({ pipeline: 'shop' }, all(3)));
  expect(few).toEqual({
    pipeline: 'shop',
    changes: { new: 3, changed: 0, removed: 0 },
    complete: true,
    configurations: all(3),
  });
  const message = changesMessage({ pipeline: 'shop' }, all(5000));
  expect(Buffer.byteLength(message)).toBeLessThan(513 * 1024);
  const many = JSON.parse(message);
  expect(many).toMatchObject({ complete: false, changes: { new: 5000 } });
  expect(many.configurations).toEqual(all(5000).slice(0, many.configurations.length));
  expect(many.configurations.length).toBeGreaterThan(1000);
});
