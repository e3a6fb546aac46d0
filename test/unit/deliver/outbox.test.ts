import { expect, it } from 'vitest';
import { changesMessages } from '../../../src/deliver/outbox.ts';
import { configurationKey } from '../../../src/model/configuration-id.ts';
import { changesBetween, type PublishedLine } from '../../../src/run/output/changes.ts';

const line = (number: string): PublishedLine => ({
  ...{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: number },
  ...{ finalarticlenumber: '', reinitstring: '', metareinitstring: '' },
  files: [{ delivery: 'articles', path: `${number}.glb`, sha256: 'a' }],
});

it('as many messages as are needed have all changes, each of a bounded size', () => {
  const all = (count: number) => {
    const lines = Array.from({ length: count }, (_, i) => line(`Stühl ${i}`));
    const now = new Map(lines.map((one) => [configurationKey(one), one]));
    return [...changesBetween(new Map(), now)];
  };
  const messages = (changes: ReturnType<typeof all>) => [
    ...changesMessages(
      { pipeline: 'shop' },
      changes.map((one) => [one.basearticlenumber, one] as const),
    ),
  ];
  const [few] = messages(all(3));
  expect(JSON.parse(few!.body)).toEqual({
    pipeline: 'shop',
    complete: true,
    configurations: all(3),
  });
  expect(messages([]).map(({ body }) => JSON.parse(body).configurations)).toEqual([[]]);

  const changes = all(3000);
  const many = messages(changes);
  expect(many.length).toBeGreaterThan(1);
  for (const { body } of many) expect(Buffer.byteLength(body)).toBeLessThan(513 * 1024);
  const read = many.map(({ body }) => JSON.parse(body));
  expect(read.map(({ complete }) => complete)).toEqual(many.map((one) => one === many.at(-1)));
  expect(read.flatMap(({ configurations }) => configurations)).toEqual(changes);
  expect(many.flatMap(({ names }) => names)).toEqual(
    changes.map(({ basearticlenumber }) => basearticlenumber),
  );
});
